"""The book's module of that name. There is no GPU here: arrays are NumPy's.

Programs of the book run unchanged with it, as those with ``if dezero.cuda.gpu_enable:``.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from dezero_core import Variable

from .docstrings import described

__all__ = ["as_numpy", "get_array_module", "gpu_enable"]

gpu_enable = False
"""Whether there is a GPU: never."""


@described
def get_array_module(x: Any) -> ModuleType:
    """Return the module whose functions take `x`, which is NumPy.

    x (Variable, ndarray or number):
    Returns (module):

    >>> get_array_module(Variable(np.array(1.0))).__name__
    'numpy'
    """
    return np


@described
def as_numpy(x: Any) -> Any:
    """Return a Variable's data, an array or a number as an ndarray.

    x (Variable, ndarray or number):
    Returns (ndarray):

    >>> as_numpy(2.0), as_numpy(Variable(np.array([1.0])))
    (array(2.), array([1.]))
    """
    return np.asarray(x.to_numpy() if isinstance(x, Variable) else x)
