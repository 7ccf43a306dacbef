"""The calculation of one partition, by the data and the parameters: a class for each result."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from operator import itemgetter
from typing import Any

import numpy as np
from dezero_tools.functional.trees import Tree, leaves_of, like, matched

from dezero_core import Variable, no_grad, using_config
from dezero_core.extend import SETTINGS, any_array, data_of, mode
from dezero_tools import functional

from ..errors import PartitionError
from .parameters import LocalArray, aligned, hessian_form, one_array, one_number
from .sum_check import Snapshot, differing


class Kernel(ABC):
    """The calculation of one partition; each class has another result.

    It is pickled as the call that made it, and keeps the programs that replay has recorded.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        loaders: Mapping[int, Callable[[int], Any]],
        mean: bool = False,
        replay: bool = True,
        settings: Mapping[str, bool] | None = None,
    ) -> None:
        #: The settings of plugins that are not at their defaults where the tasks are made, such as
        #: ``Config.train``.
        self.settings = settings_now() if settings is None else settings
        #: The loss or the model: ``function(params, *data)``.
        self.function = _eager(function)
        #: The positions of the data that are read in the task, and what reads them.
        self.loaders = dict(loaders)
        #: Whether results are multiplied by the number of rows; whether they are replayed.
        self._mean, self._replay = mean, replay

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function, self.loaders, self._mean, self._replay, self.settings)

    def __call__(
        self,
        form: Tree,
        leaves: list[Any],
        number: int,
        pieces: Sequence[Any],
        given: list[Any],
        compares: bool = False,
    ) -> Any:
        """Calculate the partition of a number.

        `form` and `leaves` are those of the parameters; after these come the leaves of a vector.
        `pieces` are the data that are not read here. The arrays of all data are put into `given`,
        for messages. `compares` asks for a comparison with the sum over two halves of the rows.
        """
        self._read(number, pieces, given)
        leaves = list(map(aligned, leaves))
        # A function that holds Variables would return Variables, but for no_grad(). The warning of
        # independence is off, since a parameter may occur in the penalty alone.
        with ExitStack() as blocks:
            blocks.enter_context(no_grad())
            for name, value in {**self.settings, "warn_of_independence": False}.items():
                blocks.enter_context(using_config(name, value))
            return self._result(form, leaves, given, number, compares)

    @abstractmethod
    def _result(self, form: Tree, leaves: Any, data: Any, number: int, compares: bool) -> Any:
        """Return the result of one partition; `data` are its arrays."""

    def _read(self, number: int, pieces: Sequence[Any], given: list[Any]) -> None:
        """Put the arguments of the function into `given`; all have the same number of rows."""
        waiting = iter(pieces)
        rows: list[int] = []
        for position in range(len(pieces) + len(self.loaders)):
            load = self.loaders.get(position)
            found = next(waiting) if load is None else load(number)
            arrays = found if load is not None and isinstance(found, tuple) else (found,)
            if not arrays:
                raise _no_array("an empty tuple", number, len(rows))
            for x in arrays:
                given.append(aligned(x.array if isinstance(x, LocalArray) else x))
                rows.append(_rows_of(given[-1], number, len(rows)))
        if len(set(rows)) > 1:
            told = ", ".join(f"{n} in argument {position}" for position, n in enumerate(rows, 1))
            raise PartitionError(
                f"the rows of a partition are the same in all arguments of the loss, and "
                f"partition {number} has {told}. Chunk all data by the same rows.",
                partition=number,
            )


class RowCount(Kernel):
    """The number of rows, as a sum without a value."""

    def _result(self, form: Tree, leaves: Any, data: Any, number: int, compares: bool) -> Any:
        return [], int(data[0].shape[0]), (), ()


class ModelOutput(Kernel):
    """The shape and the dtype of the array that a model returns."""

    def _result(self, form: Tree, leaves: Any, data: Any, number: int, compares: bool) -> Any:
        y = any_array(data_of(one_array(self.function)(like(form, leaves), *data)))
        return y.shape, y.dtype


class ModelJacobian(Kernel):
    """The Jacobian by each leaf."""

    def _result(self, form: Tree, leaves: Any, data: Any, number: int, compares: bool) -> Any:
        jacobian = functional.jacobian(one_array(self.function))
        return leaves_of(jacobian(like(form, leaves), *data))


