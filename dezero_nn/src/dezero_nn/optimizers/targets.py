"""The targets of optimizers, with their checks: layers, lists or nested arrays, and numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable
from dezero_core.extend import user_place

from ..layers import Layer, State
from ..utils import tree_functions

_NAMED = 5
"""So many parameters are named in a message."""

#: Gradients of so many numbers, as those of biases, are looked at in no time beside an update.
_SMALL = 4096


class MissingGradientWarning(UserWarning):
    """No gradient has come to some parameters, so that an update does not change them."""


class Group(Layer):
    """Parameters and layers that are trained together, by the names ``parameters/0`` and so on."""

    def __init__(self, parameters: list[Any]) -> None:
        self.parameters = parameters


class ArrayTree(Layer):
    """A Parameter for each array of a tree, under its path: ``tree['w'][0]``."""

    def __init__(self, tree: Any, who: str) -> None:
        leaves = {"tree": None} if tree is None else paths(tree)
        self._params = {
            path: Parameter(copied(leaf, path, who), name=path) for path, leaf in leaves.items()
        }

    def _members(self) -> Iterable[tuple[str, Any]]:
        return list(self._params.items())

    def take(self, tree: Any, gradients: Any, who: str) -> None:
        """Let the Parameters have the values of a tree, and gradients in its form.

        Raises TypeError, ValueError: if a leaf or a form does not fit. Nothing is changed then.
        """
        leaves = paths(tree)
        if leaves.keys() != self._params.keys():
            path = min(leaves.keys() ^ self._params.keys())
            raise ValueError(
                f"{who}: the tree has another form than before: {path} is in one of them alone. "
                "Call optimizer.setup(tree), which begins anew."
            )
        try:
            grads = tree_functions().matched(tree, gradients)
        except ValueError as error:
            raise ValueError(
                f"{who}: the gradients have another form than the tree: {error}"
            ) from error
        arrays = [copied(leaf, path, who) for path, leaf in leaves.items()]
        for path, array, grad in zip(leaves, arrays, grads, strict=True):
            is_number = isinstance(grad, (float, complex))
            self._params[path].data = array
            self._params[path].grad = np.array(grad) if is_number else grad

    def like(self, tree: Any) -> Any:
        """Return the values of the Parameters in the form of a tree."""
        arrays = [
            self._params[path].data if isinstance(leaf, np.ndarray) else self._params[path].data[()]
            for path, leaf in paths(tree).items()
        ]
        return tree_functions().like(tree, arrays)


def paths(tree: Any) -> dict[str, Any]:
    """Return the leaves of a tree by their paths."""
    trees = tree_functions()
    return dict(zip(trees.paths_of(tree, "tree"), trees.leaves_of(tree), strict=True))


def copied(leaf: Any, path: str, who: str) -> Any:
    """Return a leaf as an array of its own; it must be a floating-point array or number."""
    if isinstance(leaf, (float, complex)):  # NumPy's float64 is a float, too
        leaf = np.array(leaf)
    if not isinstance(leaf, (np.ndarray, np.generic)) or leaf.dtype.kind not in "fc":
        raise TypeError(
            f"{who} takes a Layer or Model, a list of Parameters, or nested tuples, lists, dicts "
            "and dataclasses of floating-point arrays, and got "
            f"{leaf.dtype if isinstance(leaf, (np.ndarray, np.generic)) else type(leaf)} at {path}."
        )
    return leaf.copy() if isinstance(leaf, np.ndarray) else np.array(leaf)


def as_layer(target: Any, who: str) -> Layer:
    """Return a Layer, or one that holds the Parameters and Layers of an iterable, or a tree."""
    if isinstance(target, Layer):
        return target
    if isinstance(target, Iterable) and not isinstance(target, (Variable, str, dict, np.ndarray)):
        target = target if isinstance(target, (list, tuple)) else list(target)
        if all(isinstance(item, (Parameter, Layer)) for item in target):
            return Group(list(target))
    return ArrayTree(target, f"{who}.setup")


def names_of(target: Layer) -> dict[int, str]:
    """Return the names of all parameters, as ``l1/W``, by their id."""
    return {id(each): name for name, each in target.variables() if isinstance(each, Parameter)}


def first_names(names: Iterable[str]) -> str:
    """Return the first names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def warn_of_missing(names: tuple[str, ...], count: int, who: str) -> None:
    """Warn that parameters of these names, of so many in all, have no gradient."""
    advice = (
        "If the loss is not to depend on them, add the hook FreezeParam(layer)"
        if len(names) < count
        else "Call loss.backward() before optimizer.update()"
    )
    warnings.warn_explicit(
        f"{who}.update: {len(names)} of {count} parameters have no gradient and are not changed: "
        f"{first_names(names)}. {advice}.",
        MissingGradientWarning,
        *user_place(),
    )


