"""materialize_grads: what ``backward`` gets for outputs that no gradient arrived at.

Promise: docs/reference/core.rst
"""

import numpy as np
import pytest

from dezero_core import Function, Variable, grad

SEEN = []


class Both(Function):
    """x and 2 x."""

    saves = ()

    def forward(self, x):
        return x.copy(), 2.0 * x

    def backward(self, g0, g1):
        SEEN.append((g0, g1))
        if g0 is None:
            return 2.0 * g1
        return g0 if g1 is None else g0 + 2.0 * g1


class Sparse(Both):
    materialize_grads = False


@pytest.fixture
def seen():
    SEEN.clear()
    return SEEN


@pytest.mark.parametrize("used", [0, 1])
def test_backward_gets_zeros_for_an_output_without_a_gradient(used, seen):
    x = Variable(np.array([1.0, 2.0]))
    Both()(x)[used].backward()
    np.testing.assert_array_equal(seen[0][1 - used], [0.0, 0.0])
    np.testing.assert_array_equal(x.grad, [1.0 + used, 1.0 + used])


@pytest.mark.parametrize("used", [0, 1])
def test_backward_gets_none_for_an_output_without_a_gradient_if_materialize_grads_is_false(
    used, seen
):
    x = Variable(np.array([1.0, 2.0]))
    Sparse()(x)[used].backward()
    assert seen[0][1 - used] is None
    np.testing.assert_array_equal(x.grad, [1.0 + used, 1.0 + used])


def test_grad_and_retain_grad_give_zeros_for_an_output_without_a_gradient(seen):
    x = Variable(np.array([1.0, 2.0]))
    y0, y1 = Sparse()(x)
    np.testing.assert_array_equal(grad(y0, [y1])[0], [0.0, 0.0])
    y0.backward(retain_grad=True)
    np.testing.assert_array_equal(y1.grad, [0.0, 0.0])


def test_a_gradient_of_another_shape_is_refused_though_an_output_has_no_gradient(seen):
    class Wrong(Sparse):
        def backward(self, g0, g1):
            return np.ones((3, 2))

    y0, _ = Wrong()(Variable(np.array([1.0, 2.0])))
    with pytest.raises(ValueError, match=r"expected \(2,\) or the output shape \(2,\)\."):
        y0.backward()
