"""fftn, ifftn, rfftn, irfftn and the same for two axes: s, axes, and axes that come again."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import fft as ours

RNG = np.random.default_rng(0)
PAIRS = [("fftn", "ifftn"), ("fft2", "ifft2"), ("rfftn", "irfftn"), ("rfft2", "irfft2")]


def real(*shape):
    return Variable(RNG.normal(size=shape))


def gradient_of(function, x, gy):
    y = function(x)
    y.grad = np.asarray(gy(y), dtype=y.dtype)
    y.backward()
    gradient = x.grad
    x.cleargrad()
    return gradient


def weights(y):
    """Return a number for each element, real or complex as `y` is."""
    places = np.arange(y.size).reshape(y.shape)
    return np.cos(places) + 1j * np.sin(places**2) if y.dtype.kind == "c" else np.cos(places)


@pytest.mark.parametrize(("there", "back"), PAIRS)
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("shape", [(3, 4), (4, 5), (2, 3, 4)])
def test_inverse_transforms_over_several_axes_undo_values_and_gradients(there, back, norm, shape):
    x, axes = real(*shape), (-2, -1)
    z = getattr(ours, there)(x, axes=axes, norm=norm)
    y = getattr(ours, back)(z, s=shape[-2:], axes=axes, norm=norm)
    gy = y.grad = np.asarray(RNG.normal(size=shape), dtype=y.dtype)
    y.backward()
    np.testing.assert_allclose(y.data, x.data, rtol=0, atol=1e-14)
    np.testing.assert_allclose(x.grad, gy.real, rtol=0, atol=1e-14)


LENGTHS_AND_AXES = [
    ((3, 5), (0, 1)),
    ((5, 3), (1, 0)),
    ((2, 7), (-2, 0)),
    ((3, 6), (1, 1)),
    ((6, 3), (1, 1)),
    ((5, 2, 7), (1, 0, 1)),
]


@pytest.mark.parametrize(("s", "axes"), LENGTHS_AND_AXES)
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["fftn", "ifftn"])
def test_fftn_is_one_transform_after_another_beginning_with_the_last_axis(name, norm, s, axes):
    def one_by_one(z):
        for n, axis in reversed(list(zip(s, axes, strict=True))):
            z = getattr(ours, name[:-1])(z, n, axis, norm)
        return z

    x = real(4, 5)
    got = gradient_of(lambda x: getattr(ours, name)(x, s, axes, norm), x, weights)
    np.testing.assert_allclose(got, gradient_of(one_by_one, x, weights), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("s", "axes"), LENGTHS_AND_AXES)
def test_rfftn_begins_and_irfftn_ends_with_the_last_axis(s, axes):
    def rfft_first(x):
        x = ours.rfft(x, s[-1], axes[-1])
        return ours.fftn(x, s[:-1], axes[:-1])

    def irfft_last(z):
        for n, axis in zip(s[:-1], axes[:-1], strict=True):
            z = ours.ifft(z, n, axis)
        return ours.irfft(z, s[-1], axes[-1])

    x = real(4, 5)
    got = gradient_of(lambda x: ours.rfftn(x, s, axes), x, weights)
    np.testing.assert_allclose(got, gradient_of(rfft_first, x, weights), rtol=0, atol=1e-13)

    z = Variable(real(4, 5).data + 1j * real(4, 5).data)
    got = gradient_of(lambda z: ours.irfftn(z, s, axes), z, weights)
    np.testing.assert_allclose(got, gradient_of(irfft_last, z, weights), rtol=0, atol=1e-13)


def test_minus_one_in_s_of_rfftn_is_the_length_of_the_array():
    x = real(4, 5)
    got = gradient_of(lambda x: ours.rfftn(x, (-1, -1), (1, 0)), x, weights)
    expected = gradient_of(lambda x: ours.rfftn(x, axes=(1, 0)), x, weights)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(("s", "axes"), [((3, 6), None), ((None, 6), (0, 1)), ((3, None), (0, 1))])
def test_deprecated_arguments_of_fftn_warn_and_are_differentiated(name, s, axes):
    """Without `axes` the last ones are meant, and None is the length that the axis has then."""
    x = real(4, 5)
    last = 8 if name == "irfftn" else 5
    full = [n or default for n, default in zip(s, (4, last), strict=True)]
    function = getattr(ours, name)
    with pytest.warns(DeprecationWarning, match="axes|None"):
        got = gradient_of(lambda x: function(x, s, axes), x, weights)
    expected = gradient_of(lambda x: function(x, full, (0, 1)), x, weights)
    np.testing.assert_array_equal(got, expected)


def test_fftn_over_no_axes_is_no_transform():
    x = real(2, 3)
    y = ours.fftn(x, axes=())
    gy = y.grad = np.full((2, 3), 5.0)
    y.backward()
    assert y.dtype == np.float64
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 5.0))
    assert not np.shares_memory(x.grad, gy)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_lists_of_axes_changed_after_fftn_change_no_gradient(name):
    x, axes, s = real(2, 4), [0, 1], [3, 6]
    y = getattr(ours, name)(x, s, axes)
    expected = gradient_of(lambda x: getattr(ours, name)(x, (3, 6), (0, 1)), x, weights)
    axes.reverse()
    s.reverse()
    y.grad = weights(y)
    y.backward()
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize("name", ["rfft2", "rfftn", "fft2", "fftn"])
def test_transforms_over_several_axes_keep_single_precision(name):
    x = Variable(np.ones((3, 4), np.float32))
    z = getattr(ours, name)(x, s=(2, 6), axes=(0, 1))
    np.sum(np.real(z)).backward()
    assert (z.dtype, x.grad.dtype) == (np.complex64, np.float32)
