"""Indices of the arrays of a batch, and NumPy's protocols: ufuncs and other functions."""

from __future__ import annotations

from typing import Any

from dezero_core import Variable

from . import axes as axes
from . import elements as elements
from . import products as products
from . import shapes as shapes
from .batched import Batched
from .indexing import picked, put
from .rules import of_function, of_ufunc


def _setitem(self: Batched, index: Any, values: Any) -> None:
    self.require_writeable()
    put(self, index, values)


def _of_ufunc(self: Batched, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if any(isinstance(x, Variable) for x in inputs):
        return NotImplemented
    return of_ufunc(ufunc, method, inputs, kwargs)


def _of_function(self: Batched, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if any(issubclass(cls, Variable) for cls in types):
        return NotImplemented
    return of_function(function, args, kwargs)


# Here, since the rules make arrays of this class.
Batched.__getitem__ = picked  # type: ignore[method-assign]
Batched.__setitem__ = _setitem  # type: ignore[method-assign]
Batched.__array_ufunc__ = _of_ufunc  # type: ignore[method-assign]
Batched.__array_function__ = _of_function  # type: ignore[method-assign]
