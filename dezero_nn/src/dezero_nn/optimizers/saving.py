"""The state of an optimizer as a dict, for checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from inspect import signature
from numbers import Real
from typing import Any, Protocol

import numpy as np

from dezero_core import Parameter, Variable

from ..layers import State
from ..npz import FileArray
from .targets import count, first_names, names_of, number

_NUMBER = "number/"


class Saved(Protocol):
    """The attributes of an optimizer; `Optimizer` imports this file, and is not named here."""

    state_names: tuple[str, ...]

    def states_of(self, param: Parameter) -> tuple[State, ...]: ...


def numbers_of(optimizer: Saved) -> dict[str, Any]:
    """Return the numbers, booleans and strings among the public attributes."""
    kinds = (bool, int, float, str, np.number)
    public = {k: v for k, v in vars(optimizer).items() if not k.startswith("_")}
    return {name: value for name, value in public.items() if isinstance(value, kinds)}


def saved(optimizer: Saved, target: Any) -> dict[str, Any]:
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


def plan_to_load(optimizer: Saved, target: Any, state: Mapping[str, Any]) -> Callable[[], None]:
    """Return a function that loads a state into an optimizer: see `Optimizer.load_state_dict`."""
    who = type(optimizer).__name__
    _require_same(who, _kind_of(optimizer, target), state)
    numbers = _checked_numbers(who, optimizer, state)
    names, loaded = names_of(target), []
    for param in target.params():
        for each in optimizer.states_of(param):
            array = state.get(f"{each.name}/{names[id(param)]}")
            if array is not None:
                _require_like(who, param, names[id(param)], str(each.name), array)
            loaded.append((each, array))
    arrays = [(each, None if array is None else array.copy()) for each, array in loaded]

    def load() -> None:
        vars(optimizer).update(numbers)
        for each, array in arrays:
            each.data = array

    return load


def _require_like(who: str, param: Any, name: str, state_name: str, array: Any) -> None:
    """Refuse what is no array like the data of a parameter; like those of the file without data."""
    if not isinstance(array, (np.ndarray, FileArray)) or array.dtype.kind not in "fc":
        raise ValueError(f"{who}: {state_name!r} of {name!r} must be an array of numbers.")
    if param.data is None and isinstance(array, FileArray):
        array.require_plain()
    here, there = (x if x is None else f"{x.dtype}{list(x.shape)}" for x in (param.data, array))
    if here not in (None, there):
        raise ValueError(
            f"{who}: {name!r} is {here} here, and its {state_name!r} in the saved state {there}. "
            "Load it with the model that was saved."
        )


def _checked_numbers(who: str, optimizer: Saved, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a state, if an optimizer can have them: as the constructor says."""
    numbers = {k.removeprefix(_NUMBER): state[k] for k in state if k.startswith(_NUMBER)}
    own = {"initial_rate": None, **vars(optimizer)}  # of a schedule, which may be made later
    for name, value in numbers.items():
        # A text of the class is no state: rate_name says which number a schedule changes.
        if name not in own and (isinstance(value, str) or not hasattr(optimizer.__class__, name)):
            raise ValueError(
                f"{who}: the saved state has {name!r}, and this optimizer has no such number. Set "
                "it before, to any value."
            )
        now = own.get(name, getattr(optimizer.__class__, name, None))
        kinds = [
            next((kind for kind in (bool, Real, str) if isinstance(x, kind)), None)
            for x in (value, value if now is None else now)
        ]
        if name.startswith("_") or None in kinds or kinds[0] != kinds[1]:
            raise ValueError(f"{who}: the saved state has {value!r} for {name!r}.")
    needed = signature(optimizer.__class__).parameters
    given = {name: numbers[name] for name in needed if name in numbers}
    try:
        count(optimizer, "t", numbers.get("t"), least=0)
        number(optimizer, "initial_rate", numbers.get("initial_rate", 0.0))
        # A class of somebody else may be made of more than numbers.
        if all(name in given or each.default is not each.empty for name, each in needed.items()):
            made = optimizer.__class__(**given)
            if not set(made.state_names) <= set(optimizer.state_names):
                raise ValueError(f"{who}: the saved numbers are those of one with other States.")
    except TypeError as error:
        raise ValueError(str(error)) from error
    return numbers


def _kind_of(optimizer: Saved, target: Any) -> dict[str, Any]:
    return {
        "class": type(optimizer).__name__,
        "state_names": " ".join(optimizer.state_names),
        "parameters": json.dumps(sorted(names_of(target).values())),
    }


def _require_same(who: str, here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    for what in ("class", "state_names"):
        if there.get(what) != here[what]:
            raise ValueError(
                f"{who}: the {what} of this optimizer is {here[what]!r}, but the saved "
                f"optimizer has {there.get(what)!r}. Make this optimizer like the saved one."
            )
    ours = set(json.loads(here["parameters"]))
    try:
        theirs = set(json.loads(there["parameters"]))
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{who}: the saved state has no list of parameters: {error!r}.") from error
    if ours != theirs:
        raise ValueError(
            f"{who}: the model is not the one that was saved. Parameters here alone: "
            f"{first_names(sorted(ours - theirs)) or 'none'}; in the saved state alone: "
            f"{first_names(sorted(map(str, theirs - ours))) or 'none'}."
        )


def _require_no_hidden_arrays(optimizer: Saved) -> None:
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
