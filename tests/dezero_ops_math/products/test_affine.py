"""linear: what x @ W + b gives, and what it refuses."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import linear

RNG = np.random.default_rng(0)
X, W, B = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=4)


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 5, 3), (2, 1, 5, 3), (0, 3), (2, 0, 3)])
def test_linear_and_its_gradients_agree_with_matmul_and_add(shape):
    weights = RNG.normal(size=(*shape[:-1], 4))
    found = []
    for function in (linear, lambda x, w, b: x @ w + b):
        inputs = [Variable(x) for x in (np.resize(X, shape), W, B)]
        y = function(*inputs)
        found.append([y.data, *grad(y, inputs, grad_outputs=weights)])
    for got, expected in zip(*found, strict=True):
        np.testing.assert_allclose(got, expected, 1e-13, 1e-13)


@pytest.mark.parametrize("shape", [(), (1,), (1, 4), (5, 1), (5, 4)])
def test_linear_broadcasts_the_bias_and_sums_its_gradient_back(shape):
    b = Variable(np.zeros(shape))
    linear(X, W, b).backward()
    np.testing.assert_array_equal(b.grad, np.full(shape, 20.0 / max(b.size, 1)))


def test_linear_computes_no_gradient_of_a_constant():
    b = Variable(B)
    y = linear(X, W, b)
    assert y.creator.needs_grad == (False, False, True)
    y.backward()
    np.testing.assert_array_equal(b.grad, np.full(4, 5.0))
    x = Variable(X)
    linear(x, W, 1.0).backward()
    np.testing.assert_allclose(x.grad, np.tile(W.sum(axis=1), (5, 1)))


def test_linear_keeps_single_precision():
    x, w, b = (Variable(each.astype(np.float32)) for each in (X, W, B))
    y = linear(x, w, b)
    y.backward()
    assert {each.dtype for each in (y, x.grad, w.grad, b.grad)} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((5, 3), (2, 4)), "mismatch"),
        (((5, 3), (3,)), "W must have two axes"),
        (((5, 3), (2, 3, 4)), "W must have two axes"),
        (((), (3, 4)), "enough dimensions"),
        (((5, 3), (3, 4), (3,)), "broadcast"),
        (((5, 3), (3, 4), (2, 5, 4)), r"b must broadcast to \(5, 4\)"),
    ],
)
def test_linear_refuses_wrong_shapes_with_a_note(shapes, message):
    with pytest.raises(ValueError, match=message) as caught:
        linear(*[Variable(np.ones(shape)) for shape in shapes])
    assert "Linear.forward" in caught.value.__notes__[0]
