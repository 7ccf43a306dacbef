"""var, std and their likes where elements are equal, few, far apart or left out."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import mean, nanstd, nanvar, std, var

NAN, INF = np.nan, np.inf


def gradient(function, data, **options):
    x = Variable(np.array(data))
    y = function(x, **options)
    y.grad = np.ones(y.shape, y.dtype)
    y.backward()
    return x.grad


def exact(numbers, root, ddof=0):
    """Return the gradient of the variance, or of its root, computed in 500 digits."""
    with mpmath.workdps(500):
        xs = [mpmath.mpf(float(number)) for number in numbers]
        middle = mpmath.fsum(xs) / len(xs)
        squares = mpmath.fsum((x - middle) ** 2 for x in xs)
        freedom = len(xs) - ddof
        scale = 1 / mpmath.sqrt(freedom * squares) if root else mpmath.mpf(2) / freedom
        return [float((x - middle) * scale) for x in xs]


@pytest.mark.parametrize(
    "numbers",
    [
        (1.0, 2.0, 4.0),
        (1e8, 1e8 + 1.0, 1e8 + 3.0),
        (1.0, 1.0 + 2.0**-52, 1.0),
        (0.1, 0.1, 0.1 + 2.0**-56, 0.1),
        (1e-200, 3e-200, 2e-200),
        (2.5e-308, 1e-308, 0.0),
        (1e-20, 1.0, 1e20),
    ],
    ids=repr,
)
@pytest.mark.parametrize("ddof", [0, 1, 0.5])
def test_the_gradient_of_std_is_exact(numbers, ddof):
    """Its size does not depend on that of the numbers; NumPy's own value may be 0 there."""
    got = gradient(std, numbers, ddof=ddof)
    np.testing.assert_allclose(got, exact(numbers, True, ddof), rtol=1e-14, atol=1e-15)
    got = gradient(var, numbers, ddof=ddof)
    atol = 4.0 * np.spacing(np.max(numbers))
    np.testing.assert_allclose(got, exact(numbers, False, ddof), rtol=1e-14, atol=atol)


def test_std_of_numbers_whose_squares_overflow_has_the_right_gradient():
    x = Variable(np.array([1e200, -1e200, 3e200]))
    with pytest.warns(RuntimeWarning, match="overflow"):
        y = std(x)
    y.backward()
    np.testing.assert_allclose(x.grad, exact((1.0, -1.0, 3.0), True), rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 100.0])
def test_std_of_float16_does_not_compute_squares_in_float16(scale):
    numbers = np.array([1.0, -1.0, 1.5, 0.5], np.float16) * np.float16(scale)
    got = gradient(std, numbers)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, exact(numbers, True), rtol=1e-3)


@pytest.mark.parametrize("number", [0.1, 1e5 + 0.1, -3.7e-9, 1e130, 0.0])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 11])
@pytest.mark.parametrize("function", [std, nanstd])
def test_the_gradient_of_std_of_equal_elements_is_zero(function, number, count):
    """Though NumPy's std of three times 0.1 is 1e-17."""
    np.testing.assert_array_equal(gradient(function, np.full(count, number)), 0.0)


def test_the_second_derivative_of_std_of_equal_elements_is_nan_with_a_warning():
    x, factor = Variable(np.full((2, 3), 0.1)), Variable(np.array([1.0, 2.0]))
    x.data[1, 0] = 0.5
    y = factor * std(x, axis=1)
    first = grad(y, x, create_graph=True)
    np.testing.assert_array_equal(first.data[0], 0.0)
    with pytest.warns(RuntimeWarning):
        by_x, by_factor = grad(first, [x, factor])
    assert np.isnan(by_x[0]).all()
    assert np.isfinite(by_x[1]).all()
    np.testing.assert_array_equal(by_factor[0], 0.0)


def test_var_and_std_of_one_element_have_derivatives_of_zero():
    for function in (var, std):
        x = Variable(np.array([[3.0], [0.1]]))
        first = grad(function(x, axis=1), x, create_graph=True)
        np.testing.assert_array_equal(first.data, 0.0)
        np.testing.assert_array_equal(grad(first, x), 0.0)


@pytest.mark.parametrize("function", [var, std, nanvar, nanstd])
@pytest.mark.parametrize(("numbers", "ddof"), [((3.0,), 1), ((1.0, 2.0), 2), ((1.0, 1.0), 3)])
def test_var_and_std_without_degrees_of_freedom_have_a_nan_gradient_and_one_warning(
    function, numbers, ddof
):
    x = Variable(np.array(numbers))
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        y = function(x, ddof=ddof)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.full(len(numbers), NAN))


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (nanvar, {}),
        (nanstd, {}),
        (var, {"where": [True, False]}),
        (std, {"where": [True, False]}),
    ],
)
def test_var_and_std_without_degrees_of_freedom_give_left_out_elements_no_gradient(
    function, options
):
    x = Variable(np.array([3.0, NAN]))
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        y = function(x, ddof=1, **options)
    y.backward()
    np.testing.assert_array_equal(x.grad, [NAN, 0.0])


