"""Jacobians of a model by rows: lazy arrays of Dask, one chunk for each partition."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import getitem
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from dezero_tools.functional.derived import derived, takes_function
from dezero_tools.functional.trees import Tree, like

from .errors import PartitionError
from .kernels import Kernel
from .parameters import form_of, parameters
from .partitions import Partitions
from .scheduling import Runner, computed


@takes_function
def jacobian(model: Callable[..., Any], *, partitions: int | None = None) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of a model by its parameters, row by row.

    Parameters
    ----------
    model : callable
        ``model(params, *data)`` returns an array whose first axis are the rows of `data`.
    partitions : int, optional
        The number of partitions, where all data are functions of a partition's number.

    Returns
    -------
    callable
        ``J(params, *data)`` returns the form of `params` with a dask array for each leaf: of shape
        ``(rows, *rest, *leaf.shape)`` where the model returns ``(rows, *rest)``, with a chunk for
        each partition. It is lazy, so ``J.T @ J`` need not fit in memory. For `data`, see
        `dezero_dask`.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if parameters are integers or Variables.
    PartitionError (ValueError)
        When called, if the data are no partitions, or `model` returns no array with rows.

    Notes
    -----
    `model` is called once on the first partition, to learn the shape of a row. Where the numbers of
    rows are not known before the data are read, those of the result are not known either.

    Arrays in lists wait on the workers until the Jacobian is computed. If a worker dies before, its
    arrays are gone, and the computation ends with Dask's ``CancelledError``: call the function
    again, which sends them again. Dask arrays, and data that a function reads, are read again.

    A partition is differentiated by one parameter after the other, or by one output after the
    other, whichever are fewer.

    Examples
    --------
    >>> X = [np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])]
    >>> J = jacobian(lambda w, x: x @ w)(np.array([1.0, 1.0]), X)
    >>> (J.T @ J).compute()
    array([[10., 14.],
           [14., 20.]])
    """

    @derived(partial(jacobian, partitions=partitions), model)
    def jacobian_of(params: Tree, *data: Any) -> Tree:
        import dask.array as da  # which takes long to import

        leaves = parameters(params, model)
        found = Partitions(data, partitions)
        numbers = list(range(found.count))
        runner, form = Runner(found), form_of(params)

        kernel = Kernel("value", model, found.loaders)
        graph, (key,), client = runner.graph(kernel, form, leaves, [0])
        shape, dtype = computed(graph, key, client, False)
        if not shape or found.rows[0] not in (None, shape[0]):
            raise PartitionError(
                f"the model of a Jacobian by rows returns an array with a row for each of the "
                f"{found.rows[0] or 'rows of a partition'}, got shape {shape}.",
                argument=None,
                partition=0,
            )

        kernel = Kernel("jacobian", model, found.loaders)
        graph, keys, _ = runner.graph(kernel, form, leaves, numbers)
        parts = [Delayed(key, graph, length=len(leaves)) for key in keys]
        arrays = []
        for number, leaf in enumerate(leaves):
            blocks = [
                da.from_delayed(
                    delayed(getitem)(part, number),
                    (np.nan if rows is None else rows, *shape[1:], *leaf.shape),
                    np.result_type(dtype, leaf.dtype),
                )
                for part, rows in zip(parts, found.rows, strict=True)
            ]
            arrays.append(da.concatenate(blocks, allow_unknown_chunksizes=True))
        return like(params, arrays)

    return jacobian_of
