"""Batches as a type of arrays: each hides a leading axis, over which `functional.vmap` maps.

A function is called once with such arrays, and NumPy's functions compute all examples at once by
the rules of this package. A function of NumPy that has no rule loops over the examples.
"""

from . import protocols as protocols
