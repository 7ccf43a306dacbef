"""Functions of one example, as functions of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import PluginError, Variable, VariableTypeError
from dezero_core.extend import (
    NUMPY,
    add_notes,
    any_array,
    copied,
    data_of,
    kind_of,
    mode,
    shape_of,
)

from ..batches.batch import LOOPED, Batch, is_registered, new_batch
from ..batches.batched import Batched
from ..batches.functions import Batching, Unbatching, moved
from ..batches.randomness import Draws
from ..wrapped import CALLERS
from .derived import Derived, takes_function
from .tracing import name_of
from .trees import Tree, branches_of, leaves_of, like, paths_of

CALLERS[__name__] = {"mapped"}

Axes = Any
"""An axis, None, or a tree of these, of the form of a tree or of the branches next to its root."""


class Mapped(Derived):
    """A function that `vmap` has made."""

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """Call the function, and return which functions looped over the examples.

        A function of NumPy that has no rule for batches, and a `Function` that takes ndarrays
        alone, is computed for one example after the other: this is right, and slow.
        """
        counted: Counter[str] = Counter()
        before = LOOPED.set(counted)
        try:
            self(*args, **kwargs)
        finally:
            LOOPED.reset(before)
        if not counted:
            return "Each function computed all examples at once."
        times = {name: "once" if n == 1 else f"{n} times" for name, n in counted.most_common()}
        lines = [f"- {name}: {often}" for name, often in times.items()]
        return "\n".join(["These functions looped over the examples:", *lines])


@takes_function
def vmap(
    f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, randomness: str = "error"
) -> Mapped:
    """Return a function that applies `f` to each example of a batch, to all of them at once.

    `f` needs no change. It is called once, with arrays that look like those of one example, and
    NumPy's functions compute all examples together. Derivatives and `vmap` may be nested in any
    order: ``vmap(grad(f))`` gives the gradient of each example. A Variable that `f` reaches, such
    as a parameter of a model, is the same for all examples: its gradient is the sum over them.

    Parameters
    ----------
    f : callable
        Of arrays, or of nested tuples, lists, dicts and dataclasses of them.
    in_axes : int, None, or a tuple with one of these, or of nested ones, for each argument
        The axis of the examples in the arrays of each argument; None for an argument that all
        examples share. Arguments by name are mapped along their first axis.
    out_axes : int, None, or nested ones in the form of the result
        The axis of the examples in the results; None for a result that is the same for all.
    randomness : str
        The fate of random numbers that `f` draws: ``"error"`` refuses them, and with ``"same"`` one
        drawing is for all examples. With ``"different"``, `f` is called for one example after
        the other, and draws anew.

    Returns
    -------
    callable
        Takes the arguments of `f`, with one more axis, that of the examples. Its results have one
        more axis. Its method ``explain(*args)`` says which functions looped over the examples.

    Raises
    ------
    ValueError
        When called, if lengths differ, an axis is not there, `in_axes` or `out_axes` have another
        form, or a result with ``out_axes=None`` differs from example to example.
    VariableTypeError (TypeError)
        When called, if `f` decides by a value, as in ``if x > 0``: write ``np.where``; if an
        argument is no array, or an array of a type such as Dask's; if `f` draws random numbers.
        Later, if an array of one example is used after the call: return it from `f`.

    Examples
    --------
    >>> vmap(np.sum)(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    >>> vmap(np.dot, in_axes=(None, 0))(np.ones(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """

    if randomness not in ("error", "same", "different"):
        raise ValueError(
            f"randomness of vmap is 'error', 'same' or 'different', got {randomness!r}."
        )

    def mapped(*args: Any, **kwargs: Any) -> Any:
        if not is_registered():
            raise PluginError(
                f"vmap({name_of(f)}) needs the arrays of the plugin 'tools' of dezero-tools, which "
                "is switched off or unregistered."
            )
        arguments = _Arguments(f, in_axes, args, kwargs)
        if randomness == "different":
            return _one_by_one(f, arguments, out_axes)
        is_observed = randomness == "same" or mode.get().observer is not None
        draws = None if is_observed else Draws(f, leaves_of([args, kwargs]))
        with new_batch(arguments.length, name_of(f)) as batch:
            xs, named = arguments.within(batch)
            try:
                result = f(*xs, **named)
            except Exception as error:
                add_notes(error)
                raise
        if draws is not None and draws.were_made():
            raise VariableTypeError(
                f"{name_of(f)} draws random numbers, and within vmap one drawing would be for all "
                "examples. Pass randomness='different', or 'same'; or draw the numbers before, and "
                "map over them.",
                got="random numbers",
            )
        paths = list(paths_of(result, "the result"))
        axes = _axes_of(out_axes, result, f"out_axes of vmap({name_of(f)})", "the result")
        leaves = zip(leaves_of(result), axes, paths, strict=True)
        return like(result, [_without_batch(y, axis, path, batch) for y, axis, path in leaves])

    return Mapped(mapped, vmap, f, in_axes, out_axes, randomness)


class _Arguments:
    """The arguments of a call, with the axis of the examples in each leaf."""

    def __init__(self, f: Any, in_axes: Axes, args: Any, kwargs: Any) -> None:
        self._form = [args, kwargs]
        name, self._leaves = name_of(f), leaves_of(self._form)
        parts = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(parts) != len(args):
            raise ValueError(
                f"in_axes of vmap({name}) has {len(parts)} parts, and {name} was called with "
                f"{len(args)} arguments by position."
            )
        self._axes: list[Any] = []
        paths: list[str] = []
        for index, (part, arg) in enumerate(zip(parts, args, strict=True)):
            path = f"argument {index}"
            self._axes += _axes_of(part, arg, f"in_axes of vmap({name})", path)
            paths += paths_of(arg, path)
        for key, arg in kwargs.items():
            self._axes += [0] * len(leaves_of(arg))
            paths += paths_of(arg, f"argument {key}")
        lengths: dict[int, str] = {}
        for number, (leaf, path) in enumerate(zip(self._leaves, paths, strict=True)):
            if self._axes[number] is not None:
                self._axes[number] = _axis_of(leaf, self._axes[number], path, name)
                lengths.setdefault(shape_of(data_of(leaf))[self._axes[number]], path)
        if len(lengths) > 1:
            (n, first), (m, second) = list(lengths.items())[:2]
            raise ValueError(
                f"vmap({name}) needs as many examples in each argument: {first} has {n} along its "
                f"axis, and {second} has {m}. For one that all examples share, in_axes has None."
            )
        if not lengths:
            raise ValueError(
                f"vmap({name}) has no argument with examples: in_axes is None for all of them."
            )
        (self.length,) = lengths

    def within(self, batch: Batch) -> Any:
        """Return the arguments as those of one example."""
        pairs = zip(self._leaves, self._axes, strict=True)
        return like(self._form, [_within(leaf, axis, batch) for leaf, axis in pairs])

    def of_example(self, index: int) -> Any:
        """Return the arguments of one example."""
        pairs = zip(self._leaves, self._axes, strict=True)
        taken = [x if axis is None else np.take(x, index, axis) for x, axis in pairs]
        return like(self._form, taken)


def _one_by_one(f: Any, arguments: _Arguments, out_axes: Axes) -> Any:
    """Return the results of a function that is called for each example."""
    LOOPED.get()[name_of(f)] += 1
    results = []
    for index in range(arguments.length):
        xs, named = arguments.of_example(index)
        results.append(f(*xs, **named))
    if not results:
        raise ValueError(f"vmap({name_of(f)}) with randomness='different' needs an example.")
    form = results[0]
    axes = _axes_of(out_axes, form, f"out_axes of vmap({name_of(f)})", "the result")
    columns = list(zip(*map(leaves_of, results), strict=True))
    for ys, axis, path in zip(columns, axes, paths_of(form, "the result"), strict=True):
        _place_of(axis, shape_of(data_of(ys[0])), path, name_of(f))
    pairs = zip(columns, axes, strict=True)
    return like(form, [ys[0] if axis is None else np.stack(ys, axis) for ys, axis in pairs])


def _axes_of(axes: Axes, tree: Tree, what: str, path: str) -> list[Any]:
    """Return the axis of each leaf of a tree."""
    if axes is None or (isinstance(axes, (int, np.integer)) and not isinstance(axes, bool)):
        return [axes] * len(leaves_of(tree))
    parts, branches = branches_of(axes), branches_of(tree)
    keys = (axes.keys(), tree.keys()) if isinstance(axes, dict) and isinstance(tree, dict) else ()
    same = parts is not None and branches is not None and len(parts) == len(branches)
    if (
        not same
        or isinstance(axes, dict) != isinstance(tree, dict)
        or (keys and keys[0] != keys[1])
    ):
        raise ValueError(
            f"{what} must be an axis, None, or of the form of {path}, got {axes!r} for "
            f"{type(tree)}."
        )
    ordered = [axes[key] for key in tree] if keys else parts
    pairs = zip(ordered or (), branches or (), strict=True)
    return [axis for part, branch in pairs for axis in _axes_of(part, branch, what, path)]


def _axis_of(leaf: Any, axis: int, path: str, name: str) -> int:
    """Return the axis of a leaf, from 0 on; refuse one that is not there."""
    kind = kind_of(data_of(leaf))
    array = data_of(leaf) if kind is not NUMPY else np.asarray(data_of(leaf))
    problem = ""
    if kind is not NUMPY and kind.others is None and kind.resolve is None:
        problem = f"{kind.an_array}: vmap takes ndarrays. Convert it, or let all examples share it"
    elif array.dtype.kind not in "fciub":
        problem = f"of {type(leaf)}, and no array of numbers. With None in in_axes, all share it"
    if problem:
        raise VariableTypeError(f"{path} of vmap({name}) is {problem}.", got=type(leaf))
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(
            f"{path} of vmap({name}) has the shape {array.shape}, and no axis {axis} of examples. "
            "For an argument that all examples share, in_axes has None; and a list is several "
            "arguments: np.array(x) makes one array of it."
        )
    return int(axis) % array.ndim


def _within(leaf: Any, axis: int | None, batch: Batch) -> Any:
    """Return an argument as that of one example."""
    if axis is None:
        return leaf
    if isinstance(leaf, Variable):
        return Batching(batch, axis)(leaf)
    return Batched(moved(any_array(leaf), axis, 0), batch, is_shared=True)  # it is the caller's


def _without_batch(y: Any, axis: int | None, path: str, batch: Batch) -> Any:
    """Return a result with the axis of the examples."""
    data, name = data_of(y), batch.name
    kind = kind_of(data.values if isinstance(data, Batched) else data)
    if kind is not NUMPY and kind.others is None and kind.resolve is None:
        raise VariableTypeError(
            f"{path} of vmap({name}) is {kind.an_array}: arrays of a batch are computed with "
            "ndarrays alone. Convert the others.",
            got=type(data),
        )
    if isinstance(data, Batched) and data.batch == batch:
        if axis is None:
            raise ValueError(
                f"{path} of vmap({name}) differs from example to example, and out_axes=None is for "
                "one that is the same for all. Name an axis, 0 as by default."
            )
        axis = _place_of(axis, data.shape, path, name)
        if isinstance(y, Variable):
            return Unbatching(batch, axis)(y)
        found = moved(data.values, 0, axis)
        return copied(found) if data.is_shared or not _is_own(data.values) else found
    if axis is None:
        return y
    if not isinstance(y, Variable) and any_array(y).dtype.kind not in "fciub":
        raise VariableTypeError(f"{path} of vmap({name}) is of {type(y)}, no array.", got=type(y))
    shape, at = shape_of(data), _place_of(axis, shape_of(data), path, name)
    alike = np.broadcast_to(np.expand_dims(y, at), (*shape[:at], batch.length, *shape[at:]))
    return alike if isinstance(y, Variable) else copied(alike)


def _place_of(axis: int | None, shape: tuple[int, ...], path: str, name: str) -> int:
    """Return the place, from 0 on, of a new axis in a result; refuse one that is not there."""
    count = len(shape) + 1
    if axis is not None and not -count <= axis < count:
        raise ValueError(
            f"{path} of vmap({name}) has for each example the shape {shape}, so its axis of "
            f"examples is from {-count} to {count - 1}, got {axis} in out_axes."
        )
    return (axis or 0) % count


def _is_own(values: Any) -> bool:
    """Return whether an array is no view."""
    return kind_of(values) is NUMPY and values.base is None and values.flags.writeable
