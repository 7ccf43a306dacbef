"""Where a backward pass may start, with which gradient, and the errors that say why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import INEXACT, NUMBERS, NUMPY, Array, call_by_type, kind_of, shape_of
from .errors import GradientError, GraphError, VariableTypeError
from .gradients import conjugated, constant_gradient, data_of
from .graph import FREED
from .variable import Variable, label

FREED_BEFORE = (
    "its creator, a {}, was let go by an earlier backward(free_graph=True). Compute it again; or "
    "leave that option to the last backward() through it"
)
_FLOATS = "Variable(x.data.astype(float))"


def refuse(what: str, variable: Variable | None, reason: str) -> None:
    message = f"cannot backpropagate {what}: {reason}."
    raise GraphError(message, variable=variable, reason=reason)


def require_graph(root: Variable) -> None:
    """Raise a GraphError that says why, if there is nothing to go back through."""
    creator, where = root.creator, getattr(root._edge, "where", None)
    edges = getattr(creator, "_edges", None)
    if type(edges) is tuple:
        return
    name = type(creator).__name__
    reasons = (
        (edges is FREED, FREED_BEFORE.format(name)),
        (creator is not None, f"its creator, a {name}, was never applied"),
        (root.data is None, "it holds no data"),
        (where, f"it was computed under no_grad(), switched on at {where}"),
        (
            root.data is not None and root.data.dtype.kind not in INEXACT,
            f"it is of {getattr(root.data, 'dtype', '')} data, which is constant. Convert the "
            f"inputs, {_FLOATS}, and compute it again",
        ),
        (
            True,
            "it has no creator: it is an input, or was computed from constants only (integers and "
            f"booleans are constants; {_FLOATS} is not)",
        ),
    )
    refuse(f"from {label(root)}", root, next(reason for holds, reason in reasons if holds))


def require_arguments(roots: list[Any], wanted: list[Any], given: list[Any]) -> None:
    """Raise for outputs, inputs and ``grad_outputs`` that `grad` cannot take."""
    for index, root in enumerate(roots):
        if not isinstance(root, Variable):
            advice = "If it is itself a gradient, compute that one with create_graph=True."
            if callable(root):
                advice = "A function is differentiated by dezero_tools.functional.grad(f)."
            raise VariableTypeError(
                f"output {index} of grad() must be a Variable, got {type(root)}. {advice}",
                got=type(root),
            )
        require_graph(root)
    for index, x in enumerate(wanted):
        if not isinstance(x, Variable) or x.data is None:
            got = repr(x) if isinstance(x, Variable) else type(x)
            raise VariableTypeError(
                f"input {index} of grad() must be a Variable that holds data, got {got}.", got=got
            )
        if x.data.dtype.kind not in INEXACT:
            raise VariableTypeError(
                f"input {index} of grad() is a constant, of {x.dtype} data: it has no gradient. "
                f"Convert the data, {_FLOATS}, and compute again.",
                got=x.dtype,
            )
    if len(given) != len(roots):
        raise GradientError(
            f"grad() was given {len(given)} grad_outputs for {len(roots)} outputs.",
            function=None,
            index=0,
        )


def first_gradient(root: Variable, given: Any, create_graph: bool) -> Array:
    """Return the gradient to start from: the one that the user has given, else ones.

    Raises
    ------
    GradientError (ValueError)
        If it is no ndarray of numbers, or not of the shape of `root`.
    GraphError (RuntimeError)
        If it is not given, and `root` is complex.
    """
    if given is None:
        return constant_gradient(_ones(root), create_graph)
    kind, wanted = kind_of(array := data_of(given)), kind_of(root.data)
    if wanted.from_numpy is not None and kind is NUMPY:
        array, kind = wanted.from_numpy(np.asarray(array)), wanted
    problem = ""
    if shape_of(given) != root.shape:
        problem = (
            f"has shape {shape_of(given)}; backward() starts from its .grad where that is set, and "
            f"it must have shape {root.shape}. Call cleargrad() to start from ones"
        )
    elif kind is not wanted:
        problem = f"is {kind.an_array}, and that holds {wanted.an_array}. Give one of the same type"
    elif isinstance(given, np.ma.MaskedArray):
        problem = "has a mask, and must be an ndarray of numbers: .filled(0.0) makes it one"
    elif array.dtype.kind not in NUMBERS:
        problem = f"is an array of {array.dtype}, and must be an ndarray of numbers"
    elif array.dtype.kind == "c" and root.data.dtype.kind != "c":
        problem = "is complex, and that is real"
    if problem:
        message = f"the gradient given for {label(root)} {problem}."
        raise GradientError(message, function=type(root.creator), index=0)
    first = given if create_graph and isinstance(given, Variable) else array
    first = first if first.dtype == root.dtype else first.astype(root.dtype)
    is_plain = create_graph and not isinstance(first, Variable)
    return conjugated(Variable(first) if is_plain else first)


def _ones(root: Variable) -> Array:
    data = root.data
    if data.dtype.kind == "c":
        reason = (
            "it is complex, and only a real number can be differentiated. Make one of it, by "
            "np.real or np.abs, or set its .grad before backward()"
        )
        message = f"cannot backpropagate from {label(root)}: {reason}."
        raise GraphError(message, variable=root, reason=reason)
    if type(data) is np.ndarray and not data.ndim:
        return np.array(1.0, data.dtype)  # the usual loss; four times as fast as np.ones_like
    return call_by_type(np.ones_like, (data,), {})
