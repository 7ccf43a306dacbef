"""Writes into Variables: a Variable becomes the result of a Function, in place where that is safe.

A graph knows values, and not memory. So a write computes a new value, as the Function `SetItem`,
and the Variable becomes that: whoever has computed with the old value keeps it, with its gradient.
Where nobody else sees the array, the write is made in place, and a loop of ``n`` writes takes the
time of ``n`` elements.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from dezero_core import Function, GraphError, Parameter, Variable, VariableTypeError
from dezero_core.extend import (
    COMMIT,
    INEXACT,
    NUMPY,
    Saved,
    data_of,
    kind_of,
    label,
    mode,
    warn_once,
)

from .indexing import Index, fixed_index, has_positions


class Writing(Function):
    """Base class of the Functions that change elements of their first input, at an index."""

    saves = ()
    linear = True
    #: Whether ``forward`` leaves it to the caller to write into the array, which nobody else sees.
    in_place = False
    #: The function of NumPy, or of Python, that writes.
    writes: Any

    def __init__(self, index: Index) -> None:
        self.index = index


def write_by(function: Any, function_class: Any, x: Any, index: Index, value: Any) -> None:
    """Let `x` become ``function(x, index, value)``, the result of a Function of this class."""
    value = operand(value)
    if not (isinstance(x, Variable) or isinstance(value, Variable)):
        function_class.writes(x, index, value)
        return
    _require_writeable(x)
    with COMMIT[0]:  # one thread after the other
        if not _wrote_in_place(x, function_class, index, value):
            become(x, lambda: function(x, index, value))


def become(x: Variable, result_of: Callable[[], Variable]) -> None:
    """Let `x` become a result that is computed from it."""
    _require_writeable(x)
    observer = mode.get().observer
    if observer is not None:
        observer.written(x)
    with COMMIT[0]:
        result = result_of()
        _save_data_of(x, result)
        x.become(result)


def _save_data_of(x: Variable, result: Variable) -> None:
    """Let Functions behind a result save the data of `x`, and not `x`, which will hold the result.

    Else they would be in a cycle, which only the garbage collector frees. Functions of a lower
    generation than `x` have not computed with its value of now. So each one is looked at once.
    """
    waiting = [result.creator]
    seen: set[Any] = {None}
    while waiting:
        node = waiting.pop()
        if node in seen or node.generation < x.generation or type(node._edges) is not tuple:
            continue
        seen.add(node)
        waiting += [edge and edge.creator for edge in node._edges]
        if node._saves_inputs and any(each is x for each in node._saved_inputs):
            pairs = zip(node._saved_inputs, node._input_arrays, strict=True)
            node._saved_inputs = tuple([Saved(a) if each is x else each for each, a in pairs])


def _wrote_in_place(x: Variable, function_class: Any, index: Index, value: Any) -> bool:
    """Write into the array of `x`, if nobody else sees it, or looks at the calls."""
    if type(x.data) is not np.ndarray or sys.getrefcount(x.data) > _ALONE:
        return False
    is_own = x.data.flags.owndata and mode.get().observer is None
    if not is_own or kind_of(data_of(value)) is not NUMPY:
        return False
    require_no_loss(x, value)
    index, positions = fixed_index(index)
    if positions:
        return False
    function = function_class(index)
    function.in_place = True
    result = function(x, value)  # whose data are those of x, as a rule
    function.in_place = False
    if result.data is not x.data:
        return False
    data, after, old = result.data, list[int](), None
    looks = _count(data, operator.getitem, _FEW), _count(data, list.append, after)
    try:
        if dtype_of(value) != data.dtype or function.writes is not operator.setitem:
            old = np.array(data[index])
        x.become(
            result,
            looks[0],
            (function.writes, data, index, in_rows(index, data_of(value))),
            looks[1],
        )
    except Exception:  # it is raised again, with a note on the call
        if old is not None:  # the half may have been written
            data[index] = old
        return False
    if after[0] > _AFTER:
        warn_once(
            f"another thread has read {label(x)} while it was written into: what it computes may "
            "be of old and new values, and have a wrong gradient. Use a lock for both.",
            RuntimeWarning,
        )
    return True


def _count(data: Any, to: Any, others: Any) -> tuple[Any, ...]:
    """Return a call in C, ``to(others, n)``, where ``n`` is the number of references to `data`.

    It raises if there are more than a tuple has items. In Python, another thread could take the
    array between the look and the write, and save it. NumPy lets other threads run while it writes
    many elements: so there is a look after it, too.
    """
    return reduce, to, map(sys.getrefcount, (data,)), others


def _counts_of_a_write() -> list[int]:
    """Return how many references there are outside of a write, before, and after it, at least."""
    x = Variable(np.zeros(1))
    counts = [sys.getrefcount(x.data)]
    result = Variable(x.data)
    data = result.data
    write = operator.setitem, data, 0, 0.0
    x.become(result, _count(data, list.append, counts), write, _count(data, list.append, counts))
    return counts


_ALONE, _BEFORE, _AFTER = _counts_of_a_write()
_FEW = (None,) * (_BEFORE + 1)


def _require_writeable(x: Any) -> None:
    """Refuse a write that could only lose a gradient, or give a wrong one."""
    now = mode.get()
    if not isinstance(x, Variable):
        raise VariableTypeError(
            "an ndarray cannot hold the graph of a Variable that is written into it. Make the "
            "array a Variable first, out = Variable(np.zeros(n)), or import dezero_tools.numpy as "
            "np; for values alone, write x.data.",
            got=type(x),
        )
    remedy = ""
    if now.in_backward:
        remedy = "while a backward pass runs, whose graphs it would change. Make a new array, as by"
        remedy += " np.where or np.stack"
    elif isinstance(x, Parameter) and now.records:
        remedy = "since it is a Parameter, and would be the result of an operation. Write into its "
        remedy += "data, x.data[i] = v, or under no_grad(), or into a copy, np.copy(x)"
    elif x.generation and not now.records:
        remedy = f"under no_grad(), switched on at {now.where}: its graph would be lost. Write "
        remedy += "outside of that, or into its data, x.data[i] = v"
    elif x.grad is not None and now.records:
        remedy = "while its .grad is set, which is of the value before. Call x.cleargrad() first"
    if remedy:
        raise GraphError(f"{label(x)} cannot be written into {remedy}.", variable=x)


def own_copy(x: Any, *others: Any) -> Any:
    """Return a copy of an array to be written into, of the type of other arrays if that is one."""
    like = next((each for each in others if kind_of(each) is not NUMPY), None)
    if like is None or kind_of(x) is not NUMPY:
        return np.copy(x)
    y = kind_of(like).zeros(np.shape(x), dtype_of(x), like)
    y[...] = x
    return y


def in_rows(index: Index, value: Any) -> Any:
    """Return values of which the last one counts where an index picks an element twice.

    NumPy goes through values and positions in the order in which they lie in memory.
    """
    return np.copy(value, "C") if np.ndim(value) > 1 and has_positions(index) else value


def operand(value: Any) -> Any:
    """Return a value to be written as an operand: a list as an array."""
    if not isinstance(value, (list, tuple)):
        return value
    if any(isinstance(each, Variable) for each in value):
        raise VariableTypeError(
            "write np.stack([u, v]) in place of a list with Variables, as in x[:] = [u, v].",
            got=type(value),
        )
    return np.asarray(value)


def require_no_loss(x: Any, value: Any) -> None:
    """Refuse a value that loses its gradient, or its imaginary part."""
    to, of = dtype_of(x), dtype_of(value)
    if of.kind == "c" and to.kind != "c":
        remedy = f"Convert it, x.astype({of}), or write the real part, np.real(v)"
    elif isinstance(value, Variable) and of.kind in INEXACT and to.kind not in INEXACT:
        remedy = f"Convert it, x.astype({of}), or write the values alone, v.data"
    else:
        return
    raise VariableTypeError(f"a value of {of} cannot be written into {to} data. {remedy}.", got=of)


def dtype_of(x: Any) -> Any:
    """Return the dtype of an operand, also of a number."""
    return x.dtype if hasattr(x, "dtype") else np.dtype(x.__class__)  # it may be recorded


def sample_of(into: Any, *calls: Any) -> Any:
    """Return a sample whose reference writes into an array."""

    def reference(x: Any, index: Any, value: Any) -> Any:
        y = np.array(x)
        into(y, index, value)
        return y

    return lambda kit: kit.Sample(*calls_of(kit, *calls), reference=reference, complex=True)


def calls_of(kit: Any, *others: Any) -> list[Any]:
    """Return calls with all kinds of indices, and those of other indices and shapes of values."""
    x, v = kit.Draw((3, 4)), kit.Draw
    calls = [
        (1, v((4,))), ((0, 2), v()), (slice(None, None, -2), v((2, 1))), (Ellipsis, v((3, 1))),
        ([0, 2], v((2, 4))), (([0, 1, 0], [1, 1, 1]), v((3,))), (np.array([0, -1]), v((1, 4))),
        ((slice(None), [1, 1]), v((3, 2))), (np.array([[True, False, True, True]] * 3), v((9,))),
        ((Ellipsis, None, 1), v((3, 1))), (None, v((3, 4))),
        *((index, v(shape)) for index, shape in others),
    ]  # fmt: skip
    return [kit.Call(kit.Draw(), (), kit.Draw()), *(kit.Call(x, *each) for each in calls)]
