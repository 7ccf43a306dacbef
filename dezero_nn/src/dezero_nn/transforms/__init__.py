"""Transforms of the items of a dataset, under the book's names.

One that has a method ``apply_to_batch`` is applied to all items of a batch at once by a
`DataLoader`, which takes less time.
"""

from __future__ import annotations

from .arrays import AsType, Compose, Flatten, Normalize, ToFloat, ToInt
from .images import CenterCrop, Convert, RandomHorizontalFlip, Resize, ToArray, ToPIL

__all__ = [
    "AsType",
    "CenterCrop",
    "Compose",
    "Convert",
    "Flatten",
    "Normalize",
    "RandomHorizontalFlip",
    "Resize",
    "ToArray",
    "ToFloat",
    "ToInt",
    "ToPIL",
]
