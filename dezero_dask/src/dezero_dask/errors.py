"""The errors and warnings of this package."""

from __future__ import annotations

from pickle import PicklingError

from dezero_core import DezeroError, VariableTypeError


class PartitionError(DezeroError, ValueError):
    """Data that are no partitions of rows, or do not fit together.

    Attributes
    ----------
    argument : int or None
        The position of the data among the arguments of the loss; the parameters are argument 0.
    partition : int or None
        The number of the partition.
    """

    argument: int | None = None
    partition: int | None = None


class NanInPartitionError(DezeroError, FloatingPointError):
    """The value or a derivative of a partition has a nan, with ``check=True``.

    Attributes
    ----------
    partitions : tuple of int
        The numbers of these partitions.
    """


class NanInPartitionWarning(UserWarning):
    """The value or a derivative of a partition has a nan; the message names the partition."""


class NoSumOverRowsWarning(UserWarning):
    """A loss is no sum over the rows of its data, so results depend on the partitions."""


class WorkerPluginError(DezeroError, RuntimeError):
    """A worker does not have a plugin that the calling process has, or another version of it.

    Attributes
    ----------
    worker : str
        The address of the worker.
    plugin : str
        The plugin, or the distribution.
    expected, got : str or None
        The version in the calling process, and that on the worker; None if it is not there.
    """


class ClosedClientError(DezeroError, RuntimeError):
    """The client of the data, or of the step, is closed; or they are of different clusters."""


class LostDataError(DezeroError, RuntimeError):
    """Data on the cluster are gone with the workers that had them, and cannot be sent again.

    Attributes
    ----------
    partitions : tuple of int
        The numbers of the partitions, as far as they are known.
    """


class PausedWorkersError(DezeroError, MemoryError):
    """All workers are paused, because their memory is nearly full: the step would never end.

    Attributes
    ----------
    workers : tuple of str
        Their addresses.
    """


class TaskError(DezeroError, RuntimeError):
    """A task raised an error that cannot be pickled; the message is what that error says.

    Attributes
    ----------
    kind : str
        The type of that error.
    partition : int
        The number of the partition.
    """


class UnpicklableFunctionError(DezeroError, TypeError, PicklingError):
    """A function cannot be sent to other processes.

    Attributes
    ----------
    function : callable
    captured : str
        The name of the object in it that cannot be pickled; "" if it is not known.
    """


class LazyArrayError(VariableTypeError):
    """An operation cannot go on lazily over Dask's arrays. Nothing was computed.

    Attributes
    ----------
    arrays : str
        ``"dask: "`` and the reason.
    """
