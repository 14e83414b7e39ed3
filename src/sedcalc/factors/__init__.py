"""The equations of RUSLE and of what follows it: numbers in, numbers out.

Every function takes scalars or NumPy arrays, broadcasts, and knows no file, table or raster library: values of
reference tables arrive as arguments. Units are US customary unless a name says otherwise.

Arrays of float32 give float32. Against float64 on the same numbers the relative error stays below 2e-6; below 1e-5 in
`epic_k`, `annual_rain_r`, `monthly_rain_r`, `surface_cover`, `surface_roughness` and Nearing's `steepness_factor`;
below 2e-5 in `establishing_slr`; and below 1e-4 in `curve_number_runoff_in`, where runoff is a small difference of rain
and abstraction. The shares of `sediment_classes`, which are differences too, keep an absolute error below 1e-6. NaN in
an array is a missing value: the result is NaN there, and nothing else changes. A NaN given as a number is a mistake.
"""