@pytest.mark.parametrize("function", [nanvar, nanstd])
def test_nanvar_and_nanstd_leave_out_nan_with_gradient_0(function):
    rows = np.array([[1.0, NAN, 5.0], [NAN, 2.0, NAN]])
    got = gradient(function, rows, axis=1)
    np.testing.assert_allclose(got[0, [0, 2]], exact((1.0, 5.0), function is nanstd), rtol=1e-15)
    np.testing.assert_array_equal(got[[0, 1, 1, 1], [1, 0, 1, 2]], 0.0)


@pytest.mark.parametrize("function", [nanvar, nanstd])
def test_nanvar_and_nanstd_of_only_nan_are_nan_with_one_warning_and_gradient_0(function):
    x = Variable(np.array([[NAN, NAN], [1.0, 3.0]]))
    with pytest.warns(RuntimeWarning) as caught:
        y = function(x, axis=1)
    assert [str(warning.message) for warning in caught] == ["Degrees of freedom <= 0 for slice."]
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, 1.0])
    np.testing.assert_array_equal(x.grad[0], 0.0)
    assert np.all(x.grad[1])


@pytest.mark.parametrize("function", [var, std])
@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_row_with_nan_or_inf_disturbs_no_gradient_of_var_in_other_rows(function, bad):
    with np.errstate(invalid="ignore"):
        got = gradient(function, [[1.0, bad, 2.0], [1.0, 3.0, 5.0]], axis=1)
    assert not np.isfinite(got[0]).any()
    np.testing.assert_allclose(got[1], exact((1.0, 3.0, 5.0), function is std), 1e-15)


@pytest.mark.parametrize("function", [var, std, nanvar, nanstd])
def test_var_and_std_given_the_mean_have_the_gradient_without_a_given_mean(function):
    numbers = (1.0, 2.0, 4.0)
    expected = gradient(function, numbers)
    x = Variable(np.array(numbers))
    function(x, mean=mean(x, keepdims=True)).backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-14)
    by_mean = Variable(np.mean(x.data, keepdims=True))
    function(x, mean=by_mean).backward()
    np.testing.assert_allclose(by_mean.grad, [0.0], atol=1e-15)


def test_var_and_std_have_a_gradient_by_a_given_mean():
    """var = (1 + 4) / 2 and std its root: both fall by sum(a - mean) times the mean."""
    middle = Variable(np.array(0.0))
    var(Variable(np.array([1.0, 2.0])), mean=middle).backward()
    assert middle.grad == -3.0
    middle.cleargrad()
    std(np.array([1.0, 2.0]), mean=middle).backward()
    np.testing.assert_allclose(middle.grad, -1.5 / np.sqrt(2.5), rtol=1e-15)
    assert gradient(std, [2.0], mean=1.0) == 1.0


def test_the_argument_correction_of_var_and_std_is_ddof():
    expected = gradient(var, [1.0, 2.0, 4.0], ddof=1)
    np.testing.assert_array_equal(gradient(var, [1.0, 2.0, 4.0], correction=1), expected)
    with pytest.raises(ValueError, match="ddof and correction") as caught:
        std(Variable(np.array([1.0, 2.0])), ddof=1, correction=1)
    assert "Std.forward" in caught.value.__notes__[0]


@pytest.mark.parametrize("function", [var, std])
def test_var_and_std_in_a_complex_dtype_are_real(function):
    data = np.array([1.0 + 2.0j, 3.0 - 1.0j, 0.5j])
    for numbers in (data, data.real):
        x = Variable(numbers)
        y = function(x, dtype=complex)
        y.grad = np.array(1.0 + 7.0j)
        y.backward()
        np.testing.assert_allclose(x.grad, gradient(function, numbers), rtol=1e-15)


def test_the_gradient_of_var_of_complex_numbers_points_away_from_the_mean():
    z = np.array([1.0 + 2.0j, 3.0 - 1.0j, 0.5j])
    np.testing.assert_allclose(gradient(var, z), 2.0 / 3.0 * (z - z.mean()), rtol=1e-15)


@pytest.mark.parametrize("function", [np.var, np.std])
def test_var_and_std_of_complex_numbers_in_a_real_dtype_are_refused(function):
    x = Variable(np.array([0.5 + 1.0j, 2.0 - 1.0j]))
    with pytest.raises(TypeError, match="complex data need a complex dtype"):
        function(x, dtype="f8")
    assert x.grad is None
