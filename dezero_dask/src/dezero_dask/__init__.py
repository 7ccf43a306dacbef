"""Dask: gradients of data that do not fit in memory, or on one machine.

The functions of this package are for a loss that is a sum over rows. Each partition of the rows is
one task. The values and gradients of the tasks are added in a tree whose shape depends on nothing
but the number of partitions::

    import dezero_dask as dd

    f = dd.value_and_grad(loss)  # loss(params, X, y): the sum over the rows that it is given
    value, gradient = f(params, X, y)

The data `X` and `y` are given in one of these ways. All of them have the same number of partitions,
and each partition has the same number of rows in all of them:

- a dask array, chunked by rows: all other axes are one chunk;
- a list or tuple of arrays, of ``dask.delayed`` objects, or of futures, one for each partition;
- a function of the number of a partition, which reads the partition where the task runs. The
  function returns one array, or a tuple of arrays, which are several arguments of the loss. The
  number of partitions is that of the other arguments, or else ``partitions=``.

A step runs where ``dask.compute`` would run it: in threads, in processes, or on the cluster of the
default Client. Arrays in lists are sent to a cluster once, as long as the same objects are given.
So do not write into these arrays, but give new ones. Lazy data are read in each step; call
``X.persist()`` if the data fit in the memory of the cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .arrays.computing import compute as compute
    from .errors import *  # noqa: F403 - what there is when it runs, the table below lists
    from .sums.gradients import grad as grad
    from .sums.gradients import hessian as hessian
    from .sums.gradients import hvp as hvp
    from .sums.gradients import value_and_grad as value_and_grad
    from .sums.jacobians import jacobian as jacobian
    from .sums.scipy_problem import as_scipy as as_scipy
else:  # the plugin is loaded with the core, and Dask takes long to import
    _EXPORTED = {
        "errors": "ClosedClientError LazyArrayError LostDataError NanInPartitionError "
        "NanInPartitionWarning NoSumOverRowsWarning PartitionError PausedWorkersError TaskError "
        "UnpicklableFunctionError WorkerPluginError",
        "sums.gradients": "grad hessian hvp value_and_grad",
        "sums.jacobians": "jacobian",
        "sums.scipy_problem": "as_scipy",
        "arrays.computing": "compute",
    }
    __all__ = sorted(" ".join(_EXPORTED.values()).split())
    __getattr__, __dir__ = lazily(__name__, _EXPORTED)
