"""Single gradients: checked, fitted to their input, added to ``.grad``, never shared.

For complex data there are two conventions, and here they meet. ``backward`` is given and returns
the ``g`` of ``dL = Re(sum(g dz))``, for a real loss ``L``: so a method that is right for real
numbers, ``gy * np.cos(x)``, is right for every analytic function. The user gets its conjugate as
``.grad``, the derivative by the real part plus ``1j`` times that by the imaginary part:
``z - step * z.grad`` descends. A real input gets the real part.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .array_types import array_type_of, call_by_type, copied, possible, shape_of, zeros_as
from .arrays import INEXACT, NUMBERS, Array, as_array, is_array
from .config import CONSTANT
from .edges import Edge
from .errors import GradientError
from .notes import as_list, described
from .sums import broadcasts, sum_to
from .variable import Variable, label

add, ndarray = np.add, np.ndarray

_LARGE = 1000
"""Sums of more elements are made in place where possible: below that, looking takes longer."""


class Sum:
    """Gradients that met at one place, added up as they arrive.

    In an array of the engine's own, and in place where that is cheaper. An array that an operation
    returned is written to only if nobody else can see it: `a + b` hands one array to both sides.

    Parameters
    ----------
    table, key
        Where the first one is.
    gradient : ndarray, numpy.generic or Variable
        The second one.
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
        elif value.size == 1:
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
    """Return the gradient that a total amounts to."""
    value = total.value if type(total) is Sum else total
    return as_array(value) if isinstance(value, np.generic) else value


def fitted(
    function: Any,
    edge: Edge,
    gx: Any,
    gxs: Sequence[Any],
    gys: Any,
    create_graph: bool,
) -> Array:
    """Check a gradient that ``backward`` returned; give it the shape and dtype of its input.

    Raises
    ------
    GradientError (ValueError)
        If it is no array, has lost the graph, or has another shape than the input, and than an
        output to which the input was broadcast.
    """
    pairs = enumerate(zip(gxs, function._edges, strict=True))
    index = next(i for i, pair in pairs if pair[0] is gx and pair[1] is edge)
    shape, dtype = edge._edge_shape, edge._edge_dtype
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
        gx = gx.sum_to(shape) if isinstance(gx, Variable) else sum_to(gx, shape)
    if gx.dtype != dtype:
        if gx.dtype.kind == "c" and dtype.kind != "c":
            gx = gx.real
        gx = gx.astype(dtype)
        if gx.dtype != dtype:
            raise broken(function, index, f"has arrays whose astype({dtype}) gives {gx.dtype}")
    return as_array(gx)


def _in_the_type_of(gy: Array, gx: Any, function: Any, index: int, create_graph: bool) -> Array:
    """Return a gradient as an array of the type of `gy`; a Variable of one under `create_graph`.

    An ndarray of zeros stands for zeros of any type, and for a constant.
    """
    if isinstance(gx, Variable):
        if create_graph:
            return gx
        gx = gx.data
    array = np.asarray(gx) if isinstance(gx, np.generic) else gx
    is_numpys = array_type_of(gx) is None
    if not is_array(array):
        is_other = isinstance(array, np.ndarray) and array.dtype.kind not in NUMBERS
        got = f"an array of {array.dtype}" if is_other else type(gx)
        raise broken(function, index, f"returned {got} for input {index}; return an ndarray")
    like = gy.data if isinstance(gy, Variable) else gy
    kind = array_type_of(like)
    lost = "the graph: under create_graph" if create_graph else ""
    if is_numpys and kind is not None:
        lost = f"the {kind.name} array:"
    if not lost:
        return gx
    if possible(np.any(gx)):
        what = "an ndarray" if is_numpys else "a plain array"
        advice = "Compute with the gradients that backward gets, by operators and NumPy functions"
        raise broken(function, index, f"lost {lost} it returned {what} for input {index}. {advice}")
    zeros = as_array(gx) if kind is None else kind.zeros(gx.shape, gx.dtype, like)
    return constant_gradient(zeros, create_graph)


def as_gradients(function: Any, gxs: Any) -> tuple[Any, ...]:
    """Return the result of ``backward`` as a tuple with one entry for each input.

    Raises
    ------
    GradientError (ValueError)
        If it returned nothing, a list, or another number of gradients.
    """
    count = len(function._edges)
    if gxs is None:
        raise broken(
            function,
            0,
            "returned None for input 0; is a return missing? Where an input has no gradient, "
            "return (None,)",
        )
    if isinstance(gxs, list):
        raise broken(function, 0, f"returned a list; return a tuple of {count} gradients")
    gradients = gxs if isinstance(gxs, tuple) else (gxs,)
    if len(gradients) != count:
        index = min(len(gradients), count)
        raise broken(function, index, f"returned {len(gradients)} gradients for {count} inputs")
    return gradients


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
    like = next((gy for gy in gys if gy is not None), None)
    like = like.data if isinstance(like, Variable) else like
    for index, gy in enumerate(gys):
        if gy is None:
            shape, dtype = function._output_specs[index]
            zeros = zeros_as(shape, dtype if dtype.kind in INEXACT else np.dtype(float), like)
            filled[index] = constant_gradient(zeros, create_graph)
    return filled


def conjugated(gradient: Array) -> Array:
    """Return `gradient` in the other of the two conventions; see the top of the module."""
    if gradient.dtype.kind != "c":
        return gradient
    if array_type_of(gradient) is not None:  # whose arrays need not have the method
        return call_by_type(np.conjugate, (gradient,), {})
    return as_array(gradient.conjugate())


def added_to(x: Variable, gradient: Array, create_graph: bool) -> Array:
    """Return the new ``x.grad``: `gradient`, or the sum of both in a new array.

    Raises
    ------
    GradientError (ValueError)
        If ``x.grad`` is of another shape.
    """
    old = x.grad
    if old is None:
        return gradient
    if shape_of(old) != gradient.shape:
        raise GradientError(
            f".grad of {label(x)} has shape {shape_of(old)}, and a gradient of shape "
            f"{gradient.shape} is to be added. Call cleargrad() after replacing its data.",
            function=None,
            index=0,
        )
    if create_graph:
        return gradient + old
    return as_array((old.data if isinstance(old, Variable) else old) + gradient)


def _references(table: Any, key: Any) -> int:
    gradient = table[key]
    return sys.getrefcount(gradient)


# As many as an array has that nothing but the table refers to.
_ALONE = _references({0: np.empty(1)}, 0)


def _is_alone(table: Any, key: Any) -> bool:
    """Return whether nobody else sees the memory of the array at ``table[key]``."""
    array = type(table[key]) is ndarray
    return array and table[key].base is None and _references(table, key) <= _ALONE


def private(
    table: dict[Variable, Array], given: Sequence[Any] = ()
) -> list[tuple[Variable, Array]]:
    """Return the items of `table` with gradients that nobody else can see, copied if need be.

    Operations may return one array for two inputs, a view, or an array that they keep. The arrays
    `given`, from which the pass began, belong to the user.
    """
    taken = {id(gradient) for gradient in given}
    items = []
    gradient: Array
    for x in table:
        if isinstance(table[x], Variable):
            gradient = _own_variable(table[x], taken, x)
        elif _is_alone(table, x):
            gradient = table[x]
        else:
            gradient = copied(table[x], x.data)
        items.append((x, gradient))
    return items


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
