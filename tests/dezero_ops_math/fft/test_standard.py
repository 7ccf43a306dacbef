"""fft and ifft: what Parseval, the matrix and the inverse say of their gradients."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import fft as ours

fft, ifft = ours.fft, ours.ifft
NORMS = {"backward": 1.0, None: 1.0, "ortho": 0.5, "forward": 0.25}
RNG = np.random.default_rng(0)


def energy(z):
    return np.sum(np.real(z * np.conj(z)))


def real(*shape):
    return Variable(RNG.normal(size=shape))


def complex_(*shape):
    return Variable(RNG.normal(size=shape) + 1j * RNG.normal(size=shape))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("make", [real, complex_])
def test_parsevals_theorem_gives_the_gradient_of_the_energy(make, norm):
    x = make(3, 4)
    energy(fft(x, norm=norm)).backward()
    np.testing.assert_allclose(x.grad, 8.0 * NORMS[norm] ** 2 * x.data, rtol=1e-13)


def test_parsevals_theorem_gives_the_second_derivative_of_the_energy():
    x, towards = real(5), RNG.normal(size=5)
    gradient = grad(energy(fft(x)), x, create_graph=True)
    np.testing.assert_allclose(grad(np.sum(gradient * towards), x), 10.0 * towards, rtol=1e-13)


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize(("transform", "sign", "scale"), [(fft, -1, 1.0), (ifft, 1, None)])
def test_the_gradient_of_one_bin_of_fft_is_a_row_of_the_matrix(transform, sign, scale, n):
    turns = 2.0 * np.pi * np.arange(n) * 3 / n
    x = real(n)
    (np.real(transform(x)[3]) * 2.0 + np.imag(transform(x)[3])).backward()
    expected = (2.0 * np.cos(turns) + sign * np.sin(turns)) * (scale or 1.0 / n)
    np.testing.assert_allclose(x.grad, expected, rtol=0, atol=1e-14)


def test_a_step_against_the_gradient_of_fft_descends():
    """The bin F z with loss Re(F z): the gradient is the conjugate of the row of F."""
    z = complex_(4)
    np.real(fft(z)[1]).backward()
    np.testing.assert_allclose(z.grad, [1.0, 1j, -1.0, -1j], rtol=0, atol=1e-15)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [4, 5])
def test_ifft_undoes_values_and_gradients_of_fft(n, norm):
    z = complex_(2, n)
    w = ifft(fft(z, axis=-1, norm=norm), norm=norm)
    gy = w.grad = RNG.normal(size=(2, n)) + 1j
    w.backward()
    np.testing.assert_allclose(w.data, z.data, rtol=1e-13)
    np.testing.assert_allclose(z.grad, gy, rtol=1e-13)


def test_elements_that_fft_crops_get_gradient_zero():
    x = real(6)
    energy(fft(x, n=4)).backward()
    np.testing.assert_allclose(x.grad, [*8.0 * x.data[:4], 0.0, 0.0], rtol=1e-13)


def test_zeros_that_fft_appends_have_no_gradient():
    x = real(2, 3)
    energy(fft(x, 5, axis=0)).backward()
    np.testing.assert_allclose(x.grad, 10.0 * x.data, rtol=1e-13)


def test_fft_of_an_empty_axis_with_appended_zeros_has_an_empty_gradient():
    x = Variable(np.zeros((2, 0)))
    energy(fft(x, n=3)).backward()
    assert x.grad.shape == (2, 0)


@pytest.mark.parametrize("transform", [fft, ifft])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64])
def test_fft_keeps_single_precision(transform, dtype):
    x = Variable(np.array([1.0, 2.0, -1.0], dtype))
    z = transform(x)
    energy(z).backward()
    assert z.dtype == np.complex64
    assert x.grad.dtype == dtype
    factor = 6.0 if transform is fft else 2.0 / 3.0
    np.testing.assert_allclose(x.grad, factor * x.data, rtol=2e-3 if dtype == np.float16 else 1e-6)


def test_nan_spreads_to_every_bin_of_fft_and_not_to_a_linear_gradient():
    x = Variable(np.array([1.0, np.nan, 2.0]))
    z = fft(x)
    np.sum(np.real(z)).backward()
    assert np.isnan(z.data).all()
    np.testing.assert_allclose(x.grad, [3.0, 0.0, 0.0], rtol=0, atol=1e-15)
