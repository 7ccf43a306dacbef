"""Determinants where there is no inverse, and their logarithms."""

from fractions import Fraction
from itertools import permutations
from math import prod

import numpy as np
import pytest
from dezero_ops_math.linalg import det, slogdet
from dezero_tools.functional import hessian

from dezero_core import Variable, grad


def exact_determinant(rows):
    """Return the determinant of numbers by Leibniz' formula."""
    n = len(rows)
    total = Fraction(0)
    for order in permutations(range(n)):
        inversions = sum(order[i] > order[j] for j in range(n) for i in range(j))
        total += (-1) ** inversions * prod(Fraction(rows[i][order[i]]) for i in range(n))
    return total


def exact_cofactors(a):
    """Return the cofactors of a matrix, rounded once."""
    n = len(a)
    rows = [[Fraction(float(x)) for x in row] for row in a]
    cofactors = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        minor = [row[:j] + row[j + 1 :] for k, row in enumerate(rows) if k != i]
        cofactors[i, j] = float((-1) ** (i + j) * exact_determinant(minor))
    return cofactors


SINGULAR = {
    "zero": np.zeros((1, 1)),
    "zeros, two": np.zeros((2, 2)),
    "zeros, three": np.zeros((3, 3)),
    "ones, two": np.ones((2, 2)),
    "ones, four": np.ones((4, 4)),
    "rank 1 of 2": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "rank 2 of 3": np.arange(1.0, 10.0).reshape(3, 3),
    "a row of zeros": np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0], [0.0, 0.0, 0.0]]),
    "a row twice": np.array([[2.0, 1, 0, 3], [1.0, 1, 4, 1], [0.0, 5, 1, 2], [2.0, 1, 0, 3]]),
    "rank 2 of 4": np.diag([3.0, 2.0, 0.0, 0.0]),
    "rank 3 of 5": np.add.outer(np.arange(5.0), np.arange(5.0) ** 2),
}


@pytest.mark.parametrize("a", SINGULAR.values(), ids=SINGULAR)
def test_the_gradient_of_det_at_a_singular_matrix_is_the_cofactors(a):
    x = Variable(a)
    det(x).backward()
    truth = exact_cofactors(a)
    np.testing.assert_allclose(x.grad, truth, 1e-13, 1e-13 * np.max(np.abs(a)) ** (len(a) - 1))


@pytest.mark.parametrize("change", [0.0, 2.0**-52, 1e-14, 1e-9])
def test_the_gradient_of_det_near_a_singular_matrix_is_the_cofactors(change):
    a = np.arange(1.0, 10.0).reshape(3, 3)
    a[2, 2] += change
    x = Variable(a)
    det(x).backward()
    np.testing.assert_allclose(x.grad, exact_cofactors(a), rtol=1e-13)


def test_the_gradient_of_det_at_a_complex_singular_matrix_is_the_cofactors():
    """det = ad - bc: the gradient is the conjugate of [[d, -c], [-b, a]]."""
    a = np.array([[1.0 + 1.0j, 2.0], [1.0, 1.0 - 1.0j]])
    x = Variable(a)
    y = det(x)
    y.grad = np.array(1.0 + 0.0j)
    y.backward()
    assert abs(y.data) < 1e-15
    truth = np.array([[a[1, 1], -a[1, 0]], [-a[0, 1], a[0, 0]]])
    np.testing.assert_allclose(x.grad, truth.conj(), rtol=1e-14)


@pytest.mark.parametrize("scale", [1e200, 1e-160, 1e-200], ids=str)
def test_a_determinant_that_overflows_or_vanishes_has_the_right_gradient(scale):
    a = scale * np.array([[1.0, 2.0], [3.0, 5.0]])
    x = Variable(a)
    with np.errstate(over="ignore"):
        y = det(x)
    y.backward()
    np.testing.assert_allclose(x.grad, scale * np.array([[5.0, -3.0], [-2.0, 1.0]]), rtol=1e-13)


