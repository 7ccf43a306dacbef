"""The parameters of what an optimizer was set up for, and the warning of missing gradients."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable
from dezero_core.extend import user_place

from ..layers import Layer
from .trees import ArrayTree

_NAMED = 5
"""So many parameters are named in a message."""


class MissingGradientWarning(UserWarning):
    """No gradient has come to some parameters, so that an update does not change them."""


class Group(Layer):
    """Parameters and layers that are trained together, by the names ``parameters/0`` and so on."""

    def __init__(self, parameters: list[Any]) -> None:
        self.parameters = parameters


def as_layer(target: Any, who: str) -> Layer:
    """Return a Layer, or one that holds the Parameters and Layers of an iterable, or a tree.

    Raises TypeError: if `target` is something else.
    """
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
