"""The book's arguments and defaults of functions that are in the op packages."""

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_tools.testing import check_gradient

from dezero_core import Variable

X = np.random.default_rng(0).normal(size=(3, 4))
EXP = np.exp(X)
CALLS = {
    "softmax": (lambda x: F.softmax(x), EXP / EXP.sum(1, keepdims=True)),
    "softmax axis": (lambda x: F.softmax(x, axis=0), EXP / EXP.sum(0)),
    "log_softmax": (lambda x: F.log_softmax(x), np.log(EXP / EXP.sum(1, keepdims=True))),
    "log_softmax axis": (lambda x: F.log_softmax(x, 0), np.log(EXP / EXP.sum(0))),
    "logsumexp": (lambda x: F.logsumexp(x), np.log(EXP.sum(1, keepdims=True))),
    "logsumexp axis": (lambda x: F.logsumexp(x, 0, False), np.log(EXP.sum(0))),
    "sum": (lambda x: F.sum(x), X.sum()),
    "sum axis": (lambda x: F.sum(x, 1, True), X.sum(1, keepdims=True)),
    "average": (lambda x: F.average(x), X.mean()),
    "average axis": (lambda x: F.average(x, 0, True), X.mean(0, keepdims=True)),
    "mean": (lambda x: F.mean(x, axis=0, keepdims=False), X.mean(0)),
    "max": (lambda x: F.max(x), X.max()),
    "max axis": (lambda x: F.max(x, 1, True), X.max(1, keepdims=True)),
    "min": (lambda x: F.min(x), X.min()),
    "min axis": (lambda x: F.min(x, axis=0, keepdims=True), X.min(0, keepdims=True)),
    "clip": (lambda x: F.clip(x, x_min=-0.5, x_max=0.5), np.clip(X, -0.5, 0.5)),
    "get_item": (lambda x: F.get_item(x, slices=(slice(None), [0, 0, 2])), X[:, [0, 0, 2]]),
    "flatten": (lambda x: F.flatten(F.reshape(x, (2, 3, 2))), X.reshape(2, 6)),
    "expand_dims": (lambda x: F.expand_dims(x, axis=1), X[:, None]),
    "transpose": (lambda x: F.transpose(x), X.T),
    "transpose axes": (lambda x: F.transpose(x, axes=(1, 0)), X.T),
    "sum_to": (lambda x: F.sum_to(x, (1, 4)), X.sum(0, keepdims=True)),
    "broadcast_to": (lambda x: F.broadcast_to(x, (2, 3, 4)), np.stack([X, X])),
    "matmul": (lambda x: F.matmul(x, X.T), X @ X.T),
    "linear": (lambda x: F.linear(x, X.T, X[0, :3]), X @ X.T + X[0, :3]),
    "tanh": (lambda x: F.tanh(x), np.tanh(X)),
    "sin": (lambda x: F.sin(x) + F.cos(x), np.sin(X) + np.cos(X)),
    "log": (lambda x: F.log(F.exp(x) + 1.0), np.log1p(EXP)),
    "relu": (lambda x: F.relu(x), np.maximum(X, 0.0)),
    "linear_simple": (lambda x: F.linear_simple(x, X.T, X[0, :3]), X @ X.T + X[0, :3]),
    "linear_simple without b": (lambda x: F.linear_simple(x, X.T), X @ X.T),
    "sigmoid_simple": (lambda x: F.sigmoid_simple(x), 1.0 / (1.0 + np.exp(-X))),
    "softmax_simple": (lambda x: F.softmax_simple(x), EXP / EXP.sum(1, keepdims=True)),
    "softmax_simple axis": (lambda x: F.softmax_simple(x, 0), EXP / EXP.sum(0)),
    "mean_squared_error_simple": (
        lambda x: F.mean_squared_error_simple(x, np.ones((3, 4))),
        ((X - 1.0) ** 2).sum() / 3,
    ),
    "softmax_cross_entropy_simple": (
        lambda x: F.softmax_cross_entropy_simple(x, np.array([0, 3, 3])),
        -np.log((EXP / EXP.sum(1, keepdims=True))[[0, 1, 2], [0, 3, 3]]).mean(),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_as_in_the_book_has_the_value_of_numpy_and_its_gradient(name):
    function, expected = CALLS[name]
    y = function(Variable(X.copy()))
    assert isinstance(y, Variable)
    np.testing.assert_allclose(y.data, expected, 1e-12, 1e-14)
    assert y.shape == np.shape(expected)
    check_gradient(function, X)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_of_a_vector_the_default_axis_is_an_error_as_in_the_book(name):
    with pytest.raises(np.exceptions.AxisError):
        getattr(F, name)(Variable(np.ones(3)))


@pytest.mark.parametrize("shape", [(3,), (0, 2), (2, 0, 3), (2, 3, 4)])
def test_flatten_keeps_the_rows(shape):
    y = F.flatten(Variable(np.zeros(shape)))
    assert y.shape == (shape[0], int(np.prod(shape[1:])))


def test_flatten_refuses_a_number():
    with pytest.raises(ValueError, match="flatten: x must have at least one axis"):
        F.flatten(Variable(np.array(1.0)))


def test_equal_largest_elements_share_the_gradient():
    x = Variable(np.array([2.0, 2.0, 1.0]))
    F.max(x).backward()
    np.testing.assert_array_equal(x.grad, [0.5, 0.5, 0.0])


def test_all_names_are_there_once_and_sorted():
    assert sorted(set(F.__all__)) == F.__all__
    assert all(callable(getattr(F, name)) for name in F.__all__)


@pytest.mark.parametrize("name", [name for name in CALLS if "_simple" in name])
def test_a_function_made_of_others_gives_an_array_of_an_array(name):
    function, value = CALLS[name]
    y = function(X)
    assert not isinstance(y, Variable)
    np.testing.assert_allclose(y, value, rtol=1e-12)
