"""The normal distribution function, of arrays, to the last digits also in its tail.

NumPy has neither it nor the error function. Both are ``exp(-z**2 / 2)`` times a function that is
smooth from 0 to infinity; this is a polynomial in ``(z - 4) / (z + 4)``, which lies in [-1, 1).
"""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array

#: Of 1, t, t**2, ...: the Chebyshev expansion of (z + 4) exp(z**2 / 2) P(Z > z), cut where its rest
#: is below 1e-16, and for float32 where it is below 2e-9.
_DOUBLE = (
    0.7552851304157514,
    -0.6078966419718923,
    0.3871374007422266,
    -0.1865218579596366,
    0.06039657489036092,
    -0.007540188967386312,
    -0.0034796923566515025,
    0.0016308184674099085,
    0.00013334420916014778,
    -0.00023109501736277426,
    -1.907676030719098e-06,
    3.514511190283765e-05,
    7.146021531267462e-07,
    -5.921611045923978e-06,
    -6.249551077565178e-07,
    1.0247851016552774e-06,
    2.647337281979868e-07,
    -1.597739614223922e-07,
    -7.878360342693638e-08,
    1.7844927772981415e-08,
    1.60673869573294e-08,
    -5.873626764987191e-10,
    -1.6886576966786735e-09,
    -1.1997782031253095e-10,
)
_SINGLE = (
    0.7552851305166057,
    -0.6078966313662241,
    0.38713739385984314,
    -0.1865221598399514,
    0.060396648278004936,
    -0.007537717159683632,
    -0.0034799546374434,
    0.0016220401055284282,
    0.00013365338709444132,
    -0.0002155737762864521,
    -1.7310823014754179e-06,
    2.118298425522466e-05,
)

#: From here on exp(-z**2 / 2) is 0.
_FAR = 40.0


def normal_distribution(x: Array) -> Array:
    """Return P(Z < x) of a standard normal Z, elementwise.

    x: real, of any shape.
    Returns: of the floating dtype of `x`. The relative error is below 1e-15, and below 1e-7 of
        float32; of a longdouble the last digits beyond float64 are not right.
    Raises TypeError: if `x` is complex.
    Source: Shepherd and Laframboise 1981 have the variable and the factor; Cody 1969 splits the
        square, which keeps the digits of the exponential of a large one.

    >>> normal_distribution(np.array([-10.0, 0.0]))
    array([7.61985302e-24, 5.00000000e-01])
    """
    if np.iscomplexobj(x):
        raise TypeError(
            "the normal distribution function takes real numbers, and got complex ones."
        )
    if not hasattr(x, "dtype"):  # a number of Python's
        x = np.asarray(x)
    dtype = np.result_type(x, np.float16)
    is_small = dtype.itemsize <= 4
    z = np.minimum(np.abs(x.astype(np.float64)), _FAR)
    inverse = 1.0 / (z + 4.0)
    t = 1.0 - 8.0 * inverse
    coefficients = _SINGLE if is_small else _DOUBLE
    tail = np.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        tail *= t
        tail += coefficient
    tail *= inverse
    if is_small:
        tail *= np.exp(-0.5 * z * z)
    else:  # the square of the first part is exact
        first = np.rint(16.0 * z) / 16.0
        tail *= np.exp(-0.5 * first * first)
        tail *= np.exp(-0.5 * (z - first) * (z + first))
    return np.where(np.less(x, 0.0), tail, 1.0 - tail).astype(dtype)
