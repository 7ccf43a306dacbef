"""Single gradients: what ``backward`` may return, and what becomes of it.

A gradient is checked, fitted to its input and added up, and becomes one that nobody else can see.
Under ``create_graph`` a Function that hides an array from ``backward`` is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .arrays import INEXACT, NUMBERS, NUMPY, Array, as_array, copied, is_array, kind_of
from .config import CONSTANT
from .errors import GradientError, VariableTypeError, attempt
from .graph import Edge, variable_at
from .notes import as_list, described, provider_of, warn_of_approximation
from .sums import broadcasts
from .variable import Variable, label

add, ndarray = np.add, np.ndarray

_LARGE = 1000
"""Sums of more elements are made in place where possible: below that, looking takes longer."""


def data_of(x: Any) -> Any:
    """Return the data of a Variable, and anything else as it is."""
    return x.data if isinstance(x, Variable) else x


class Sum:
    """Gradients that met at one place, added up as they arrive.

    Later gradients are added in place where that is cheaper, and changes no bit: a new array may
    lie in another order than one by columns. An array that an operation returned is written to
    only if nobody else can see it: `a + b` hands one array to both sides. The first gradient is at
    ``table[key]``, the second one is `gradient`.
    """

    __slots__ = ("value",)

    def __init__(self, table: Any, key: Any, gradient: Array) -> None:
        if table[key].size > _LARGE and _is_alone(table, key) and table[key].flags.writeable:
            self.value = table[key]
            self.add(gradient)
        else:
            self.value = table[key] + gradient

    def add(self, gradient: Array) -> None:
        """Add one more, of the same shape and dtype."""
        value = self.value
        if type(value) is not ndarray:
            # NumPy adds two scalars ten times as fast as a scalar and an array without dimensions.
            self.value = value + (gradient[()] if type(gradient) is ndarray else gradient)
        elif value.size == 1 or type(gradient) is not ndarray or not value.flags.c_contiguous:
            self.value = value + gradient
        else:
            add(value, gradient, value)


def gather(table: Any, key: Any, gradient: Array) -> None:
    """Add `gradient` to the total at ``table[key]``: a Sum, a single gradient, or None."""
    total = table[key]
    if total is None:
        table[key] = gradient
    elif type(total) is Sum:
        total.add(gradient)
    else:
        del total  # `_is_alone` counts references: with this one the sum would be a new array
        table[key] = Sum(table, key, gradient)


def value_of(total: Any) -> Any:
    """Return the gradient that a total, or a scalar, amounts to."""
    value = total.value if type(total) is Sum else total
    return as_array(value) if isinstance(value, np.generic) else value


def fitted(
    function: Any, edge: Edge, gx: Any, gxs: Sequence[Any], gys: Any, create_graph: bool
) -> Array:
    """Check a gradient that ``backward`` returned; give it the shape and dtype of its input.

    It must be an array that has not lost the graph, of the shape of the input, or of that of an
    output to which the input was broadcast.
    """
    shape, dtype = edge._edge_shape, edge._edge_dtype
    like, data = data_of(gys[0] if type(gys) is list else gys), data_of(gx)
    is_usual = type(data) is type(like) and (data is gx) is not create_graph
    is_usual = is_usual and (type(data) is ndarray or not getattr(function, "_others", ()))
    if is_usual and data.shape == shape and data.dtype is dtype:
        return gx  # soon, as most are
    pairs = enumerate(zip(gxs, function._edges, strict=True))
    index = next(i for i, pair in pairs if pair[0] is gx and pair[1] is edge)
    arrived = [gy for gy in as_list(gys) if gy is not None]
    gx = _in_the_type_of(arrived[0], gx, function, index, create_graph)
    if gx.shape != shape:
        if not any(gx.shape == gy.shape and broadcasts(shape, gx.shape) for gy in arrived):
            outputs = " or ".join(str(gy.shape) for gy in arrived)
            raise broken(
                function,
                index,
                f"returned shape {gx.shape} for input {index} of shape {shape}; "
                f"expected {shape} or the output shape {outputs}",
            )
        gx = gx.sum_to(shape) if isinstance(gx, Variable) else kind_of(gx).sum_to(gx, shape)
    if gx.dtype != dtype:
        if gx.dtype.kind == "c" and dtype.kind != "c":
            gx = gx.real
        gx = gx.astype(dtype)
        if gx.dtype != dtype:
            raise broken(function, index, f"has arrays whose astype({dtype}) gives {gx.dtype}")
    others = getattr(function, "_others", ())
    return others[index](gx) if index in others else as_array(gx)


def _in_the_type_of(gy: Array, gx: Any, function: Any, index: int, create_graph: bool) -> Array:
    """Return a gradient as an array of the type of `gy`, under `create_graph` in a Variable.

    An array of another type, or without the graph, is accepted if it is all zeros.
    """
    if create_graph and isinstance(gx, Variable):
        return gx
    gx = data_of(gx)
    array = np.asarray(gx) if isinstance(gx, np.generic) else gx
    if not is_array(array):
        is_other = isinstance(array, ndarray) and array.dtype.kind not in NUMBERS
        got = f"an array of {array.dtype}" if is_other else type(gx)
        raise broken(function, index, f"returned {got} for input {index}; return an ndarray")
    like = data_of(gy)
    kind, is_numpys = kind_of(like), kind_of(gx) is NUMPY
    lost = "the graph: under create_graph" if create_graph else ""
    if is_numpys and kind is not NUMPY and not function.converts:
        lost = f"the {kind.name} array:"
    if not lost:
        return gx
    nonzero = np.any(gx)
    if kind_of(nonzero).lazy or nonzero:
        what = "an ndarray" if is_numpys else "a plain array"
        advice = "Compute with the gradients that backward gets, by operators and NumPy functions"
        raise broken(function, index, f"lost {lost} it returned {what} for input {index}. {advice}")
    zeros = as_array(gx) if kind is NUMPY else kind.zeros(gx.shape, gx.dtype, like)
    return constant_gradient(zeros, create_graph)


def as_gradients(function: Any, gxs: Any) -> tuple[Any, ...]:
    """Return the result of ``backward`` as a tuple with one entry for each input."""
    count, index = len(function._edges), 0
    gradients = gxs if isinstance(gxs, tuple) else (gxs,)
    if gxs is None:
        what = "None for input 0; is a return missing? For no gradient, return (None,)"
    elif isinstance(gxs, list):
        what = f"a list; return a tuple of {count} gradients"
    elif len(gradients) == count:
        return gradients
    else:
        index = min(len(gradients), count)
        what = f"{len(gradients)} gradients for {count} inputs"
    raise broken(function, index, f"returned {what}")


def broken(function: Any, index: int, what: str) -> GradientError:
    """Return the error for a ``backward`` that did not keep its contract."""
    message = f"{described(function, 'backward')} {what}."
    return GradientError(message, function=type(function), index=index)


def constant_gradient(array: Array, create_graph: bool) -> Array:
    """Return an array of the engine's own, in the form that gradients have in this pass."""
    if not create_graph:
        return array
    variable = Variable(array)
    variable._edge = CONSTANT
    return variable


