"""Transforms of arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..docstrings import described
from .compose import Shown


@described
class Normalize(Shown):
    """``(array - mean) / std``.

    mean, std (float or sequence of float): a sequence has one number for each channel; channels are
        the first axis. `std` is not zero.
    Returns (ndarray): of the dtype of the array; that of integers is float64.
    Raises ValueError: if `std` is zero, or a sequence has not one number for each channel.

    >>> from dezero_nn.transforms import Normalize
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
        """Return the array, normalized."""
        return self._normalized(np.asarray(array), 0)

    @described
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
        mean, std = (
            value.astype(array.dtype).reshape(value.shape + (1,) * (array.ndim - axis - 1))
            if value.ndim
            else value.astype(array.dtype)
            for value in (self.mean, self.std)
        )
        return (array - mean) / std


@described
class Flatten(Shown):
    """Make one axis of all axes of an array; in a copy.

    >>> from dezero_nn.transforms import Flatten
    >>> Flatten()(np.zeros((1, 28, 28))).shape
    (784,)
    """

    def __call__(self, array: Any) -> Any:
        """Return the flat array."""
        return np.array(array).reshape(-1)

    @described
    def apply_to_batch(self, batch: Any) -> Any:
        """Return the arrays of a batch, each of them flat.

        Returns (ndarray):
        """
        return batch.reshape(len(batch), math.prod(batch.shape[1:]))


@described
class AsType(Shown):
    """Convert an array to another dtype.

    >>> from dezero_nn.transforms import AsType
    >>> AsType(np.float16)(np.array([1, 2]))
    array([1., 2.], dtype=float16)
    """

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, array: Any) -> Any:
        """Return a copy of the array in the dtype."""
        return np.asarray(array).astype(self.dtype)

    @described
    def apply_to_batch(self, batch: Any) -> Any:
        """Return a copy of a batch in the dtype.

        Returns (ndarray):
        """
        return self(batch)


@described
class ToFloat(AsType):
    """Convert an array to float32, or another floating dtype.

    >>> from dezero_nn.transforms import ToFloat
    >>> ToFloat()(np.array([1, 2]))
    array([1., 2.], dtype=float32)
    """


@described
class ToInt(AsType):
    """Convert an array to int, or another integer dtype.

    >>> from dezero_nn.transforms import ToInt
    >>> ToInt()(np.array([1.0, 2.0]))
    array([1, 2])
    """

    def __init__(self, dtype: Any = int) -> None:
        super().__init__(dtype)