class LossKernel(Kernel):
    """The sum over a partition, of a loss and its derivatives: the fields of a `PartialSum`."""

    #: That of the function that users call.
    name: str
    #: Says that there is a nan, where ``{}`` stands for the loss.
    nan: str
    #: Whether the derivative takes a vector after the data.
    takes_vector = False
    #: Whether the derivative is recorded and replayed, where dezero-replay is installed.
    can_be_replayed = True
    derivative_of: Callable[..., Callable[..., Any]]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        rule = f"the {'mean' if self._mean else 'sum'} over the rows that it is given"
        self._loss = one_number(self.function, rule)
        self._derivative = self.derivative_of(self._loss)
        if self._replay and self.can_be_replayed:
            with suppress(ImportError):
                from dezero_replay import compiled

                self._derivative = compiled(self._derivative, quiet=True)

    @staticmethod
    def form_of_results(form: Tree, /) -> Tree:
        """Return the form of what a derivative returns, for parameters of a form."""
        return form

    @staticmethod
    def result(found: Tree, /) -> Tree:
        """Return the result that users get, from the result of the derivative."""
        return found

    def _result(self, form: Tree, leaves: Any, data: Any, number: int, compares: bool) -> Any:
        waiting, rows = iter(leaves), int(data[0].shape[0])
        params = like(form, waiting)
        vectors = [like(form, waiting)] if self.takes_vector else []
        before = Snapshot(self.function) if compares and rows > 1 else None
        found = self._derivative(params, *data, *vectors)
        leaves = list(map(data_of, matched(self.form_of_results(form), found)))
        nan = (number,) if any(np.isnan(leaf).any() for leaf in leaves) else ()
        if self._mean:
            leaves = [np.asarray(leaf * rows) for leaf in leaves]
        if before is None:
            return leaves, rows, nan, ()
        changed = before.is_changed()
        values = None if changed else differing(self._loss, params, data, self._mean)
        return leaves, rows, nan, ((number, values),)


class ValueAndGrad(LossKernel):
    """The value of a loss and its gradient."""

    name, nan = "value_and_grad", "{} has a nan in its value or gradient"
    derivative_of = staticmethod(functional.value_and_grad)

    @staticmethod
    def form_of_results(form: Tree, /) -> Tree:
        return 0, form


class Grad(ValueAndGrad):
    """The gradient of a loss. Its tasks are those of the value with the gradient."""

    name, result = "grad", staticmethod(itemgetter(1))

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueAndGrad, super().__reduce__()[1]


class HessianProduct(LossKernel):
    """The product of the Hessian of a loss with a vector."""

    name, nan = "hvp", "the product with the Hessian of {} has a nan"
    takes_vector = True
    derivative_of = staticmethod(functional.hvp)


class Hessian(LossKernel):
    """The Hessian of a loss."""

    name, nan = "hessian", "the Hessian of {} has a nan"
    derivative_of = staticmethod(functional.hessian)
    form_of_results = staticmethod(hessian_form)
    can_be_replayed = False  # a pass for each parameter takes longer to record than that saves


def _rows_of(x: Any, number: int, position: int) -> int:
    """Return the rows of one argument of a partition; raise if it is no array with rows."""
    shape = getattr(x, "shape", None)
    if not shape or isinstance(x, Variable):
        raise _no_array(f"{type(x)} of shape {shape}", number, position)
    return some_rows(shape[0], number, position)


def _no_array(got: str, number: int, position: int) -> PartitionError:
    what = f"is an array with rows in each partition, and partition {number} is {got}."
    return wrong_data(what, position, number)


def wrong_data(what: str, position: int, number: int | None = None) -> PartitionError:
    """Return the error for one argument of the loss, and its partition of a number: what it is."""
    argument = position + 1
    message = f"argument {argument} of the loss {what}"
    return PartitionError(message, argument=argument, partition=number)


def some_rows(rows: Any, number: int, position: int) -> int:
    """Return the number of rows of one argument of a partition; raise if there are none."""
    if rows == 0:
        raise PartitionError(
            f"partition {number} of argument {position + 1} of the loss has no rows, and a loss of "
            "nothing may be anything. Leave it out, or rechunk.",
            argument=position + 1,
            partition=number,
        )
    return int(rows)


def _eager(function: Any) -> Any:
    """Return the function itself, if it is compiled: its programs belong to one process."""
    replay = sys.modules.get("dezero_replay")
    return function.eager if replay and isinstance(function, replay.Compiled) else function


def settings_now() -> dict[str, bool]:
    """Return the settings that are not at their defaults, in this thread and task."""
    switched = mode.get().switched
    return {name: not default for name, default in SETTINGS.items() if name in switched}
