"""Writing into Variables: ``x[i] = v``, ``np.add.at`` and ``np.subtract.at``.

A graph knows values, and not memory. So a write computes a new value, as the Function `SetItem`,
and the Variable becomes that: whoever has computed with the old value keeps it, with its gradient.
Where nobody else sees the array, the write is made in place, and a loop of ``n`` writes takes the
time of ``n`` elements.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from dezero_core import GraphError, Parameter, Registrar, Variable, VariableTypeError
from dezero_core.extend import COMMIT, NUMPY, data_of, kind_of, label, mode

from .indexing import Index, fixed_index
from .writing import AddAt, SetItem, added_at, operand, require_no_loss, setitem


def write(x: Variable, index: Index, value: Any) -> None:
    """Write into a Variable: ``x[index] = value``, as `setitem`; the Variable becomes the result.

    Another Variable that is a view of `x` keeps the old values. Under ``no_grad()`` an input stays
    an input, with other data.

    Raises
    ------
    GraphError (RuntimeError)
        If `x` is a `Parameter`, or has a ``.grad``, which belongs to the old value; while a
        backward pass runs; under ``no_grad()``, if `x` has a graph.
    IndexError, ValueError, VariableTypeError (TypeError)
        As `setitem`. In every case `x` is as before.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = x * x
    >>> y[0] = x[1]
    >>> y.backward()
    >>> y, x.grad
    (variable([2. 4. 9.]), array([0., 5., 6.]))
    """
    write_by(setitem, SetItem, x, index, value)


def write_by(function: Any, function_class: Any, x: Any, index: Index, value: Any) -> None:
    """Let `x` become ``function(x, index, value)``, the result of a Function of this class."""
    _require_writeable(x)
    value = operand(value)
    if not (_can_be_in_place(x, value) and _wrote_in_place(x, function_class, index, value)):
        _let_become(x, lambda: function(x, index, value))


def _let_become(x: Variable, result_of: Callable[[], Variable]) -> None:
    """Let `x` become a result that is computed from it."""
    is_done, observer = False, mode.get().observer
    if observer is not None:
        observer.written(x)
    while not is_done:  # another thread may write into it in between: then it is computed again
        data, creator, result = x.data, x.creator, result_of()
        with COMMIT[0]:
            is_done = x.data is data and x.creator is creator
            if is_done:
                x.become(result)


def _can_be_in_place(x: Variable, value: Any) -> bool:
    """Return whether nobody else sees the array of a Variable, or looks at the calls."""
    if type(x.data) is not np.ndarray or _holders(x) > _ALONE or value is x:
        return False
    flags = x.data.flags
    is_own = flags.owndata and flags.writeable and mode.get().observer is None
    return is_own and kind_of(data_of(value)) is NUMPY


def _wrote_in_place(x: Variable, function_class: Any, index: Index, value: Any) -> bool:
    """Write into the array of `x`, and return True, if still nobody else sees it."""
    require_no_loss(x, value)
    index, positions = fixed_index(index)
    if positions:
        return False
    function, creator = function_class(index), x.creator
    function.in_place = True
    result = function(x, value)  # whose data are those of x
    function.in_place = False
    with COMMIT[0]:
        is_same = result.data is x.data and x.creator is creator
        if not is_same or _holders(x) > _ALONE + 1:
            return False
        try:
            x.become(result, (function.writes, x.data, index, data_of(value)))
        except (IndexError, TypeError, ValueError):
            return False  # it is raised again, with a note on the call
    return True


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


def _holders(x: Any) -> int:
    """Return the number of references to the data of a Variable."""
    return sys.getrefcount(x.data)


_ALONE = _holders(SimpleNamespace(data=np.empty(1)))
"""The number of them if the Variable has the only one."""


def add_at(a: Variable, indices: Index, b: Any) -> None:
    """Add to elements of a Variable, as often as each is picked: ``np.add.at``.

    Parameters
    ----------
    a : Variable
        The sum is written into it, as `write` does, with the same errors.
    indices : int, slice, array_like, Variable, tuple of these, ``...`` or None
        As of ``a[indices]``.
    b : Variable, ndarray or number
        Of a shape that broadcasts to that of ``a[indices]``.

    Raises
    ------
    ValueError
        If `b` has more axes than what the index picks: NumPy's own function would crash.

    Notes
    -----
    Derivative: 1 by each element of `a`, and by each element of `b` in each place.
    Source: ``numpy.ufunc.at``.

    Examples
    --------
    >>> a = Variable(np.array([1.0, 2.0, 3.0]))
    >>> add_at(a, [0, 0], np.array([10.0, 20.0]))
    >>> a
    variable([31.  2.  3.])
    """
    if has_variables(a, b):
        write_by(added_at, AddAt, a, indices, b)
    else:
        np.add.at(a, indices, b)


def subtract_at(a: Variable, indices: Index, b: Any) -> None:
    """Subtract from elements of a Variable, as often as each is picked: ``np.subtract.at``.

    Parameters
    ----------
    a, indices, b
        As of `add_at`, with its errors.

    Notes
    -----
    Derivative: 1 by each element of `a`, and -1 by each element of `b` in each place.
    Source: ``numpy.ufunc.at``.

    Examples
    --------
    >>> a = Variable(np.array([1.0, 2.0, 3.0]))
    >>> subtract_at(a, [0, 0], 1.0)
    >>> a
    variable([-1.  2.  3.])
    """
    add_at(a, indices, -operand(b))


def has_variables(*operands: Any) -> bool:
    """Return whether there is a Variable among operands: else NumPy's own function writes."""
    return any(isinstance(x, Variable) for x in operands)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file, and bind ``x[i] = v``."""
    of_setitem = _sample_of(operator.setitem, ((slice(1, 3), 0), (1, 1, 2)))
    dunders = {"__setitem__": write}
    register("setitem", setitem, SetItem, dunders=dunders, sample=of_setitem)

    def sample(kit: Any) -> Any:
        return kit.Sample(*_calls(kit), complex=True, writes=True)

    register("add.at", add_at, AddAt, numpy=np.add.at, sample=sample)
    register("subtract.at", subtract_at, AddAt, numpy=np.subtract.at, sample=sample)


def _sample_of(into: Any, *calls: Any) -> Any:
    """Return a sample whose reference writes into an array."""

    def reference(x: Any, index: Any, value: Any) -> Any:
        y = np.array(x)
        into(y, index, value)
        return y

    return lambda kit: kit.Sample(*_calls(kit, *calls), reference=reference, complex=True)


def _calls(kit: Any, *others: Any) -> list[Any]:
    x, v = kit.Draw((3, 4)), kit.Draw
    calls = [
        (1, v((4,))), ((0, 2), v()), (slice(None, None, -2), v((2, 1))), (Ellipsis, v((3, 1))),
        ([0, 2], v((2, 4))), (([0, 1, 0], [1, 1, 1]), v((3,))), (np.array([0, -1]), v((1, 4))),
        ((slice(None), [1, 1]), v((3, 2))), (np.array([[True, False, True, True]] * 3), v((9,))),
        ((Ellipsis, None, 1), v((3, 1))), (None, v((3, 4))),
        *((index, v(shape)) for index, shape in others),
    ]  # fmt: skip
    return [kit.Call(kit.Draw(), (), kit.Draw()), *(kit.Call(x, *each) for each in calls)]