def prepare(
    params: list[Parameter],
    states_of: Callable[[Parameter], tuple[State, ...]],
    name_of: Callable[[Parameter], str],
) -> None:
    """Raise an error if parameters cannot be updated; fill their States that have no data yet.

    params: they have gradients.
    states_of, name_of: give the States of a parameter, and its name in messages.
    """
    for param in params:
        require_fitting(param, name_of)
        data = param.data
        for state in states_of(param):
            if state.data is None:
                state.data = np.zeros_like(data)
            elif state.data.shape != data.shape or state.data.dtype != data.dtype:
                raise ValueError(
                    f"{name_of(param)} is now {data.dtype}{list(data.shape)}, and its "
                    f"{state.name!r} {state.data.dtype}{list(state.data.shape)}. Call "
                    "optimizer.setup(model) again, which begins anew."
                )


def require_fitting(param: Parameter, name_of: Callable[[Parameter], str]) -> None:
    """Let the gradient be an ndarray, if it fits the parameter's array, which can be changed."""
    data, grad = param.check_data(), param.grad
    if isinstance(grad, Variable):
        grad = grad.data
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "fc":
        raise TypeError(
            f"{name_of(param)} must hold an ndarray of floating-point numbers, which is changed in "
            f"place, and holds a {type(data).__name__} of {data.dtype}. Write "
            "param.data = param.to_numpy().astype(np.float32)."
        )
    if not data.flags.writeable:
        raise ValueError(
            f"{name_of(param)} holds a read-only array, and an update changes it in place. Write "
            "param.data = param.data.copy()."
        )
    if not isinstance(grad, np.ndarray):
        grad = _as_ndarray(grad, param, name_of)
    if grad.shape != data.shape:
        raise ValueError(
            f"{name_of(param)} has shape {data.shape}, and its gradient {grad.shape}. A gradient "
            "has the shape of its parameter: look at what has set param.grad."
        )
    if grad.dtype.kind not in "fiub" and grad.dtype.kind != data.dtype.kind:
        raise TypeError(
            f"{name_of(param)} is of dtype {data.dtype}, and its gradient of {grad.dtype}. A real "
            "parameter has a real gradient: look at what has set param.grad."
        )
    if grad.dtype.kind in "iub":
        grad = grad.astype(data.dtype)
    if grad is not param.grad:
        param.grad = grad


def require_finite(params: list[Parameter], name_of: Callable[[Parameter], str]) -> None:
    """Look for a nan or inf of the loss in the smallest gradient, and in all that are small.

    The smallest one alone is not enough: that of the last bias is 1 in ``sum(model(x))``, whatever
    the sum is.
    """
    for number, param in enumerate(sorted(params, key=lambda param: param.grad.size)):
        if number and param.grad.size > _SMALL:
            break
        if not np.isfinite(param.grad).all():
            raise FloatingPointError(
                f"{name_of(param)} has a gradient with nan or inf, as a loss gives that is nan or "
                "inf; no parameter was changed. Compute the loss once more under "
                'dezero_tools.observe("nan"): it stops at the first operation whose result is not '
                "finite, and names it with its line."
            )


def _as_ndarray(grad: Any, param: Parameter, name_of: Callable[[Parameter], str]) -> Any:
    """Return a scalar of NumPy's, or an array of a registered type, as an ndarray."""
    if isinstance(grad, np.generic):
        return grad.reshape(())  # dezero-replay records this, and not np.asarray
    try:
        return Variable(grad).to_numpy()
    except TypeError:
        raise TypeError(
            f"{name_of(param)} has a gradient of {type(grad)}, and a gradient is an ndarray: look "
            "at what has set param.grad."
        ) from None


def number(who: Any, name: str, value: Any, least: float = 0.0, below: float = inf) -> float:
    """Return an argument as a Python float, which no float32 array turns into float64.

    who: whose argument it is.
    Raises TypeError, ValueError: if it is no real number, or not ``least <= value < below``.
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{type(who).__name__}: {name} must be a real number, and got {value!r}.")
    try:
        plain = float(value)
    except OverflowError:  # of an integer
        plain = inf
    if not least <= plain < below:
        limit = f" and less than {below:g}" if below < inf else ", and finite"
        raise ValueError(
            f"{type(who).__name__}: {name} must be at least {least:g}{limit}, and got {value!r}."
        )
    return plain


def count(who: Any, name: str, value: Any, least: int = 1) -> int:
    """Return an argument that is an integer, or raise a TypeError or ValueError."""
    whole = number(who, name, value, least=least)
    if whole != int(whole) or not hasattr(value, "__index__"):
        raise TypeError(f"{type(who).__name__}: {name} must be an integer, and got {value!r}.")
    return int(value)
