"""The largest pixel and the mean of windows, against loops over the windows."""

import numpy as np
import pytest
from dezero_nn.functions import average_pooling, pooling, pooling_simple
from dezero_tools.testing.array_types import registered

from dezero_core import Variable, VariableTypeError, grad
from dezero_replay import compiled

rng = np.random.default_rng(0)
NAN, INF = np.nan, np.inf
GEOMETRIES = [
    ((6, 6), 2, 2, 0),
    ((5, 7), 2, 2, 0),
    ((5, 6), 3, 1, 1),
    ((5, 6), (2, 3), (2, 1), (1, 2)),
    ((4, 3), (1, 3), (3, 1), 0),
    ((7, 7), 2, 3, 0),
    ((3, 4), (3, 4), 1, 0),
    ((1, 1), 3, 1, 2),
]


def pairs(*values):
    return [value if isinstance(value, tuple) else (value, value) for value in values]


def windows_of(x, kernel, stride, pad, filled):
    """Yield row and column of each window, and row and column of its first pixel on the image."""
    (high, wide), (down, across), (p, q) = pairs(kernel, stride, pad)
    large = np.pad(x, ((0, 0), (0, 0), (p, p), (q, q)), constant_values=filled)
    for i in range((x.shape[2] + 2 * p - high) // down + 1):
        for j in range((x.shape[3] + 2 * q - wide) // across + 1):
            top, left = i * down, j * across
            yield i, j, top - p, left - q, large[:, :, top : top + high, left : left + wide]


def truth_of_largest(x, gy, *geometry):
    y, gx = np.zeros(gy.shape), np.zeros(x.shape)
    for i, j, top, left, window in windows_of(x, *geometry, -INF):
        for n, c in np.ndindex(x.shape[:2]):
            row, column = np.unravel_index(window[n, c].argmax(), window.shape[2:])
            y[n, c, i, j] = window[n, c, row, column]
            gx[n, c, top + row, left + column] += gy[n, c, i, j]
    return y, gx


def truth_of_mean(x, gy, *geometry):
    y, gx = np.zeros(gy.shape), np.zeros(x.shape)
    for i, j, top, left, window in windows_of(x, *geometry, 0.0):
        y[:, :, i, j] = window.mean((2, 3))
        for row, column in np.ndindex(window.shape[2:]):
            if 0 <= top + row < x.shape[2] and 0 <= left + column < x.shape[3]:
                share = gy[:, :, i, j] / window[0, 0].size
                gx[:, :, top + row, left + column] += share
    return y, gx


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize(
    ("function", "truth"),
    [
        (pooling, truth_of_largest),
        (pooling_simple, truth_of_largest),
        (average_pooling, truth_of_mean),
    ],
)
def test_values_and_gradients_are_those_of_loops_over_the_windows(function, truth, geometry):
    size, *given = geometry
    x = rng.permutation(6 * np.prod(size)).reshape(2, 3, *size) - 50.0
    variable = Variable(x)
    found = function(variable, *given)
    gy = rng.normal(size=found.shape)
    y, gx = truth(x, gy, *given)
    np.testing.assert_allclose(found.data, y, 1e-12)
    found.grad = gy
    found.backward()
    np.testing.assert_allclose(variable.grad, gx, 1e-12, 1e-12)


def gradient(function, x, *args, gy=1.0):
    x = Variable(np.array([[x]]))
    y = function(x, *args)
    y.grad = np.full(y.shape, gy)
    y.backward()
    return y.data[0, 0].tolist(), x.grad[0, 0].tolist()


def test_of_several_largest_pixels_the_first_one_by_rows_gets_the_gradient():
    _, gx = gradient(pooling, [[1.0, 7.0, 0.0], [7.0, 7.0, 0.0]], (2, 3))
    assert gx == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    _, gx = gradient(pooling, [[0.0, 0.0], [0.0, -0.0]], 2)
    assert gx == [[1.0, 0.0], [0.0, 0.0]]


def test_in_the_book_s_first_version_several_largest_pixels_share_it():
    _, gx = gradient(pooling_simple, [[7.0, 7.0], [7.0, 7.0]], 2)
    assert gx == [[0.25, 0.25], [0.25, 0.25]]


def test_nothing_in_the_pad_is_larger_than_a_negative_pixel():
    """Where the book's function gives 0, and PyTorch's the pixel."""
    for function in (pooling, pooling_simple):
        y, gx = gradient(function, [[-3.0, -2.0]], (1, 2), 1, (0, 1))
        assert (y, gx) == ([[-3.0, -2.0, -2.0]], [[1.0, 2.0]])


def test_a_nan_is_the_largest_and_the_first_of_them_gets_the_gradient():
    y, gx = gradient(pooling, [[5.0, NAN, 9.0, NAN], [1.0, 2.0, 3.0, 4.0]], (1, 4))
    assert np.isnan(y[0]).all()
    assert y[1] == [4.0]
    assert gx == [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]


def test_infinite_pixels_and_gradients_make_no_nan():
    y, gx = gradient(pooling, [[-INF, -INF, INF, 1.0]], (1, 2), 2, gy=INF)
    assert (y, gx) == ([[-INF, INF]], [[INF, 0.0, INF, 0.0]])


def test_further_derivatives_of_the_largest_pixel_go_through_it():
    """Of (3 x^2)^2 = 9 x^4, at x = 3: 36 x^3 and 108 x^2."""
    x = Variable(np.array([[[[1.0, 3.0, 2.0, 0.0]]]]))
    y = np.sum(pooling(x, (1, 3), 3) ** 3)
    (gx,) = grad(y, [x], True)
    assert gx.data.tolist() == [[[[0.0, 27.0, 0.0, 0.0]]]]
    (second,) = grad(np.sum(gx**2), [x], True)
    assert second.data.tolist() == [[[[0.0, 972.0, 0.0, 0.0]]]]
    (third,) = grad(np.sum(second), [x])
    assert third.tolist() == [[[[0.0, 972.0, 0.0, 0.0]]]]


@pytest.mark.parametrize("dtype", ["e", "f", "d", "g", "i", "B", "?"])
def test_the_largest_pixel_has_the_dtype_of_the_image(dtype):
    x = np.array([[[[0, 1], [1, 0]]]], dtype)
    y = pooling(x, 2, 1, 1)
    assert y.dtype == dtype
    assert y[0, 0].astype(int).tolist() == [[0, 1, 1], [1, 1, 1], [1, 1, 0]]


def test_the_largest_of_negative_integers_is_no_zero_of_the_pad():
    assert pooling(np.array([[[[-5]]]]), 3, 1, 1).item() == -5


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("e", "e"), ("f", "f"), ("g", "g"), ("F", "F"), ("i", "d"), ("B", "d"), ("?", "d")],
)
def test_a_mean_has_the_dtype_that_numpy_gives_it(dtype, expected):
    x = np.array([[[[0, 1], [1, 1]]]], dtype)
    y = average_pooling(x, 2)
    assert (y.dtype, y.item()) == (np.dtype(expected), 0.75)


