"""A loss returns one number, in an array of any shape; else the error says what it returned.

Promise: docs/how_to/more_data_than_memory.md
"""

import dask.array as da
import numpy as np
import pytest

import dezero_dask as dd
from dezero_core import VariableTypeError

from .problems import linear, linear_by_hand, made, parts

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()

NO_NUMBERS = {
    "a tuple": (lambda w, x: (np.sum(x @ w), 1.0), "got a tuple of length 2. Return the number"),
    "a tuple of one": (lambda w, x: (np.sum(x @ w),), "got a tuple of length 1. Return the number"),
    "a list": (lambda w, x: [np.sum(x @ w)], "got a list of length 1. Return the number alone"),
    "a dict": (lambda w, x: {"loss": np.sum(x @ w)}, "got a dict of length 1. Return the number"),
    "a string": (lambda w, x: "small", r"got <class 'str'>. Return a number that NumPy computes"),
    "nothing": (lambda w, x: None, "got None. Write `return` before the number"),
    "two numbers": (lambda w, x: (x @ w)[:2], r"got an array of shape \(2,\) .* Add up the elem"),
    "no number": (lambda w, x: np.zeros(0), r"got an array of shape \(0,\) .* Add up the elements"),
    "an array of a string": (
        lambda w, x: np.array("a"),
        r"got an array of .* <U1\. Return a num",
    ),
    "an array of None": (lambda w, x: np.array([None]), r"got an array of .* object\. Return a"),
    "a complex number": (lambda w, x: 1j, r"got an .* complex128\. Make the number real"),
    "a complex Variable": (lambda w, x: 1j * np.sum(x @ w), r"got an .* complex128\. Make"),
    "a function": (lambda w, x: np.sum, r"got <class 'numpy\._ArrayFunctionDispatcher'>. Return"),
    "a dask array": (lambda w, x: da.ones(()), r"got <class 'dask\.array\.core\.Array'>. Return a"),
}


@pytest.mark.parametrize("make", [dd.value_and_grad, dd.grad, dd.hessian, dd.hvp])
@pytest.mark.parametrize("result", NO_NUMBERS)
def test_a_result_that_is_no_number_is_refused_by_name(make, result):
    loss, message = NO_NUMBERS[result]
    rule = "<lambda> must return one number, the sum over the rows that it is given, "
    with pytest.raises(VariableTypeError, match=rule + message) as caught:
        make(loss, replay=False)(W, parts(X, 2), *[W] * (make is dd.hvp))
    assert caught.value.got in str(caught.value)
    assert caught.value.__notes__[-1].startswith("in partition ")


@pytest.mark.parametrize("result", ["a tuple", "a string", "nothing", "a function"])
def test_the_error_is_the_same_wherever_tasks_run(result, anywhere):
    loss, message = NO_NUMBERS[result]
    with pytest.raises(VariableTypeError, match=message):
        dd.value_and_grad(loss)(W, parts(X, 2))


def test_a_mean_has_a_rule_of_its_own():
    with pytest.raises(VariableTypeError, match="one number, the mean over the rows that it is"):
        dd.value_and_grad(lambda w, x: x @ w, mean=True)(W, parts(X, 2))


def test_a_penalty_is_one_number_as_well():
    f = dd.value_and_grad(linear, penalty=lambda w: (w, w))
    with pytest.raises(VariableTypeError, match="<lambda> must return one number, as all penal"):
        f(W, parts(X), parts(Y))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 1, 1)])
@pytest.mark.parametrize("replay", [True, False])
def test_one_number_may_be_in_an_array_of_any_shape(shape, replay, anywhere):
    def loss(w, x, y):
        return np.reshape(linear(w, x, y), shape)

    def penalty(w):
        return np.reshape(np.sum(w**2), shape)

    value, gradient = linear_by_hand(W, X, Y)
    data = parts(X), parts(Y)
    options = {"penalty": penalty, "replay": replay}
    f = dd.value_and_grad(loss, **options)
    for _ in range(3):
        found, slopes = f(W, *data)
        assert found.shape == ()
        assert found == pytest.approx(value + np.sum(W**2))
        assert slopes == pytest.approx(gradient + 2 * W)
    curvature = 2 * X.T @ X + 2 * np.eye(4)
    assert dd.hessian(loss, **options)(W, *data) == pytest.approx(curvature)
    assert dd.hvp(loss, **options)(W, *data, W) == pytest.approx(curvature @ W)
    assert dd.as_scipy(loss, W, *data, **options).fun(W) == pytest.approx(value + np.sum(W**2))


@pytest.mark.parametrize("number", [3, True, 2.5, np.float32(2.5), np.ones((1, 1), int)])
def test_a_constant_may_be_of_any_type_of_numbers(number):
    f = dd.value_and_grad(lambda w, x: number, check=False)
    value, gradient = f(W, [X, X])
    assert (value.shape, value) == ((), np.add(*[np.reshape(number, ())] * 2))
    assert gradient.tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("result", "got"),
    [
        ((np.ones(45), np.ones(45)), "a tuple of length 2. Join several results by np.stack"),
        ("small", "<class 'str'>"),
        (None, "None"),
        (np.full(45, "a"), r"an array of shape \(45,\) and dtype <U1"),
    ],
)
def test_a_model_of_a_jacobian_returns_one_array(result, got):
    with pytest.raises(VariableTypeError, match=f"<lambda> must return one array, .* got {got}"):
        dd.jacobian(lambda w, x: result)(W, parts(X, 2))
