"""The words of the conformance kit by which operations say how to call them in tests.

The kit is a tool, and no plugin needs it: so here ``Sample(Call(Draw((2, 3)), axis=0))`` is only
noted. What was noted is a function of the kit, as a registration takes it; the kit calls it, and
has its own `Sample`. ``help(dezero_tools.testing.Sample)`` explains the words.
"""

from __future__ import annotations

from functools import partial
from typing import Any


class Noted:
    """A call of a function of the kit, to be made when the kit is there."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, kit: Any) -> Any:
        return getattr(kit, self.name)(*_replaced(self.args, kit), **_replaced(self.kwargs, kit))


def _replaced(value: Any, kit: Any) -> Any:
    """Return a value with all that was noted in it made, also in lists, tuples and dicts."""
    if isinstance(value, Noted):
        return value(kit)
    if type(value) in (list, tuple):
        return type(value)(_replaced(item, kit) for item in value)
    if type(value) is dict:
        return {key: _replaced(item, kit) for key, item in value.items()}
    return value


Call: Any = partial(Noted, "Call")
Draw: Any = partial(Noted, "Draw")
Sample: Any = partial(Noted, "Sample")
elementwise: Any = partial(Noted, "elementwise")
#: Of a function that takes complex numbers, too.
analytic: Any = partial(elementwise, complex=True)
