"""Transforms of arrays, one after another, and of a whole batch at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..docstrings import described

Transform = Callable[[Any], Any]


def defines_both(obj: Any, single: str, batch: str) -> bool:
    """Return whether the method `batch` of `obj` was written for its method `single`.

    A subclass that defines `single` anew, and not `batch`, has inherited one that does not fit.
    """
    owners = (cls for cls in type(obj).__mro__ if not vars(cls).keys().isdisjoint((single, batch)))
    return any(batch in vars(cls) for cls in islice(owners, 1))


def batch_form(transform: Transform | None) -> Transform | None:
    """Return a function that applies a transform, or None, to all items of an array at once.

    Returns: None if there is no such function.
    """
    if transform is None:
        return Compose()
    if type(transform) is Compose:
        parts = [batch_form(part) for part in transform.transforms]
        whole = [part for part in parts if part is not None]
        return Compose(whole) if len(whole) == len(parts) else None
    if defines_both(transform, "__call__", "apply_to_batch"):
        return transform.apply_to_batch  # type: ignore[attr-defined]
    return None


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
        for transform in self.transforms:
            x = transform(x)
        return x


@described
class Normalize(Shown):
    """``(array - mean) / std``.

    mean, std (float or sequence of float): a sequence has one number for each channel; channels are
        the first axis. `std` is not zero.
    Returns (ndarray): of the dtype of the array; that of integers is float64.
    Raises ValueError: if `std` is zero, or a sequence has not one number for each channel.

    >>> Normalize(mean=[1.0, 2.0], std=2.0)(np.array([[1.0, 3.0], [6.0, 2.0]]))
    array([[0., 1.],
           [2., 0.]])
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        self.mean, self.std = (np.array(value, np.float64) for value in (mean, std))
        if self.mean.ndim > 1 or self.std.ndim > 1 or not np.all(self.std):
            raise ValueError(
                "Normalize: mean and std must be a number or one number for each channel, and std "
                f"must not be zero, got {mean!r} and {std!r}."
            )

    def __call__(self, array: Any) -> Any:
        return self._normalized(np.asarray(array), 0)

    def apply_to_batch(self, batch: Any) -> Any:
        """Return each array of a batch, normalized.

        Returns (ndarray):
        """
        return self._normalized(batch, 1)

    def _normalized(self, array: Any, axis: int) -> Any:
        if array.dtype.kind not in "fc":
            array = array.astype(np.float64)
        for value in (self.mean, self.std):
            if value.ndim and (array.ndim <= axis or len(value) not in (1, array.shape[axis])):
                raise ValueError(
                    f"Normalize: mean or std has {len(value)} channels, but the array is of shape "
                    f"{array.shape[axis:]}."
                )
        behind = (1,) * (array.ndim - axis - 1)  # axes of length 1, for those behind the channels
        mean, std = (
            value.astype(array.dtype).reshape(value.shape + behind * value.ndim)
            for value in (self.mean, self.std)
        )
        return (array - mean) / std


@described
class Flatten(Shown):
    """Make one axis of all axes of an array; in a copy.

    >>> Flatten()(np.zeros((1, 28, 28))).shape
    (784,)
    """

    def __call__(self, array: Any) -> Any:
        return np.array(array).reshape(-1)

    def apply_to_batch(self, batch: Any) -> Any:
        """Return the arrays of a batch, each of them flat.

        Returns (ndarray):
        """
        return batch.reshape(len(batch), math.prod(batch.shape[1:]))


@described
class AsType(Shown):
    """Convert an array to another dtype.

    >>> AsType(np.float16)(np.array([1, 2]))
    array([1., 2.], dtype=float16)
    """

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, array: Any) -> Any:
        return np.asarray(array).astype(self.dtype)

    def apply_to_batch(self, batch: Any) -> Any:
        """Return a copy of a batch in the dtype.

        Returns (ndarray):
        """
        return self(batch)


@described
class ToFloat(AsType):
    """Convert an array to float32, or another floating dtype.

    >>> ToFloat()(np.array([1, 2]))
    array([1., 2.], dtype=float32)
    """


@described
class ToInt(AsType):
    """Convert an array to int, or another integer dtype.

    >>> ToInt()(np.array([1.0, 2.0]))
    array([1, 2])
    """

    def __init__(self, dtype: Any = int) -> None:
        super().__init__(dtype)
