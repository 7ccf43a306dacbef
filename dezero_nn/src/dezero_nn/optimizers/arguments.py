"""The numbers that optimizers, hooks and schedules are given."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import Any


def number(who: Any, name: str, value: Any, least: float = 0.0, below: float = inf) -> float:
    """Return an argument as a Python float, which no float32 array turns into float64.

    who: whose argument it is.
    least, below: the range: ``least <= value < below``.
    Raises TypeError: if it is no real number.
    Raises ValueError: if it is outside of the range, or nan.
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
    """Return an argument that is an integer of at least 1, or of another one.

    Raises TypeError: if it is no integer.
    Raises ValueError: if it is below that.
    """
    whole = number(who, name, value, least=least)
    if whole != int(whole) or not hasattr(value, "__index__"):
        raise TypeError(f"{type(who).__name__}: {name} must be an integer, and got {value!r}.")
    return int(value)
