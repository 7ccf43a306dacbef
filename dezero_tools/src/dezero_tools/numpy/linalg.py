"""NumPy's ``linalg``, linear algebra: its functions take lists of Variables as well."""

import numpy.linalg as _numpy

from ._recording import namespace as _namespace

__all__ = [*_numpy.__all__]
__getattr__, __dir__ = _namespace(__name__, _numpy)
