"""Transforms one after another, and of a whole batch at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from ..docstrings import described

Transform = Callable[[Any], Any]


def defines_both(obj: Any, single: str, batch: str) -> bool:
    """Return whether the method `batch` of `obj` was written for its method `single`.

    A subclass that defines `single` anew, and not `batch`, has inherited one that does not fit.
    """
    owners = (cls for cls in type(obj).__mro__ if not vars(cls).keys().isdisjoint((single, batch)))
    return any(batch in vars(cls) for cls in islice(owners, 1))


def batch_form(transform: Transform | None) -> Transform | None:
    """Return a function that applies a transform to all items of an array at once.

    transform: None is the identity.
    Returns: None if there is no such function.
    """
    if transform is None:
        return _same
    if type(transform) is Compose:
        parts = [batch_form(part) for part in transform.transforms]
        whole = [part for part in parts if part is not None]
        return Compose(whole) if len(whole) == len(parts) else None
    if defines_both(transform, "__call__", "apply_to_batch"):
        return transform.apply_to_batch  # type: ignore[attr-defined]
    return None


def _same(x: Any) -> Any:
    return x


class Shown:
    """Printed with its attributes, as the call that makes it."""

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({given})"


@described
class Compose(Shown):
    """Transforms, each of the result of the one before.

    transforms (sequence of callable):

    >>> from dezero_nn.transforms import Compose, Flatten, Normalize, ToFloat
    >>> transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])
    >>> transform(np.array([[0, 51], [102, 255]], np.uint8))
    array([0. , 0.2, 0.4, 1. ], dtype=float32)
    """

    def __init__(self, transforms: Sequence[Transform] = ()) -> None:
        self.transforms = transforms

    def __call__(self, x: Any) -> Any:
        """Return the result of the last transform."""
        for transform in self.transforms:
            x = transform(x)
        return x
