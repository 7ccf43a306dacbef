"""linspace, logspace, geomspace: ends, steps, and ranges of one or no number."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import geomspace, linspace, logspace

RANGES = [linspace, logspace, geomspace]


def variable(number, dtype=float):
    return Variable(np.array(number, dtype))


def test_the_gradient_of_linspace_by_its_ends_has_the_weights_of_the_places():
    a, b = variable(1.0), variable(3.0)
    y = np.linspace(a, b, 5)
    y.grad = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    y.backward()
    assert a.grad == 1.0 + 7.5 + 50.0 + 250.0
    assert b.grad == 2.5 + 50.0 + 750.0 + 10000.0


def test_the_gradient_of_linspace_by_the_far_end_is_exact():
    """1 - t would have lost ten digits next to the end."""
    n = 10**6 + 1
    a = variable(1.0)
    y = linspace(a, 0.0, n)
    y.grad = np.zeros(n)
    y.grad[-2] = 1.0
    y.backward()
    assert a.grad == 1.0 / (n - 1)


def test_linspace_of_float16_counts_beyond_the_integers_of_float16():
    a = variable(1.0, np.float16)
    y = linspace(a, np.float16(0.0), 5001)
    y.grad = np.zeros(5001, np.float16)
    y.grad[4999] = 1.0
    y.backward()
    np.testing.assert_array_equal(a.grad, np.array(1.0 / 5000.0, np.float16), strict=True)


def test_the_step_of_linspace_is_differentiable():
    a, b = variable(1.0), variable(3.0)
    y, step = np.linspace(a, b, 5, retstep=True)
    assert (type(y), type(step)) == (Variable, Variable)
    step.backward()
    np.testing.assert_array_equal([step.data, a.grad, b.grad], [0.5, -0.25, 0.25])
    _, step = linspace(a, b, 5, endpoint=False, retstep=True)
    assert grad(step, b) == 0.2


@pytest.mark.parametrize("num", [0, 1])
def test_the_step_of_linspace_of_one_number_is_nan_without_a_derivative(num):
    a, b = variable(1.0), variable([3.0, 4.0])
    y, step = linspace(a, b, num, retstep=True)
    assert np.isnan(step.data)
    np.sum(y).backward()
    assert a.grad == 2.0 * num
    a.cleargrad()
    step.backward()
    assert a.grad is None


@pytest.mark.parametrize("function", RANGES)
@pytest.mark.parametrize("endpoint", [True, False])
def test_a_range_of_one_number_depends_on_its_start_alone(function, endpoint):
    a, b = variable(2.0), variable(3.0)
    y = function(a, b, 1, endpoint)
    y.backward()
    np.testing.assert_array_equal(b.grad, 0.0)
    expected = np.log(10.0) * 100.0 if function is logspace else 1.0
    np.testing.assert_allclose(a.grad, expected, rtol=1e-15)


@pytest.mark.parametrize("function", RANGES)
def test_ranges_between_integers_are_constants(function):
    a, n = variable(1.5), variable(2, int)
    assert function(a, 4.0, 3, dtype=int).creator is None
    assert function(n, 4, 3).creator is None
    function(n, a, 3).backward()
    assert n.grad is None
    assert a.grad is not None


def test_geomspace_has_exact_gradients_at_its_ends():
    """Also where the quotient of the ends overflows."""
    a, b = variable(1e-300), variable(1e300)
    y = geomspace(a, b, 3)
    for index, (by_a, by_b) in enumerate([(1.0, 0.0), (0.5e300, 0.5e-300), (0.0, 1.0)]):
        a.cleargrad()
        b.cleargrad()
        y.grad = np.eye(3)[index]
        y.backward()
        np.testing.assert_allclose([a.grad, b.grad], [by_a, by_b], rtol=1e-13)


def test_geomspace_takes_negative_and_complex_ends():
    """From -1 to 1 over i: half way, both ends turn it by half of their own turn."""
    a, b = variable(-8.0), variable(-2.0)
    geomspace(a, b, 3).backward()
    np.testing.assert_allclose([a.grad, b.grad], [1.25, 2.0], rtol=1e-14)
    a, b = variable(1.0, complex), variable(1.0j, complex)
    y = geomspace(a, b, 3)
    y.grad = np.array([0.0, 1.0, 0.0], complex)
    y.backward()
    middle = np.exp(0.25j * np.pi)
    np.testing.assert_allclose(a.grad, np.conj(0.5 * middle), rtol=1e-14)
    np.testing.assert_allclose(b.grad, np.conj(0.5 * middle / 1.0j), rtol=1e-14)


def test_logspace_is_differentiable_by_its_base():
    base = variable(3.0)
    y = np.logspace(0.0, 2.0, 3, base=base)
    first = grad(y, base, create_graph=True)
    assert first.data == 1.0 + 6.0
    assert grad(first, base) == 2.0


def test_logspace_with_base_0_has_gradient_0_by_the_exponent():
    a, base = variable(0.0), variable(0.0)
    logspace(a, 2.0, 3, base=base).backward()
    assert a.grad == 0.0
    assert base.grad == 1.0  # of 0 ** 0, 0 ** 1, 0 ** 2: that of the second


@pytest.mark.parametrize("function", RANGES)
@pytest.mark.parametrize(
    ("stop", "options", "error"),
    [
        (1.0, {"num": -1}, ValueError),
        (1.0, {"num": 2.5}, TypeError),
        (np.ones(3), {}, ValueError),
        (1.0, {"axis": 2}, np.exceptions.AxisError),
    ],
)
def test_bad_input_of_ranges_is_numpys_error_with_a_note(function, stop, options, error):
    a = variable([1.0, 2.0])
    with pytest.raises(error) as caught:
        function(a, stop, **options)
    assert type(caught.value) is error
    assert f"{function.__name__.capitalize()}.forward" in caught.value.__notes__[0]
    assert a.grad is None


def test_geomspace_refuses_an_end_of_0():
    with pytest.raises(ValueError, match="cannot include zero") as caught:
        geomspace(variable(0.0), 1.0, 3)
    assert "Geomspace" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", RANGES)
@pytest.mark.parametrize("name", ["num", "axis"])
def test_ranges_refuse_a_variable_as_number_of_elements_or_axis(function, name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        function(variable(1.0), 2.0, **{name: variable(1, int)})
