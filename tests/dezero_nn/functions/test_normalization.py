"""batch_norm and layer_norm: hand formulas, running numbers, the switch, shapes, compiled steps."""

import numpy as np
import pytest
from dezero_nn.functions import batch_norm, layer_norm
from dezero_nn.layers import State
from dezero_tools.functional import vmap
from dezero_tools.testing import check_gradient

from dezero_core import Parameter, Variable, grad
from dezero_nn import test_mode as in_test_mode
from dezero_replay import compiled

RNG = np.random.default_rng(0)
GAMMA, BETA = RNG.normal(size=3), RNG.normal(size=3)
BATCHES = {shape: RNG.normal(2.0, 3.0, shape) for shape in ((5, 3), (2, 3, 2, 2), (2, 3, 3))}
of_each_batch = pytest.mark.parametrize("x", BATCHES.values(), ids=str(list(BATCHES)).split("), "))


def channels_last(x):
    """Return a batch as a matrix, with a row for each number of a channel."""
    return np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])


def running():
    return State(np.array([1.0, 2.0, 3.0])), State(np.array([0.5, 1.0, 2.0]))


@of_each_batch
def test_each_channel_of_a_batch_gets_mean_beta_and_deviation_gamma(x):
    y = batch_norm(Variable(x), GAMMA, BETA, *running(), eps=0.0)
    rows = channels_last(y.data)
    np.testing.assert_allclose(rows.mean(0), BETA)
    np.testing.assert_allclose(rows.std(0), np.abs(GAMMA))
    assert y.shape == x.shape


@of_each_batch
def test_the_running_numbers_move_to_the_mean_and_to_the_variance_without_bias(x):
    mean, var = running()
    old = mean.data, var.data
    batch_norm(x, GAMMA, BETA, mean, var, decay=0.75)
    rows = channels_last(x)
    np.testing.assert_allclose(mean.data, 0.75 * np.array([1, 2, 3]) + 0.25 * rows.mean(0))
    np.testing.assert_allclose(var.data, 0.75 * np.array([0.5, 1, 2]) + 0.25 * rows.var(0, ddof=1))
    # A graph of test mode may hold the old arrays.
    np.testing.assert_array_equal(old, ([1.0, 2.0, 3.0], [0.5, 1.0, 2.0]))


def test_running_arrays_are_changed_in_place_to_the_same_numbers():
    mean, var = running()
    arrays = mean.data.copy(), var.data.copy()
    batch_norm(BATCHES[5, 3], GAMMA, BETA, mean, var)
    batch_norm(BATCHES[5, 3], GAMMA, BETA, *arrays)
    np.testing.assert_array_equal(arrays, (mean.data, var.data))


@pytest.mark.parametrize(("of_x", "of_state"), [("f4", "f8"), ("f8", "f4"), ("f2", "f4")])
def test_running_numbers_keep_their_dtype_and_the_result_has_that_of_x(of_x, of_state):
    mean, var = State(np.zeros(3, of_state)), State(np.ones(3, of_state))
    arguments = BATCHES[5, 3].astype(of_x), GAMMA.astype(of_x), BETA.astype(of_x), mean, var
    y = batch_norm(*arguments)
    assert mean.dtype == var.dtype == of_state
    with in_test_mode():
        assert batch_norm(*arguments).dtype == y.dtype == of_x


@of_each_batch
def test_in_test_mode_the_running_numbers_are_used_and_stay(x):
    mean, var = running()
    shape = (3, *(1,) * (x.ndim - 2))
    m, v, g, b = (each.reshape(shape) for each in (mean.data, var.data, GAMMA, BETA))
    with in_test_mode():
        y = batch_norm(Variable(x), GAMMA, BETA, mean, var, eps=0.1)
        none = batch_norm(x[:0], GAMMA, BETA, mean, var)
    np.testing.assert_allclose(y.data, (x - m) / np.sqrt(v + 0.1) * g + b, 1e-12)
    np.testing.assert_array_equal(mean.data, [1.0, 2.0, 3.0])
    assert none.shape == (0, *x.shape[1:])


