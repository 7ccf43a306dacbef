"""logsumexp, softmax and log_softmax where a naive exponential overflows or is 0."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import log_softmax, logsumexp, softmax, softmax_cross_entropy

LARGE = [
    (1000.0, 1000.0),
    (-1000.0, -1000.0),
    (1000.0, -1000.0, 0.0),
    (710.0, 709.0, 708.0),
    (1e300, 0.0),
    (-745.0, -746.0),
    (20.0, -20.0),
]


def variable(*numbers):
    return Variable(np.array(numbers))


def exact(numbers):
    """Return logsumexp, log_softmax and softmax, computed in so many digits that all are exact."""
    with mpmath.workdps(1000):
        xs = [mpmath.mpf(number) for number in numbers]
        shifted = [mpmath.exp(x - max(xs)) for x in xs]
        total = mpmath.fsum(shifted)
        whole = max(xs) + mpmath.log(total)
        logs = [float(x - whole) for x in xs]
        return float(whole), logs, [float(share / total) for share in shifted]


@pytest.mark.parametrize("numbers", LARGE, ids=str)
def test_softmax_and_its_logarithms_of_large_inputs_are_exact_without_a_warning(numbers):
    whole, logs, shares = exact(numbers)
    np.testing.assert_allclose(softmax(variable(*numbers)).data, shares, 1e-12, 1e-300)
    np.testing.assert_allclose(logsumexp(variable(*numbers)).data, whole, rtol=1e-15)
    np.testing.assert_allclose(log_softmax(variable(*numbers)).data, logs, 1e-14, 1e-15)


@pytest.mark.parametrize("numbers", LARGE, ids=str)
def test_gradients_of_logsumexp_and_log_softmax_of_large_inputs_are_exact(numbers):
    """d logsumexp = softmax; d log_softmax[0] = (1, 0, ...) - softmax."""
    _, _, shares = exact(numbers)
    x = variable(*numbers)
    logsumexp(x).backward()
    np.testing.assert_allclose(x.grad, shares, rtol=1e-12, atol=1e-300)
    x.cleargrad()
    first = np.eye(len(numbers))[0]
    y = log_softmax(x)
    y.grad = first
    y.backward()
    np.testing.assert_allclose(x.grad, first - shares, rtol=1e-12, atol=1e-15)


def test_the_second_derivative_of_logsumexp_at_large_inputs_is_right():
    """d2 logsumexp / dx0 dx1 = -softmax0 softmax1: 1/4 of (1, -1; -1, 1) where both are equal."""
    x = variable(1000.0, 1000.0)
    first = grad(logsumexp(x), x, create_graph=True)
    first.grad = np.array([1.0, 0.0])
    first.backward()
    np.testing.assert_allclose(x.grad, [0.25, -0.25], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_logsumexp_in_low_precision_does_not_overflow(dtype):
    """exp(12) is beyond float16, exp(89) beyond float32."""
    x = Variable(np.array([1000.0, 1000.0], dtype))
    y = logsumexp(x)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (dtype, dtype)
    np.testing.assert_allclose(y.data, 1000.0 + np.log(2.0), rtol=np.finfo(dtype).eps)
    np.testing.assert_allclose(x.grad, [0.5, 0.5], rtol=4.0 * np.finfo(dtype).eps)
    logs = log_softmax(x).data
    np.testing.assert_allclose(logs, np.log([0.5, 0.5]), rtol=4.0 * np.finfo(dtype).eps)


def test_logsumexp_gives_minus_infinity_no_gradient():
    """-inf is the logarithm of probability 0."""
    x = variable(0.0, -np.inf)
    y = logsumexp(x)
    y.backward()
    assert y.item() == 0.0
    np.testing.assert_array_equal(x.grad, [1.0, 0.0])
    np.testing.assert_array_equal(log_softmax(x).data, [0.0, -np.inf])


def test_logsumexp_of_only_minus_infinities_is_minus_infinity():
    with np.errstate(divide="ignore"):
        assert logsumexp(variable(-np.inf, -np.inf)).item() == -np.inf


def test_logsumexp_does_not_hide_inf_and_nan():
    assert logsumexp(variable(np.inf, 0.0)).item() == np.inf
    assert np.isnan(logsumexp(variable(np.nan, 0.0)).data)
    assert np.isnan(log_softmax(variable(np.nan, 0.0)).data).all()


def test_probabilities_by_log_softmax_add_up_to_one_along_the_axis():
    x = Variable(np.array([[1.0, 2.0, 30.0], [-4.0, 500.0, 499.0]]))
    for axis in (0, 1, -1, None, (0, 1)):
        shares = np.exp(log_softmax(x, axis=axis).data)
        np.testing.assert_allclose(shares.sum(axis=axis), np.ones_like(x.data.sum(axis=axis)))
    np.testing.assert_array_equal(log_softmax(x).data, log_softmax(x, axis=1).data)


@pytest.mark.parametrize("function", [logsumexp, log_softmax])
def test_an_axis_out_of_range_in_logsumexp_is_numpys_error_with_a_note(function):
    with pytest.raises(np.exceptions.AxisError) as caught:
        function(variable(1.0, 2.0), axis=1)
    (note,) = caught.value.__notes__
    assert "float64[2]" in note
    assert "test_exponentials.py" in note


def test_logsumexp_of_no_elements_is_minus_infinity():
    x = Variable(np.zeros((2, 0)))
    y = logsumexp(x, axis=1)
    y.backward()
    np.testing.assert_array_equal(y.data, [-np.inf, -np.inf])
    assert x.grad.shape == log_softmax(x, axis=1).shape == (2, 0)


@pytest.mark.parametrize(
    ("numbers", "shares"),
    [
        ([-np.inf, -np.inf], [0.5, 0.5]),
        ([np.inf, np.inf], [0.5, 0.5]),
        ([np.inf, 1.0], [1.0, 0.0]),
        ([-np.inf, np.inf], [0.0, 1.0]),
        ([-np.inf, 1.0], [0.0, 1.0]),
    ],
)
def test_logsumexp_at_infinities_has_the_gradient_of_logaddexp(numbers, shares):
    x, x0, x1 = variable(*numbers), variable(numbers[0]), variable(numbers[1])
    logsumexp(x).backward()
    np.logaddexp(x0, x1).backward()
    np.testing.assert_array_equal(x.grad, shares)
    np.testing.assert_array_equal([x0.grad[0], x1.grad[0]], shares)


@pytest.mark.parametrize("function", [logsumexp, log_softmax])
@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
def test_logsumexp_and_log_softmax_refuse_an_operand_that_is_no_array(function, operand):
    with pytest.raises(TypeError, match="is not supported"):
        function(operand)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_logsumexp_of_small_integers_does_not_overflow(dtype):
    x = np.array([1, 100], dtype)
    expected = np.logaddexp.reduce(x.astype(float))
    np.testing.assert_allclose(logsumexp(x).data, expected, rtol=1e-15)
    np.testing.assert_allclose(log_softmax(x).data, x - expected, rtol=1e-15)


@pytest.mark.parametrize("numbers", LARGE, ids=str)
def test_gradients_of_softmax_of_large_inputs_are_exact(numbers):
    """d softmax[0] / dx[j] = softmax[0] ((0 == j) - softmax[j])."""
    _, _, shares = exact(numbers)
    x, first = variable(*numbers), np.eye(len(numbers))[0]
    y = softmax(x)
    y.grad = first
    y.backward()
    expected = shares[0] * (first - shares)
    np.testing.assert_allclose(x.grad, expected, rtol=1e-12, atol=1e-16)


def test_the_third_derivative_of_softmax_is_that_of_sigmoid():
    """softmax([x, 0])[0] is the sigmoid y: its third derivative is y (1 - y) (1 - 6 y + 6 y y)."""
    x = Variable(np.array(0.3))
    y = softmax(np.stack([x, 0.0]))[0]
    share = y.item()
    for _ in range(3):
        y = grad(y, x, create_graph=True)
    expected = share * (1.0 - share) * (1.0 - 6.0 * share + 6.0 * share**2)
    np.testing.assert_allclose(y.data, expected, rtol=1e-13)


def test_softmax_adds_up_to_one_along_the_axis_and_takes_the_last_by_default():
    x = Variable(np.array([[1.0, 2.0, 30.0], [-4.0, 500.0, 499.0]]))
    for axis in (0, 1, -1, None, (0, 1)):
        total = softmax(x, axis=axis).data.sum(axis=axis)
        np.testing.assert_allclose(total, np.ones_like(total), rtol=1e-15)
    np.testing.assert_array_equal(softmax(x).data, softmax(x, axis=1).data)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool])
def test_softmax_of_small_integers_is_that_of_the_same_doubles(dtype):
    x = np.array([1, 100, 0]).astype(dtype)
    of_doubles = softmax(Variable(x.astype(float))).data
    np.testing.assert_array_equal(softmax(Variable(x)).data, of_doubles, strict=True)


@pytest.mark.parametrize("function", [logsumexp, log_softmax, softmax])
def test_softmax_and_its_logarithms_refuse_complex_numbers_with_a_note(function):
    with pytest.raises(TypeError, match="real numbers") as caught:
        function(Variable(np.array([1.0j, 2.0])))
    assert "complex128[2]" in caught.value.__notes__[0]


def test_softmax_of_infinite_numbers_shares_equally_among_the_largest():
    for numbers, shares in (
        ([np.inf, 1.0, np.inf], [0.5, 0.0, 0.5]),
        ([-np.inf, -np.inf], [0.5, 0.5]),
        ([-np.inf, 1.0], [0.0, 1.0]),
    ):
        np.testing.assert_array_equal(softmax(variable(*numbers)).data, shares)
    assert np.isnan(softmax(variable(np.nan, 1.0)).data).all()


def test_the_gradient_of_a_loss_by_softmax_agrees_with_softmax_cross_entropy():
    scores, labels = Variable(np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])), [2, 0]
    loss = -np.mean(np.log(softmax(scores)[np.arange(2), labels]))
    expected = grad(softmax_cross_entropy(scores, labels), scores)
    np.testing.assert_allclose(grad(loss, scores), expected, rtol=1e-13)


def test_the_exponentials_take_numbers_of_python():
    assert [float(f(2.0)) for f in (logsumexp, softmax, log_softmax)] == [2.0, 1.0, 0.0]
