"""The objects around a recorded function: what it has read there, and what it has written.

Objects of the user hold arrays and numbers themselves, never recording ones: which recording array
stands for what is at a place is known here alone. Only Variables hold recording arrays while a call
is recorded.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..tape.classes import MISSING, is_a, method_of
from ..tape.draws import Snapshot
from ..tape.recorded import Recorded, contents
from ..tape.stop import Stop
from .places import Place
from .reads import Reads


class Surroundings(Reads):
    """The reads and writes of one call beyond the objects that it makes."""

    def __init__(self, tape: Any, numeric: Any) -> None:
        super().__init__(tape, numeric)
        tape.before_write = self.before_write

    def write(self, holder: Any, kind: str, key: Any, value: Any) -> None:
        """Put a value at a place; note that, if the code has not made the holder.

        The holder gets the array or number itself in place of a recording one.
        """
        holder, kind = self.owners.get(id(holder), (holder, kind))
        place = self.known.get(id(holder))
        if place is None:
            put(holder, kind, key, value)
        if place is None or self.is_over:
            return
        self._require_no_body(f"sets {Place(None, place, kind, key)}")
        slot = id(holder), kind, key
        before = current(holder, kind, key)
        if before is MISSING:
            structure = holder if kind == "item" else getattr(holder, "__dict__", None)
            self._restructured.add(id(structure))
        content = value.content if type(value) is Recorded else value
        self._undo.append(lambda: put(holder, kind, key, before))  # Ctrl-C may come after `put`
        put(holder, kind, key, content)
        self._slots[slot] = content, value
        at = self.written.pop(slot, (Place(before, place, kind, key), None))[0]
        self.written[slot] = at, value

    def set_context(self, variable: ContextVar[Any], value: Any) -> Any:
        """Set a context variable; return the token."""
        place = self.root(variable, variable.name)
        self._require_no_body(f"sets {place}")
        slot = id(variable), "context", None
        before = self._slots.get(slot), self.written.get(slot)
        content = value.content if type(value) is Recorded else value
        token = variable.set(content)
        self._undo.append(lambda: self.reset_context(variable, token))
        self._tokens[id(token)] = token, before
        self._slots[slot] = content, value
        self.written[slot] = Place(MISSING, place, "context"), value
        return token

    def reset_context(self, variable: ContextVar[Any], token: Any) -> None:
        """Reset a context variable, if that was not done yet."""
        found = self._tokens.pop(id(token), None)
        if found is None:
            return
        variable.reset(token)
        slot = id(variable), "context", None
        for entries, before in zip((self._slots, self.written), found[1], strict=True):
            if before is None:
                entries.pop(slot, None)
            else:
                entries[slot] = before

    def append(self, holder: list[Any], value: Any) -> None:
        """Append a value to a list."""
        if self.is_over:
            return
        place = self.known[id(holder)]
        self._require_no_body(f"appends to {place}")
        if (place.identity, "length") in self._looked:
            raise Stop(f"appends to {place}, after it has looked how long it is: look at a copy")
        length = len(holder)
        self._undo.append(lambda: holder.__delitem__(slice(length, None)))
        holder.append(value.content if type(value) is Recorded else value)
        self._restructured.add(id(holder))
        self.appended.append((place, value))

    def before_write(self, array: Recorded) -> None:
        """Note what is in an array of the user's before the code writes into it."""
        content = array.root.content
        if self.arrays.get(id(content)) is not array.root:
            return
        self._require_no_body("writes into an array of its surroundings")
        if not array.root._version and content.flags.writeable:
            copy = content.copy("K")
            self._undo.append(lambda: np.copyto(content, copy))

    def is_apart(self, array: Any) -> bool:
        """Return whether an array shares no memory with one of the user's."""
        return not any(np.may_share_memory(array, x.content) for x in self.arrays.values())

    def before_draw(self, generator: Any) -> None:
        """Note a generator from which the code draws."""
        self.draws += 1
        if id(generator) not in self.generators:
            self.generators[id(generator)] = generator
            self._undo.append(Snapshot([generator]).restore)

    def _require_no_body(self, what: str) -> None:
        if self.tape.region is not None or self.in_body:
            raise Stop(f"{what}, in the body of an operation: do this outside of it", acts=True)

    def require_unchanged(self, body: Any) -> None:
        """Stop if the call has written what a body, that runs as it is, may read."""
        has_written = any(each._version for each in self.arrays.values())
        if self.written or self.appended or has_written:
            raise Stop(
                f"runs {body.__qualname__} as it is, after a change that a replay makes at its end"
            )

    def release(self) -> None:
        """Let go of the objects at the places: those of arguments, and behind weak references."""
        written = [place for place, _ in (*self.written.values(), *self.appended)]
        looks = [each.place for each in self.looks]
        for place in (*looks, *written, *self.known.values(), *(x.place for x in self.inputs)):
            place.release()
        for entries in (self.known, self.arrays, self.foreign, self._slots):
            entries.clear()
        for each in self.inputs:
            each.content = None

    def put_back(self) -> None:
        """Take back all that the call has changed."""
        while self._undo:
            with suppress(LookupError, AttributeError):  # it was not yet there
                self._undo.pop()()
        self.is_over = True  # generators of the call may still be closed, and run

    def keep(self) -> None:
        """Keep the changes: Variables get the arrays themselves in place of the recording ones."""
        for place, _, _ in self.variables.values():
            x = place.found
            x.data, x.grad = contents(x.data), contents(x.grad)
        self._undo.clear()


def is_frozen(x: Any) -> bool:
    """Return whether an object is of a class whose own function sets attributes, or refuses to."""
    return not is_a(x, type) and type(method_of(type(x), "__setattr__")) is FunctionType


def current(holder: Any, kind: str, key: Any) -> Any:
    """Return the object that is at a place itself; MISSING if there is none."""
    try:
        if kind == "item":
            return holder[key]
        own = getattr(holder, "__dict__", None)
        if own is not None and key in own:
            return own[key]
        slot: Any = getattr(type(holder), key, None)
        return slot.__get__(holder) if hasattr(type(slot), "__set__") else MISSING
    except (AttributeError, LookupError, ValueError):
        return MISSING


def put(holder: Any, kind: str, key: Any, x: Any) -> None:
    """Put an object at a place, or remove what is there for MISSING."""
    if kind == "item":
        if x is MISSING:
            del holder[key]
        else:
            holder[key] = x
    elif is_a(holder, (type, ModuleType)) or not is_frozen(holder):
        delattr(holder, key) if x is MISSING else setattr(holder, key, x)
    elif x is MISSING:
        object.__delattr__(holder, key)
    else:
        object.__setattr__(holder, key, x)