@of_each_batch
def test_gradients_go_through_the_statistics_of_the_batch(x):
    check_gradient(lambda *xs: batch_norm(*xs, *running()), x, GAMMA, BETA)
    with in_test_mode():
        check_gradient(lambda *xs: batch_norm(*xs, *running()), x, GAMMA, BETA)


def test_the_running_numbers_get_no_gradient():
    mean, var = running()
    for _ in range(2):
        batch_norm(Variable(BATCHES[5, 3]), GAMMA, BETA, mean, var).sum().backward()
        assert mean.grad is var.grad is None
        assert mean.creator is var.creator is None
    with in_test_mode():
        batch_norm(Variable(BATCHES[5, 3]), GAMMA, BETA, mean, var).sum().backward()
    assert mean.grad is var.grad is None


def test_the_second_derivative_through_a_batch_agrees_with_the_complex_step():
    def gradient(x):
        """Return the gradient of sum(w * y) by x, with the formula written by hand."""
        n, w = len(x), np.arange(15.0).reshape(5, 3) ** 2
        mean = x.sum(0) / n
        s = np.sqrt(((x - mean) ** 2).sum(0) / n + 2e-5)
        normal = (x - mean) / s
        return GAMMA / s * (w - w.sum(0) / n - normal * (w * normal).sum(0) / n)

    x = Variable(BATCHES[5, 3].copy())
    y = batch_norm(x, GAMMA, BETA, *running())
    first = grad((y * np.arange(15.0).reshape(5, 3) ** 2).sum(), x, create_graph=True)
    np.testing.assert_allclose(first.data, gradient(x.data), 1e-10, 1e-12)
    along = RNG.normal(size=(5, 3))
    second = grad((first * along).sum(), x)
    numeric = np.zeros((5, 3))
    for index in np.ndindex(5, 3):
        step = np.zeros((5, 3), complex)
        step[index] = 1e-30j
        numeric[index] = ((gradient(x.data + step) * along).sum() / 1e-30).imag
    np.testing.assert_allclose(second, numeric, 1e-9, 1e-11)


def test_a_batch_of_one_row_is_beta_and_has_the_gradient_0():
    x = Variable(np.array([[5.0, -7.0, 1e6]]))
    mean, var = running()
    y = batch_norm(x, GAMMA, BETA, mean, var, decay=0.0)
    (y * np.array([1.0, 2.0, 3.0])).sum().backward()
    np.testing.assert_array_equal(y.data, [BETA])
    np.testing.assert_array_equal(x.grad, np.zeros((1, 3)))
    np.testing.assert_array_equal((mean.data, var.data), (x.data[0], np.zeros(3)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_statistics_of_many_numbers_of_few_digits_are_right(dtype):
    """A sum of them, one after another, would be inf in float16, and have few digits in float32."""
    x = RNG.normal(30.0, 1.0, (100_000, 1)).astype(dtype)
    mean, var = State(np.zeros(1)), State(np.ones(1))
    y = batch_norm(x, np.ones(1, dtype), np.zeros(1, dtype), mean, var, decay=0.0)
    eps = np.finfo(dtype).eps
    assert y.dtype == dtype
    np.testing.assert_allclose(mean.data, x.mean(dtype=float), 4 * eps)
    np.testing.assert_allclose(var.data, x.var(dtype=float, ddof=1), 4 * eps)


@pytest.mark.parametrize("function", ["batch_norm", "layer_norm"])
def test_a_large_mean_takes_no_digits_from_the_variance(function):
    x = 1e8 + np.array([[1.0, 2.0, 4.0]] * 3) * np.array([[1.0], [2.0], [4.0]])
    ones, zeros = np.ones(3), np.zeros(3)
    if function == "batch_norm":
        found = batch_norm(x, ones, zeros, np.zeros(3), np.ones(3), eps=0.0)
        found_small = batch_norm(x - 1e8, ones, zeros, np.zeros(3), np.ones(3), eps=0.0)
    else:
        found = layer_norm(x, ones, zeros, eps=0.0)
        found_small = layer_norm(x - 1e8, ones, zeros, eps=0.0)
    np.testing.assert_allclose(found, found_small, 1e-6)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"x": np.zeros((0, 3))}, ValueError, r"must not be empty, as of \(0, 3\)"),
        ({"x": np.zeros((2, 3, 0, 4))}, ValueError, "must not be empty"),
        ({"x": np.zeros(3)}, ValueError, r"axes \(n, channels, ...\), and has 1"),
        ({"x": np.zeros((2, 4))}, ValueError, r"gamma must be of shape \(4,\), as x has 4"),
        ({"x": np.zeros((2, 3), complex)}, TypeError, "must be real"),
        ({"gamma": np.ones(1)}, ValueError, r"gamma must be of shape .* is of shape \(1,\)"),
        ({"beta": 0.0}, ValueError, r"beta must be of shape .* is of shape \(\)"),
        ({"mean": np.zeros((1, 3))}, ValueError, "mean must be of shape"),
        ({"var": np.ones(3, int)}, TypeError, "var must be a Variable or an array of floating"),
        ({"mean": [0.0, 0.0, 0.0]}, TypeError, "mean must be a Variable or an array of floating"),
    ],
)
def test_bad_operands_of_batch_norm_are_refused_and_change_nothing(changed, error, message):
    mean, var = np.zeros(3), np.ones(3)
    given = {"x": BATCHES[5, 3], "gamma": GAMMA, "beta": BETA, "mean": mean, "var": var, **changed}
    with pytest.raises(error, match=message):
        batch_norm(**given)
    np.testing.assert_array_equal((mean, var), (np.zeros(3), np.ones(3)))