def with_zeros(function: Any, gys: Sequence[Any], create_graph: bool) -> list[Array]:
    """Return the gradients of the outputs, with zeros where no gradient has arrived."""
    filled = list(gys)
    like = data_of(next((gy for gy in gys if gy is not None), None))
    for index, gy in enumerate(gys):
        if gy is None:
            shape, dtype = function._output_specs[index]
            dtype = dtype if dtype.kind in INEXACT else np.dtype(float)
            zeros = kind_of(like).zeros(shape, dtype, like)
            filled[index] = constant_gradient(zeros, create_graph)
    return filled


def _references(table: Any, key: Any) -> int:
    gradient = table[key]
    return sys.getrefcount(gradient)


# The number of references to an array that only a table holds.
_ALONE = _references({0: np.empty(1)}, 0)


def _is_alone(table: Any, key: Any) -> bool:
    """Return whether nobody else sees the memory of the array at ``table[key]``."""
    array = type(table[key]) is ndarray
    return array and table[key].base is None and _references(table, key) <= _ALONE


def private(table: dict[Variable, Array], given: Sequence[Any] = ()) -> dict[Variable, Array]:
    """Return `table` with gradients that nobody else can see, copied if need be.

    Operations may return one array for two inputs, a view, or an array that they keep. The arrays
    `given`, from which the pass began, belong to the user.
    """
    taken = set(map(id, given))
    for x in table:
        if isinstance(table[x], Variable):
            table[x] = _own_variable(table[x], taken, x)
        elif not _is_alone(table, x):
            table[x] = copied(table[x], x.data)
    return table


def _own_variable(gradient: Variable, taken: set[int], x: Variable) -> Variable:
    """Return a Variable at the same place of the graph, with data of its own."""
    data = copied(gradient.data, x.data)
    if gradient.creator is not None and id(gradient) not in taken:
        # The Functions of the graph have saved the former array, and go on with that.
        taken.add(id(gradient))
        gradient.data = data
        return gradient
    own = Variable(data, gradient.name)
    own.generation = gradient.generation
    if gradient.creator is not None:
        own._edge = gradient._edge
    elif gradient._edge is not CONSTANT:  # a constant of this pass is a new input to the user
        own._edge = gradient.edge_of_input()
    return own


_EXACT_TYPES = frozenset({bool, int, str, slice, range, bytes, type(None), type(Ellipsis)})