def test_a_mean_in_half_precision_does_not_overflow():
    x = Variable(np.full((1, 1, 2, 2), 60000.0, "e"))
    y = average_pooling(x, 2)
    y.backward()
    assert y.item() == np.float16(60000.0)
    assert x.grad.dtype == np.float16


X = np.ones((1, 2, 4, 4))
WRONG = {
    "matrix": (lambda f: f(X[0, 0], 2), ValueError, "takes images"),
    "kernel of 0": (lambda f: f(X, 0), ValueError, "kernel_size 1 or more, got 0"),
    "kernel of floats": (lambda f: f(X, (2.0, 2)), TypeError, "kernel_size integers, got 2.0"),
    "large kernel": (lambda f: f(X, 5), ValueError, "5 x 5 is larger than the image of 4 x 4"),
    "stride": (lambda f: f(X, 2, 0), ValueError, "stride 1 or more"),
    "pad": (lambda f: f(X, 2, 1, -1), ValueError, "pad 0 or more"),
}
OF_LARGEST = {
    "pad": (lambda f: f(X, 2, 1, 2), ValueError, "each window has a pixel.*2 x 2.*pad of 2 x 2"),
    "no pixels": (lambda f: f(X[:, :, :0], 2, 1, 1), ValueError, "images of 0 x 4"),
    "complex": (lambda f: f(X + 0j, 2), TypeError, "have an order, got complex128"),
}


@pytest.mark.parametrize("function", [pooling, pooling_simple, average_pooling])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_with_what_is_right(function, name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call(function)


@pytest.mark.parametrize("function", [pooling, pooling_simple])
@pytest.mark.parametrize("name", OF_LARGEST)
def test_a_window_without_a_largest_pixel_is_refused(function, name):
    call, error, message = OF_LARGEST[name]
    with pytest.raises(error, match=rf"{function.__name__}\(\).*{message}"):
        call(function)


@pytest.mark.parametrize("function", [pooling, pooling_simple, average_pooling])
def test_arrays_of_another_type_are_refused(function):
    with (
        registered("strict") as kind,
        pytest.raises(VariableTypeError, match=r"takes ndarrays alone.*strict"),
    ):
        function(Variable(kind.from_numpy(X)), 2)


def test_a_compiled_gradient_gives_the_same_bits():
    def gradient(x):
        x = Variable(x)
        y = np.sum(average_pooling(pooling(x, 2, 2) ** 2, 2) ** 2)
        y.backward()
        return y, x.grad

    step = compiled(gradient, strict=True)
    for _ in range(5):
        x = rng.normal(size=(2, 2, 6, 6))
        (y, gx), (other, gother) = gradient(x), step(x)
        assert y.data == other.data
        assert gx.tobytes() == gother.tobytes()
    assert step.stats["replayed"] > 0
