"""The equations of RUSLE and of what follows it: numbers in, numbers out.

Every function takes scalars or NumPy arrays, broadcasts, and knows no file, table or raster library: values of
reference tables arrive as arguments. Units are US customary unless a name says otherwise.

Arrays of float32 give float32. Against float64 on the same numbers the relative error stays below 2e-6; below 1e-5 in
`epic_k`, `surface_cover`, `surface_roughness` and Nearing's `steepness_factor`; and below 2e-5 in `establishing_slr`.
`curve_number_runoff_in`, `annual_rain_r` and `monthly_rain_r` compute in float64 and only round their result. The
shares of `sediment_classes`, which are differences, keep an absolute error below 1e-6. A step of an equation
is met by its own nearest float32 (0.06 in/h in `permeability_class`); the exponent of Handbook 537 steps one float32
below 1 %. NaN in an array is a missing value: the result is NaN there, and nothing else changes. A NaN given as a
number is a mistake.
"""
