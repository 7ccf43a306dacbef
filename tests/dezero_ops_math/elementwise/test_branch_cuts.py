"""Of complex numbers on a branch cut, the gradient is that of the side the value is of."""

import mpmath
import numpy as np
import pytest

import dezero_ops_math
from dezero_core import Variable

PRECISE = {
    "arccos": mpmath.acos,
    "arccosh": mpmath.acosh,
    "arcsin": mpmath.asin,
    "arcsinh": mpmath.asinh,
    "arctan": mpmath.atan,
    "arctanh": mpmath.atanh,
    "log": mpmath.log,
    "log10": mpmath.log10,
    "log1p": lambda z: mpmath.log(1 + z),
    "log2": lambda z: mpmath.log(z, 2),
    "sqrt": mpmath.sqrt,
}
ON_REAL_AXIS = {
    "arccos": (-2.0, 2.0),
    "arccosh": (-2.0, -0.5, 0.5),
    "arcsin": (-2.0, 2.0),
    "arctanh": (-2.0, 2.0),
    "log": (-2.0,),
    "log10": (-2.0,),
    "log1p": (-3.0,),
    "log2": (-2.0,),
    "sqrt": (-2.0,),
}
ON_IMAGINARY_AXIS = {"arcsinh": (-2.0, 2.0), "arctan": (-2.0, 2.0)}
CASES = [
    (name, complex(at, side), complex(at, np.copysign(1e-12, side)))
    for name, points in ON_REAL_AXIS.items()
    for at in points
    for side in (0.0, -0.0)
]
CASES += [
    (name, complex(side, at), complex(np.copysign(1e-12, side), at))
    for name, points in ON_IMAGINARY_AXIS.items()
    for at in points
    for side in (0.0, -0.0)
]


def gradient(name, at):
    """Return value and derivative; for the latter, the conjugate of what .grad is."""
    z = Variable(np.array(at))
    y = getattr(dezero_ops_math, name)(z)
    y.grad = np.array(1.0 + 0.0j)
    y.backward()
    return y.item(), z.grad.item().conjugate()


@pytest.mark.parametrize(("name", "at", "beside"), CASES)
def test_the_sign_of_0_chooses_the_side_of_a_branch_cut(name, at, beside):
    value, slope = gradient(name, at)
    with mpmath.workdps(50):
        precise, z = PRECISE[name], mpmath.mpc(beside)
        truth = complex(mpmath.diff(precise, z, h=mpmath.mpf(10) ** -30))
        np.testing.assert_allclose(value, complex(precise(z)), rtol=1e-9)
    np.testing.assert_allclose(slope, truth, rtol=1e-9)


@pytest.mark.parametrize("name", PRECISE)
def test_gradients_beside_a_branch_cut_are_right_to_the_last_digits(name):
    rng = np.random.default_rng(0)
    poles = (0.0, 1.0, -1.0, 1j, -1j)
    for pole in poles:
        for size in (1e-6, 1e-3, 0.3, 30.0):
            at = pole + size * complex(*rng.uniform(0.3, 1.0, 2))
            with mpmath.workdps(50):
                truth = mpmath.diff(PRECISE[name], mpmath.mpc(at), h=mpmath.mpf(10) ** -25)
            np.testing.assert_allclose(gradient(name, at)[1], complex(truth), rtol=2e-15)
