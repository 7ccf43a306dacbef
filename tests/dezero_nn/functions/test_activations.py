"""leaky_relu, softplus, silu and gelu: hand formulas, far arguments, dtypes and errors."""

import mpmath
import numpy as np
import pytest
from dezero_nn.functions import gelu, leaky_relu, silu, softplus

from dezero_core import Variable, grad

NAN, INF = np.nan, np.inf
X = np.array([-30.0, -2.5, -0.3, 0.0, 1e-9, 0.7, 3.0, 30.0])
TRUTH = {
    softplus: lambda x: mpmath.log1p(mpmath.exp(x)),
    silu: lambda x: x / (1 + mpmath.exp(-x)),
    gelu: lambda x: x * mpmath.ncdf(x),
}


def truths(function, order):
    with mpmath.workdps(400):
        return [float(mpmath.diff(TRUTH[function], mpmath.mpf(x), order)) for x in X.tolist()]


@pytest.mark.parametrize("function", TRUTH, ids=lambda f: f.__name__)
def test_value_and_two_derivatives_agree_with_mpmath(function):
    x = Variable(X.copy())
    y = function(x)
    first = grad(y.sum(), x, create_graph=True)
    second = grad(first.sum(), x)
    for order, found in enumerate((y.data, first.data, second)):
        np.testing.assert_allclose(found, truths(function, order), 1e-12, 1e-300)


def test_leaky_relu_and_its_gradient_agree_with_the_ones_by_hand():
    x = Variable(np.array([-3.0, -0.0, 0.0, 2.0]))
    y = leaky_relu(x, slope=0.5)
    y.backward()
    np.testing.assert_array_equal(y.data, [-1.5, 0.0, 0.0, 2.0])
    np.testing.assert_array_equal(x.grad, [0.5, 0.5, 0.5, 1.0])
    assert grad((leaky_relu(x) * x).sum(), x, create_graph=True).data[0] == 2.0 * 0.2 * -3.0


def test_leaky_relu_of_nan_is_nan():
    np.testing.assert_array_equal(leaky_relu(np.array([NAN, INF, -INF])), [NAN, INF, -INF])


@pytest.mark.parametrize("function", [leaky_relu, softplus, silu, gelu])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_dtype_stays_in_value_and_gradient(function, dtype):
    x = Variable(np.linspace(-3, 3, 5, dtype=dtype))
    y = function(x)
    y.backward()
    assert y.dtype == x.grad.dtype == dtype


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gelu_of_the_largest_numbers_is_itself_or_0_without_a_warning(approximate, dtype):
    most = np.finfo(dtype).max
    x = Variable(np.array([-most, -100.0, 100.0, most], dtype))
    y = gelu(x, approximate)
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 0.0, 100.0, most])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 1.0, 1.0])


def test_gelu_by_tanh_agrees_with_its_formula_and_is_near_the_exact_one():
    x = Variable(np.linspace(-4.0, 4.0, 41))
    y = gelu(x, approximate="tanh")
    u = np.sqrt(2.0 / np.pi) * (x.data + 0.044715 * x.data**3)
    np.testing.assert_allclose(y.data, x.data * (1.0 + np.tanh(u)) / 2.0, 1e-14, 1e-15)
    assert np.abs(y.data - gelu(x).data).max() < 5e-4


def test_the_gradient_of_gelu_by_tanh_agrees_with_the_complex_step():
    x = Variable(np.linspace(-4.0, 4.0, 41))
    gelu(x, "tanh").backward()
    z = x.data + 1e-30j
    y = z * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (z + 0.044715 * z**3))) / 2.0
    np.testing.assert_allclose(x.grad, y.imag / 1e-30, 1e-12, 1e-15)


def test_the_probability_and_gelu_may_be_in_one_second_derivative():
    """Both outputs of the Function get gradients then, and one alone does in the third."""
    x = Variable(np.array([0.5, -1.2]))
    first = grad(gelu(x).sum(), x, create_graph=True)
    second = grad(first.sum(), x, create_graph=True)
    third = grad(second.sum(), x)
    with mpmath.workdps(40):
        truth = [float(mpmath.diff(TRUTH[gelu], v, 3)) for v in x.data.tolist()]
    np.testing.assert_allclose(third, truth, 1e-12)


@pytest.mark.parametrize("function", [leaky_relu, gelu, lambda x: gelu(x, "tanh"), softplus])
def test_complex_numbers_are_refused(function):
    with pytest.raises(TypeError):
        function(Variable(np.array([1.0 + 1.0j])))


def test_gelu_refuses_another_approximation():
    with pytest.raises(ValueError, match="gelu: approximate must be 'none' or 'tanh', and is 'erf"):
        gelu(np.array([1.0]), "erf")


@pytest.mark.parametrize("function", [leaky_relu, softplus, silu, gelu])
def test_functions_take_numbers_and_give_arrays_for_arrays(function):
    assert not isinstance(function(np.array([1.0])), Variable)
    assert function(1) == function(np.array([1]))[0]
