"""Loaders, which give the items of a dataset in batches."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .datasets.dataset import batch_of
from .docstrings import described
from .generators import generator_as_text, set_generator

__all__ = ["DataLoader", "SeqDataLoader"]

_NUMBERS = ("data_size", "batch_size", "iteration")
"""The names in a state beside the order."""


@described
class DataLoader:
    """The items of a dataset in batches, each epoch in another order.

    A loader is its own iterator, as in the book: a ``for`` loop begins a new epoch, also if the
    one before was left early. After `load_state_dict`, the first loop goes on where the saved
    loader was.

    dataset (Dataset or sequence): its items are pairs ``(x, t)``; a list of pairs is a dataset, and
        so are PyTorch's.
    batch_size: the last batch of an epoch may be smaller.
    shuffle: whether the order is random.
    rng (numpy.random.Generator or RandomState, optional): draws the order; by default a new
        ``default_rng()``, which ``np.random.seed`` does not change.
    seed (int, optional): instead of `rng`: the seed of a generator of its own.
    Attribute data_size, max_iter (int): the numbers of items and of batches of an epoch;
        ``len(loader)`` is `max_iter`.
    Attribute iteration (int): how many batches of this epoch were given.
    Attribute index (ndarray of int): the items in the order of this epoch.
    Raises TypeError: if `dataset` has no length, or no items by number, or `batch_size` is no
        integer, or `rng` no generator.
    Raises ValueError: if there are no items, or `batch_size` is below 1.
    Note: a batch of a `Dataset` whose data are in arrays is taken at once, and so are the
        transforms that can. For random transforms that means: the numbers of a batch are drawn at
        once, too.
    Source: step 50 of the book.

    >>> from dezero_nn.datasets import Spiral
    >>> loader = DataLoader(Spiral(), batch_size=128, seed=0)
    >>> [x.shape for x, t in loader]
    [(128, 2), (128, 2), (44, 2)]
    """

    def __init__(
        self, dataset: Any, batch_size: int, shuffle: bool = True, rng: Any = None, seed: Any = None
    ) -> None:
        who = type(self).__name__
        self.data_size = _length(who, dataset)
        try:
            self.batch_size = operator.index(batch_size)
        except TypeError:
            got = f"{type(batch_size).__name__} {batch_size!r}"
            raise TypeError(f"{who}: batch_size must be an integer, got {got}.") from None
        if self.batch_size < 1:
            raise ValueError(f"{who}: batch_size must be 1 or more, got {self.batch_size}.")
        if rng is not None and seed is not None:
            raise TypeError(f"{who}: give rng= or seed=, but not both.")
        self.dataset, self.shuffle = dataset, shuffle
        self.rng = np.random.default_rng(seed) if rng is None else rng
        self.max_iter = math.ceil(self.data_size / self.batch_size)
        if not hasattr(self.rng, "permutation"):
            raise TypeError(
                f"{who}: rng must be a generator of numpy.random, got {rng!r}. "
                "To give a seed, write seed=."
            )
        self.reset()

    def reset(self) -> None:
        """Begin a new epoch."""
        self.iteration, self._goes_on = 0, False
        self.index = np.arange(self.data_size)
        if self.shuffle:
            self.index = self.rng.permutation(self.data_size)

    def __len__(self) -> int:
        """Return the number of batches of an epoch."""
        return self.max_iter

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Return the loader itself, at the begin of an epoch."""
        if self.iteration and not self._goes_on:
            self.reset()
        self._goes_on = False
        return self

    def __next__(self) -> tuple[Any, Any]:
        """Return the arrays of the next batch.

        Raises StopIteration: at the end of the epoch; the next call begins another.
        Raises ValueError: if the items of the batch have different shapes.
        Raises TypeError: if an item is no pair, or not of arrays and numbers.
        """
        if self.iteration >= self.max_iter:
            self.reset()
            raise StopIteration
        batch = batch_of(self.dataset, self._indices())
        self.iteration += 1
        return batch

    def _indices(self) -> Any:
        start = self.iteration * self.batch_size
        return self.index[start : start + self.batch_size]

    def next(self) -> tuple[Any, Any]:
        """Return ``next(loader)``.

        Returns x, t (ndarray):
        """
        return self.__next__()

    def to_cpu(self) -> None:
        """Do nothing: batches are NumPy's arrays."""

    def to_gpu(self) -> None:
        """Raise RuntimeError: there is no GPU."""
        raise RuntimeError(
            f"{type(self).__name__}: batches are NumPy's arrays, which cannot be on a GPU. "
            "Leave this call out, or test dezero_nn.cuda.gpu_enable first, as the book does."
        )

    def state_dict(self) -> dict[str, Any]:
        """Return where the loader is, so that another can go on there.

        Returns (dict of str to int, ndarray or str): the place in the epoch; of one that shuffles,
            the order and the state of its generator as JSON. Generators of random transforms are
            not in it.

        >>> pairs = [(n, n) for n in range(10)]
        >>> loader, other = DataLoader(pairs, 3), DataLoader(pairs, 3)
        >>> x, _ = next(loader)
        >>> other.load_state_dict(loader.state_dict())
        >>> all((a == b).all() for (a, _), (b, _) in zip(other, [next(loader), next(loader)]))
        True
        """
        state: dict[str, Any] = {name: getattr(self, name) for name in _NUMBERS}
        if self.shuffle:
            state |= {"index": self.index.copy(), "rng": generator_as_text(self.rng)}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another loader was: the next loop gives the rest of its epoch.

        state (mapping): the result of its `state_dict`; numbers and text may be arrays without
            axes.
        Raises ValueError: if it is of a loader with another dataset's size, batch size, order or
            kind of generator; this loader is not changed.
        """
        who, own = f"{type(self).__name__}.load_state_dict", self.state_dict()
        if state.keys() != own.keys():
            raise ValueError(
                f"{who}: this loader's state has {', '.join(own)}, but the given state has "
                f"{', '.join(state) or 'nothing'}. Make this loader with the same shuffle= as the "
                "saved loader."
            )
        given = {name: _integer(who, name, state[name]) for name in _NUMBERS}
        for name in ("data_size", "batch_size"):
            if given[name] != own[name]:
                raise ValueError(
                    f"{who}: this loader has {name} {own[name]}, but the given state has "
                    f"{given[name]}. Make this loader like the saved loader."
                )
        if not 0 <= given["iteration"] <= self.max_iter:
            raise ValueError(
                f"{who}: an epoch has {self.max_iter} batches, but in the given state "
                f"{given['iteration']} of them were already given."
            )
        if self.shuffle:
            index = np.array(state["index"])
            is_order = index.dtype.kind in "iu" and index.shape == self.index.shape
            if not is_order or np.any(np.sort(index) != np.arange(self.data_size)):
                raise ValueError(f"{who}: index must hold each of the {self.data_size} items once.")
            set_generator(self.rng, str(state["rng"]), who)
            self.index = index.astype(self.index.dtype)
        self.iteration, self._goes_on = given["iteration"], True


@described
class SeqDataLoader(DataLoader):
    """The items of a sequence in batches of items that are equally far apart.

    Each row of a batch goes through a part of the sequence, in order: row ``i`` of batch ``k`` is
    item ``i * (data_size // batch_size) + k``. So a recurrent layer can keep its state from batch
    to batch.

    dataset (Dataset or sequence):
    batch_size: at most the number of items.
    shuffle: is False: the order is that of the sequence.
    Raises ValueError: if there are no items, `batch_size` is below 1 or above their number, or
        `shuffle` is True.
    Source: step 60 of the book.

    >>> x, t = next(SeqDataLoader([(n, n + 1) for n in range(9)], batch_size=3))
    >>> x, t
    (array([0, 3, 6]), array([1, 4, 7]))
    """

    def __init__(self, dataset: Any, batch_size: int, shuffle: bool = False) -> None:
        if shuffle:
            raise ValueError(
                "SeqDataLoader: it gives a sequence in its order, and cannot shuffle it. Use a "
                "DataLoader, or leave shuffle= out."
            )
        super().__init__(dataset, batch_size, shuffle=False)
        if self.batch_size > self.data_size:
            raise ValueError(
                f"SeqDataLoader: each row of a batch has a part of the sequence, and {batch_size} "
                f"rows are more than the {self.data_size} items. Take a smaller batch_size."
            )

    def _indices(self) -> Any:
        jump = self.data_size // self.batch_size
        return np.arange(self.batch_size) * jump + self.iteration


def _length(who: str, dataset: Any) -> int:
    what = type(dataset).__name__
    if not hasattr(dataset, "__getitem__") or isinstance(dataset, Mapping):
        raise TypeError(
            f"{who}: a dataset gives items by number, but {what} does not. Make a list."
        )
    if not hasattr(dataset, "__len__"):
        raise TypeError(f"{who}: a dataset must have a length, but {what} has no __len__.")
    size = len(dataset)
    if size == 0:
        raise ValueError(f"{who}: there are no items in this {what}.")
    return size


def _integer(who: str, name: str, value: Any) -> int:
    """Return an integer of a saved state, also of an array without axes."""
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(
            f"{who}: {name} must be an integer, got {value!r} in this state."
        ) from None
