"""The backward pass: highest generation first, all or nothing.

Gradients in flight live here, never on the Variables. In a plain pass they are arrays
and everything runs at NumPy's speed; under ``create_graph`` they are Variables, and the
same loop records the graph of the gradient.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Container, Iterable, Sequence
from contextlib import nullcontext
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from .config import using_config
from .errors import GradientError, GraphError, VariableTypeError
from .function import Edge, Function, Port, describe, explain
from .variable import CONSTANT, Array, Leaf, Variable, above, as_array, label

_commit = threading.Lock()


class _Everything:
    """Contains whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


def backward(root: Variable, retain_grad: bool = False, create_graph: bool = False) -> None:
    """Add the gradients of `root` to ``.grad`` of its inputs; see `Variable.backward`."""
    _require_graph(root)
    seed = _seed(root, create_graph)
    keep = _Everything() if retain_grad else ()
    reached, passed = _propagate([(root._edge, seed)], create_graph, keep)
    while passed:
        function, gradients = passed.popitem()
        for reference, gradient in zip(function.outputs, gradients, strict=True):
            output = reference()
            if output is not None and output is not root and gradient is not None:
                reached[output] = gradient
    gradient = gradients = None
    with _commit:
        # Every sum first: one that fails must leave every .grad as it was.
        sums = [(x, _sum(x, _private(reached, x), create_graph)) for x in reached]
        for x, gradient in sums:
            x.grad = gradient
        root.grad = seed if retain_grad else None


def grad(
    outputs: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    create_graph: bool = False,
) -> Any:
    """Return the gradients of the sum of `outputs`, and touch no ``.grad``.

    Parameters
    ----------
    outputs : Variable or sequence of Variable
        Each of any shape; the gradient of each starts from ones.
    inputs : Variable or sequence of Variable
        Inputs of the graph or Variables in the middle of it.
    create_graph : bool
        Return Variables that can be differentiated again.

    Returns
    -------
    ndarray or Variable, or a list of them if `inputs` is a sequence
        In the shape and dtype of each input; zeros for one that `outputs` do not depend on.

    Raises
    ------
    GraphError (RuntimeError)
        If an output has no graph.
    VariableTypeError (TypeError)
        If an input is a constant: no Variable, or of integer or boolean data.

    Examples
    --------
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return x + x
    ...
    ...     def backward(self, gy):
    ...         return gy + gy
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> grad(Double()(x), x)
    array([2., 2.])
    """
    roots = [outputs] if isinstance(outputs, Variable) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Variable) else list(inputs)
    for root in roots:
        _require_graph(root)
    for index, x in enumerate(wanted):
        if not isinstance(x, Variable) or x.data is None or x.data.dtype.kind != "f":
            got = x.dtype if isinstance(x, Variable) and x.data is not None else type(x)
            raise VariableTypeError(
                f"input {index} of grad() is a constant ({got}): it has no gradient. "
                "Convert its data, Variable(x.data.astype(float)).",
                got=got,
            )
    seeds = [(root._edge, _constant(np.ones_like(root.data), create_graph)) for root in roots]
    keep = {x.creator for x in wanted if x.creator is not None}
    reached, passed = _propagate(seeds, create_graph, keep)
    for x in wanted:
        if x.creator in passed:
            index = x._edge.index if type(x._edge) is Port else 0
            gradient = passed[x.creator][index]
            if gradient is not None:
                reached[x] = gradient
    passed.clear()
    seeds.clear()
    for x in wanted:
        if x not in reached:
            reached[x] = _constant(np.zeros_like(x.data), create_graph)
    gradient = None
    gradients = [_private(reached, x) for x in wanted]
    return gradients[0] if isinstance(inputs, Variable) else gradients


