"""The matrix of windows, and the images that are added up from one."""

import numpy as np
import pytest
from dezero_nn.functions import col2im, im2col
from dezero_tools.testing.array_types import registered

from dezero_core import Variable, VariableTypeError

rng = np.random.default_rng(0)


def test_each_row_is_a_window_with_its_channels_one_after_the_other():
    x = np.arange(18.0).reshape(1, 2, 3, 3)
    col = im2col(x, 2)
    assert col.shape == (4, 8)
    assert col[0].tolist() == [0, 1, 3, 4, 9, 10, 12, 13]
    assert col[3].tolist() == [4, 5, 7, 8, 13, 14, 16, 17]


def test_the_six_axes_are_those_of_the_book():
    x = rng.normal(size=(2, 3, 7, 6))
    col = im2col(x, (3, 2), (2, 1), (1, 2), to_matrix=False)
    assert col.shape == (2, 3, 3, 2, 4, 9)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)))
    for i, j, row, column in np.ndindex(3, 2, 4, 9):
        np.testing.assert_array_equal(
            col[:, :, i, j, row, column], padded[:, :, i + 2 * row, j + column]
        )


def test_the_book_s_examples_have_the_book_s_shapes():
    """Step 57."""
    assert im2col(rng.normal(size=(1, 3, 7, 7)), 5, 1, 0).shape == (9, 75)
    assert im2col(rng.normal(size=(10, 3, 7, 7)), (5, 5), (1, 1), (0, 0)).shape == (90, 75)


def test_pixels_are_added_up_as_often_as_windows_have_them():
    shape = 1, 1, 3, 4
    back = col2im(im2col(np.ones(shape), (2, 2)), shape, (2, 2))
    assert back[0, 0].tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [1, 2, 2, 1]]


@pytest.mark.parametrize("to_matrix", [True, False])
@pytest.mark.parametrize(
    ("kernel", "stride", "pad"), [((2, 3), 1, 0), (3, 2, 1), ((1, 2), (3, 2), (0, 3)), (2, 3, 0)]
)
def test_each_is_the_transpose_of_the_other(kernel, stride, pad, to_matrix):
    x = rng.normal(size=(2, 3, 5, 6))
    given = kernel, stride, pad, to_matrix
    col = im2col(x, *given)
    other = rng.normal(size=col.shape)
    images = col2im(other, x.shape, *given)
    assert np.sum(col * other) == pytest.approx(np.sum(x * images), rel=1e-12)
    variable, matrix = Variable(x), Variable(other)
    y, z = im2col(variable, *given), col2im(matrix, x.shape, *given)
    y.grad, z.grad = other, x
    y.backward()
    z.backward()
    np.testing.assert_array_equal(variable.grad, images)
    np.testing.assert_array_equal(matrix.grad, col)


@pytest.mark.parametrize("dtype", ["e", "f", "d", "g", "D", "i", "?", "B"])
def test_the_dtype_stays(dtype):
    x = np.ones((1, 1, 2, 2), dtype)
    assert im2col(x, 2).dtype == col2im(im2col(x, 1), x.shape, 1).dtype == dtype


X = np.ones((1, 1, 3, 3))
WRONG = {
    "matrix": (lambda: im2col(X[0, 0], 2), ValueError, r"im2col\(\) takes images.*\(3, 3\)"),
    "kernel of 0": (lambda: im2col(X, 0), ValueError, "kernel_size 1 or more"),
    "kernel of a float": (lambda: im2col(X, 2.0), TypeError, "kernel_size integers, got 2.0"),
    "large kernel": (lambda: im2col(X, 4), ValueError, "4 x 4 is larger than the image of 3 x 3"),
    "input_shape of two": (lambda: col2im(X, (3, 3), 2), ValueError, r"\(N, C, H, W\).*\(3, 3\)"),
    "input_shape of floats": (lambda: col2im(X, (1, 1, 3, 3.0), 2), TypeError, "integers, got 3.0"),
    "negative input_shape": (lambda: col2im(X, (1, 1, 3, -1), 2), ValueError, "0 or more, got -1"),
    "columns of other images": (
        lambda: col2im(np.ones((4, 4)), (1, 2, 3, 3), 2),
        ValueError,
        r"\(1, 2, 3, 3\) columns of shape \(4, 8\), got shape \(4, 4\)",
    ),
    "columns with six axes": (
        lambda: col2im(np.ones((4, 4)), (1, 1, 3, 3), 2, to_matrix=False),
        ValueError,
        r"columns of shape \(1, 1, 2, 2, 2, 2\)",
    ),
    "large kernel, back": (lambda: col2im(X, (1, 1, 3, 3), 4), ValueError, "4 x 4 is larger"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_with_what_is_right(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


def test_arrays_of_another_type_are_refused():
    with registered("strict") as kind:
        for call in (
            lambda x: im2col(x, 2),
            lambda x: col2im(x[0, 0].reshape(9, 1), (1, 1, 3, 3), 1),
        ):
            with pytest.raises(VariableTypeError, match=r"takes ndarrays alone.*strict"):
                call(kind.from_numpy(X))