@pytest.mark.parametrize("last", [1, 2])
def test_layer_norm_agrees_with_the_formula_over_the_last_axes(last):
    x = RNG.normal(size=(4, 2, 3))
    shape = x.shape[-last:]
    gamma, beta = RNG.normal(size=shape), RNG.normal(size=shape)
    axes = tuple(range(-last, 0))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    expected = (x - mean) / np.sqrt(var + 0.1) * gamma + beta
    np.testing.assert_allclose(layer_norm(x, gamma, beta, eps=0.1), expected, 1e-13)
    check_gradient(layer_norm, x, gamma, beta)


@pytest.mark.parametrize(
    ("x", "gamma", "beta", "error", "message"),
    [
        (np.ones((2, 3)), np.ones(2), np.ones(2), ValueError, r"last axes of x, \(2, 3\)"),
        (np.ones((2, 3)), np.ones(3), np.ones(1), ValueError, r"shapes \(3,\) and \(1,\)"),
        (np.ones((2, 3)), 1.0, 0.0, ValueError, r"shapes \(\) and \(\)"),
        (np.ones(3), np.ones((1, 3)), np.ones((1, 3)), ValueError, "last axes of x"),
        (np.ones((2, 0)), np.ones(0), np.ones(0), ValueError, "must not be empty"),
        (np.ones((2, 3), complex), np.ones(3), np.ones(3), TypeError, "must be real"),
    ],
)
def test_bad_operands_of_layer_norm_are_refused(x, gamma, beta, error, message):
    with pytest.raises(error, match=message):
        layer_norm(x, gamma, beta)


def trained(wrapped, norm):
    """Return everything that five steps of training change."""
    gamma, beta = Parameter(np.ones(3)), Parameter(np.zeros(3))
    mean, var = running()

    @wrapped
    def step(x):
        arguments = (mean, var) if norm is batch_norm else ()
        y = norm(x, gamma, beta, *arguments)
        loss = (y * y * y).sum()
        for parameter in (gamma, beta):
            parameter.cleargrad()
        loss.backward()
        for parameter in (gamma, beta):
            parameter.data -= 0.01 * parameter.grad
        return loss

    losses = [step(BATCHES[5, 3] * k).item() for k in range(1, 6)]
    return losses, [each.data.tolist() for each in (gamma, beta, mean, var)]


def test_rows_that_all_examples_of_a_batch_share_are_normalized_for_the_gamma_of_each():
    x, gammas, beta = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3)), np.ones(3)
    got = vmap(layer_norm, in_axes=(None, 0, None))(x, gammas, beta)
    expected = [layer_norm(x, gamma, beta) for gamma in gammas]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("norm", [batch_norm, layer_norm])
def test_a_compiled_step_gives_the_same_bits(norm):
    assert trained(compiled(strict=True), norm) == trained(lambda step: step, norm)
