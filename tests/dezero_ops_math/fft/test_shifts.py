"""fftshift and ifftshift: gradients are shifted back, also by half of an odd number."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import fft as ours

fftshift, ifftshift = ours.fftshift, ours.ifftshift


@pytest.mark.parametrize(
    ("shift", "n", "expected"),
    [
        (fftshift, 4, [2.0, 3.0, 0.0, 1.0]),
        (fftshift, 5, [2.0, 3.0, 4.0, 0.0, 1.0]),
        (ifftshift, 4, [2.0, 3.0, 0.0, 1.0]),
        (ifftshift, 5, [3.0, 4.0, 0.0, 1.0, 2.0]),
    ],
)
def test_fftshift_gives_every_element_the_gradient_of_its_new_place(shift, n, expected):
    x = Variable(np.arange(float(n)))
    y = shift(x)
    y.grad = np.arange(float(n))
    y.backward()
    assert [float(y.data.tolist().index(value)) for value in x.data] == expected
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1), [1], (1, 1), ()], ids=repr)
def test_fftshift_and_ifftshift_undo_one_another(axes):
    x = Variable(np.arange(15.0).reshape(3, 5))
    np.testing.assert_array_equal(ifftshift(fftshift(x, axes), axes).data, x.data)
    np.testing.assert_array_equal(fftshift(ifftshift(x, axes), axes).data, x.data)


def test_fftshift_of_integers_is_a_constant():
    y = fftshift(Variable(np.arange(3)))
    assert (y.data.tolist(), y.dtype, y.creator) == ([2, 0, 1], np.arange(3).dtype, None)


@pytest.mark.parametrize("shift", [fftshift, ifftshift])
@pytest.mark.parametrize("axes", [2, (0, -3)], ids=repr)
def test_an_axis_out_of_range_in_fftshift_is_numpys_error_with_a_note(shift, axes):
    with pytest.raises(IndexError, match="tuple index out of range") as caught:
        shift(Variable(np.ones((2, 3))), axes)
    (note,) = caught.value.__notes__
    assert "FFTShift.forward" in note
    assert "float64[2, 3]" in note


@pytest.mark.parametrize("shift", [fftshift, ifftshift])
def test_fftshift_refuses_a_variable_as_axes(shift):
    with pytest.raises(TypeError, match="'axes'"):
        shift(Variable(np.ones(3)), axes=Variable(np.array(0)))