def values_in(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of each number, array and Variable in `value`.

    It looks into containers, attributes, slots, partials and closures, into each object once.
    """
    waiting, seen = [(path, value)], {}
    while waiting:
        path, x = waiting.pop()
        if type(x) in _EXACT_TYPES or id(x) in seen:
            continue
        seen[id(x)] = x  # held, so that no other object gets its id
        is_number = isinstance(x, (float, complex, Variable, ndarray, np.generic))
        if is_number or kind_of(x) is not NUMPY:
            yield path, x
        else:
            waiting += reversed(list(_parts_of(x, path)))


def _parts_of(x: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(x, Mapping):
        for key, item in x.items():
            yield f"{path}.{key}" if path in ("", "self") else f"{path}[{key!r}]", item
    elif isinstance(x, Collection):
        yield from ((f"{path}[{index}]", item) for index, item in enumerate(x))
    elif isinstance(x, FunctionType):  # a name that has no value yet leaves its cell empty
        for cell in x.__closure__ or ():
            yield f"{path}()", attempt(partial(getattr, cell, "cell_contents"))
    elif isinstance(x, partial):
        yield path, [x.func, x.args, x.keywords]
    elif not isinstance(x, (type, ModuleType)):
        slots = {slot for base in type(x).__mro__ for slot in getattr(base, "__slots__", ())}
        for name in [*getattr(x, "__dict__", ()), *sorted(slots)]:
            yield f"{path}.{name}", getattr(x, name, None)


def _inexact_in(attributes: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return path and value of everything through which a derivative could pass."""
    return [
        (path, x)
        for path, x in values_in(attributes)
        if isinstance(x, Variable) or getattr(x, "dtype", np.dtype(float)).kind in "fcO"  # objects
    ]


def constants_given(function: Any) -> tuple[Any, ...]:
    """Return the inexact values that the author's ``__init__`` has set: these are constants.

    A Variable among them is refused: it would get no gradient, without a word.
    """
    attributes = vars(function)
    if all(map(_is_exact, attributes.values())):
        return ()
    given = _inexact_in(attributes)
    for path, x in given:
        if isinstance(x, Variable):
            cls = type(function)
            raise VariableTypeError(
                f"{cls.__name__} of {provider_of(cls)} needs a constant for "
                f"'{path.lstrip('.')}', got {label(x)}, which would get no gradient from "
                "there. Pass its values, its .data.",
                got=type(x),
            )
    return tuple([x for _, x in given])


def _is_exact(value: Any) -> bool:
    """Return whether an attribute is exact at first sight: an axis, a shape, a dtype, labels."""
    kind = type(value)
    return (
        kind in _EXACT_TYPES
        or (kind is tuple and _EXACT_TYPES.issuperset(map(type, value)))
        or (kind is ndarray and value.dtype.kind not in "fcO")
        or isinstance(value, (np.dtype, type))
    )


def require_nothing_hidden(function: Any) -> None:
    """Refuse the second derivative of a Function whose ``forward`` put an array aside."""
    attributes = vars(function)
    if len(attributes) == 1 or all(map(_is_exact, attributes.values())):  # one is `_applied`
        return
    for path, x in _inexact_in(function._own_attributes()):
        if not any(x is given for given in function._given or ()):
            raise GradientError(
                f"{described(function, 'forward')} saved {type(x).__name__} values in "
                f"self{path}. To backward they would be constants and the derivative of the "
                "gradient wrong, so create_graph is refused. Let backward compute with "
                "self.inputs[i].data or self.outputs[i]().data instead; a value that "
                "really is a constant belongs in __init__.",
                function=type(function),
                attribute=path.lstrip("."),
            )


def as_differentiable(function: Any) -> Any:
    """Return a copy whose inputs and outputs hold Variables: ``backward`` records what it computes.

    They are new Variables: the user's may hold other data by now, and must not become gradients.
    """
    if function.approximate:
        warn_of_approximation(type(function), function.approximate)
    require_nothing_hidden(function)
    if not (function._saves_inputs or function._saves_outputs):
        return function
    inputs, outputs = function.saved_arrays()
    edges = function._edges if inputs else ()
    return function.with_arrays(
        [_variable_like(edge, a) for edge, a in zip(edges, inputs, strict=True)],
        [_variable_like(edge, a) for edge, a in zip(function._ports(), outputs, strict=False)],
    )


def _variable_like(edge: Edge, array: Any) -> Any:
    """Return a Variable like the one that held an array; the array, if it gets no gradient."""
    if edge is None or array is None or array.dtype.kind not in INEXACT:
        return array
    found = variable_at(edge)
    variable: Variable = Variable.__new__(Variable)
    variable.data, variable.name = array, None if found is None else found.name
    variable.grad, variable._edge = None, edge
    variable.generation = edge.creator.generation + 1 if edge.creator else 0
    return variable
