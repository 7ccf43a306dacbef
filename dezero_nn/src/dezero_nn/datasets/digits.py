"""The handwritten digits that scikit-learn carries with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms import Compose, Flatten, Normalize, ToFloat
from ..transforms.compose import Transform
from .dataset import Dataset

TRAIN_SIZE = 1437
"""Four fifths of the 1,797 digits."""

TO_ROWS = Compose([Flatten(), ToFloat(), Normalize(0.0, 16.0)])


@described
class Digits(Dataset):
    """Handwritten digits of 8 x 8 pixels: 1,437 for training, 360 for the test.

    They are in a file of scikit-learn, which must be installed. Those for the test are the last in
    that file.

    transform (callable, optional): by default to flat arrays of float32, from 0 to 1.
    Attribute data (ndarray of uint8): of shape ``(n, 1, 8, 8)``, from 0 to 16.
    Attribute label (ndarray of int64): from 0 to 9.
    Raises ImportError: if there is no scikit-learn.
    Source: Alpaydin and Kaynak 1998, "Optical recognition of handwritten digits", test set.

    >>> from dezero_nn.datasets import Digits
    >>> len(Digits()), len(Digits(train=False))
    (1437, 360)
    >>> x, t = Digits()[0]
    >>> x.shape, int(t)
    ((64,), 0)
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = TO_ROWS,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        """Read the file of scikit-learn."""
        images, labels = _digits()
        part = slice(TRAIN_SIZE) if self.train else slice(TRAIN_SIZE, None)
        self.data = images[part, np.newaxis].astype(np.uint8)
        self.label = labels[part].astype(np.int64)


def _digits() -> tuple[Any, Any]:
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ImportError(
            "Digits: its images are in scikit-learn, which cannot be imported. "
            "Install it: pip install scikit-learn."
        ) from error
    found = load_digits()
    return found.images, found.target
