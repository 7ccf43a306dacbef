"""Derivatives of a loss that is a sum over rows: each partition is a task; results are added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dezero_tools.functional.derived import takes_function

from .kernels import Grad, Hessian, HessianProduct, ValueAndGrad
from .map_reduced import MapReduced, Options


@takes_function
def value_and_grad(
    loss: Callable[..., Any],
    *,
    mean: bool = False,
    penalty: Callable[[Any], Any] | None = None,
    partitions: int | None = None,
    check: bool | None = None,
    progress: bool = False,
    replay: bool = True,
) -> MapReduced:
    """Return a function that computes a sum over partitions of rows, and its gradient.

    Parameters
    ----------
    loss : callable
        ``loss(params, *data)`` returns one real number, in an array of any shape: the sum over the
        rows of `data`.
    mean : bool
        Whether `loss` returns the mean over the rows that it is given. The results of the
        partitions are then weighted by their rows.
    penalty : callable, optional
        ``penalty(params)`` is added once. The penalty is computed in the calling process.
    partitions : int, optional
        The number of partitions, if all data are functions of the number of a partition.
    check : bool, optional
        By default, there are warnings of a nan in a partition, and of a loss that is no sum over
        rows. With True, a nan raises an error; with False, the loss is not compared, see the notes.
    progress : bool
        Whether a progress bar is shown for each step.
    replay : bool
        Whether what is calculated of a partition is replayed, if dezero-replay is installed.

    Returns
    -------
    callable
        ``f(params, *data)`` returns the value, an ndarray of shape ``()``, and the gradient in the
        form of `params`: nested tuples, lists, dicts and dataclasses of arrays and floats. For
        `data`, see `dezero_dask`. ``f.partition(i)`` and ``f.draw(n, rng)`` are such functions for
        some of the partitions.

    Raises
    ------
    VariableTypeError, UnpicklableFunctionError (TypeError)
        When called, if parameters are integers or Variables, if `loss` or `penalty` does not return
        one real number, or if `loss` is to be sent to other processes, and cannot be pickled.
    PartitionError (ValueError)
        When called, if the data are no partitions, or do not fit together.
    NanInPartitionError (FloatingPointError)
        When called with ``check=True``, if there is a nan in a partition.
    WorkerPluginError, ClosedClientError, LostDataError (RuntimeError)
        When called, if a worker has other plugins than the calling process, the client is closed,
        or data that only the cluster had are gone.

    Warns
    -----
    NanInPartitionWarning
        When called without ``check=True``, if there is a nan in a partition.
    NoSumOverRowsWarning
        When called without ``check=False``, once, if `loss` is no sum over rows, or with `mean` no
        mean.

    Notes
    -----
    The first evaluation compares the value of `loss` for the first partition that has two rows with
    the sum of its values for two halves of these rows: two evaluations, once for each `loss`, and
    once more if all parameters are zero at first, as most penalties then are. It is not compared if
    it draws random numbers, changes an object that it refers to, such as a counter, or raises an
    error for fewer rows: so no result is another one. Where rows are counted in the tasks, and the
    partition has one row, the next evaluation compares. A difference below half of the digits is
    taken for rounding.

    An error that `loss` raises keeps its type, and gets a note with the partition, the worker and
    the shapes of the data. There is no warning of parameters that the value does not depend on.

    Results are added in a tree, by the numbers of the partitions: the bits of the sum do not depend
    on the workers, if all have the same processor, the same BLAS, and one thread for it.

    Examples
    --------
    >>> X = [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])]
    >>> f = value_and_grad(lambda w, x: np.sum(x @ w))
    >>> f(np.array([1.0, 1.0]), X)
    (array(21.), array([ 9., 12.]))
    """
    options = Options(mean, penalty, partitions, check, progress, replay)
    return MapReduced(ValueAndGrad, loss, options)


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
        A function like that of `value_and_grad`, which returns the gradient alone.

    Examples
    --------
    >>> f = grad(lambda w, x: np.sum(x @ w))
    >>> f(np.array([1.0, 1.0]), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([4., 6.])
    """
    return value_and_grad(loss, **options).by(Grad)


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
        ``f(params, *data, vector)`` returns the product. The product and `vector` have the form of
        `params`.

    Raises
    ------
    ValueError
        When called, if `vector` does not have the shapes of `params`. The other errors are those of
        `value_and_grad`.

    Examples
    --------
    >>> f = hvp(lambda w, x: np.sum((x @ w) ** 2))
    >>> f(np.array([0.0]), [np.array([[1.0]]), np.array([[3.0]])], np.array([1.0]))
    array([20.])
    """
    return value_and_grad(loss, **options).by(HessianProduct)


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
        `params` is an array of shape ``n``, the Hessian is an array of shape ``n + n``. If `params`
        is nested, the Hessian has that form, with a tree of that form again in place of each array:
        the block of two arrays of shapes ``m`` and ``n`` has the shape ``m + n``.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if parameters are complex. The other errors are those of `value_and_grad`.

    Notes
    -----
    A task differentiates the gradient of its partition once for each number in the parameters, and
    returns ``n**2`` numbers for ``n`` of them. If there are many parameters, take `hvp`.

    Examples
    --------
    >>> f = hessian(lambda w, x: np.sum((x @ w) ** 2))
    >>> f(np.array([0.0, 0.0]), [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([[20., 28.],
           [28., 40.]])
    """
    return value_and_grad(loss, **options).by(Hessian)
