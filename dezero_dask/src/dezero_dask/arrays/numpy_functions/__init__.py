"""The functions of NumPy that Dask's arrays are given to, each with a function that is lazy.

A function is in the table if Dask's own one, or one written here, computes nothing early, and is
right for every argument that it lets through. All others are refused by name.
"""

from . import elementwise, fourier, indexing, joining, products, reductions, shapes  # noqa: F401
