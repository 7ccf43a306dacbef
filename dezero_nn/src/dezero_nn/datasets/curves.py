"""Datasets that are computed: spirals, and a sine curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms.compose import Transform
from .dataset import Dataset


@described
def get_spiral(train: bool = True) -> tuple[Any, Any]:
    """Points on three arms of a spiral, in the book's order.

    train: otherwise they have other noise, for the test.
    Returns x (ndarray of float32): of shape ``(300, 2)``: ``r sin(a), r cos(a)`` with a radius from
        0 to 1 and the angle ``a = 4 (arm + r)`` plus normal noise of standard deviation 0.2.
    Returns t (ndarray of int64): the arm of each, 0, 1 or 2.
    Source: step 48 of the book. The numbers are the same; here ``np.random`` stays as it was.

    >>> from dezero_nn.datasets import get_spiral
    >>> x, t = get_spiral()
    >>> x.shape, np.bincount(t).tolist()
    ((300, 2), [100, 100, 100])
    """
    rng = np.random.RandomState(1984 if train else 2020)
    arm = np.repeat(np.arange(3), 100)
    radius = np.tile(np.arange(100) / 100, 3)
    angle = arm * 4.0 + 4.0 * radius + rng.standard_normal(300) * 0.2
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1).astype(np.float32)
    order = rng.permutation(300)
    return x[order], arm[order].astype(np.int64)


@described
class Spiral(Dataset):
    """The points of `get_spiral`, with the arm as the label.

    >>> from dezero_nn.datasets import Spiral
    >>> x, t = Spiral()[0]
    >>> x.dtype, int(t) in (0, 1, 2)
    (dtype('float32'), True)
    """

    def prepare(self) -> None:
        """Compute the points."""
        self.data, self.label = get_spiral(self.train)


@described
class SinCurve(Dataset):
    """A period of the sine with noise; the label of each value is the next one.

    Data and labels are of float64 and of shape ``(999, 1)``. For the test it is the cosine.

    rng (numpy.random.Generator or RandomState, optional): draws the noise, which is uniform between
        -0.05 and 0.05; by default ``np.random``.
    Source: step 59 of the book.

    >>> from dezero_nn.datasets import SinCurve
    >>> curve = SinCurve(rng=np.random.default_rng(0))
    >>> bool(curve[0][1] == curve[1][0])
    True
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        rng: Any = None,
    ) -> None:
        self.rng = rng
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        """Compute the curve."""
        x = np.linspace(0, 2 * np.pi, 1000)
        noise = (np.random if self.rng is None else self.rng).uniform(-0.05, 0.05, x.shape)
        y = (np.sin(x) if self.train else np.cos(x)) + noise
        self.data, self.label = y[:-1, np.newaxis], y[1:, np.newaxis]
