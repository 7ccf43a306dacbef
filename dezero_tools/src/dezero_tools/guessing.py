"""Guesses which name a user has meant, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return ``Did you mean 'x'?`` with the nearest known name, or nothing."""
    close = get_close_matches(name, list(known), 1, likeness)
    return f"Did you mean {close[0]!r}?" if close else ""
