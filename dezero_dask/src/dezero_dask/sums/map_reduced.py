"""Functions of parameters and of data in partitions, which compute sums over the partitions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import update_wrapper
from operator import index
from typing import Any, NamedTuple

import numpy as np
from dezero_tools.functional.tracing import name_of
from dezero_tools.functional.trees import Tree, like, matched, tree_map

from dezero_core import no_grad, using_config
from dezero_core.extend import any_array, data_of, user_place

from ..errors import NanInPartitionError, NanInPartitionWarning, NoSumOverRowsWarning
from .kernels import LossKernel, RowCount, settings_now
from .parameters import form_of, one_number, parameters, vector_of
from .partitions import Partitions
from .scheduling import Runner
from .sum_check import comparisons_of


class Options(NamedTuple):
    """The options of `dezero_dask.value_and_grad`, which says what they are."""

    mean: bool
    penalty: Callable[[Any], Any] | None
    partitions: int | None
    check: bool | None
    progress: bool
    replay: bool


class MapReduced:
    """A function of parameters and of data in partitions. `value_and_grad` and others make it.

    The function holds the data of its last call, and the futures of those that are on a cluster.
    """

    def __init__(self, kind: type[LossKernel], loss: Callable[..., Any], options: Options) -> None:
        update_wrapper(self, loss)
        penalty, partitions = options.penalty, options.partitions
        if penalty is not None and not callable(penalty):
            raise TypeError(f"penalty is a function of the parameters, got {type(penalty)}.")
        if partitions is not None and (type(partitions) is not int or partitions < 1):
            raise ValueError(f"partitions is a number from 1 on, got {partitions!r}.")
        self._kind, self._loss, self._options = kind, loss, options
        self._mean, self._check = options.mean, options.check
        self._compared = comparisons_of(loss)
        self._runner: Runner | None = None
        self._kernel: LossKernel | None = None

    def by(self, kind: type[LossKernel]) -> MapReduced:
        """Return a function that computes another thing of the same loss, with these options."""
        return MapReduced(kind, self._loss, self._options)

    def __reduce__(self) -> tuple[Any, ...]:
        return MapReduced, (self._kind, self._loss, self._options)

    def __repr__(self) -> str:
        return f"<map-reduce {self._kind.name} of {self._loss!r}>"

    def __call__(self, params: Tree, *data: Any) -> Any:
        """Return the sum over all partitions, with the penalty."""
        return self._step(params, *self._split(data))

    def partition(self, number: int) -> Callable[..., Any]:
        """Return a function like this one that computes one partition, without the penalty.

        Parameters
        ----------
        number : int
            Of the partition, from 0 on.

        Returns
        -------
        callable
            Takes the same arguments. Raises IndexError if there is no such partition.

        Examples
        --------
        >>> from dezero_dask import value_and_grad
        >>> f = value_and_grad(lambda w, x: np.sum(x @ w))
        >>> f.partition(1)(np.array([1.0]), [np.array([[1.0]]), np.array([[3.0]])])
        (array(3.), array([3.]))
        """

        def one(params: Tree, *data: Any) -> Any:
            data, vectors = self._split(data)
            count = self._prepared(data).partitions.count
            if not 0 <= index(number) < count:
                raise IndexError(f"there are partitions 0 to {count - 1}, got {number}.")
            return self._step(params, data, vectors, [index(number)], for_all=False)

        return one

    def draw(self, n: int, rng: np.random.Generator) -> Callable[..., Any]:
        """Return a function like this one that computes `n` partitions, drawn anew in each call.

        The results are scaled, so that their expectation is the result for all partitions. The
        penalty is added as a whole.

        Parameters
        ----------
        n : int
            How many partitions are drawn, without replacement.
        rng : numpy.random.Generator

        Returns
        -------
        callable
            Takes the same arguments. Raises ValueError if there are fewer partitions.

        Notes
        -----
        With ``mean=True`` the number of all rows is needed. If no argument tells this number, all
        data are read once to count the rows.

        Examples
        --------
        >>> from dezero_dask import value_and_grad
        >>> f = value_and_grad(lambda w, x: np.sum(x @ w))
        >>> f.draw(1, np.random.default_rng(0))(np.array([1.0]), [np.ones((1, 1))] * 4)
        (array(4.), array([4.]))
        """

        def drawn(params: Tree, *data: Any) -> Any:
            data, vectors = self._split(data)
            runner = self._prepared(data)
            partitions, count = runner.partitions, runner.partitions.count
            if not 1 <= index(n) <= count:
                raise ValueError(f"from 1 to {count} of {count} partitions are drawn, got {n}.")
            if self._mean and partitions.total_rows is None:
                kernel = RowCount(self._loss, partitions.loaders)
                partitions.total_rows = runner.reduced(kernel, None, [], list(range(count))).rows
            numbers = sorted(map(int, rng.choice(count, n, replace=False)))
            return self._step(params, data, vectors, numbers)

        return drawn

    def _split(self, data: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the data, and the vector if there is one, in a tuple."""
        if not self._kind.takes_vector:
            return data, ()
        if len(data) < 2:
            raise TypeError(
                f"the product with the Hessian of {name_of(self._loss)} takes parameters, data, "
                "and a vector as its last argument."
            )
        return data[:-1], data[-1:]

    def _prepared(self, data: tuple[Any, ...]) -> Runner:
        """Return the runner of steps on these data: the last one, if they are the same objects."""
        if self._runner is None or not self._runner.partitions.are_of(data):
            self._runner = None  # frees the data of before
            self._runner = Runner(Partitions(data, self._options.partitions))
        return self._runner

    def _kernel_of(self, partitions: Partitions) -> LossKernel:
        """Return the kernel of the tasks: the last one, if loaders and settings are the same."""
        loaders, settings = now = partitions.loaders, settings_now()
        if self._kernel is None or (self._kernel.loaders, self._kernel.settings) != now:
            replay = self._options.replay
            self._kernel = self._kind(self._loss, loaders, self._mean, replay, settings)
        return self._kernel

    def _step(
        self,
        params: Tree,
        data: tuple[Any, ...],
        vectors: tuple[Any, ...],
        numbers: list[int] | None = None,
        for_all: bool = True,
    ) -> Any:
        """Return the sum over some partitions, by default over all, and tell of a nan in them.

        If the sum stands `for_all` partitions, it is scaled, and the penalty is added.
        """
        leaves = parameters(params, self._loss)
        comparison = self._mean, any(map(np.any, leaves))
        for vector in vectors:
            leaves += vector_of(vector, params, leaves, self._loss)
        runner = self._prepared(data)
        partitions = runner.partitions
        some = list(range(partitions.count)) if numbers is None else numbers
        candidate = self._candidate(some, partitions.rows, comparison)
        kernel, progress = self._kernel_of(partitions), self._options.progress
        found = runner.reduced(kernel, form_of(params), leaves, some, progress, candidate)
        if numbers is None:
            partitions.total_rows = found.rows
        if found.nan:
            self._tell_of_nan(found.nan)
        if candidate is not None and not found.compared:
            partitions.rows[candidate] = 1  # as its task has found; the next step takes another one
        for number, values in found.compared:
            self._compared.add(comparison)
            if values:
                self._tell_of_difference(number, *values)
        leaves, form = found.leaves, self._kind.form_of_results(params)
        times = partitions.count / len(some) if for_all else 1.0
        rows = partitions.total_rows if for_all else found.rows
        over = rows if self._mean else 1
        if times != 1.0 or over != 1:
            leaves = [leaf * times / over for leaf in leaves]
        if self._options.penalty is not None and for_all:
            value = one_number(self._options.penalty, "as all penalties")
            penalty = self._kind.derivative_of(value)
            with no_grad(), using_config("warn_of_independence", False):
                more = matched(form, penalty(tree_map(any_array, params), *vectors))
            leaves = [a + data_of(b) for a, b in zip(leaves, more, strict=True)]
        return self._kind.result(like(form, map(_own, leaves)))

    def _candidate(
        self, numbers: Sequence[int], rows: list[int | None], comparison: tuple[bool, bool]
    ) -> int | None:
        """Return the partition in which the loss is compared with the sum over two halves.

        None, if it has been compared. With parameters that are all zero most penalties are zero;
        then the loss is compared once more, with the first others.
        """
        wanted = self._check is None or self._check
        if not wanted or self._compared & {comparison, (self._mean, True)}:
            return None
        return next((number for number in numbers if rows[number] != 1), None)

    def _tell_of_nan(self, numbers: tuple[int, ...]) -> None:
        """Warn of partitions with a nan, or raise."""
        which = ("partitions " if len(numbers) > 1 else "partition ") + ", ".join(map(str, numbers))
        message = f"{self._kind.nan.format(name_of(self._loss))} in {which}."
        if self._check:
            raise NanInPartitionError(message, partitions=numbers)
        _warn(message, NanInPartitionWarning)

    def _tell_of_difference(self, number: int, whole: float, together: float) -> None:
        """Warn once of a loss that is no sum over rows, or no mean."""
        self._compared.add((self._mean, True))
        kind = "mean" if self._mean else "sum"
        causes = "If the loss is a sum, leave mean=True out."
        if not self._mean:
            causes = (
                "If the loss is a mean, pass mean=True. If a penalty is inside, which depends on "
                "the parameters alone, take it out of the loss and pass it as penalty=."
            )
        _warn(
            f"{name_of(self._loss)} is no {kind} over rows: for partition {number} its value is "
            f"{whole:.10g}, and the {kind} over two halves of these rows is {together:.10g}. So "
            f"results depend on how the data are cut into partitions. {causes} If the loss is "
            "meant to be so, pass check=False.",
            NoSumOverRowsWarning,
        )


def _warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user, also where SciPy has called a function of this package."""
    file, line = user_place("dezero_dask", "scipy")
    warnings.warn_explicit(message, category, file, line)


def _own(array: Any) -> Any:
    """Return an array that the caller can write into: one from a worker may be read-only."""
    return np.require(array, requirements=["ALIGNED", "WRITEABLE"])
