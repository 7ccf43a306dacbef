"""Functions of one example, as functions of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import any_array, data_of, load_plugins_first

from ..batches.batch import LOOPED, Batch, begun, ended
from ..batches.batched import Batched
from ..batches.functions import Batching, Unbatching
from .derived import Derived, takes_function
from .tracing import name_of
from .trees import Tree, leaves_of, like, matched, paths_of

Axes = Any


class Mapped(Derived):
    """A function that `vmap` has made."""

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """Call the function, and return which functions of NumPy looped over the examples.

        One that has no rule for batches is computed for one example after the other: this is
        right, and slow.
        """
        counted: Counter[str] = Counter()
        before = LOOPED.set(counted)
        try:
            self(*args, **kwargs)
        finally:
            LOOPED.reset(before)
        if not counted:
            return "Each function of NumPy computed all examples at once."
        lines = [f"- {name}: {count} times" for name, count in counted.most_common()]
        return "\n".join(["These functions looped over the examples:", *lines])


@takes_function
def vmap(f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0) -> Mapped:
    """Return a function that applies `f` to each example of a batch, to all at once."""

    def mapped(*args: Any, **kwargs: Any) -> Any:
        return _applied(f, in_axes, out_axes, args, kwargs)

    return Mapped(mapped, vmap, f, in_axes, out_axes)


def _applied(f: Any, in_axes: Axes, out_axes: Axes, args: Any, kwargs: Any) -> Any:
    load_plugins_first()
    forms, leaves = [args, kwargs], leaves_of([args, kwargs])
    axes = _axes_of(in_axes, args) + [0] * len(leaves_of(kwargs))
    lengths = {}
    for index, (leaf, axis) in enumerate(zip(leaves, axes, strict=True)):
        if axis is not None:
            lengths.setdefault(np.shape(data_of(leaf))[axis], index)
    if len(lengths) != 1:
        raise _wrong_lengths(f, lengths, args, kwargs)
    batch = begun(*lengths, name_of(f))
    try:
        entered = [_entered(leaf, axis, batch) for leaf, axis in zip(leaves, axes, strict=True)]
        filled, named = like(forms, entered)
        result = f(*filled, **named)
    finally:
        ended(batch)
    ys = leaves_of(result)
    wanted = _axes_of(out_axes, result)
    return like(result, [_left(y, axis, batch) for y, axis in zip(ys, wanted, strict=True)])


def _axes_of(axes: Axes, tree: Tree) -> list[Any]:
    """Return the axis of each leaf: `axes` are of the form of the tree, or of a part of it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(leaves_of(tree))
    found: list[Any] = []
    branches = tree.values() if isinstance(tree, dict) else tree
    parts = [axes[key] for key in tree] if isinstance(tree, dict) else axes
    for part, branch in zip(parts, branches, strict=True):
        found += _axes_of(part, branch)
    return found


def _entered(leaf: Any, axis: int | None, batch: Batch) -> Any:
    if axis is None:
        return leaf
    if isinstance(leaf, Variable):
        return Batching(batch, axis)(leaf)
    return Batched(np.moveaxis(any_array(leaf), axis, 0), batch)


def _left(y: Any, axis: int | None, batch: Batch) -> Any:
    data = data_of(y)
    if not (isinstance(data, Batched) and data.batch == batch):
        if axis is None:
            return y
        if isinstance(y, Variable):
            return np.moveaxis(np.broadcast_to(y, (batch.length, *y.shape)), 0, axis)
        return np.moveaxis(np.broadcast_to(y, (batch.length, *np.shape(y))), 0, axis)
    if isinstance(y, Variable):
        return Unbatching(batch, axis)(y)
    return np.moveaxis(y.values, 0, axis)


def _wrong_lengths(f: Any, lengths: dict[int, int], args: Any, kwargs: Any) -> ValueError:
    paths = [*paths_of(args, "args"), *paths_of(kwargs, "kwargs")]
    return ValueError(f"vmap({name_of(f)}) {lengths} {paths}")
