"""The base of the datasets, how items become the arrays of a batch, and spirals and curves."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..docstrings import described
from ..transforms.arrays import Transform, batch_form, defines_both


@described
class Dataset:
    """Pairs ``(x, t)`` of a datum and its label, by their number.

    A subclass defines ``prepare()``, which sets `data` and `label`; or, for what is too large for
    memory, ``__getitem__`` and ``__len__``.

    train: whether it is the part for training, and not that for the test.
    transform, target_transform (callable, optional): applied to the datum, and to the label, each
        time they are read.
    Attribute data (ndarray or sequence):
    Attribute label (ndarray, sequence or None): if it is None, the label of each datum is None.
    Raises ValueError: if `prepare` sets another number of labels than of data.

    >>> class Squares(Dataset):
    ...     def prepare(self):
    ...         self.data = np.arange(5.0)
    ...         self.label = self.data**2
    >>> squares = Squares(transform=np.negative)
    >>> len(squares)
    5
    >>> x, t = squares[3]
    >>> float(x), float(t)
    (-3.0, 9.0)
    """

    # In the class, so that a subclass may forget super().__init__().
    train = True
    transform: Transform | None = None
    target_transform: Transform | None = None
    data: Any = None
    label: Any = None

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        self.train, self.transform, self.target_transform = train, transform, target_transform
        self.data = self.label = None
        self.prepare()
        if self.data is None or self.label is None or len(self.data) == len(self.label):
            return
        raise ValueError(
            f"{type(self).__name__}: there must be a label for each datum. prepare() has set "
            f"{len(self.data)} data and {len(self.label)} labels."
        )

    def prepare(self) -> None:
        """Set `data` and `label`; a subclass defines it."""

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        """Return the pair of that number; as of a list, -1 is the last."""
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError(
                f"{type(self).__name__}: an item has an integer as its number, got "
                f"{type(index).__name__}. To get several items, index .data and .label."
            ) from None
        size = len(self)
        if not -size <= index < size:  # ends a for-loop, also over data that take any number
            raise IndexError(
                f"{type(self).__name__}: there is no item {index}; the items are 0 to {size - 1}."
            )
        x = _one(self.data, self.transform, index)
        return x, None if self.label is None else _one(self.label, self.target_transform, index)

    def __len__(self) -> int:
        """Return the number of data."""
        if self.data is None:
            raise TypeError(
                f"{type(self).__name__} has no data: define prepare(), which sets self.data and "
                "self.label, or define __getitem__ and __len__."
            )
        return len(self.data)

    def get_batch(self, indices: Any) -> tuple[Any, Any]:
        """Return arrays of the data and of the labels of several items.

        indices (ndarray of int):
        Returns x, t (ndarray): as of each item, along a new first axis. `t` is None if there are
            no labels.
        """
        x = _several(self.data, self.transform, indices, "x")
        t = None
        if self.label is not None:
            t = _several(self.label, self.target_transform, indices, "t")
        return x, t


def _one(values: Any, transform: Transform | None, index: int) -> Any:
    return values[index] if transform is None else transform(values[index])


def _several(values: Any, transform: Transform | None, indices: Any, name: str) -> Any:
    whole = batch_form(transform)
    if whole is not None and isinstance(values, np.ndarray) and values.dtype != object:
        return whole(np.asarray(values)[indices])
    return stacked([_one(values, transform, index) for index in indices.tolist()], name)


def stacked(items: Sequence[Any], name: str) -> Any:
    """Return an array of items along a new first axis, or None if each of them is None.

    name: the name of them in errors.
    """
    if all(item is None for item in items):
        return None
    try:
        array = np.array(items)
    except ValueError as error:
        shapes = sorted({np.shape(item) for item in items})
        if len(shapes) == 1:
            raise
        raise ValueError(
            f"the items of a batch must have one shape, but {name} has the shapes "
            f"{', '.join(map(str, shapes))}. Give the dataset a transform that makes them equal."
        ) from error
    if array.dtype != object:
        return array
    raise TypeError(
        f"the items of a batch must be numbers or arrays of numbers, but {name} has items of "
        f"{', '.join(sorted({type(item).__name__ for item in items}))}. "
        "Give the dataset a transform that makes arrays."
    )


def batch_of(dataset: Any, indices: Any) -> tuple[Any, Any]:
    """Return arrays of several items of a dataset, at once where it can."""
    if isinstance(dataset, Dataset) and defines_both(dataset, "__getitem__", "get_batch"):
        return dataset.get_batch(indices)
    items = [dataset[index] for index in indices.tolist()]
    for index, item in zip(indices, items, strict=True):
        is_sequence = isinstance(item, (tuple, list))
        if not is_sequence or len(item) != 2:
            size = f" of {len(item)}" if is_sequence else ""
            raise TypeError(
                f"an item of a dataset must be a pair (x, t), but item {index} of this "
                f"{type(dataset).__name__} is a {type(item).__name__}{size}. To make a dataset of "
                "two arrays, write list(zip(x, t))."
            )
    return stacked([x for x, _ in items], "x"), stacked([t for _, t in items], "t")


@described
def get_spiral(train: bool = True) -> tuple[Any, Any]:
    """Points on three arms of a spiral, in the book's order.

    train: otherwise they have other noise, for the test.
    Returns x (ndarray of float32): of shape ``(300, 2)``: ``r sin(a), r cos(a)`` with a radius from
        0 to 1 and the angle ``a = 4 (arm + r)`` plus normal noise of standard deviation 0.2.
    Returns t (ndarray of int64): the arm of each, 0, 1 or 2.
    Source: step 48 of the book. The numbers are the same; here ``np.random`` stays as it was.

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

    >>> x, t = Spiral()[0]
    >>> x.dtype, int(t) in (0, 1, 2)
    (dtype('float32'), True)
    """

    def prepare(self) -> None:
        self.data, self.label = get_spiral(self.train)


@described
class SinCurve(Dataset):
    """A period of the sine with noise; the label of each value is the next one.

    Data and labels are of float64 and of shape ``(999, 1)``. For the test it is the cosine.

    rng (numpy.random.Generator or RandomState, optional): draws the noise, which is uniform between
        -0.05 and 0.05; by default ``np.random``.
    Source: step 59 of the book.

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
        x = np.linspace(0, 2 * np.pi, 1000)
        noise = (np.random if self.rng is None else self.rng).uniform(-0.05, 0.05, x.shape)
        y = (np.sin(x) if self.train else np.cos(x)) + noise
        self.data, self.label = y[:-1, np.newaxis], y[1:, np.newaxis]
