"""Operations that are linear, differentiated twice: of |A x|**2 / 2 the Hessian is A.T @ A.

A is what NumPy makes of unit vectors.
"""

import numpy as np
import pytest
from dezero_tools.functional import hessian

LINEAR = {
    "fft of fewer": lambda x: np.fft.fft(x, 4).real,
    "fft of more": lambda x: np.fft.fft(x, 8).imag,
    "rfft of fewer": lambda x: np.fft.rfft(x, 5).real,
    "irfft of more": lambda x: np.fft.irfft(x, 12),
    "diagonal": lambda x: np.diagonal(x.reshape(2, 3), 1),
    "diff": np.diff,
    "pad by reflection": lambda x: np.pad(x, (2, 3), "reflect"),
    "pad by odd reflection": lambda x: np.pad(x, (2, 3), "reflect", reflect_type="odd"),
    "take, each once": lambda x: np.take(x, [4, 0, 3]),
    "take along an axis": lambda x: np.take(x.reshape(2, 3), [2, 0], axis=1),
    "take, one twice": lambda x: np.take(x, [4, 0, 4]),
    "insert": lambda x: np.insert(x, [1, 4], x[:2]),
}


@pytest.mark.parametrize("function", LINEAR.values(), ids=LINEAR)
def test_the_hessian_of_a_squared_linear_operation_is_its_matrix_by_the_transpose(function):
    matrix = np.array([function(unit).ravel() for unit in np.eye(6)])
    found = hessian(lambda x: 0.5 * (function(x) ** 2).sum())(np.linspace(-1.0, 2.0, 6))
    np.testing.assert_allclose(found, matrix @ matrix.T, rtol=1e-13, atol=1e-13)


def test_sort_is_linear_to_the_second_derivative_where_no_elements_are_equal():
    found = hessian(lambda x: (np.sort(x) ** 3).sum())(np.array([3.0, -1.0, 2.0]))
    np.testing.assert_allclose(found, np.diag([18.0, -6.0, 12.0]), rtol=1e-13, atol=0.0)
