"""max, min and their likes where several elements are extreme, or one is nan."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import max, min, nanmax, nanmin, ptp

NAN, INF, THIRD = np.nan, np.inf, 1.0 / 3.0


def variable(*numbers):
    return Variable(np.array(numbers))


@pytest.mark.parametrize(
    ("numbers", "value", "shares"),
    [
        ((1.0, 3.0, 2.0), 3.0, (0.0, 1.0, 0.0)),
        ((3.0, 3.0, 2.0), 3.0, (0.5, 0.5, 0.0)),
        ((3.0, 3.0, 3.0), 3.0, (THIRD, THIRD, THIRD)),
        ((1.0, NAN, 2.0), NAN, (0.0, 1.0, 0.0)),
        ((NAN, NAN, 2.0), NAN, (0.5, 0.5, 0.0)),
        ((INF, INF, 0.0), INF, (0.5, 0.5, 0.0)),
        ((-INF, -INF, -INF), -INF, (THIRD, THIRD, THIRD)),
        ((0.0, -0.0, -1.0), 0.0, (0.5, 0.5, 0.0)),
    ],
)
def test_equal_extremes_share_the_gradient_of_max_and_min(numbers, value, shares):
    for function, sign in ((max, 1.0), (min, -1.0)):
        x = variable(*np.multiply(sign, numbers))
        y = function(x)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_allclose(x.grad, shares, rtol=1e-15)


@pytest.mark.parametrize(
    ("numbers", "value", "shares"),
    [
        ((1.0, NAN, 2.0), 2.0, (0.0, 0.0, 1.0)),
        ((2.0, NAN, 2.0), 2.0, (0.5, 0.0, 0.5)),
        ((-INF, NAN, -INF), -INF, (0.5, 0.0, 0.5)),
    ],
)
def test_nanmax_and_nanmin_leave_out_nan_with_gradient_0(numbers, value, shares):
    for function, sign in ((nanmax, 1.0), (nanmin, -1.0)):
        x = variable(*np.multiply(sign, numbers))
        y = function(x)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_array_equal(x.grad, shares)


@pytest.mark.parametrize("function", [nanmax, nanmin])
def test_nanmax_and_nanmin_of_only_nan_are_nan_with_one_warning_and_gradient_0(function):
    x = Variable(np.array([[NAN, NAN], [1.0, NAN]]))
    with pytest.warns(RuntimeWarning) as caught:
        y = function(x, axis=1)
    assert [str(warning.message) for warning in caught] == ["All-NaN slice encountered"]
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, 1.0])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("initial", "value", "shares"),
    [
        (2.0, 3.0, (0.5, 0.5, 0.0)),
        (3.0, 3.0, (THIRD, THIRD, 0.0)),
        (4.0, 4.0, (0.0, 0.0, 0.0)),
        (NAN, NAN, (0.0, 0.0, 0.0)),
        (None, 3.0, (0.5, 0.5, 0.0)),
    ],
)
def test_the_initial_value_of_max_and_min_shares_the_gradient_in_a_tie(initial, value, shares):
    for function, sign in ((max, 1.0), (min, -1.0)):
        x = variable(*np.multiply(sign, (3.0, 3.0, 1.0)))
        y = function(x, initial=initial and sign * initial)
        y.backward()
        np.testing.assert_array_equal(y.data, sign * value)
        np.testing.assert_allclose(x.grad, shares, rtol=1e-15)


@pytest.mark.parametrize("function", [max, nanmax])
def test_an_extreme_behind_the_mask_of_max_and_min_gets_no_gradient(function):
    """Also where it is equal to the one that does."""
    x = Variable(np.array([[9.0, 3.0, 3.0, 3.0], [9.0, 9.0, 9.0, 0.0]]))
    mask = np.array([[False, True, True, False], [False, False, False, False]])
    y = function(x, axis=1, initial=0.0, where=mask)
    y.backward()
    np.testing.assert_array_equal(y.data, [3.0, 0.0])
    np.testing.assert_array_equal(x.grad, [[0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 0.0]])


def test_a_mask_of_max_and_min_needs_an_initial_value_like_in_numpy():
    with pytest.raises(ValueError, match="does not have an identity") as caught:
        max(variable(1.0, 2.0), where=np.array([True, False]))
    assert "Max.forward" in caught.value.__notes__[0]


def test_ties_of_max_are_shared_in_each_row_separately():
    x = Variable(np.array([[1.0, 1.0, 0.0], [2.0, 5.0, 4.0]]))
    y = max(x, axis=1)
    y.grad = np.array([10.0, 20.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[5.0, 5.0, 0.0], [0.0, 20.0, 0.0]])


def test_ties_of_max_are_shared_over_several_axes():
    x = Variable(np.array([[1.0, 0.0], [1.0, 1.0]]))
    max(x, axis=(0, 1), keepdims=True).backward()
    np.testing.assert_allclose(x.grad, [[THIRD, 0.0], [THIRD, THIRD]], rtol=1e-15)


def test_a_tie_of_max_keeps_the_dtype():
    x = Variable(np.ones(3, np.float32))
    max(x).backward()
    assert x.grad.dtype == np.float32


def test_max_and_min_compare_complex_numbers_like_numpy():
    """By the real part, then by the imaginary part."""
    z = variable(1.0 + 5.0j, 2.0 - 1.0j, 2.0 + 1.0j)
    y = max(z)
    y.grad = np.array(1.0 + 2.0j)
    y.backward()
    assert y.item() == 2.0 + 1.0j
    np.testing.assert_array_equal(z.grad, [0.0, 0.0, 1.0 + 2.0j])


def test_the_second_derivative_of_the_largest_square_goes_to_the_extreme():
    x = variable(1.0, 3.0)
    first = grad(max(x * x), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 6.0])
    np.testing.assert_array_equal(grad(first, x), [0.0, 2.0])


@pytest.mark.parametrize(
    ("numbers", "value", "shares"),
    [
        ((1.0, 5.0, 3.0), 4.0, (-1.0, 1.0, 0.0)),
        ((1.0, 5.0, 5.0), 4.0, (-1.0, 0.5, 0.5)),
        ((2.0, 2.0), 0.0, (0.0, 0.0)),
        ((2.0,), 0.0, (0.0,)),
        ((NAN, 2.0), NAN, (0.0, 0.0)),
    ],
)
def test_ptp_gives_the_largest_a_positive_and_the_smallest_a_negative_gradient(
    numbers, value, shares
):
    """nan is the largest and the smallest."""
    x = variable(*numbers)
    y = ptp(x)
    y.backward()
    np.testing.assert_array_equal(y.data, value)
    np.testing.assert_array_equal(x.grad, shares)


def test_ptp_is_no_method_of_variable_like_in_numpy_2():
    with pytest.raises(AttributeError, match=r"np\.ptp|'ptp'"):
        variable(1.0, 2.0).ptp()


@pytest.mark.parametrize("function", [max, min, nanmax, ptp])
def test_max_min_and_ptp_of_no_elements_are_numpys_error_with_a_note(function):
    with pytest.raises(ValueError, match="zero-size array") as caught:
        function(Variable(np.zeros((0, 2))), axis=0)
    (note,) = caught.value.__notes__
    assert f"in {function.__name__}" in note.lower()
    assert "float64[0, 2]" in note
