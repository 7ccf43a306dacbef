"""The true elementwise functions and their derivatives, in mpmath, and the points to compare at.

A derivative is written by hand from a handbook (NIST DLMF 4.7, 4.20, 4.24, 4.34, 4.38, ...), in
a form that needs no limit. It is None where it does not exist: at a jump, a kink or a pole.

Formulas stand with the operation, as the `truth` of its sample. Here are the operators, and the
functions that need more: a corner, a jump, or points of their own.

With `PRECISION` bits every sum, difference or square of doubles is exact or nearly exact, since
doubles range from 2**-1074 to 2**1024. So the formulas here need not avoid cancellation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
from dezero_tools.testing import sample_of
from mpmath import mp

from dezero_core import ops

PRECISION = 2400

Number = Any
Array = Any


def constant(number: float) -> Callable[..., Number]:
    """Return a function that is `number` everywhere."""
    return lambda *_: mp.mpf(number)


ZERO, ONE, MINUS_ONE = constant(0), constant(1), constant(-1)


# Where there is no derivative


def unless(nowhere: Callable[..., bool], slope: Callable[..., Number]) -> Callable[..., Number]:
    """Return `slope`, with None where `nowhere` holds."""
    return lambda *x: None if nowhere(*x) else slope(*x)


def at_zero(x: Number, *_: Number) -> bool:
    return x == 0


def at_integer(x: Number) -> bool:
    return mp.isint(x)


def at_other_integer(x: Number) -> bool:
    return x != 0 and mp.isint(x)


def at_half(x: Number) -> bool:
    return mp.isint(x - mp.mpf(0.5))


def at_integer_quotient(x0: Number, x1: Number) -> bool:
    return mp.isint(x0 / x1)


def at_other_integer_quotient(x0: Number, x1: Number) -> bool:
    return x0 != 0 and mp.isint(x0 / x1)


def at_tie(x0: Number, x1: Number) -> bool:
    return x0 == x1


def at_bound(a: Number, lower: Number, upper: Number) -> bool:
    return a in (lower, upper) or lower == upper


def at_origin(x0: Number, x1: Number) -> bool:
    return x0 == x1 == 0


# Functions that mpmath does not have in this form


def sign(x: Number) -> Number:
    return mp.sign(x)


def trunc(x: Number) -> Number:
    return mp.sign(x) * mp.floor(abs(x))


def half_even(x: Number) -> Number:
    below = mp.floor(x)
    rest = x - below
    return below + (rest > 0.5 or (rest == 0.5 and not mp.isint(below / 2)))


def exp(x: Number) -> Number:
    """Return the exponential. Beyond 5000, far outside of double precision, it stays the same."""
    return mp.exp(min(max(x, -5000), 5000))


def exp2(x: Number) -> Number:
    return exp(x * mp.ln2)


def sinh(x: Number) -> Number:
    return mp.sinh(min(max(x, -5000), 5000))


def cosh(x: Number) -> Number:
    return mp.cosh(min(abs(x), 5000))


def sinc(x: Number) -> Number:
    return mp.sinpi(x) / (mp.pi * x) if x else mp.mpf(1)


def sinc_slope(x: Number) -> Number:
    return (mp.cospi(x) - sinc(x)) / x if x else mp.mpf(0)


def cbrt(x: Number) -> Number:
    return mp.sign(x) * mp.cbrt(abs(x))


def cbrt_slope(x: Number) -> Number:
    return 1 / (3 * mp.cbrt(abs(x)) ** 2)


def power(x: Number, c: Number) -> Number:
    """Return ``x**c``, of a negative x for an integer c."""
    if x == 0:
        return mp.mpf(c == 0) if c >= 0 else mp.inf
    turned = x < 0 and not mp.isint(c / 2)
    return (-1 if turned else 1) * exp(c * mp.log(abs(x)))


def power_slope(x: Number, c: Number) -> Number:
    if x == 0 and (c < 0 or 0 < c < 1):
        return None
    return c * power(x, c - 1) if c else mp.mpf(0)


def power_slope_of_exponent(x: Number, c: Number) -> Number:
    if x < 0 or (x == 0 and c <= 0):
        return None
    return power(x, c) * mp.log(x) if x else mp.mpf(0)


def clip(a: Number, lower: Number, upper: Number) -> Number:
    return min(max(a, lower), upper)


def clip_slopes() -> tuple[Callable[..., Number], ...]:
    """Return the derivatives: 1 for the operand that is the result, 0 for the others."""
    return tuple(unless(at_bound, lambda *x, n=n: mp.mpf(clip(*x) == x[n])) for n in range(3))


def angle(real: Number, imag: Number) -> Number:
    return mp.atan2(imag, real)


# Where functions are asked


def everywhere(*x: Array) -> Array:
    return np.True_


def not_negative(x: Array) -> Array:
    return x >= 0


def divisor(x0: Array, x1: Array) -> Array:
    return x1 != 0


def real_power(x: Array, c: Array) -> Array:
    return (x > 0) | ((x == 0) & (c >= 0)) | ((x < 0) & (c == np.floor(c)))


@dataclass(frozen=True)
class Truth:
    """A function, its derivative by each operand, and its domain.

    Attributes
    ----------
    value : callable
    slopes : tuple of callable
        One function for each operand. It returns None where there is no derivative.
    where : callable
        Takes arrays, and returns a mask of the points where the function is finite, or nearly.
    more : callable, optional
        Returns further points for this function, in the form of `singles` and `pairs`.
    """

    value: Callable[..., Number]
    slopes: tuple[Callable[..., Number], ...]
    where: Callable[..., Array] = everywhere
    more: Callable[[np.random.Generator, int], Array] | None = None

    @property
    def operands(self) -> int:
        """The number of operands."""
        return len(self.slopes)


def of_formulas(*formulas: str) -> Truth:
    """Return the value and the slopes of an operation, as the `truth` of its sample has them.

    Nothing is asked where the value is not real and finite, nor at a pole of a slope.
    """
    value, *slopes = map(formula_of(len(formulas) - 1), formulas)

    @cache
    def real(*x: Number) -> Number:
        y = value(*x)
        return y if isinstance(y, mpmath.mpf) and mp.isfinite(y) else None

    def where_real(slope: Callable[..., Number]) -> Callable[..., Number]:
        return lambda *x: None if real(*x) is None else slope(*x)

    return Truth(real, tuple(map(where_real, slopes)))


def formula_of(operands: int) -> Callable[[str], Callable[..., Number]]:
    """Return a function that turns formulas of so many operands into functions; None is a pole."""
    names = ["x"] if operands == 1 else [f"x{number}" for number in range(operands)]

    def formula(text: str) -> Callable[..., Number]:
        code = compile(text, text, "eval")

        def function(*x: Number) -> Number:
            try:
                return mp.mpmathify(eval(code, NAMES, dict(zip(names, x, strict=True))))
            except ZeroDivisionError:
                return None

        return function

    return formula


#: Names in formulas.
NAMES = {**vars(mpmath), "cosh": cosh, "exp": exp, "exp2": exp2, "sinh": sinh}

SUBNORMAL = (5e-324, 1e-323, 3e-320, 1e-310, 2.225073858507201e-308)
SMALL = (
    *(2.2250738585072014e-308, 1e-307, 1e-300, 1e-250, 1e-200, 1e-160, 1e-154, 1e-120, 1e-100),
    *(1e-60, 1e-30, 1e-20, 1e-16, 1e-12, 1e-10, 1.5e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
)
ORDINARY = (0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 1.5, 1.7, 2.0, 2.5, 3.0, 3.5, 5.0, 7.5, 10.0, 19.0)
LARGE = (
    *(20.0, 36.0, 37.5, 50.0, 100.0, 300.5, 700.0, 708.3, 709.7, 710.4, 744.4, 745.1, 1e3, 1022.5),
    *(1023.9, 1070.5, 1e4, 1e5, 1e6, 1e8, 1e10, 1e15, 1e16, 1e17, 1e20, 1e30, 1e60, 1e100, 1e120),
    *(1e154, 1.3e154, 1.4e154, 1e160, 1e200, 1e250, 1e300, 8e307, 1.7976931348623157e308),
)
NEAR_ONE = (
    *(0.9, 0.99, 1 - 1e-5, 1 - 1e-10, 1 - 2**-52, 1 - 2**-53),
    *(1.0, 1 + 2**-52, 1 + 2**-51, 1 + 1e-10, 1 + 1e-5, 1.01, 1.1),
)
#: Multiples of pi / 2, and the number of double precision that is nearest to one. Source: Muller,
#: Elementary Functions, on range reduction.
QUARTERS = (
    *(k * math.pi / 2 for k in (1, 2, 3, 4, 5, 6, 7, 8, 100, 1e5)),
    6381956970095103.0 * 2.0**797,
)
#: Where tan(pi x) = pi x: there the slope of sinc is 0.
SINC_EXTREMES = (1.4302966531242027, 2.459024032956761, 3.47088972434702)


def both_signs(numbers: Array) -> Array:
    return np.unique(np.concatenate([numbers, np.negative(numbers)]) + 0.0)  # without -0.0


def with_neighbours(numbers: Array) -> Array:
    numbers = np.asarray(numbers)
    return np.concatenate([np.nextafter(numbers, -np.inf), numbers, np.nextafter(numbers, np.inf)])


def singles(rng: np.random.Generator, random: int) -> Array:
    """Return the points of functions of one operand, in one row."""
    hard = [[0.0], SUBNORMAL, SMALL, ORDINARY, LARGE, NEAR_ONE]
    hard += [with_neighbours(QUARTERS), with_neighbours(SINC_EXTREMES)]
    hard += [
        rng.uniform(0.0, 3.0, random),
        rng.uniform(0.0, 750.0, random),
        10.0 ** rng.uniform(-307.0, 308.0, random),
        1.0 - 10.0 ** rng.uniform(-16.0, 0.0, random),
        1.0 + 10.0 ** rng.uniform(-15.0, 0.0, random),
    ]
    return both_signs(np.concatenate(hard))[np.newaxis]


PAIRED = (5e-324, 1e-310, 1e-300, 1e-154, 1e-10, 0.3, 0.5, 1.0, 1 + 2**-52, 3.0, 30.0)
PAIRED += (1e3, 1e10, 1e155, 1e300, 1.7976931348623157e308)


def pairs(rng: np.random.Generator, random: int) -> Array:
    """Return the points of functions of two operands: a row for each operand."""
    numbers = both_signs((0.0, *(PAIRED if random else PAIRED[::2])))
    every = np.array(list(itertools.product(numbers, repeat=2))).T
    a = np.concatenate([PAIRED[1:-1], rng.uniform(0.1, 100.0, random)])
    close = [a * (1.0 + 2.0**-52), a * (1.0 + 1e-10), a * (1.0 + 1e-5)]
    found = [every, *([a, sign * b] for b in close for sign in (1.0, -1.0))]
    for low, high in ((-307.0, 308.0), (-3.0, 3.0), (-1.0, 1.0)):
        signs = rng.choice([-1.0, 1.0], (2, random))
        found.append(signs * 10.0 ** rng.uniform(low, high, (2, random)))
    for width in (3.0, 800.0):
        found.append(rng.uniform(-width, width, (2, random)))
    subnormal, other = 10.0 ** rng.uniform(-323.0, -307.0, random), rng.uniform(-40.0, 3.0, random)
    found += [[subnormal, 10.0**other], [10.0**other, -subnormal]]
    return np.concatenate(found, axis=1)


def powers(rng: np.random.Generator, random: int) -> Array:
    """Return bases and exponents of all magnitudes whose powers do not overflow."""
    random = max(random, 50)
    log_of_base = 10.0 ** rng.uniform(-16.0, 2.8, random) * rng.choice([-1.0, 1.0], random)
    x = np.exp(log_of_base)
    x = x[x != 1.0]
    c = rng.uniform(-740.0, 708.0, x.size) / np.log(x)
    integers = itertools.product(
        (-2.5, -1.0, -1.1, -0.3, -1e-5),
        (-101.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 100.0, 101.0),
    )
    zeros = itertools.product((0.0,), (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e300))
    return np.concatenate([[x, c], np.array([*integers, *zeros]).T], axis=1)


def triples(rng: np.random.Generator, random: int) -> Array:
    """Return the points of functions of three operands."""
    every = itertools.product(both_signs((0.0, 5e-324, 1e-300, 1.0, 1 + 2**-52, 1e300)), repeat=3)
    return np.concatenate([np.array(list(every)).T, rng.uniform(-3, 3, (3, random))], axis=1)


def points(truth: Truth, random: int, seed: int = 0) -> Array:
    """Return the points for a function: a row for each operand, a column for each point.

    `random` is the number of random points of every kind. With 0 the grid is small: it has all
    single hard points, and half of the paired ones.
    """
    rng = np.random.default_rng(seed)
    x = (singles, pairs, triples)[truth.operands - 1](rng, random)
    if truth.more is not None:
        x = np.concatenate([x, truth.more(rng, random)], axis=1)
    x = np.unique(x, axis=1)
    return x[:, np.broadcast_to(truth.where(*x), x.shape[1:])]


def at_precision(function: Callable[..., Number], *x: float) -> Number:
    """Return `function` of the numbers, computed with `PRECISION` bits."""
    with mpmath.workprec(PRECISION):
        return function(*map(mp.mpf, x))


POWER = Truth(power, (power_slope, power_slope_of_exponent), real_power, powers)
SAME = Truth(lambda x: x, (ONE,))
TRUNC = Truth(trunc, (unless(at_other_integer, ZERO),))
ROUND = Truth(half_even, (unless(at_half, ZERO),))
ABSOLUTE = Truth(abs, (unless(at_zero, sign),))
LARGER = Truth(
    max, (unless(at_tie, lambda a, b: mp.mpf(a > b)), unless(at_tie, lambda a, b: mp.mpf(b > a)))
)
SMALLER = Truth(
    min, (unless(at_tie, lambda a, b: mp.mpf(a < b)), unless(at_tie, lambda a, b: mp.mpf(b < a)))
)
MOD = Truth(
    lambda x0, x1: x0 - x1 * mp.floor(x0 / x1),
    (
        unless(at_integer_quotient, ONE),
        unless(at_integer_quotient, lambda x0, x1: -mp.floor(x0 / x1)),
    ),
    divisor,
)

TRUTHS: dict[str, Truth] = {
    "absolute": ABSOLUTE,
    "add": Truth(lambda x0, x1: x0 + x1, (ONE, ONE)),
    "angle": Truth(
        angle,
        (
            unless(at_origin, lambda x, y: -y / (x * x + y * y)),
            unless(at_origin, lambda x, y: x / (x * x + y * y)),
        ),
    ),
    "arctan2": Truth(
        mp.atan2,
        (
            unless(at_origin, lambda y, x: x / (x * x + y * y)),
            unless(at_origin, lambda y, x: -y / (x * x + y * y)),
        ),
    ),
    "cbrt": Truth(cbrt, (unless(at_zero, cbrt_slope),)),
    "ceil": Truth(mp.ceil, (unless(at_integer, ZERO),)),
    "clip": Truth(clip, clip_slopes()),
    "conjugate": SAME,
    "copysign": Truth(
        lambda x0, x1: abs(x0) if x1 >= 0 else -abs(x0),
        (
            unless(at_zero, lambda x0, x1: sign(x0) * (1 if x1 >= 0 else -1)),
            unless(lambda x0, x1: x1 == 0, ZERO),
        ),
    ),
    "div": Truth(
        lambda x0, x1: x0 / x1, (lambda x0, x1: 1 / x1, lambda x0, x1: -x0 / x1**2), divisor
    ),
    "divmod": MOD,
    "fabs": ABSOLUTE,
    "fix": TRUNC,
    "float_power": POWER,
    "floor": Truth(mp.floor, (unless(at_integer, ZERO),)),
    "floordiv": Truth(
        lambda x0, x1: mp.floor(x0 / x1), (unless(at_integer_quotient, ZERO),) * 2, divisor
    ),
    "fmax": LARGER,
    "fmin": SMALLER,
    "fmod": Truth(
        lambda x0, x1: x0 - x1 * trunc(x0 / x1),
        (
            unless(at_other_integer_quotient, ONE),
            unless(at_other_integer_quotient, lambda x0, x1: -trunc(x0 / x1)),
        ),
        divisor,
    ),
    "heaviside": Truth(
        lambda x0, x1: x1 if x0 == 0 else mp.mpf(x0 > 0),
        (unless(at_zero, ZERO), lambda x0, x1: mp.mpf(x0 == 0)),
    ),
    "hypot": Truth(
        mp.hypot,
        (
            unless(at_origin, lambda x0, x1: x0 / mp.sqrt(x0 * x0 + x1 * x1)),
            unless(at_origin, lambda x0, x1: x1 / mp.sqrt(x0 * x0 + x1 * x1)),
        ),
    ),
    "imag": Truth(ZERO, (ZERO,)),
    "maximum": LARGER,
    "minimum": SMALLER,
    "mod": MOD,
    "mul": Truth(lambda x0, x1: x0 * x1, (lambda x0, x1: x1, lambda x0, x1: x0)),
    "nan_to_num": SAME,
    "neg": Truth(lambda x: -x, (MINUS_ONE,)),
    "pos": SAME,
    "pow": POWER,
    "real": SAME,
    "real_if_close": SAME,
    "relu": Truth(lambda x: max(x, mp.mpf(0)), (unless(at_zero, lambda x: mp.mpf(x > 0)),)),
    "rint": ROUND,
    "round": ROUND,
    "sign": Truth(sign, (unless(at_zero, ZERO),)),
    "sinc": Truth(sinc, (sinc_slope,)),
    "sqrt": Truth(mp.sqrt, (unless(at_zero, lambda x: 1 / (2 * mp.sqrt(x))),), not_negative),
    "sub": Truth(lambda x0, x1: x0 - x1, (ONE, MINUS_ONE)),
    "trunc": TRUNC,
}
"""Registered name of an operation -> what it is."""

# Those of SciPy are in scipy_truth.py, with points of their own.
_SAMPLES = {op.name: sample_of(op) for op in ops() if not op.name.startswith("scipy.")}
TRUTHS |= {name: of_formulas(*s.truth) for name, s in _SAMPLES.items() if s.truth}
