"""Values and gradients of Variables over Dask's arrays, computed together."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
from dezero_tools.functional.trees import Tree, leaves_of, like

from dezero_core import GradientError, Variable
from dezero_core.extend import label


def compute(*xs: Tree, **options: Any) -> tuple[Any, ...]:
    """Compute Variables together: results, and the gradients of inputs.

    A Variable that was computed, such as a loss, stands for its data. One that was not, an input or
    a Parameter, stands for its ``.grad``. All are computed in one graph, so that nothing is
    computed twice; no Variable is changed.

    Parameters
    ----------
    *xs : Variable or array, or nested tuples, lists, dicts and dataclasses of them
    **options
        Those of ``dask.compute``, such as ``scheduler="threads"``.

    Returns
    -------
    tuple
        Of ndarrays in the forms of `xs`, also if there is one.

    Raises
    ------
    GradientError (ValueError)
        If an input has no gradient.

    Examples
    --------
    >>> import dask.array as da
    >>> x = Variable(da.arange(4.0, chunks=2))
    >>> y = x * x
    >>> y.backward()
    >>> compute(y, x)
    (array([0., 1., 4., 9.]), array([0., 2., 4., 6.]))
    """
    lazy = [_array_of(leaf) for x in xs for leaf in leaves_of(x)]
    arrays = iter([np.asarray(array) for array in dask.compute(*lazy, **options)])
    return tuple(like(x, [next(arrays) for _ in leaves_of(x)]) for x in xs)


def _array_of(x: Any) -> Any:
    if not isinstance(x, Variable):
        return x
    if x.creator is not None:
        return x.data
    if x.grad is None:
        raise GradientError(
            f"{label(x)} is an input, and has no gradient to compute. Call backward() on the loss "
            "first. The values of the input are x.to_numpy().",
            function=None,
            index=0,
        )
    return x.grad.data if isinstance(x.grad, Variable) else x.grad
