"""Dask's arrays in Variables: operations and gradients are lazy, and nothing is computed early.

`array_type` is what the core calls. `elementwise_bodies` runs elementwise Functions on the chunks.
The bodies of all others run on a `body_array`, by the table in `numpy_functions`.
"""
