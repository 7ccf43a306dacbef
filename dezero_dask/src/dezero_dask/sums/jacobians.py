"""Jacobians of a model by rows: lazy arrays of Dask, one chunk for each partition."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import getitem
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from dezero_tools.functional.derived import derived, takes_function
from dezero_tools.functional.tracing import name_of
from dezero_tools.functional.trees import Tree, like

from ..errors import PartitionError
from .kernels import ModelJacobian, ModelOutput
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
        The number of partitions, if all data are functions of the number of a partition.

    Returns
    -------
    callable
        ``J(params, *data)`` returns the form of `params` with a dask array for each leaf: of shape
        ``(rows, *rest, *leaf.shape)`` if the model returns an array of shape ``(rows, *rest)``,
        with a chunk for each partition. The array is lazy, so it need not fit in memory for
        ``J.T @ J``. For `data`, see `dezero_dask`.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if parameters are integers or Variables, or if `model` returns no array.
    PartitionError (ValueError)
        When called, if the data are no partitions, or if the array of `model` has no row for each
        row of the data.

    Notes
    -----
    `model` is called once for the first partition, to learn the shape of a row. If the numbers of
    rows are not known before the data are read, the chunks of the result have unknown numbers of
    rows as well.

    Arrays in lists stay on the workers until the Jacobian is computed. If a worker dies before, the
    computation ends with Dask's ``CancelledError``: call ``J`` again, which sends its arrays again.
    Dask arrays, and data that a function reads, are read again.

    A partition is differentiated by all its outputs at once, or by all parameters if these are
    fewer, as by `dezero_tools.functional.jacobian`.

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
        runner, form = Runner(found), form_of(params)
        output = ModelOutput(model, found.loaders)
        graph, (key,), client = runner.graph(output, form, leaves, [0])
        shape, dtype = computed(graph, key, client, False)
        rows = found.rows[0] or "some"
        if not shape or rows not in ("some", shape[0]):
            raise PartitionError(
                f"{name_of(model)} must return one array, with a row for each row of its data, got "
                f"an array of shape {shape} for the {rows} rows of partition 0.",
                partition=0,
            )
        kernel = ModelJacobian(model, found.loaders)
        graph, keys, _ = runner.graph(kernel, form, leaves, list(range(found.count)))
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
