"""hypot and arctan2: no overflow on the way, and what is meant at (0, 0) and at infinity."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import arctan2, hypot

INF, NAN = np.inf, np.nan
ROOT = 0.5**0.5


def gradients(function, *numbers):
    x1, x2 = (Variable(np.array(number)) for number in numbers)
    function(x1, x2).backward()
    return [x1.grad.item(), x2.grad.item()]


def points():
    """Return abscissas and ordinates of points of every size, in every direction."""
    rng = np.random.default_rng(0)
    size = np.concatenate([10.0 ** rng.uniform(-150, 300, 100), [1e200, 1e-154, 1e-200]])
    angle = rng.uniform(0.0, 2.0 * np.pi, size.size)
    return size * np.cos(angle), size * np.sin(angle) * 10.0 ** rng.uniform(-9, 0, size.size)


@pytest.mark.parametrize("at_once", [1, 103])
def test_gradients_of_hypot_and_arctan2_are_right_for_points_of_every_size(at_once):
    for start in range(0, 103, at_once):
        x, y = (Variable(each[start : start + at_once]) for each in points())
        with mpmath.workdps(50):
            exact = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(x.data, y.data, strict=True)]
            lengths = [mpmath.sqrt(a * a + b * b) for a, b in exact]
            both = list(zip(exact, lengths, strict=True))
            cosine, sine = ([float(point[i] / h) for point, h in both] for i in (0, 1))
            p, q = ([float(point[i] / h / h) for point, h in both] for i in (0, 1))
        by_length = grad(hypot(x, y), [x, y])
        by_angle = grad(arctan2(y, x), [y, x])
        for got, truth in zip([*by_length, *by_angle], [cosine, sine, p, q], strict=True):
            np.testing.assert_array_max_ulp(np.abs(got), np.abs(truth), maxulp=4)
            assert np.array_equal(np.sign(got), np.sign(truth)) is (got is not by_angle[1])


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((5e-324, 5e-324), (ROOT, ROOT)),
        ((-3000 * 5e-324, 4000 * 5e-324), (-0.6, 0.8)),
        ((3.0 * 2.0**1020, -4.0 * 2.0**1020), (0.6, -0.8)),
        ((INF, 1e308), (1.0, 0.0)),
        ((1.0, -INF), (0.0, -1.0)),
        ((-INF, INF), (-ROOT, ROOT)),
        ((INF, NAN), (NAN, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
    ],
)
def test_the_gradient_of_hypot_is_the_direction(point, expected):
    np.testing.assert_allclose(gradients(hypot, *point), expected, rtol=1e-15)


def test_the_gradient_of_hypot_at_the_origin_is_0():
    assert gradients(hypot, 0.0, -0.0) == [0.0, 0.0]


def test_hypot_has_no_second_derivative_at_the_origin():
    x1, x2 = Variable(np.array([0.0, 3.0])), Variable(np.array([0.0, 4.0]))
    first = grad(hypot(x1, x2), x1, create_graph=True)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        second = grad(first, [x1, x2])
    np.testing.assert_allclose(second, [[NAN, 0.128], [NAN, -0.096]], rtol=1e-14)


def test_the_square_of_hypot_has_no_second_derivative_at_the_origin():
    x1, x2 = Variable(np.array(0.0)), Variable(np.array(0.0))
    first = grad(hypot(x1, x2) ** 2, x1, create_graph=True)
    assert first.data == 0.0
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(grad(first, [x1, x2])).all()


def test_hypot_with_a_constant_0_has_the_gradient_of_abs():
    x = Variable(np.array([-2.0, 0.0, 3.0]))
    hypot(x, 0).backward()
    np.testing.assert_array_equal(x.grad, [-1.0, 0.0, 1.0])


def test_arctan2_has_no_gradient_at_the_origin():
    with pytest.warns(RuntimeWarning, match="invalid value"):
        np.testing.assert_array_equal(gradients(arctan2, 0.0, 0.0), [NAN, NAN])


@pytest.mark.parametrize("point", [(INF, 1.0), (1.0, -INF), (INF, INF), (-INF, INF)])
def test_the_gradient_of_arctan2_at_infinity_is_0(point):
    assert gradients(arctan2, *point) == [0.0, 0.0]


@pytest.mark.parametrize("side", [0.0, -0.0])
def test_the_gradient_of_arctan2_is_continuous_across_the_jump(side):
    assert gradients(arctan2, side, -2.0) == [-0.5, 0.0]


@pytest.mark.parametrize("size", [1e-200, 3e-170, 1e-155, 1.0, 1e160])
def test_the_mixed_second_derivative_of_arctan2_is_0_on_the_diagonal(size):
    """The other two overflow at small points, as their true values do."""
    y, x = Variable(np.array(size)), Variable(np.array(size))
    first = grad(arctan2(y, x), y, create_graph=True)
    with np.errstate(over="ignore", under="ignore"):
        by_y, by_x = grad(first, [y, x])
        np.testing.assert_allclose(by_y, -0.5 / np.float64(size) / size, rtol=1e-15)
    assert by_x == 0.0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_arctan2_are_those_of_the_complex_logarithm(order):
    z = 0.6 + 0.8j
    x, y = Variable(np.array(z.real)), Variable(np.array(z.imag))
    angle = arctan2(y, x)
    for _ in range(order):
        angle = grad(angle, x, create_graph=True)
    truth = (-1) ** (order - 1) * np.prod(np.arange(1, order)) / z**order
    np.testing.assert_allclose(angle.data, truth.imag, rtol=1e-14)


def test_the_gradient_of_hypot_is_right_where_the_length_overflows():
    with pytest.warns(RuntimeWarning, match="overflow encountered in hypot"):
        got = gradients(hypot, 1.5e308, 1.5e308)
    np.testing.assert_allclose(got, ROOT, rtol=1e-15)


@pytest.mark.parametrize("function", [hypot, arctan2])
def test_hypot_and_arctan2_on_wrong_shapes_are_numpys_error_with_a_note(function):
    x = Variable(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        function(x, np.ones(3))
    assert "float64[2], float64[3]" in caught.value.__notes__[0]
    assert x.grad is None


def test_hypot_in_half_precision_neither_overflows_nor_underflows():
    x1, x2 = Variable(np.array([300.0, 3e-4], np.float16)), Variable(np.float16([400.0, 4e-4]))
    hypot(x1, x2).backward()
    assert x1.grad.dtype == np.float16
    np.testing.assert_allclose(x1.grad, [0.6, 0.6], rtol=2e-3)
