"""Items, loops and unpacking, as rewritten code makes them."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import islice
from sys import getrefcount
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from dezero_core import Variable

from ..guards.reads import CONTAINERS
from ..tape.classes import MISSING, is_a, method_of
from ..tape.nested import ATOMS
from ..tape.recorded import Recorded
from ..tape.stop import Stop

FLAGS = type(np.zeros(1).flags)


class _Counting:
    def setitem(self, x: Any, key: Any, value: Any) -> int:
        return getrefcount(x)


def _references_without_a_name() -> int:
    """Return the number of references in `Items.setitem` to an object without a name.

    It is 0 where Python does not count those of its stack, so that a name makes no difference.
    """
    counting, named = _Counting(), object()
    references = counting.setitem(object(), 0, 0)
    return references if references < counting.setitem(named, 0, 0) else 0


_UNNAMED = _references_without_a_name()


class Items:
    """Items, loops and unpacking, as a part of a `Scope`."""

    __slots__ = ()

    if TYPE_CHECKING:  # the other parts of a scope

        def __getattr__(self, name: str) -> Any: ...

    def item(self, x: Any, key: Any) -> Any:
        """Return an item, as Python does."""
        kind = type(x)
        if kind is FLAGS and not self._own:
            raise Stop("reads or sets a flag of an array, which another run may have otherwise")
        if kind is Recorded or is_a(x, Variable):
            return x[self._recorder.whole(key)]
        if kind in (str, bytes, range):
            return x[self._recorder.index(key)]
        method = self._recorder.special(x, "__getitem__")
        return self.plain_item(x, key) if method is None else self.call(method, key)

    def plain_item(self, x: Any, key: Any) -> Any:
        """Return an item, as the types of Python give it."""
        recorder, around = self._recorder, self._around
        if is_a(x, type) and not hasattr(type(x), "__getitem__"):
            found, _ = recorder.in_class(x, "__class_getitem__")
            if type(getattr(found, "__func__", None)) is FunctionType:
                return self.call(MethodType(found.__func__, x), key)
            return x[key]  # as list[int]
        if is_a(x, (list, tuple, deque)):
            return self._of_sequence(x, key)
        if is_a(x, np.ndarray) and id(x) in around.known:
            if x.dtype.hasobject and is_a(key, int):
                return around.read(x, "item", key, x[key])
            recorder.require_seen(x)
            return x[recorder.whole(key)]
        if is_a(x, (bytearray, array)):
            around.look_at(x, "bytes", bytes(x))
            return x[recorder.index(key)]
        key = recorder.hashed(key)
        if id(x) not in around.known:
            missing = method_of(type(x), "__missing__")
            if type(missing) is FunctionType and key not in x:
                return self.call(missing, x, key)
            return x[key]
        if is_a(x, (dict, MappingProxyType)):
            return self._of_dict(x, key)
        raise Stop(f"reads {around.known[id(x)]}[...], and a replay cannot see what is in it")

    def _of_sequence(self, x: Any, key: Any) -> Any:
        recorder, around = self._recorder, self._around
        plain = next(kind for kind in (list, tuple, deque) if is_a(x, kind))
        if is_a(key, slice):
            items = recorder.items(x)
            return plain([*(plain.__iter__(x) if items is x else items)][recorder.index(key)])
        index = recorder.index(key)
        try:
            found = plain.__getitem__(x, index)
        except IndexError:
            around.look_at(x, "length", len(x))
            raise
        if index < 0:  # another place, if the length is another
            around.look_at(x, "length", len(x))
            index += plain.__len__(x)
        return around.read(x, "item", index, found)

    def _of_dict(self, x: Any, key: Any) -> Any:
        around = self._around
        found = dict.get(x, key, MISSING) if is_a(x, dict) else x.get(key, MISSING)
        if found is not MISSING:
            return around.read(x, "item", key, found)
        around.missed(x, "item", key)
        method, _ = self._recorder.in_class(type(x), "__missing__")
        if type(method) is FunctionType:
            return self.call(method, x, key)
        make = self.attr(x, "default_factory") if is_a(x, defaultdict) else None
        if make is None:
            return x[key]  # raises the error
        value = self.call(make)
        around.write(x, "item", key, value)
        return value

    def setitem(self, x: Any, key: Any, value: Any) -> None:
        """Set an item, as Python does."""
        if type(x) is FLAGS:
            raise Stop("sets a flag of an array, and a replay would not")
        if is_a(x, Variable) and getrefcount(x) <= _UNNAMED:
            raise Stop("writes into a Variable that has no name, which eager code refuses")
        method = self._recorder.special(x, "__setitem__")
        if method is None:
            self.plain_setitem(x, key, value)
        else:
            self.call(method, key, value)

    def plain_setitem(self, x: Any, key: Any, value: Any) -> None:
        """Set an item, as the types of Python do."""
        recorder, around = self._recorder, self._around
        if type(x) is Recorded or is_a(x, Variable):
            x[recorder.whole(key)] = recorder.whole(value)
        elif is_a(x, dict):
            around.write(x, "item", recorder.hashed(key), value)
        elif is_a(x, list) and not is_a(key, slice):
            index = recorder.index(key)
            if not -len(x) <= index < len(x):
                x[index] = value  # raises the error
            around.look_at(x, *(("length", len(x)) if index < 0 else ("longer", index)))
            around.write(x, "item", index + len(x) * (index < 0), value)
        else:
            recorder.require_made(x, "sets items")
            x[key if is_a(x, np.ndarray) else recorder.index(key)] = value

    def delitem(self, x: Any, key: Any) -> None:
        """Delete an item."""
        method = self._recorder.special(x, "__delitem__")
        if method is not None:
            self.call(method, key)
            return
        self._recorder.require_made(x, "deletes items")
        del x[key]

    def slice(self, start: Any, stop: Any, step: Any) -> slice:
        """Return a slice."""
        return slice(start, stop, step)

    # Loops and unpacking.

    def iter(self, x: Any) -> Any:
        """Return the iterable of a loop."""
        kind, recorder = type(x), self._recorder
        if kind is Recorded or kind in ATOMS or kind is range or is_a(x, Variable):
            return x
        method = recorder.special(x, "__iter__")
        if method is not None:
            found = self.call(method)
            has_next = recorder.special(found, "__next__") is not None
            return self._by_next(found) if has_next else found
        if recorder.special(x, "__getitem__") is not None and not is_a(x, CONTAINERS):
            return self._by_index(x)
        return self.plain_iter(x)

    def plain_iter(self, x: Any) -> Any:
        """Return the iterable of a loop, as the types of Python give it."""
        recorder = self._recorder
        if is_a(x, (*CONTAINERS, deque, MappingProxyType)):
            return recorder.items(x)
        if is_a(x, (bytearray, array)):
            self._around.look_at(x, "bytes", bytes(x))
            return x
        if id(x) not in self._around.known:
            return x
        raise Stop(
            f"goes through {self._around.known[id(x)]}, and a replay would not advance it: take "
            "the items outside of the function"
        )

    def plain_len(self, x: Any) -> int:
        """Return the length of an object, as the types of Python give that."""
        if is_a(x, (*CONTAINERS, deque)):
            self._around.look_at(x, "length", len(x))
        else:
            self._recorder.require_seen(x)
        return len(x)

    def _by_next(self, iterator: Any) -> Iterator[Any]:
        """Yield the items of an iterator whose ``__next__`` is a function of Python's."""
        while True:
            try:
                found = self.call(self._recorder.special(iterator, "__next__"))
            except StopIteration:
                return
            yield found

    def _by_index(self, x: Any) -> Iterator[Any]:
        index = 0
        while True:
            try:
                found = self.item(x, index)
            except IndexError:
                return
            yield found
            index += 1

    def iter_unpacked(self, x: Any, pattern: Any) -> Iterator[Any]:
        """Yield the items of a loop whose target has several names."""
        for each in self.iter(x):
            yield self.unpacked(each, pattern)

    def unpacked(self, x: Any, pattern: Any) -> Any:
        """Return nested tuples in the form of a target: `pattern` has None for each name."""
        if pattern is None or pattern == "*":
            return x
        star = pattern.index("*") if "*" in pattern else None
        items = list(islice(iter(self.iter(x)), len(pattern) + 1 if star is None else None))
        if star is not None and len(items) >= len(pattern) - 1:
            after = len(items) - (len(pattern) - star - 1)
            pattern = (*pattern[:star], *(None,) * (after - star), *pattern[star + 1 :])
        if len(items) != len(pattern):
            least = str(len(pattern)) if star is None else f"at least {len(pattern) - 1}"
            if len(items) > len(pattern):
                raise ValueError(f"too many values to unpack (expected {least})")
            raise ValueError(f"not enough values to unpack (expected {least}, got {len(items)})")
        return tuple([self.unpacked(*pair) for pair in zip(items, pattern, strict=True)])

    def mapping(self, x: Any) -> Any:
        """Return the mapping that ``**x`` unpacks."""
        if is_a(x, dict):
            return self._recorder.shallow(x)
        return {key: self.item(x, key) for key in self.iter(self.call(self.attr(x, "keys")))}

    def iter_hashed(self, x: Any) -> Any:
        """Yield members of a set."""
        return map(self._recorder.hashed, self.iter(x))