def test_det_of_a_stack_treats_each_matrix_separately():
    half_nan = [[0.0, np.nan, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]  # to NumPy det is 0
    singular = SINGULAR["rank 2 of 3"], np.zeros((3, 3)), np.diag([0.0, 1.0, 0.0])
    stack = np.array([np.eye(3), *singular, np.full((3, 3), np.nan), half_nan, 2.0 * np.eye(3)])
    x = Variable(stack)
    with np.errstate(invalid="ignore"):
        det(x).backward()
    for gx, a in zip(x.grad, stack, strict=True):
        if np.isnan(a).any():
            assert np.isnan(gx).all()
        else:
            np.testing.assert_allclose(gx, exact_cofactors(a), rtol=1e-13, atol=1e-13)


def test_det_of_zeros_has_all_derivatives():
    """det of three rows and columns is cubic: its third derivative by the diagonal is 1."""
    x = Variable(np.zeros((3, 3)))
    first = grad(det(x), x, create_graph=True)
    second = grad(first[0, 0], x, create_graph=True)
    third = grad(second[1, 1], x, create_graph=True)
    np.testing.assert_array_equal(first.data, np.zeros((3, 3)))
    np.testing.assert_array_equal(second.data, np.zeros((3, 3)))
    np.testing.assert_array_equal(third.data, np.diag([0.0, 0.0, 1.0]))
    np.testing.assert_array_equal(grad(second[1, 2], x), [[0, 0, 0], [0, 0, 0], [0, -1, 0]])


def test_the_second_derivative_of_det_at_rank_2_of_4_is_right():
    """d2 det by (2, 2) and (3, 3) is 3 times 2, by (2, 3) and (3, 2) minus that."""
    x = Variable(SINGULAR["rank 2 of 4"])
    first = grad(det(x), x, create_graph=True)
    for (i, j), (k, m), value in (((2, 2), (3, 3), 6.0), ((2, 3), (3, 2), -6.0)):
        truth = np.zeros((4, 4))
        truth[k, m] = value
        second = grad(first[i, j], x)
        np.testing.assert_allclose(second, truth, atol=1e-14)


def test_slogdet_of_a_singular_matrix_has_no_derivative():
    x = Variable(np.zeros((2, 2)))
    sign, logabsdet = slogdet(x)
    assert (sign.item(), logabsdet.item()) == (0.0, -np.inf)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        logabsdet.backward()
    assert "SlogDet.backward" in caught.value.__notes__[-1]
    assert x.grad is None


def test_slogdet_has_a_gradient_where_the_determinant_is_out_of_range():
    x = Variable(np.diag([1e200, 1e200, -1e200]))
    result = np.linalg.slogdet(x)
    result.logabsdet.backward()
    assert result.sign.item() == -1.0
    np.testing.assert_allclose(x.grad, np.diag([1e-200, 1e-200, -1e-200]), rtol=1e-14)


def test_the_sign_of_slogdet_of_complex_numbers_has_a_gradient():
    """Of a number z, the sign is z / |z|, and turns by i where z = 1 moves by i."""
    x = Variable(np.array([[1.0 + 0.0j]]))
    sign, _ = slogdet(x)
    sign.grad = np.array(1.0j)
    sign.backward()
    np.testing.assert_array_equal(x.grad, [[1.0j]])


@pytest.mark.parametrize("function", [det, slogdet])
@pytest.mark.parametrize("shape", [(2, 3), (2,), ()], ids=str)
def test_det_and_slogdet_of_wrong_shapes_are_numpys_error_with_a_note(function, shape):
    x = Variable(np.ones(shape))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        function(x)
    with pytest.raises(np.linalg.LinAlgError) as numpys:
        getattr(np.linalg, function.__name__)(x.data)
    assert str(caught.value) == str(numpys.value)
    assert ".forward of plugin 'math'" in caught.value.__notes__[0]
    assert (x.creator, x.generation, x.grad) == (None, 0, None)


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0])
def test_the_second_derivative_of_det_is_right_near_singular_matrices(tilt):
    """By hand: det = ad - bc has 1 for a and d, -1 for b and c, and else 0."""
    a = np.array([[0.3, 0.3], [0.7, 0.7 * (1.0 + tilt)]])
    expected = np.zeros((4, 4))
    expected[0, 3] = expected[3, 0] = 1.0
    expected[1, 2] = expected[2, 1] = -1.0
    np.testing.assert_allclose(hessian(np.linalg.det)(a).reshape(4, 4), expected, atol=1e-11)


def test_the_second_derivative_of_det_is_right_where_a_matrix_is_singular_to_rounding():
    """By hand: along e00 and e11 it is the element that is left."""
    a = np.arange(1.0, 10.0).reshape(3, 3) / 10.0
    found = hessian(np.linalg.det)(a)[0, 0]
    np.testing.assert_allclose(found, [[0, 0, 0], [0, 0.9, -0.8], [0, -0.6, 0.5]], atol=1e-13)
