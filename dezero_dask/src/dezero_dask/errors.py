"""The errors and warnings of this package."""

from __future__ import annotations

from pickle import PicklingError

from dezero_core import DezeroError, VariableTypeError


class PartitionError(DezeroError, ValueError):
    """Data that are no partitions of rows, or do not fit together.

    Facts, None where they are not known: ``partition``, its number; ``argument``, the position of
    the data among the arguments of the loss, of which the parameters are argument 0.
    """

    argument: int | None = None
    partition: int | None = None


class NanInPartitionError(DezeroError, FloatingPointError):
    """The value or a derivative of a partition has a nan, with ``check=True``.

    Fact: ``partitions``, a tuple of the numbers of these partitions.
    """


class NanInPartitionWarning(UserWarning):
    """The value or a derivative of a partition has a nan; the message names the partition."""


class NoSumOverRowsWarning(UserWarning):
    """A loss is no sum over the rows of its data, so results depend on the partitions."""


class WorkerPluginError(DezeroError, RuntimeError):
    """A worker does not have a plugin that the calling process has, or another version of it.

    Facts: ``worker``, its address; ``plugin``, or the distribution; ``expected`` and ``got``, the
    version in the calling process, and that on the worker, None if it is not there.
    """


class ClosedClientError(DezeroError, RuntimeError):
    """The client of the data, or of the step, is closed; or they are of different clusters."""


class LostDataError(DezeroError, RuntimeError):
    """Data on the cluster are gone with the workers that had them, and cannot be sent again.

    Fact: ``partitions``, a tuple of their numbers, as far as they are known.
    """


class PausedWorkersError(DezeroError, MemoryError):
    """All workers are paused, because their memory is nearly full: the step would never end.

    Fact: ``workers``, a tuple of their addresses.
    """


class TaskError(DezeroError, RuntimeError):
    """A task raised an error that cannot be pickled; the message is what that error says.

    Facts: ``kind``, the name of the type of that error; ``partition``, its number.
    """


class UnpicklableFunctionError(DezeroError, TypeError, PicklingError):
    """A function cannot be sent to other processes.

    Facts: ``function``; ``captured``, the name of the object in it that cannot be pickled, "" if it
    is not known.
    """


class LazyArrayError(VariableTypeError):
    """An operation cannot go on lazily over Dask's arrays. Nothing was computed.

    Fact: ``arrays``, which is ``"dask: "`` and the reason.
    """


def refused(what: str, reason: str, instead: str = "") -> LazyArrayError:
    """Return the error for a function, such as ``"np.sort"``, that is not there for Dask's arrays.

    `reason` is a sentence without its full stop; `instead` says what to write, with one.
    """
    advice = instead or (
        "For a loss that is a sum over rows, dezero_dask.value_and_grad takes every operation; "
        "x.to_numpy() computes an array."
    )
    return LazyArrayError(
        f"{what} of dask arrays is refused: {reason}. Nothing was computed. {advice}",
        got=what,
        arrays=f"dask: {reason}",
    )
