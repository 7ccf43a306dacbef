"""One row per operation. A new operation needs a row here, and so gets the whole contract."""

from __future__ import annotations

import numpy as np

from .forms import (
    AXES,
    CHOICES,
    INDICES,
    MATRICES,
    OVER_NOTHING,
    REDUCTIONS,
    REPEATED_TO,
    SHAPES,
    SOFTMAX_AXES,
    SUMMED_TO,
)
from .row import Form, Row, cases_of

WIDE, SMALL, POSITIVE, ABOVE_ONE = (-3.0, 3.0), (-1.0, 1.0), (0.5, 3.0), (1.0, 3.0)
ONE, TWO = (WIDE,), (WIDE, WIDE)


def _signed(x):
    return np.sign(x.real)


def _rounded_down(x0, x1):
    return np.floor(x0.real / x1.real)


def _from_an_integer(x0, x1):
    return np.abs(x0 / x1 - np.round(x0 / x1))


def _between(x0, x1):
    return np.abs(x0 - x1)


def _between_neighbours(x):
    return np.diff(np.sort(x, axis=None))


def _extreme_by_real_part(extreme):
    def smooth(x, axis=None, keepdims=False):
        chosen = x.real == extreme(x.real, axis=axis, keepdims=True)
        return np.sum(np.where(chosen, x, 0.0), axis=axis, keepdims=keepdims)

    return smooth


def _sum_to(x, shape):
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    widened = (1,) * (x.ndim - len(shape)) + shape
    axes = tuple(axis for axis, n in enumerate(widened) if n != x.shape[axis])
    return np.sum(x, axis=axes, keepdims=True).reshape(shape)


def _logsumexp(x, axis=None, keepdims=False):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def _analytic_logsumexp(x, axis=None, keepdims=False):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def _reshape(x, *lengths, shape=None, order="C"):
    return x.reshape(*lengths or (shape,), order=order)


def _transpose(x, *order, axes=None):
    return x.transpose(*order or (axes,))


def _condition_first(xs, args):
    return (*args, *xs)


def _comparison(operation):
    return Row("basic", operation, getattr(np, operation), TWO, plain=True)


ROWS = [
    Row("basic", "add", np.add, TWO),
    Row("basic", "sub", np.subtract, TWO),
    Row("basic", "mul", np.multiply, TWO),
    Row("basic", "div", np.divide, (WIDE, POSITIVE)),
    Row(
        "basic",
        "floordiv",
        np.floor_divide,
        (WIDE, ABOVE_ONE),
        smooth=lambda x0, x1: _rounded_down(x0, x1) + 0.0 * (x0 + x1),
        apart=_from_an_integer,
    ),
    Row(
        "basic",
        "mod",
        np.remainder,
        (WIDE, ABOVE_ONE),
        smooth=lambda x0, x1: x0 - x1 * _rounded_down(x0, x1),
        apart=_from_an_integer,
    ),
    Row("basic", "pow", np.power, (POSITIVE, WIDE)),
    Row("basic", "matmul", np.matmul, (SMALL, SMALL), forms=MATRICES),
    Row("basic", "neg", np.negative, ONE),
    Row("basic", "pos", np.positive, ONE),
    Row("basic", "absolute", np.absolute, ONE, smooth=lambda x: _signed(x) * x, apart=np.abs),
    Row("basic", "sign", np.sign, ONE, smooth=lambda x: _signed(x) + 0.0 * x, apart=np.abs),
    _comparison("less"),
    _comparison("less_equal"),
    _comparison("greater"),
    _comparison("greater_equal"),
    _comparison("equal"),
    _comparison("not_equal"),
    Row("basic", "getitem", lambda x, index: x[index], ONE, forms=INDICES),
    Row("basic", "broadcast_to", np.broadcast_to, ONE, forms=REPEATED_TO),
    Row("basic", "sum_to", _sum_to, ONE, forms=SUMMED_TO),
    Row(
        "basic",
        "astype",
        lambda x, dtype: x.astype(dtype),
        ONE,
        smooth=lambda x, dtype: x,
        forms={
            "the same": Form(((2, 3),), (np.float64,)),
            "wider": Form(((2, 3),), (np.longdouble,)),
            "by name": Form(((),), ("float64",)),
        },
        converts=True,
    ),
    Row("math", "exp", np.exp, ONE),
    Row("math", "log", np.log, (POSITIVE,)),
    Row("math", "sin", np.sin, ONE),
    Row("math", "cos", np.cos, ONE),
    Row("math", "tan", np.tan, (SMALL,)),
    Row("math", "tanh", np.tanh, ONE),
    Row("math", "sqrt", np.sqrt, (POSITIVE,)),
    Row("math", "square", np.square, ONE),
    Row("math", "sum", np.sum, ONE, forms=REDUCTIONS | OVER_NOTHING),
    Row("math", "mean", np.mean, ONE, forms=REDUCTIONS),
    Row(
        "math",
        "max",
        np.max,
        ONE,
        smooth=_extreme_by_real_part(np.max),
        apart=_between_neighbours,
        forms=REDUCTIONS,
    ),
    Row(
        "math",
        "min",
        np.min,
        ONE,
        smooth=_extreme_by_real_part(np.min),
        apart=_between_neighbours,
        forms=REDUCTIONS,
    ),
    Row(
        "math",
        "maximum",
        np.maximum,
        TWO,
        smooth=lambda x0, x1: np.where(x0.real > x1.real, x0, x1),
        apart=_between,
    ),
    Row(
        "math",
        "minimum",
        np.minimum,
        TWO,
        smooth=lambda x0, x1: np.where(x0.real < x1.real, x0, x1),
        apart=_between,
    ),
    Row("math", "reshape", _reshape, ONE, forms=SHAPES, alone=True),
    Row("math", "transpose", _transpose, ONE, forms=AXES, alone=True),
    Row("math", "where", np.where, TWO, forms=CHOICES, place=_condition_first),
    Row("math", "logsumexp", _logsumexp, ONE, _analytic_logsumexp, forms=REDUCTIONS, ulps=8),
    Row(
        "math",
        "log_softmax",
        lambda x, axis=-1: x - _logsumexp(x, axis, keepdims=True),
        ONE,
        smooth=lambda x, axis=-1: x - _analytic_logsumexp(x, axis, keepdims=True),
        forms=SOFTMAX_AXES,
        ulps=8,
    ),
    Row("softplus", "softplus", lambda x: np.logaddexp(x, 0.0), ONE, lambda x: np.log1p(np.exp(x))),
]

CASES = cases_of(ROWS)
DIFFERENTIABLE = [case for case in CASES if not case.row.plain]
PLAIN = [case for case in CASES if case.row.plain]
HAS_OPERATORS = any(case.row.plugin == "basic" for case in CASES)
