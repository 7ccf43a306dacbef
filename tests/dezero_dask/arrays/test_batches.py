"""Arrays of Dask's are refused in a map over a batch, by name, and may be shared outside of it.

Promise: docs/how_to/batches.md
"""

import re

import dask.array as da
import numpy as np
import pytest
from dezero_tools.functional import jacobian, vmap

from dezero_core import VariableTypeError

X = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: vmap(np.sin)(da.ones((3, 2))),
            "argument 0 of vmap(sin) is a dask array: vmap takes ndarrays. Convert it, or let all "
            "examples share it.",
        ),
        (
            lambda: vmap(lambda a: a + da.ones(2))(X),
            "the result of vmap(<lambda>) is a dask array: arrays of a batch are computed with "
            "ndarrays alone. Convert the others.",
        ),
    ],
)
def test_an_argument_or_an_operand_of_dask_is_refused(call, message):
    with pytest.raises(VariableTypeError, match=re.escape(message)):
        call()


def test_the_jacobian_of_a_function_of_dask_arrays_is_computed_row_by_row():
    data = da.from_array(X, chunks=(2, 2))
    got = jacobian(lambda w: (data @ w) ** 2)(np.array([1.0, 2.0]))
    expected = 2.0 * (X @ [1.0, 2.0])[:, np.newaxis] * X
    np.testing.assert_allclose(np.asarray(got), expected)
