"""Functions of each element by itself."""

from __future__ import annotations

from . import (
    angles,
    cardinal_sine,
    clipping,
    complex_numbers,
    exponential,
    extrema,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    log_sums,
    logarithms,
    logic,
    magnitudes,
    polar,
    powers,
    predicates,
    rectifier,
    remainders,
    replacing,
    roots,
    rounding,
    searching,
    trigonometric,
)
from .angles import deg2rad, degrees, rad2deg, radians
from .cardinal_sine import sinc
from .clipping import clip
from .complex_numbers import angle, real_if_close
from .exponential import exp, exp2, expm1
from .extrema import fmax, fmin, maximum, minimum
from .hyperbolic import cosh, sinh, tanh
from .inverse_hyperbolic import arccosh, arcsinh, arctanh
from .inverse_trigonometric import arccos, arcsin, arctan
from .log_sums import logaddexp, logaddexp2
from .logarithms import log, log1p, log2, log10
from .logic import (
    allclose,
    array_equal,
    array_equiv,
    isclose,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from .magnitudes import copysign, fabs, heaviside
from .polar import arctan2, hypot
from .powers import reciprocal, square
from .predicates import (
    can_cast,
    iscomplex,
    iscomplexobj,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    result_type,
    signbit,
    spacing,
)
from .rectifier import relu
from .remainders import fmod
from .replacing import nan_to_num
from .roots import cbrt, sqrt
from .rounding import ceil, fix, floor, rint, round, trunc
from .searching import argwhere, digitize, flatnonzero, isin, nonzero, searchsorted
from .trigonometric import cos, sin, tan

FAMILIES = (
    angles,
    cardinal_sine,
    clipping,
    complex_numbers,
    exponential,
    extrema,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    log_sums,
    logarithms,
    logic,
    magnitudes,
    polar,
    powers,
    predicates,
    rectifier,
    remainders,
    replacing,
    roots,
    rounding,
    searching,
    trigonometric,
)

__all__ = [
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argwhere",
    "array_equal",
    "array_equiv",
    "can_cast",
    "cbrt",
    "ceil",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "digitize",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "flatnonzero",
    "floor",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "hypot",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "nan_to_num",
    "nonzero",
    "rad2deg",
    "radians",
    "real_if_close",
    "reciprocal",
    "relu",
    "result_type",
    "rint",
    "round",
    "searchsorted",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
