"""Lambert's W has exact derivatives on all branches, also next to its branch point.

Promise: docs/how_to/use_scipy.md
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import special

from .oracles import assert_exact, derivative, derivatives, digits, slopes

_digits = digits(45)


def real_w(k: int) -> Any:
    return lambda z: special.lambertw(z, k).real


#: A step beside the branch point, which is between two numbers.
BESIDE = [-math.exp(-1.0) + step for step in (1e-13, 1e-9, 1e-5, 1e-3, 0.03)]


@pytest.mark.parametrize("k", [0, -1])
def test_derivatives_of_lambertw_beside_its_branch_point_agree_with_mpmath(k: int) -> None:
    """By the inverse function: the slope is ``1 / (exp(w) (1 + w))``."""

    def truth(order: int, z: float) -> Any:
        w = mp.re(mp.lambertw(z, k))
        if order == 1:
            return 1 / (mp.exp(w) * (1 + w))
        return -(2 + w) / (mp.exp(2 * w) * (1 + w) ** 3)

    assert_exact(real_w(k), truth, BESIDE, (8.0, 16.0))


@pytest.mark.parametrize("z", [-math.exp(-1.0) - 1e-6, -math.exp(-1.0) - 1e-7 + 1e-7j])
def test_gradients_of_lambertw_to_the_left_of_its_branch_point_are_of_the_right_root(
    z: complex,
) -> None:
    x = Variable(np.array(z + 0j))
    special.lambertw(x).real.backward()
    w = mp.lambertw(z)
    expected = complex(mp.conj(mp.exp(-w) / (1 + w)))
    np.testing.assert_allclose(x.grad, expected, rtol=1e-13)


def test_three_derivatives_of_lambertw_on_the_principal_branch_agree_with_mpmath() -> None:
    numbers = [1e-9, -1e-3, -0.2, 0.5, 3.0, 1e5, 1e30]
    assert_exact(real_w(0), partial(derivative, mp.lambertw), numbers)


def test_derivatives_of_lambertw_on_the_lower_real_branch_agree_with_mpmath() -> None:
    def w(z: Any) -> Any:
        """Return the real branch, which the other one of mpmath continues below the axis."""
        return mp.lambertw(z, -1) if mp.im(z) >= 0 else mp.conj(mp.lambertw(mp.conj(z), -1))

    assert_exact(real_w(-1), partial(derivative, w), [-1e-20, -1e-4, -0.1, -0.3])


@pytest.mark.parametrize("k", [0, -1, 2])
def test_derivatives_of_lambertw_of_complex_numbers_agree_with_mpmath(k: int) -> None:
    numbers = [0.3 + 0.4j, -2.0 + 5.0j, 1e-3 - 1e-3j, 1e8 - 1e9j, -0.3 + 0.02j]
    w = partial(mp.lambertw, k=k)
    assert_exact(partial(special.lambertw, k=k), partial(derivative, w), numbers)


def test_derivatives_of_lambertw_at_0_are_those_of_its_series() -> None:
    """They are ``(-n)**(n - 1)``: NIST DLMF 4.13.5."""
    got = derivatives(real_w(0), 0.0, 5)
    np.testing.assert_allclose(got, [0.0, 1.0, -2.0, 9.0, -64.0, 625.0], rtol=1e-14)


def test_the_gradient_of_lambertw_at_infinity_is_0() -> None:
    np.testing.assert_array_equal(slopes(real_w(0), [np.inf, 0.0])[0], [0.0, 1.0])


def test_branches_of_lambertw_broadcast_and_get_no_gradient() -> None:
    z, k = Variable(np.array([1.0, 2.0])), np.array([[0], [1]])
    w = special.lambertw(z, k)
    assert w.shape == (2, 2)
    w.real.backward()
    each = [slopes(real_w(branch), z.data)[0] for branch in (0, 1)]
    np.testing.assert_allclose(z.grad, np.sum(each, axis=0), rtol=1e-15)
    for operands in ((z, Variable(np.array(0))), (z, 0, Variable(np.array(1e-8)))):
        with pytest.raises(VariableTypeError, match=r"lambertw has no derivative by (k|tol)"):
            special.lambertw(*operands)


def test_lambertw_takes_a_tolerance_as_scipy_does() -> None:
    from scipy.special import lambertw

    w = special.lambertw(Variable(np.array(3.7)), tol=1e-1)
    assert w.data == lambertw(3.7, tol=1e-1)


def test_lambertw_of_float32_is_complex64_with_a_gradient_of_float32() -> None:
    z = Variable(np.array([0.5, 2.0], np.float32))
    w = special.lambertw(z)
    assert w.dtype == np.complex64
    w.real.backward()
    assert z.grad.dtype == np.float32
    np.testing.assert_allclose(z.grad, slopes(real_w(0), [0.5, 2.0])[0], rtol=1e-6)
