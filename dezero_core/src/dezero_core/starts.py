"""Where a backward pass may start, with which gradient, and the errors that say why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array_types import array_type_of, call_by_type, shape_of
from .arrays import INEXACT, NUMBERS, Array
from .edges import Ended
from .errors import GradientError, GraphError, VariableTypeError
from .gradients import conjugated, constant_gradient
from .variable import Variable, label

_FREED = (
    "let go by an earlier backward(free_graph=True). Compute it again; or leave that option to the "
    "last backward() through it"
)


def require_graph(root: Variable) -> None:
    """Raise a GraphError that says why, if there is nothing to go back through."""
    edge = root._edge
    creator = root.creator
    edges = getattr(creator, "_edges", None)
    if type(edges) is tuple:
        return
    where = getattr(edge, "where", None)
    if edges is Ended.FREED:
        reason = f"its graph was {_FREED}"
    elif creator is not None:
        reason = f"its creator, a {type(creator).__name__}, was never applied"
    elif root.data is None:
        reason = "it holds no data"
    elif where:
        reason = f"it was computed under no_grad(), switched on at {where}"
    elif root.data.dtype.kind not in INEXACT:
        reason = (
            f"it is of {root.dtype} data, which is constant. Convert the inputs, "
            "Variable(x.data.astype(float)), and compute it again"
        )
    else:
        reason = (
            "it has no creator: it is an input, or was computed from constants only (integers "
            "and booleans are constants; Variable(x.data.astype(float)) is not)"
        )
    raise GraphError(
        f"cannot backpropagate from {label(root)}: {reason}.", variable=root, reason=reason
    )


def require_not_freed(function: Any) -> None:
    """Raise a GraphError if a Function that gradients do not go through was freed."""
    if function._edges is Ended.FREED:
        output = function._output_at(0)
        reason = f"its creator, a {type(function).__name__}, was {_FREED}"
        name = "a Variable" if output is None else label(output)
        raise GraphError(
            f"cannot backpropagate through {name}: {reason}.", variable=output, reason=reason
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
        if root.data.dtype.kind == "c":
            reason = (
                "it is complex, and only a real number can be differentiated. Make one of it, by "
                "np.real or np.abs, or set its .grad before backward()"
            )
            message = f"cannot backpropagate from {label(root)}: {reason}."
            raise GraphError(message, variable=root, reason=reason)
        data = root.data
        # Of a single number, the usual loss, NumPy makes an array four times as fast this way.
        is_number = type(data) is np.ndarray and not data.ndim
        ones = np.array(1.0, data.dtype) if is_number else call_by_type(np.ones_like, (data,), {})
        return constant_gradient(ones, create_graph)
    if shape_of(given) != root.shape:
        raise GradientError(
            f"the gradient given for {label(root)} has shape {shape_of(given)}; backward() starts "
            f"from its .grad where that is set, and it must have shape {root.shape}. Call "
            "cleargrad() to start from ones.",
            function=type(root.creator),
            index=0,
        )
    array = _with_the_type_of(root, given.data if isinstance(given, Variable) else given)
    if isinstance(given, np.ma.MaskedArray) or array.dtype.kind not in NUMBERS:
        masked = isinstance(given, np.ma.MaskedArray)
        raise GradientError(
            f"the gradient given for {label(root)} is an array of {array.dtype}"
            f"{' with a mask' if masked else ''}, and must be an ndarray of numbers"
            f"{': .filled(0.0) makes it one' if masked else ''}.",
            function=type(root.creator),
            index=0,
        )
    if array.dtype.kind == "c" and root.data.dtype.kind != "c":
        raise GradientError(
            f"the gradient given for {label(root)} is complex, and that is real.",
            function=type(root.creator),
            index=0,
        )
    if create_graph and isinstance(given, Variable):
        return conjugated(given if given.dtype == root.dtype else given.astype(root.dtype))
    array = array if array.dtype == root.dtype else array.astype(root.dtype)
    return conjugated(Variable(array) if create_graph else array)


def _with_the_type_of(root: Variable, given: Any) -> Array:
    """Return a given gradient as an array; refuse one of another type than that of `root`."""
    kind, wanted = array_type_of(given), array_type_of(root.data)
    if kind is wanted:
        return given if kind else np.asarray(given)
    if kind is None and wanted is not None and wanted.from_numpy is not None:
        return wanted.from_numpy(np.asarray(given))
    got, that = (
        "an ndarray" if each is None else f"a {each.name} array" for each in (kind, wanted)
    )
    raise GradientError(
        f"the gradient given for {label(root)} is {got}, and that holds {that}. Give one of the "
        "same type.",
        function=type(root.creator),
        index=0,
    )


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
                "Convert the data, Variable(x.data.astype(float)), and compute again.",
                got=x.dtype,
            )
    if len(given) != len(roots):
        raise GradientError(
            f"grad() was given {len(given)} grad_outputs for {len(roots)} outputs.",
            function=None,
            index=0,
        )
