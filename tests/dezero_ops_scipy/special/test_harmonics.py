"""Spherical harmonics have exact derivatives by both angles, also at the poles.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from mpmath import mp

from dezero_core import Variable, VariableTypeError, grad
from dezero_ops_scipy import special

from .oracles import derivative, derivatives, digits

pytestmark = pytest.mark.skipif(
    not hasattr(scipy.special, "sph_harm_y"), reason="it came with SciPy 1.15"
)
ORDERS = [(0, 0), (1, 0), (1, 1), (2, -1), (3, 2), (5, -5), (7, 0), (7, 3)]
_digits = digits(45)


def parts(n: int, m: int, part: str) -> Any:
    """Return the real or the imaginary part as a function of the angles."""
    return lambda theta, phi: getattr(special.sph_harm_y(n, m, theta, phi), part)


@pytest.mark.parametrize(("n", "m"), ORDERS[1:])
def test_three_derivatives_of_spherical_harmonics_by_theta_agree_with_mpmath(
    n: int, m: int
) -> None:
    """Not next to their zeros, where they are as exact as elsewhere but for the size."""

    def polar(theta: Any) -> Any:
        return mp.spherharm(n, m, theta, 0)

    numbers = np.array([1e-3, 0.4, 1.1, 1.9, 2.8, 3.1])
    _, *found = derivatives(lambda theta: parts(n, m, "real")(theta, 0.0), numbers, 3)
    for order, array in enumerate(found, 1):
        for theta, got in zip(numbers, array, strict=True):
            expected = float(mp.re(derivative(polar, order, complex(theta))))
            assert got == pytest.approx(expected, rel=1e-14, abs=1e-15 * (n + 0.5) ** (order + 0.5))


@pytest.mark.parametrize(("n", "m"), ORDERS)
def test_derivatives_of_spherical_harmonics_by_phi_turn_them(n: int, m: int) -> None:
    """``dY = i m Y dphi``, so the second derivative is ``-m**2 Y``."""
    phi = np.array([0.3, 2.0, 5.5])
    for part in ("real", "imag"):
        value, slope, bend = derivatives(partial(parts(n, m, part), 0.9), phi, 2)
        y = scipy.special.sph_harm_y(n, m, 0.9, phi)
        np.testing.assert_allclose(slope, getattr(1j * m * y, part), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(bend, -m * m * value, rtol=1e-14, atol=1e-15)
        assert slope.dtype == float


@pytest.mark.parametrize(("n", "m"), ORDERS)
@pytest.mark.parametrize("part", ["real", "imag"])
def test_spherical_harmonics_are_eigenfunctions_of_the_laplacian(n: int, m: int, part: str) -> None:
    """NIST DLMF 14.30.10: of eigenvalue ``-n (n + 1)``."""
    theta, phi = 1.1, 0.7
    y, slope, bend = derivatives(lambda t: parts(n, m, part)(t, phi), theta, 2)
    turned = derivatives(lambda p: parts(n, m, part)(theta, p), phi, 2)[2]
    laplacian = bend + slope / np.tan(theta) + turned / np.sin(theta) ** 2
    np.testing.assert_allclose(laplacian, -n * (n + 1) * y, rtol=1e-13, atol=1e-13)


def test_slopes_of_spherical_harmonics_at_the_poles_are_finite() -> None:
    """Of ``Y[1, 0] = a cos(theta)`` and ``Y[1, 1] = -a sin(theta) exp(i phi) / sqrt(2)``.

    By formulas with the cotangent, they would be nan.
    """
    a = np.sqrt(3.0 / (4.0 * np.pi))
    poles = np.array([0.0, np.pi])
    for m, expected in ((0, [0.0, 0.0]), (1, [-a, a]), (-1, [a, -a])):
        slope = derivatives(lambda t, m=m: parts(1, m, "real")(t, 0.0), poles, 1)[1]
        np.testing.assert_allclose(slope, np.array(expected) / np.sqrt(2.0), rtol=1e-15, atol=1e-15)
    bend = derivatives(lambda t: parts(2, 2, "real")(t, 0.0), poles, 2)[2]
    np.testing.assert_allclose(bend, 0.5 * np.sqrt(15.0 / (2.0 * np.pi)), rtol=1e-14)


def test_mixed_derivatives_of_spherical_harmonics_do_not_depend_on_the_order() -> None:
    theta, phi = Variable(np.array([0.4, 2.0])), Variable(np.array([1.0, 0.2]))
    y = special.sph_harm_y(3, 2, theta, phi).imag
    by_theta, by_phi = grad(y, [theta, phi], create_graph=True)
    mixed, other = grad(by_theta, phi), grad(by_phi, theta)
    plain = derivatives(lambda t: special.sph_harm_y(3, 2, t, phi.data).real, theta.data, 1)[1]
    np.testing.assert_allclose(mixed, other, rtol=1e-14)
    np.testing.assert_allclose(mixed, 2.0 * plain, rtol=1e-14)


def test_gradients_of_a_complex_loss_of_spherical_harmonics_are_of_its_real_part() -> None:
    """``dL = Re(sum(g dz))``: of real angles the gradient is real."""
    theta, phi, weight = Variable(np.array(0.9)), Variable(np.array(0.4)), 2.0 - 3.0j
    y = special.sph_harm_y(4, 1, theta, phi)
    (y * weight).real.backward()
    by_theta = (
        derivatives(lambda t: parts(4, 1, "real")(t, 0.4), 0.9, 1)[1] * weight.real
        - derivatives(lambda t: parts(4, 1, "imag")(t, 0.4), 0.9, 1)[1] * weight.imag
    )
    np.testing.assert_allclose(theta.grad, by_theta, rtol=1e-14)
    np.testing.assert_allclose(phi.grad, (1j * y.data * weight).real, rtol=1e-14)


def test_spherical_harmonics_of_an_order_beyond_the_degree_are_0() -> None:
    for m in (3, 4, -3, -9):
        for array in derivatives(lambda t, m=m: parts(2, m, "real")(t, 0.3), [0.0, 1.0], 3):
            np.testing.assert_array_equal(array, [0.0, 0.0])


def test_degrees_and_orders_of_spherical_harmonics_broadcast() -> None:
    n, m = np.array([[1], [2]], dtype=np.uint8), np.array([0, 1, -1], dtype=np.int8)
    theta, phi = Variable(np.array(0.7)), Variable(np.array(0.2))
    y = special.sph_harm_y(n, m, theta, phi)
    np.testing.assert_array_equal(y.data, scipy.special.sph_harm_y(n, m, 0.7, 0.2))
    y.real.backward()
    alone = [
        derivatives(lambda t, k=k, j=j: parts(k, j, "real")(t, 0.2), 0.7, 1)[1]
        for k in (1, 2)
        for j in (0, 1, -1)
    ]
    np.testing.assert_allclose(theta.grad, np.sum(alone), rtol=1e-14)
    unsigned = derivatives(lambda t: parts(2, np.uint8(0), "real")(t, 0.2), 0.7, 1)[1]
    np.testing.assert_array_equal(unsigned, alone[3])
    assert special.sph_harm_y(1, 0, Variable(np.zeros((0, 3))), 0.0).shape == (0, 3)


def test_spherical_harmonics_keep_single_precision() -> None:
    theta, phi = (Variable(np.float32([0.4, 2.0])) for _ in range(2))
    y = special.sph_harm_y(3, 2, theta, phi)
    assert y.dtype == np.complex64
    by_theta, by_phi = grad(y.real, [theta, phi], create_graph=True)
    assert (by_theta.dtype, by_phi.dtype) == (np.float32, np.float32)
    assert grad(by_theta, theta).dtype == np.float32
    wide = derivatives(lambda t: special.sph_harm_y(3, 2, t, phi.data).real, theta.data, 1)[1]
    np.testing.assert_allclose(by_theta.data, wide, rtol=1e-6)


@pytest.mark.parametrize("name", ["n", "m"])
def test_spherical_harmonics_refuse_a_variable_as_degree_or_order(name: str) -> None:
    given: dict[str, Any] = {"n": 1, "m": 1} | {name: Variable(np.array(1))}
    with pytest.raises(VariableTypeError, match=f"sph_harm_y has no derivative by {name}"):
        special.sph_harm_y(**given, theta=Variable(np.array(1.0)), phi=0.0)


def test_spherical_harmonics_of_variables_refuse_complex_angles_and_diff_n() -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        special.sph_harm_y(1, 0, Variable(np.array(1.0 + 1.0j)), 0.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'diff_n'"):
        special.sph_harm_y(1, 0, Variable(np.array(1.0)), 0.0, diff_n=1)
    value, slope = special.sph_harm_y(1, 0, 1.0, 0.0, diff_n=1)  # SciPy's own, of arrays
    assert (value.shape, slope.shape) == ((), (2,))
