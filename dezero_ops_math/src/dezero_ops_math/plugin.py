"""What this distribution registers: NumPy's functions, made differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Variable, hookimpl

from . import (
    exponential,
    extrema,
    hyperbolic,
    powers,
    reductions,
    selection,
    shaping,
    softmax,
    trigonometric,
)

DEZERO_PLUGIN_API = (1, 0)


def _transposed(x: Variable) -> Variable:
    """The Variable with its axes reversed; see `transpose`."""
    return shaping.transpose(x)


_T = property(_transposed)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register every function under NumPy's name."""
    wide: Any = ((-3.0, 3.0),)
    small: Any = ((-1.0, 1.0),)
    positive: Any = ((0.5, 3.0),)
    register("exp", exponential.exp, exponential.Exp, numpy=np.exp, sample=wide)
    register("log", exponential.log, exponential.Log, numpy=np.log, sample=positive)
    register("sin", trigonometric.sin, trigonometric.Sin, numpy=np.sin, sample=wide)
    register("cos", trigonometric.cos, trigonometric.Cos, numpy=np.cos, sample=wide)
    register("tan", trigonometric.tan, trigonometric.Tan, numpy=np.tan, sample=small)
    register("tanh", hyperbolic.tanh, hyperbolic.Tanh, numpy=np.tanh, sample=wide)
    register("sqrt", powers.sqrt, powers.Sqrt, numpy=np.sqrt, sample=positive)
    register("square", powers.square, powers.Square, numpy=np.square, sample=wide)
    register("sum", reductions.sum, reductions.Sum, methods="sum", numpy=np.sum, sample=wide)
    register("mean", reductions.mean, reductions.Mean, methods="mean", numpy=np.mean, sample=wide)
    register("max", extrema.max, extrema.Max, methods="max", numpy=(np.max, np.amax), sample=wide)
    register("min", extrema.min, extrema.Min, methods="min", numpy=(np.min, np.amin), sample=wide)
    register("maximum", extrema.maximum, extrema.Maximum, numpy=np.maximum, sample=wide * 2)
    register("minimum", extrema.minimum, extrema.Minimum, numpy=np.minimum, sample=wide * 2)
    register(
        "reshape",
        shaping.reshape,
        shaping.Reshape,
        methods="reshape",
        numpy=np.reshape,
        sample=wide,
    )
    register(
        "transpose",
        shaping.transpose,
        shaping.Transpose,
        methods={"transpose": shaping.transpose, "T": _T},
        numpy=np.transpose,
        sample=wide,
    )
    register("where", selection.where, selection.Where, numpy=np.where, sample=wide * 2)
    register("logsumexp", softmax.logsumexp, softmax.LogSumExp, sample=wide)
    register("log_softmax", softmax.log_softmax, softmax.LogSoftmax, sample=wide)
