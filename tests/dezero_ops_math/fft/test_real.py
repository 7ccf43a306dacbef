"""rfft, irfft, hfft and ihfft: bins that stand for two, and imaginary parts that are not read."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import fft as ours

fft, rfft, irfft, hfft, ihfft = ours.fft, ours.rfft, ours.irfft, ours.hfft, ours.ihfft
LENGTHS = [1, 2, 3, 4, 5, 8]
NORMS = [None, "backward", "ortho", "forward"]
RNG = np.random.default_rng(0)


def real(*shape):
    return Variable(RNG.normal(size=shape))


def bins(n):
    return Variable(RNG.normal(size=n // 2 + 1) + 1j * RNG.normal(size=n // 2 + 1))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
def test_rfft_has_the_gradient_of_the_first_half_of_fft(n, norm):
    x, gy = real(n), bins(n).data
    found = []
    for z in (rfft(x, norm=norm), fft(x, norm=norm)[: n // 2 + 1]):
        z.grad = gy
        z.backward()
        found.append(x.grad)
        x.cleargrad()
    np.testing.assert_allclose(*found, rtol=0, atol=1e-13)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize(("there", "back"), [(rfft, irfft), (ihfft, hfft)])
def test_inverse_real_transforms_undo_values_and_gradients(there, back, n, norm):
    x = real(n)
    y = back(there(x, norm=norm), n, norm=norm)
    gy = y.grad = RNG.normal(size=n)
    y.backward()
    np.testing.assert_allclose(y.data, x.data, rtol=0, atol=1e-14)
    np.testing.assert_allclose(x.grad, gy, rtol=0, atol=1e-14)


@pytest.mark.parametrize("transform", [irfft, hfft])
@pytest.mark.parametrize("n", LENGTHS)
def test_imaginary_parts_that_irfft_does_not_read_have_gradient_zero(transform, n):
    z = bins(n)
    y = transform(z, n)
    y.grad = RNG.normal(size=n)
    y.backward()
    unread = [0, n // 2] if n % 2 == 0 else [0]
    assert np.flatnonzero(z.grad.imag == 0.0).tolist() == unread
    moved = z.data.copy()
    moved[unread] += 1j
    np.testing.assert_array_equal(transform(moved, n).data, y.data)


@pytest.mark.parametrize(("n", "expected"), [(3, [1.0, 2.0]), (4, [1.0, 2.0, 1.0])])
def test_inner_bins_of_irfft_count_twice_in_the_gradient(n, expected):
    """The first element is the mean of all bins, and those of negative frequency are left out."""
    z = bins(n)
    irfft(z, n)[0].backward()
    np.testing.assert_allclose(z.grad, np.array(expected) / n, rtol=1e-15)


@pytest.mark.parametrize("transform", [irfft, hfft])
def test_bins_that_irfft_crops_get_gradient_zero(transform):
    z = bins(10)
    transform(z, 5)[0].backward()
    assert np.flatnonzero(z.grad).tolist() == [0, 1, 2]


@pytest.mark.parametrize("transform", [irfft, hfft])
def test_the_last_bin_of_irfft_counts_twice_where_zeros_are_appended(transform):
    z = bins(4)
    transform(z, 9, norm="ortho")[0].backward()
    np.testing.assert_allclose(z.grad, np.array([1.0, 2.0, 2.0]) / 3.0, rtol=1e-15)


def test_the_gradient_of_a_convolution_by_rfft_is_a_correlation():
    x, kernel, gy = real(5), real(5), RNG.normal(size=5)
    y = irfft(rfft(x) * rfft(kernel), 5)
    y.grad = gy
    y.backward()
    pairs = [(i, j, (i + j) % 5) for i in range(5) for j in range(5)]
    expected = [sum(kernel.data[j] * gy[k] for i, j, k in pairs if i == m) for m in range(5)]
    np.testing.assert_allclose(x.grad, expected, rtol=1e-12)


def test_the_second_derivative_of_a_power_spectrum_by_rfft_is_right():
    """By Parseval its sum, with the bins in between twice, is n sum(x**2)."""
    x, towards = real(6), RNG.normal(size=6)
    z = rfft(x)
    power = np.real(z * np.conj(z)) * np.array([1.0, 2.0, 2.0, 1.0])
    gradient = grad(np.sum(power), x, create_graph=True)
    np.testing.assert_allclose(gradient.data, 12.0 * x.data, rtol=1e-13)
    np.testing.assert_allclose(grad(np.sum(gradient * towards), x), 12.0 * towards, rtol=1e-13)


@pytest.mark.parametrize("transform", [rfft, irfft, hfft, ihfft])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_real_transforms_keep_small_dtypes(transform, dtype):
    x = Variable(np.array([1.0, 2.0, -1.0], dtype))
    y = transform(x)
    np.sum(np.real(y * y)).backward()
    assert y.dtype == getattr(np.fft, transform.__name__)(x.data).dtype
    assert y.dtype.itemsize <= 8
    assert x.grad.dtype == dtype


@pytest.mark.parametrize("transform", [rfft, irfft, hfft, ihfft])
def test_gradients_of_real_transforms_are_computed_in_single_precision(transform):
    y = transform(Variable(np.ones(4, np.float32)))
    gx = y.creator.backward(np.ones(y.shape, y.dtype))
    assert gx.dtype in (np.float32, np.complex64)


@pytest.mark.parametrize("transform", [rfft, ihfft])
def test_rfft_and_ihfft_of_complex_numbers_are_numpys_error(transform):
    z = Variable(np.ones(3) + 0j)
    with pytest.raises(TypeError, match="rfft_n_odd") as caught:
        transform(z)
    (note,) = caught.value.__notes__
    assert f"{transform.__name__.upper()}.forward" in note
    assert "complex128[3]" in note


@pytest.mark.parametrize("transform", [irfft, hfft])
def test_irfft_and_hfft_of_a_single_bin_are_numpys_error(transform):
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\)"):
        transform(Variable(np.ones(1)))
