"""Reading files into the types the rest of the package works with, and writing arrays.

The heavy libraries (rasterio, geopandas, pyproj) load inside the functions that need them.
"""
