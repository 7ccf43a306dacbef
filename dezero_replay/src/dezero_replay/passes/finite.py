"""The pass over guards that all elements are finite: in most cases one product is enough."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Method, Of, Value
from .aliasing import is_packed
from .buffers import LEAST
from .graph import Graph

_ALL = Of(np.logical_and, "reduce")


def all_finite(x: Any) -> bool:
    """Return whether no element of a vector is nan or infinite."""
    # If an element is not finite, the sum of squares is not. If the sum overflows, all elements
    # are looked at. vdot computes the sum without a warning of the overflow.
    return isfinite(np.vdot(x, x)) or bool(np.isfinite(x).all())


def with_quick_guards(graph: Graph) -> Graph:
    """Let guards that all elements are finite look at the sum of squares first."""
    makers: dict[int, Instruction] = {}
    found: list[Instruction] = []
    for each in graph.instructions:
        makers.update((value.number, each) for value in each.outputs)
        x = _looked_at(each, makers)
        if x is not None:
            flat = Value(next(graph.numbers), np.empty(0, x.dtype))
            flat.shape, flat.strides = (prod(x.shape),), (x.dtype.itemsize,)
            found.append(each.changed(Method("reshape"), (x, flat.shape), {}, (flat,)))
            each = Guard(all_finite, flat, True, each.region, each.where)
        found.append(each)
    return graph.changed(found)


def _looked_at(guard: Instruction, makers: dict[int, Instruction]) -> Value | None:
    """Return the array `x` if a guard stands for ``isfinite(x).all()``, else None."""
    if type(guard) is not Guard or guard.call is not bool or guard.expected is not True:
        return None
    of_all = makers.get(guard.args[0].number)
    if of_all is None or of_all.call != _ALL or of_all.kwargs.get("axis", 0) is not None:
        return None
    of_each = makers.get(of_all.args[0].number)
    if of_each is None or of_each.call is not np.isfinite or of_each.kwargs:
        return None
    x: Value = of_each.args[0]
    is_plain = x.kind is np.ndarray and x.dtype.char in "fd" and x.dtype.isnative
    return x if is_plain and prod(x.shape) >= LEAST and is_packed(x) else None
