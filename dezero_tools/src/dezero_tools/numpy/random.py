"""NumPy's ``random``, as it is: nothing in it has a gradient."""

import numpy.random as _numpy

from ._recording import namespace as _namespace

__all__ = [*_numpy.__all__]
__getattr__, __dir__ = _namespace(__name__, _numpy)
