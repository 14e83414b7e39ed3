"""From a digital elevation model to the slope length and steepness factor of its cells.

`grid` holds a raster with its units, `conditioning` makes it drain, `routing` carries area downslope, and
`ls_raster` gives LS. Nothing here opens files; nothing heavy loads before a kernel is used.
"""
