"""Calls of NumPy's functions over a batch that no operation makes agree with a loop.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import vmap

RANDOM = np.random.default_rng(0)
MATRICES = RANDOM.normal(size=(4, 5, 3))
POSITIONS = np.array([[0, 2], [1, 1], [2, 0], [0, 1]])

#: Of a matrix, and of a vector of positions.
CALLS = {
    "product along the first axis": lambda a, i: np.cross(a[:3], a[1:4], axis=0),
    "product along the second axis": lambda a, i: np.cross(a, a[::-1], axis=1),
    "two positions": lambda a, i: a[i[0], i],
    "positions of other dimensions": lambda a, i: a[i, i[:, None]],
    "norm of columns": lambda a, i: np.linalg.norm(a, 1),
    "norm of rows": lambda a, i: np.linalg.norm(a, np.inf),
    "sums so far": lambda a, i: np.add.accumulate(a, axis=1),
    "sums so far of the first axis": lambda a, i: np.add.accumulate(a),
    "largest": lambda a, i: np.maximum.reduce(a, axis=(0, 1)),
    "each with each": lambda a, i: np.subtract.outer(a, np.sin(i)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_over_a_batch_agrees_with_a_loop(name):
    expected = [CALLS[name](a, i) for a, i in zip(MATRICES, POSITIONS, strict=True)]
    np.testing.assert_allclose(vmap(CALLS[name])(MATRICES, POSITIONS), expected, rtol=1e-12)
