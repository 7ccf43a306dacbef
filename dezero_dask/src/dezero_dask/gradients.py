"""Derivatives of a loss that is a sum over rows: a task for each partition, and a tree of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dezero_tools.functional.derived import takes_function

from .map_reduced import MapReduced


@takes_function
def value_and_grad(
    loss: Callable[..., Any],
    *,
    mean: bool = False,
    penalty: Callable[[Any], Any] | None = None,
    partitions: int | None = None,
    check: bool = False,
    progress: bool = False,
    replay: bool = True,
) -> MapReduced:
    """Return a function that computes a sum over partitions of rows, and its gradient.

    Parameters
    ----------
    loss : callable
        ``loss(params, *data)`` returns one real number: the sum over the rows of `data`.
    mean : bool
        Whether `loss` returns the mean over the rows that it is given. The results of the
        partitions are then weighted by their rows.
    penalty : callable, optional
        ``penalty(params)`` is added once. It is computed in the calling process.
    partitions : int, optional
        The number of partitions, where all data are functions of a partition's number.
    check : bool
        Whether a nan in a partition raises; by default it is warned of, and the value is nan.
    progress : bool
        Whether a progress bar is shown for each step.
    replay : bool
        Whether partitions are replayed, where dezero-replay is installed.

    Returns
    -------
    callable
        ``f(params, *data)`` returns the value, an ndarray of shape ``()``, and the gradient in the
        form of `params`: nested tuples, lists, dicts and dataclasses of arrays and floats. For
        `data`, see `dezero_dask`. ``f.partition(i)`` and ``f.draw(n, rng)`` are such functions of
        some of the partitions.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if parameters are integers or Variables, or `loss` does not return one number.
    PartitionError (ValueError)
        When called, if the data are no partitions, or do not fit together.
    NanInPartitionError (FloatingPointError)
        When called with `check`, if there is a nan in a partition.
    WorkerPluginError (RuntimeError)
        When called, if a worker has other plugins than the calling process.
    UnpicklableFunctionError (TypeError)
        When called, if `loss` is to be sent to other processes, and cannot be pickled.
    ClosedClientError, LostDataError (RuntimeError)
        When called, if the client is closed, or data that only the cluster had are gone.

    Warns
    -----
    NanInPartitionWarning
        When called without `check`, if there is a nan in a partition.

    Notes
    -----
    An error that `loss` raises keeps its type, and has a note: partition, worker and shapes.

    Results are added in a tree, by the numbers of the partitions: their bits do not depend on the
    workers, as long as these have one type of processor, one BLAS and one thread for it.

    There is no warning of parameters that the value does not depend on.

    Examples
    --------
    >>> X = [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])]
    >>> f = value_and_grad(lambda w, x: np.sum(x @ w))
    >>> f(np.array([1.0, 1.0]), X)
    (array(21.), array([ 9., 12.]))
    """
    return MapReduced(
        "value_and_grad",
        loss,
        mean=mean,
        penalty=penalty,
        partitions=partitions,
        check=check,
        progress=progress,
        replay=replay,
    )


@takes_function
def grad(loss: Callable[..., Any], **options: Any) -> MapReduced:
    """Return a function that computes the gradient of a sum over partitions of rows.

    Parameters
    ----------
    loss : callable
    **options
        Those of `value_and_grad`.

    Returns
    -------
    callable
        As `value_and_grad` returns, but it returns the gradient alone.

    Examples
    --------
    >>> f = grad(lambda w, x: np.sum(x @ w))
    >>> f(np.array([1.0, 1.0]), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([4., 6.])
    """
    value_and_grad(loss, **options)  # refuses other options
    return MapReduced("grad", loss, **options)


@takes_function
def hvp(loss: Callable[..., Any], **options: Any) -> MapReduced:
    """Return a function that multiplies the Hessian of a sum over partitions by a vector.

    Parameters
    ----------
    loss : callable
    **options
        Those of `value_and_grad`.

    Returns
    -------
    callable
        ``f(params, *data, vector)`` returns the product, in the form of `params`, which `vector`
        has as well.

    Raises
    ------
    ValueError
        When called, if `vector` does not have the shapes of `params`; else as `value_and_grad`.

    Examples
    --------
    >>> f = hvp(lambda w, x: np.sum((x @ w) ** 2))
    >>> f(np.array([0.0]), [np.array([[1.0]]), np.array([[3.0]])], np.array([1.0]))
    array([20.])
    """
    value_and_grad(loss, **options)
    return MapReduced("hvp", loss, **options)


@takes_function
def hessian(loss: Callable[..., Any], **options: Any) -> MapReduced:
    """Return a function that computes the Hessian of a sum over partitions, in one pass over them.

    Parameters
    ----------
    loss : callable
    **options
        Those of `value_and_grad`; `replay` changes nothing.

    Returns
    -------
    callable
        ``f(params, *data)`` returns the Hessian as `dezero_tools.functional.hessian` does. If
        `params` is an array of shape ``n``, it is an array of shape ``n + n``. If `params` is
        nested, it has that form, and in place of each array a tree of that form again: the block
        of arrays of shapes ``m`` and ``n`` has the shape ``m + n``.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if parameters are complex; else as `value_and_grad`.

    Notes
    -----
    A task differentiates the gradient of its partition once for each number in the parameters. Of
    ``n`` numbers it returns ``n**2``: for many parameters, take `hvp`.

    Examples
    --------
    >>> f = hessian(lambda w, x: np.sum((x @ w) ** 2))
    >>> f(np.array([0.0, 0.0]), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([[20., 28.],
           [28., 40.]])
    """
    value_and_grad(loss, **options)
    return MapReduced("hessian", loss, **options)
