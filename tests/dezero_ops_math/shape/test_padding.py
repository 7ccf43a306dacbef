"""pad: the border's gradient goes to what the border was made of."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import pad

LINEAR = ("constant", "edge", "linear_ramp", "mean", "reflect", "symmetric", "wrap")
ALL = (*LINEAR, "maximum", "minimum", "median")
EVERY = [*((mode, {}) for mode in ALL), *((mode, {"reflect_type": "odd"}) for mode in LINEAR[4:6])]


def line(*numbers):
    return Variable(np.array(numbers or (1.0, 4.0, 2.0)))


def gradient_of(y, gradient):
    y.grad = np.array(gradient, dtype=float)
    y.backward()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("constant", [8.0, 16.0, 32.0]),
        ("edge", [8.0 + 7.0, 16.0, 32.0 + 64.0]),
        ("wrap", [8.0 + 1.0 + 64.0, 16.0 + 2.0, 32.0 + 4.0]),
        ("reflect", [8.0, 16.0 + 1.0 + 4.0 + 64.0, 32.0 + 2.0]),
        ("symmetric", [8.0 + 4.0, 16.0 + 2.0, 32.0 + 1.0 + 64.0]),
        ("linear_ramp", [8.0 + 2.0 / 3.0 + 4.0 * 2.0 / 3.0, 16.0, 32.0]),
        ("maximum", [8.0, 16.0 + 7.0 + 64.0, 32.0]),
        ("minimum", [8.0 + 7.0 + 64.0, 16.0, 32.0]),
        ("median", [8.0, 16.0, 32.0 + 7.0 + 64.0]),
        ("empty", [8.0, 16.0, 32.0]),
    ],
)
def test_pad_gives_every_element_the_gradients_of_its_copies_in_the_border(mode, expected):
    """Powers of two: each expected sum says which elements are in it."""
    x = line()
    gradient_of(pad(x, (3, 1), mode), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    np.testing.assert_allclose(x.grad, expected, rtol=1e-15)


@pytest.mark.parametrize(("mode", "options"), EVERY)
@pytest.mark.parametrize("widths", [(0, 1), (7, 0), (5, 11), (1, 2)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_pad_with_wide_borders_of_few_elements_has_the_right_gradient(mode, options, widths, n):
    """What NumPy makes of unit vectors: all modes are linear near elements that differ."""
    data = np.array([3.0, -1.0, 7.0])[:n]
    x = Variable(data)
    y = pad(x, widths, mode, **options)
    y.grad = arriving = np.arange(1.0, y.size + 1.0)
    y.backward()

    def padded(step):
        return np.pad(data + step, widths, mode, **options)

    columns = [padded(0.5 * unit) - padded(-0.5 * unit) for unit in np.eye(n)]
    np.testing.assert_allclose(x.grad, [column @ arriving for column in columns], rtol=1e-12)


def test_gradients_of_pad_with_linear_ramps_keep_the_precision():
    x = Variable(np.ones(1, np.longdouble))
    y = pad(x, (3, 0), "linear_ramp")
    y.grad = np.array([0.0, 1.0, 0.0, 0.0], np.longdouble)
    y.backward()
    assert x.grad[0] == np.longdouble(1.0) / 3.0


def test_equal_extremes_share_the_gradient_of_the_border_of_pad():
    x = line(5.0, 1.0, 5.0)
    gradient_of(pad(x, (2, 0), "maximum"), [1.0, 1.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0])


def test_pad_with_stat_length_gives_the_border_gradient_only_to_the_measured_elements():
    x = line(1.0, 2.0, 3.0, 4.0)
    gradient_of(pad(x, 1, "mean", stat_length=(1, 2)), [10.0, 0.0, 0.0, 0.0, 0.0, 20.0])
    np.testing.assert_array_equal(x.grad, [10.0, 0.0, 10.0, 10.0])


@pytest.mark.parametrize("mode", ALL)
def test_pad_without_width_is_a_copy_with_a_gradient(mode):
    x = line()
    y = pad(x, 0, mode)
    gradient_of(y, [1.0, 2.0, 3.0])
    assert y is not x
    np.testing.assert_array_equal(x.grad, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("mode", ALL)
def test_pad_of_a_0d_array_adds_no_border(mode):
    x = Variable(np.array(3.0))
    y = pad(x, 2, mode)
    y.backward()
    np.testing.assert_array_equal(y.data, 3.0)
    np.testing.assert_array_equal(x.grad, 1.0)


@pytest.mark.parametrize("mode", ["edge", "reflect"])
def test_an_infinite_gradient_of_the_border_of_pad_reaches_only_its_element(mode):
    x = line()
    gradient_of(pad(x, 1, mode), [np.inf, 1.0, 1.0, 1.0, 1.0])
    expected = [np.inf, 1.0, 2.0] if mode == "edge" else [1.0, np.inf, 1.0]
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize("width", [{0: (1, 0), 1: 2}, {-2: (1, 0), -1: (2, 2)}])
def test_pad_takes_widths_by_axis(width):
    data = np.arange(6.0).reshape(2, 3)
    expected = np.pad(data, width, "edge")
    x = Variable(data)
    for mode in ("edge", "mean"):
        y = pad(x, width, mode)
        y.backward()
        assert y.shape == expected.shape == (3, 7)
        assert x.grad.sum() == pytest.approx(21.0)
        x.cleargrad()


def test_pad_of_integers_is_rounded_like_numpy_and_constant():
    x = Variable(np.array([1, 2]))
    y = pad(x, 1, "mean")
    np.testing.assert_array_equal(y.data, np.pad(x.data, 1, "mean"), strict=True)
    assert y.creator is None


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((1, "blue"), ValueError, "mode 'blue' is not supported"),
        ((-1, "edge"), ValueError, "negative"),
        ((-1, "mean"), ValueError, "negative"),
        ((0.5, "mean"), TypeError, "integral type"),
        ((((1, 1), (1, 1)), "maximum"), ValueError, "broadcast"),
    ],
)
def test_bad_input_of_pad_is_numpys_error_with_a_note(args, error, message):
    with pytest.raises(error, match=message) as caught:
        pad(line(), *args)
    assert "Pad.forward" in caught.value.__notes__[0]


def test_options_of_another_mode_of_pad_are_numpys_error():
    for mode in ("mean", "edge"):
        with pytest.raises(ValueError, match="unsupported keyword arguments"):
            pad(line(), 1, mode, end_values=1.0)
    with pytest.raises(ValueError, match="stat_length of 0"):
        pad(line(), 1, "maximum", stat_length=0)


def test_pad_of_an_empty_axis_is_numpys_error():
    empty = Variable(np.zeros((0, 2)))
    for mode in ("edge", "mean"):
        with pytest.raises(ValueError, match="can't extend empty axis 0"):
            pad(empty, 1, mode)
        assert pad(empty, ((0, 0), (1, 1)), mode).shape == (0, 4)


def test_pad_refuses_variables_as_widths_and_border_values():
    x = line()
    for options in ({"constant_values": x}, {"mode": "linear_ramp", "end_values": (x, 1.0)}):
        with pytest.raises(TypeError, match=r"needs a constant for .*_values"):
            pad(x, 1, **options)
    with pytest.raises(TypeError, match="needs a constant for 'pad_width'"):
        pad(x, Variable(np.array(1)))


def test_pad_refuses_a_function_as_mode():
    with pytest.raises(TypeError, match="no function as mode"):
        np.pad(line(), 1, lambda vector, width, axis, kwargs: None)
