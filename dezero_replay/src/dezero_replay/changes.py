"""Whether a run of a body has changed what it reaches: then it may not be run once more."""

from __future__ import annotations

from types import MethodType
from typing import Any

import numpy as np

from .capture import NUMBERS, Place, Reached, is_iterator, is_skipped, snapshot_of
from .recorded import contents
from .tape import equal


class Changes:
    """The objects that the body of a Function reaches beyond it, as they are before a run."""

    def __init__(self, function: Any) -> None:
        reached = Reached(function)
        places = reached.places
        self._missing = list(reached.missing.values())
        self._moves = any(is_iterator(x.found) for x in places)
        self._arrays = [
            (x.found, contents(x.found).copy("K"))
            for x in places
            if isinstance(x.found, np.ndarray)
        ]
        looks = ((x.found, snapshot_of(x.found)) for x in places)
        self._insides = [(x, look, look(x)) for x, look in looks if look is not None]
        self._sizes = [
            (own, len(own))
            for x in places
            if x.found is not function and isinstance(own := getattr(x.found, "__dict__", 0), dict)
        ]
        self._places = [
            x for x in places if x.parent is not None and x.parent.found is not function
        ]

    def were_made(self) -> bool:
        """Return whether any of the objects has changed."""
        return (
            self._moves
            or any(not equal(contents(x), copy) for x, copy in self._arrays)
            or any(not names.isdisjoint(namespace) for namespace, names in self._missing)
            or any(look(x) != before for x, look, before in self._insides)
            or any(len(own) != size for own, size in self._sizes)
            or not all(map(_is_there, self._places))
        )


def changes_of(function: Any) -> Changes | None:
    """Return the `Changes` of a Function; None for one of this project, which reaches nothing."""
    return None if is_skipped(type(function).__module__) else Changes(function)


def _is_there(place: Place) -> bool:
    """Return whether a place holds the same object, or an equal number, as before."""
    now, before = place.now(), place.found
    if now is before:
        return True
    if isinstance(before, NUMBERS):
        return equal(contents(now), contents(before))
    return isinstance(before, MethodType) and bool(now == before)  # a new object each time
