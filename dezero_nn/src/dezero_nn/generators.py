"""The state of NumPy's random generators as text, which a file can hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np

_LAST = {"pos": 624, "buffer_pos": 4, "has_gauss": 1, "has_uint32": 1, "uinteger": 2**32 - 1}
"""The largest values of numbers in states. NumPy does not look at positions: with larger ones it
reads beyond the words of a generator. All other numbers have up to 128 bits."""


def generator_as_text(rng: Any) -> str:
    """Return the state of a generator as JSON."""
    return json.dumps(_state_of(rng), default=lambda value: value.tolist())


def set_generator(rng: Any, text: str, who: str) -> None:
    """Give a generator the state in a text; see `plan_to_set`."""
    plan_to_set(rng, text, who)()


def plan_to_set(rng: Any, text: str, who: str) -> Callable[[], None]:
    """Check the state in a text, and return the function that gives it to a generator.

    Raises ValueError: if it is that of another kind of generator, or of none; `who` asks for it.
    """
    now = _state_of(rng)
    try:
        given = json.loads(text)
        kind = given["bit_generator"]
    except (TypeError, ValueError, LookupError, RecursionError) as error:
        raise ValueError(f"{who}: this is no state of a generator: {error!r}.") from error
    if kind != now["bit_generator"]:
        raise ValueError(
            f"{who}: the state is of a {kind}, but the generator is a "
            f"{now['bit_generator']}. Make this generator like the saved one."
        )
    state = _valid_part(given, now, who, "state")
    if isinstance(rng, np.random.Generator):
        return lambda: setattr(rng.bit_generator, "state", state)
    return lambda: rng.set_state(state)


def _valid_part(given: Any, now: Any, who: str, name: str) -> Any:
    """Return a part of a state, of JSON, if a generator can be in it that is `now` in another."""
    if isinstance(now, Mapping):
        if isinstance(given, dict) and given.keys() == now.keys():
            state = {key: _valid_part(given[key], now[key], who, key) for key in now}
            return _moving(state, who)
    elif isinstance(now, np.ndarray):
        if isinstance(given, list) and len(given) == len(now):
            last = int(np.iinfo(now.dtype).max)
            return np.array([_integer(x, last, who, name) for x in given], now.dtype)
    elif isinstance(now, str):
        return now  # the kind, which was compared
    elif isinstance(now, float):
        if isinstance(given, float) and isfinite(given):
            return given
    else:
        return _integer(given, _LAST.get(name, 2**128 - 1), who, name)
    raise _wrong(who, name)


def _moving(state: dict[str, Any], who: str) -> dict[str, Any]:
    """Return a part of a state, unless a generator would draw the same words for ever from it.

    NumPy draws again until a word fits, so a call would never return. Philox and SFC64 count their
    draws, and leave every state.
    """
    if not state.get("inc", 1) % 2:  # of PCG64: an even one shortens its period, 0 down to 1
        raise _wrong(who, "inc")
    key = state.get("key", ())
    # Of the first word of the Mersenne Twister, its recurrence uses the highest bit alone.
    if len(key) == 624 and key[0] < 2**31 and not key[1:].any():
        raise _wrong(who, "key")
    return state


def _integer(given: Any, last: int, who: str, name: str) -> int:
    if type(given) is int and 0 <= given <= last:
        return given
    raise _wrong(who, name)


def _wrong(who: str, name: str) -> ValueError:
    return ValueError(
        f"{who}: {name!r} is damaged: no such generator is ever in this state. Take another file."
    )


def _state_of(rng: Any) -> Any:
    if isinstance(rng, np.random.Generator):
        return rng.bit_generator.state
    return rng.get_state(legacy=False)
