"""The state of NumPy's random generators as text, which a file can hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def generator_as_text(rng: Any) -> str:
    """Return the state of a generator as JSON.

    Parameters
    ----------
    rng : numpy.random.Generator, numpy.random.RandomState or the module numpy.random

    Examples
    --------
    >>> from dezero_nn.generators import generator_as_text, set_generator
    >>> rng, other = np.random.default_rng(0), np.random.default_rng(1)
    >>> set_generator(other, generator_as_text(rng), "example")
    >>> bool(rng.random() == other.random())
    True
    """
    return json.dumps(_state_of(rng), default=lambda value: value.tolist())


def set_generator(rng: Any, text: str, who: str) -> None:
    """Give a generator the state in a text.

    Parameters
    ----------
    rng : numpy.random.Generator, numpy.random.RandomState or the module numpy.random
    text : str
        The result of `generator_as_text`.
    who : str
        Who asks for it, for the error.

    Raises
    ------
    ValueError
        If it is the state of another kind of generator; `rng` is not changed.
    """
    state, now = json.loads(text), _state_of(rng)
    if state["bit_generator"] != now["bit_generator"]:
        raise ValueError(
            f"{who}: the state is that of a {state['bit_generator']}, and the generator is a "
            f"{now['bit_generator']}. Make the generator as that one was."
        )
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = state
    else:
        rng.set_state(state)


def _state_of(rng: Any) -> Any:
    if isinstance(rng, np.random.Generator):
        return rng.bit_generator.state
    return rng.get_state(legacy=False)
