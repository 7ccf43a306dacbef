"""NumPy's namespace, in which lists of Variables are recorded as well.

Programs with ``import autograd.numpy as np`` need only ``import dezero_tools.numpy as np``.

Everything is NumPy's, but for what NumPy itself never shows to a Variable: a list. NumPy calls the
operations of plugins for a Variable, also in the list of ``np.concatenate([x, y])``. A list that
stands for an array, as in ``np.array([x, y])``, it reads by itself, and that is refused, since the
gradient would be lost. In this namespace

- `array`, `asarray`, `full`, ``r_`` and ``c_`` record what they make of Variables;
- a list with floating-point Variables in it, given to any other function, as in ``np.exp([x, y])``,
  is stacked by ``np.stack`` first. Lists may be nested, and may hold numbers and arrays too.

Without a Variable, everything is handed to NumPy as it is, and the results are NumPy's. Classes,
dtypes and constants are NumPy's own objects. Functions are not: ``np.exp is numpy.exp`` is False
here. ``linalg``, ``fft`` and ``random`` are modules of this package, too.

Within a function that is differentiated, compiled or mapped over a batch, `zeros`, `ones`, `full`,
`empty`, and ``zeros_like`` and its like give a Variable, if the dtype is no integer or boolean. So
``out = np.zeros(n)`` can be filled, ``out[i] = f(x[i])``. Elsewhere they give arrays, and
``out[i] = x`` is refused: an array cannot hold the graph.

Nothing but your program imports this package. With NumPy's own namespace write
``np.stack([x, y])``; then the program depends on nothing but NumPy.

Examples
--------
>>> import dezero_tools.numpy as np
>>> from dezero_tools.functional import grad
>>> def energy(angle):
...     position = np.array([np.cos(angle), 2.0 * np.sin(angle)])
...     return np.sum(position**2)
>>> grad(energy)(np.pi / 4.0)
array(3.)
"""

import numpy as _numpy

from ._creation import array as array
from ._creation import asarray as asarray
from ._creation import c_ as c_
from ._creation import empty as empty
from ._creation import empty_like as empty_like
from ._creation import full as full
from ._creation import full_like as full_like
from ._creation import ones as ones
from ._creation import ones_like as ones_like
from ._creation import r_ as r_
from ._creation import zeros as zeros
from ._creation import zeros_like as zeros_like
from ._recording import namespace as _namespace

__all__ = [*_numpy.__all__]
__getattr__, __dir__ = _namespace(__name__, _numpy, ("fft", "linalg", "random"))
