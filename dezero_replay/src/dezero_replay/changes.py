"""Whether a run of a body has changed what it reaches: then it may not be run once more."""

from __future__ import annotations

from typing import Any

import numpy as np

from .capture import NUMBERS, Place, Reached, is_skipped, snapshot_of
from .recorded import contents
from .tape import equal


class Changes:
    """The objects that the body of a Function reaches beyond it, as they are before a run.

    Parameters
    ----------
    function : Function
        Those of this project reach nothing.
    """

    def __init__(self, function: Any) -> None:
        is_own = is_skipped(type(function).__module__)
        places = [] if is_own else Reached(function).places
        self._arrays = [
            (x.found, contents(x.found).copy("K"))
            for x in places
            if isinstance(x.found, np.ndarray)
        ]
        looks = ((x.found, snapshot_of(x.found)) for x in places)
        self._insides = [(x, look, look(x)) for x, look in looks if look is not None]
        self._numbers = [
            (x, contents(x.found))
            for x in places
            if isinstance(x.found, NUMBERS) and x.parent is not None
            if x.parent.found is not function
        ]

    def were_made(self) -> bool:
        """Return whether something is another one now."""
        return (
            any(not equal(contents(x), copy) for x, copy in self._arrays)
            or any(look(x) != before for x, look, before in self._insides)
            or not all(_is_there(x, before) for x, before in self._numbers)
        )


def _is_there(place: Place, before: Any) -> bool:
    try:
        return equal(contents(place.read()), before)
    except AttributeError:
        return False
