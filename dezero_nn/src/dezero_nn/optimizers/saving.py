"""The state of an optimizer as a dict, for checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dezero_core import Variable

from .targets import listed, names_of

if TYPE_CHECKING:
    from .optimizer import Optimizer

_NUMBER = "number/"


def numbers_of(optimizer: Optimizer) -> dict[str, Any]:
    """Return the numbers, booleans and strings among the public attributes."""
    kinds = (bool, int, float, str, np.number)
    public = {k: v for k, v in vars(optimizer).items() if not k.startswith("_")}
    return {name: value for name, value in public.items() if isinstance(value, kinds)}


def saved(optimizer: Optimizer, target: Any) -> dict[str, Any]:
    """Return the state of an optimizer: see `Optimizer.state_dict`."""
    _require_no_hidden_arrays(optimizer)
    state = _kind_of(optimizer, target)
    for name, value in numbers_of(optimizer).items():
        state[_NUMBER + name] = value.item() if isinstance(value, np.number) else value
    names = names_of(target)
    for param in target.params():
        for each in optimizer.states_of(param):
            if each.data is not None:
                state[f"{each.name}/{names[id(param)]}"] = each.data
    return state


def plan_to_load(optimizer: Optimizer, target: Any, state: Mapping[str, Any]) -> Callable[[], None]:
    """Return a function that loads a state into an optimizer, which it fits.

    Raises
    ------
    ValueError
        If it is of another class, of a model with other parameters, or an array has another
        shape or dtype than its parameter.
    """
    who = type(optimizer).__name__
    _require_same(who, _kind_of(optimizer, target), state)
    names, loaded = names_of(target), []
    for param in target.params():
        for each in optimizer.states_of(param):
            array = state.get(f"{each.name}/{names[id(param)]}")
            if array is not None and param.data is not None:
                here, there = (f"{x.dtype}{list(x.shape)}" for x in (param.data, array))
                if here != there:
                    raise ValueError(
                        f"{who}: {names[id(param)]!r} is {here} here, and its {each.name!r} in the "
                        f"saved state {there}. Load it with the model that was saved."
                    )
            loaded.append((each, array))
    numbers = {k.removeprefix(_NUMBER): state[k] for k in state if k.startswith(_NUMBER)}

    def load() -> None:
        vars(optimizer).update(numbers)
        for each, array in loaded:
            each.data = None if array is None else array.copy()

    return load


def _kind_of(optimizer: Optimizer, target: Any) -> dict[str, Any]:
    return {
        "class": type(optimizer).__name__,
        "state_names": " ".join(optimizer.state_names),
        "parameters": json.dumps(sorted(names_of(target).values())),
    }


def _require_same(who: str, here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    for what in ("class", "state_names"):
        if there.get(what) != here[what]:
            raise ValueError(
                f"{who}: the {what} of this optimizer is {here[what]!r}, and that of the saved one "
                f"{there.get(what)!r}. Make the optimizer as that one was."
            )
    ours, theirs = (set(json.loads(each["parameters"])) for each in (here, there))
    if ours != theirs:
        raise ValueError(
            f"{who}: the model is not the one that was saved. Parameters here alone: "
            f"{listed(sorted(ours - theirs)) or 'none'}; in the saved state alone: "
            f"{listed(sorted(theirs - ours)) or 'none'}."
        )


def _require_no_hidden_arrays(optimizer: Optimizer) -> None:
    """Refuse arrays in attributes of a subclass: no checkpoint has them."""
    for name, value in vars(optimizer).items():
        items = value.values() if isinstance(value, dict) else value
        items = items if isinstance(value, (dict, list, tuple)) else (items,)
        if any(isinstance(item, (np.ndarray, Variable)) for item in items):
            raise TypeError(
                f"{type(optimizer).__name__} keeps arrays in the attribute {name!r}, which would "
                'not be saved. Name them in the class, as state_names = ("v",), and read them by '
                "for data, grad, v in self.parts(param)."
            )
