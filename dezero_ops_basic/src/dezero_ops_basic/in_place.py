"""Writing into Variables: ``x[i] = v``, and the functions of NumPy that write.

A graph knows values, and not memory. So a write computes a new value, as the Function `SetItem`,
and the Variable becomes that: whoever has computed with the old value keeps it, with its gradient.
Where nobody else sees the array, the write is made in place, and a loop of ``n`` writes takes the
time of ``n`` elements.
"""

from __future__ import annotations

import operator
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from dezero_core import GraphError, Parameter, Registrar, Variable, VariableTypeError
from dezero_core.extend import commit_lock, data_of, label, mode

from .indexing import Index, fixed_index
from .writing import (
    AddAt,
    SetItem,
    Writing,
    add_at,
    operand,
    require_no_loss,
    sample_of,
    setitem,
    subtract_at,
)

#: Functions of NumPy that write -> their parameters: the array, and at last the values and options.
_WRITERS: dict[Any, tuple[str, str]] = {
    np.copyto: ("dst src", "casting where"),
    np.fill_diagonal: ("a val", "wrap"),
    np.place: ("arr mask vals", ""),
    np.put: ("a ind v", "mode"),
    np.put_along_axis: ("arr indices values", "axis"),
    np.putmask: ("a mask values", ""),
}


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
    """Let `x` become the result of a function, which applies a Function of this file."""
    _require_writeable(x)
    value = operand(value)
    if value is not x and _has_array_alone(x):
        require_no_loss(x, value)
        fixed, positions = fixed_index(index)
        if not positions and _wrote_in_place(x, function_class(fixed), value):
            return
    while not _became(x, function, index, value):
        """Another thread wrote into it in between."""


def _became(x: Variable, function: Any, index: Index, value: Any) -> bool:
    """Let `x` become the result of a function, unless another thread wrote into it in between."""
    data, creator = x.data, x.creator
    result = function(x, index, value)
    with commit_lock():
        is_same = x.data is data and x.creator is creator
        if is_same:
            x.become(result)
    return is_same


def _has_array_alone(x: Variable) -> bool:
    """Return whether nobody else sees the array of a Variable, or looks at the calls."""
    is_array = type(x.data) is np.ndarray and _holders(x) <= _ALONE
    return is_array and mode.get().observer is None and x.data.flags.owndata


def _wrote_in_place(x: Variable, function: Writing, value: Any) -> bool:
    """Write into the array of `x`, and return True, if still nobody else sees it."""
    creator, function.in_place = x.creator, True
    result = function(x, value)  # whose data are those of x
    function.in_place = False
    with commit_lock():
        is_same = result.data is x.data and x.creator is creator and x.data.flags.writeable
        if not is_same or _holders(x) > _ALONE + 1:
            return False
        try:
            x.become(result, (function.writes, x.data, function.index, data_of(value)))
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


def _write_by_numpy(function: Any, *args: Any, **kwargs: Any) -> None:
    """Write into a Variable as a function of NumPy does.

    That is asked where it would write which value: it gets their numbers.
    """
    required, options = map(str.split, _WRITERS[function])
    given = dict(zip((*required, *options), args, strict=False)) | kwargs
    x, value = given.pop(required[0], None), operand(given.pop(required[-1], 0.0))
    _require_writeable(x)
    numbers, shape = np.full(x.shape, -1), np.shape(value)
    of_values = np.arange(np.size(value)).reshape(shape)
    others = {name: data_of(each) for name, each in given.items()}
    between = [others.pop(name) for name in required[1:-1] if name in others]
    if function is np.copyto:
        like = [np.empty(0, getattr(each, "dtype", type(each))) for each in (x, value)]
        np.copyto(*like, casting=others.pop("casting", "same_kind"))  # raises, if it cannot
    function(numbers, *between, of_values, **others)
    is_written = numbers >= 0
    if shape:
        places = np.unravel_index(numbers[is_written], shape)
        value = value[(0,) * len(shape) if of_values.size == 1 else places]
    write_by(setitem, SetItem, x, is_written, value)


def _subtract(x: Any, index: Index, value: Any) -> None:
    write_by(add_at, AddAt, x, index, -operand(value))


def register_ops(register: Registrar) -> None:
    """Register what is written, and bind ``x[i] = v`` and the functions of NumPy that write."""
    writers = {function: partial(_write_by_numpy, function) for function in _WRITERS}
    bindings: Any = {"dunders": {"__setitem__": write}, "numpy": writers}
    of_setitem = sample_of(operator.setitem, ((slice(1, 3), 0), (1, 1, 2)))
    register("setitem", setitem, SetItem, sample=of_setitem, **bindings)
    add = partial(write_by, add_at, AddAt)
    register("add_at", add_at, AddAt, numpy={np.add.at: add}, sample=sample_of(np.add.at))
    of_sub = sample_of(np.subtract.at)
    register("subtract_at", subtract_at, numpy={np.subtract.at: _subtract}, sample=of_sub)