def _propagate(
    seeds: Iterable[tuple[Edge, Array]], create_graph: bool, keep: Container[Function]
) -> tuple[dict[Variable, Array], dict[Function, tuple[Array, ...]]]:
    """Send gradients back along the edges.

    Returns
    -------
    The gradient of each input that was reached, and of the outputs of each Function
    in `keep`. Some of these arrays may be one and the same.
    """
    # Of a Function with several outputs, a list with a gradient or None for each.
    flowing: dict[Function, Any] = {}
    reached: dict[Variable, Array] = {}
    passed: dict[Function, tuple[Array, ...]] = {}
    # Where the sum in flight is an array that was made here, the next term is added in
    # place. What an operation returned is never written to: `a + b` hands one array to both.
    owned: set[Any] = set()
    waiting: list[tuple[int, int, Function]] = []
    order = count()

    def add(table: dict[Any, Any], key: Any, owner: Any, gradient: Array) -> None:
        total = table[key]
        if owner in owned and type(total) is np.ndarray:
            total += gradient
        else:
            table[key] = total + gradient
            owned.add(owner)

    def send(edge: Edge, gradient: Array) -> None:
        kind = type(edge)
        if kind is Leaf:
            variable = edge()
            if variable is None:
                return
            if variable in reached:
                add(reached, variable, variable, gradient)
            else:
                reached[variable] = gradient
            return
        function = edge.creator
        several = len(function.outputs) > 1
        if function not in flowing:
            heappush(waiting, (-function.generation, next(order), function))
            flowing[function] = [None] * len(function.outputs) if several else gradient
            if not several:
                return
        elif not several:
            add(flowing, function, function, gradient)
            return
        slots, index = flowing[function], edge.index
        if slots[index] is None:
            slots[index] = gradient
        else:
            add(slots, index, (function, index), gradient)

    for edge, seed in seeds:
        send(edge, seed)
    # A backward that is recorded must be, also where the caller records nothing.
    with using_config("enable_backprop", True) if create_graph else nullcontext():
        while waiting:
            function = heappop(waiting)[2]
            gys = flowing.pop(function)
            owned.discard(function)
            if type(gys) is not list and not function.cuts:
                gys = (gys,)
                if function in keep:
                    passed[function] = gys
            else:
                gys = gys if type(gys) is list else [gys]
                owned.difference_update([(function, index) for index in range(len(gys))])
                _stop_at_cuts(function, gys, reached)
                if all(gy is None for gy in gys):
                    continue
                if function in keep:
                    passed[function] = tuple(gys)
                gys = _with_zeros(function, gys, create_graph)
            edges = function.edges
            node = function.as_differentiable() if create_graph else function.as_recorded()
            try:
                gxs = node.backward(*gys)
            except Exception as error:
                explain(error, function, "backward", gys)
                raise
            if type(gxs) is not tuple:
                if gxs is None:
                    raise _wrong(
                        function,
                        0,
                        "returned None; is a return missing? Return (None,)"
                        " if its input has no gradient",
                    )
                gxs = (gxs,)
            if len(gxs) != len(edges):
                raise _wrong(
                    function,
                    min(len(gxs), len(edges)),
                    f"returned {len(gxs)} gradients for {len(edges)} inputs",
                )
            for index, edge in enumerate(edges):
                gx = gxs[index]
                if edge is None or gx is None:
                    continue
                shape, dtype = function.input_spec(index)
                if type(gx) is not np.ndarray or gx.shape != shape or gx.dtype != dtype:
                    gx = _fitted(function, index, gx, gys, create_graph)
                send(edge, gx)
    return reached, passed


def _fitted(
    function: Function, index: int, gx: Any, gys: Sequence[Array], create_graph: bool
) -> Array:
    """Check a gradient, and return it in the shape and dtype of its input."""
    shape, dtype = function.input_spec(index)
    if isinstance(gx, Variable) and not create_graph:
        gx = gx.data
    if not isinstance(gx, (np.ndarray, np.generic, Variable)) or gx.dtype.kind not in "fiub":
        got = f"an array of {gx.dtype}" if isinstance(gx, (np.ndarray, np.generic)) else type(gx)
        raise _wrong(function, index, f"returned {got} for input {index}; return an ndarray")
    if create_graph and not isinstance(gx, Variable):
        if np.any(gx):
            raise _wrong(
                function,
                index,
                f"lost the graph: under create_graph it returned a plain array for input {index}. "
                "Compute with what backward is given, by operators and NumPy functions",
            )
        gx = _constant(as_array(gx), create_graph)
    if gx.shape != shape:
        if not any(gx.shape == gy.shape and _reducible(gx.shape, shape) for gy in gys):
            outputs = " or ".join(str(gy.shape) for gy in gys)
            raise _wrong(
                function,
                index,
                f"returned shape {gx.shape} for input {index} of shape {shape}; "
                f"expected {shape} or the output shape {outputs}",
            )
        gx = gx.sum_to(shape) if isinstance(gx, Variable) else sum_to(gx, shape)
    return gx if gx.dtype == dtype else gx.astype(dtype)


def _wrong(function: Function, index: int, what: str) -> GradientError:
    name, _, origin = describe(function).partition(" ")
    return GradientError(f"{name}.backward {origin} {what}.", function=type(function), index=index)


