"""cond at its minimum and at singular matrices; matrix_rank."""

import numpy as np
import pytest

from dezero_core import Variable

RNG = np.random.default_rng(7)
ORDERS = (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)


@pytest.mark.parametrize("p", ORDERS)
def test_the_gradient_of_cond_at_the_identity_is_0(p):
    x = Variable(np.eye(3))
    np.linalg.cond(x, p).backward()
    np.testing.assert_allclose(x.grad, np.zeros((3, 3)), atol=1e-15)


@pytest.mark.parametrize("p", ORDERS)
def test_the_gradient_of_cond_is_orthogonal_to_multiples_of_the_matrix(p):
    a = RNG.normal(size=(2, 3, 3))
    x = Variable(a)
    np.sum(np.linalg.cond(x, p)).backward()
    assert np.max(np.abs(x.grad)) > 0.01
    np.testing.assert_allclose(np.sum(x.grad * a, axis=(1, 2)), 0.0, atol=1e-11)


def test_cond_of_a_singular_matrix_is_inf_with_no_finite_gradient_and_no_warning():
    x = Variable(np.diag([1.0, 0.0]))
    y = np.linalg.cond(x)
    y.backward()
    assert y.data == np.inf
    assert not np.isfinite(x.grad).any()


def test_the_inverse_condition_number_of_a_singular_matrix_has_slope_0():
    x = Variable(np.diag([2.0, 0.0]))
    y = np.linalg.cond(x, -2)
    y.backward()
    assert y.data == 0.0
    np.testing.assert_array_equal(x.grad, np.zeros((2, 2)))


def test_the_gradient_of_cond_by_other_norms_at_a_singular_matrix_is_an_error():
    x = Variable(np.diag([1.0, 0.0]))
    y = np.linalg.cond(x, 1)
    assert y.data == np.inf
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        y.backward()
    assert "Cond.backward" in caught.value.__notes__[0]
    assert x.grad is None


def test_bad_input_of_cond_is_numpys_error_with_a_note():
    for a, p, message in (
        (np.ones((0, 2)), None, "not defined on empty arrays"),
        (np.ones((2, 3)), 1, "must be square"),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=message) as caught:
            np.linalg.cond(Variable(a), p)
        assert "Cond.forward" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="'p'"):
        np.linalg.cond(Variable(np.eye(2)), Variable(np.array(2.0)))


def test_matrix_rank_gives_a_plain_number_and_takes_variables_as_tolerance():
    a = np.diag([3.0, 1.0, 0.0])
    x = Variable(a)
    assert type(np.linalg.matrix_rank(x)) is type(np.linalg.matrix_rank(a))
    assert np.linalg.matrix_rank(x) == 2
    assert np.linalg.matrix_rank(x, Variable(np.array(2.0))) == 1
    assert np.linalg.matrix_rank(x, rtol=Variable(np.array(0.5)), hermitian=True) == 1
    with pytest.raises(ValueError, match="can't be both set"):
        np.linalg.matrix_rank(x, 0.1, rtol=0.1)