def _reducible(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether an array of shape `to` broadcasts to `shape`."""
    return len(to) <= len(shape) and all(
        n in (1, m) for n, m in zip(reversed(to), reversed(shape), strict=False)
    )


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum an ndarray over the axes along which `shape` was repeated.

    Raises
    ------
    ValueError
        If an array of `shape` does not broadcast to the shape of `array`.
    """
    if not _reducible(array.shape, shape):
        raise ValueError(f"cannot sum an array of shape {array.shape} to shape {shape}")
    lead = array.ndim - len(shape)
    repeated = tuple(
        axis for axis in range(array.ndim) if axis < lead or shape[axis - lead] != array.shape[axis]
    )
    return array.sum(axis=repeated, keepdims=True).reshape(shape)


def _stop_at_cuts(function: Function, gys: list[Any], reached: dict[Variable, Array]) -> None:
    """Let the gradients of unchained outputs end at these, as at inputs."""
    for index in function.cuts:
        output, gy = function.outputs[index](), gys[index]
        gys[index] = None
        if output is not None and gy is not None:
            reached[output] = reached[output] + gy if output in reached else gy


def _with_zeros(function: Function, gys: Sequence[Array], create_graph: bool) -> list[Array]:
    """Return the gradients of all outputs: those that nobody used count as zeros."""

    filled = []
    for gy, (shape, dtype) in zip(gys, function._output_specs, strict=True):
        if gy is None:
            gy = _constant(np.zeros(shape, dtype if dtype.kind == "f" else None), create_graph)
        filled.append(gy)
    return filled


def _require_graph(root: Variable) -> None:
    edge = root._edge
    if edge is not None and edge.creator is not None:
        return
    where = getattr(edge, "where", None)
    if root.data is None:
        reason = "it holds no data"
    elif where:
        reason = f"it was computed under no_grad(), switched on at {where}"
    elif root.data.dtype.kind != "f":
        reason = (
            f"it is of {root.dtype} data, which is constant. Convert the inputs, "
            "Variable(x.data.astype(float)), and compute it again"
        )
    else:
        reason = "it has no creator: it is an input, or was computed from constants only"
    raise GraphError(
        f"cannot backpropagate from {label(root)}: {reason}.", variable=root, reason=reason
    )


def _constant(array: Array, create_graph: bool) -> Array:
    """Return an array of the engine's own, in the form that gradients have in this pass."""
    if not create_graph:
        return array
    variable = Variable(array)
    variable._edge = CONSTANT
    return variable


def _seed(root: Variable, create_graph: bool) -> Array:
    """Return the gradient to start from: ``root.grad`` if the user has set it, else ones."""
    seed = root.grad
    if seed is None:
        return _constant(np.ones_like(root.data), create_graph)
    if np.shape(seed) != root.shape:
        raise GradientError(
            f".grad of {label(root)} is set and has shape {np.shape(seed)}; backward() starts "
            f"from it, so it must have shape {root.shape}. Call cleargrad() to start from ones.",
            function=type(root.creator),
            index=0,
        )
    if create_graph:
        return seed if isinstance(seed, Variable) else Variable(as_array(seed))
    array = seed.data if isinstance(seed, Variable) else seed
    return np.asarray(array, dtype=root.dtype)


def _sum(x: Variable, gradient: Array, create_graph: bool) -> Array:
    """Return what ``x.grad`` becomes when `gradient` is added; never written in place."""
    old = x.grad
    if old is None:
        return gradient
    if np.shape(old) != gradient.shape:
        raise GradientError(
            f".grad of {label(x)} has shape {np.shape(old)}, and a gradient of shape "
            f"{gradient.shape} is to be added. Call cleargrad() after replacing its data.",
            function=None,
            index=0,
        )
    if create_graph:
        return gradient + old
    return as_array((old.data if isinstance(old, Variable) else old) + gradient)


def _references(table: dict[Any, Array], key: Any) -> int:
    gradient = table[key]
    return sys.getrefcount(gradient)


_ALONE = _references({0: np.empty(1)}, 0)


def _private(table: dict[Any, Array], key: Any) -> Array:
    """Return ``table[key]`` as an array, copied if anyone else can see its memory.

    Operations may return one array for two inputs, a view, or an array they keep; only
    an array that nothing but `table` refers to becomes a ``.grad`` as it is.
    """
    gradient = table[key]
    if isinstance(gradient, Variable):
        return gradient
    if (
        type(gradient) is np.ndarray
        and gradient.base is None
        and _references(table, key) <= _ALONE + 1
    ):
        return gradient
    return np.array(gradient)


above.backward = staticmethod(backward)
