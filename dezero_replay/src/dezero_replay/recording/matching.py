"""Patterns of ``match``, looked at as Python does: each look goes through a scope.

A rewritten ``case`` holds its pattern as nested tuples: the kind, which is a method of `Matching`,
and the parts. Values and classes are functions, since Python evaluates them when it comes to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Pattern = tuple[Any, ...]

#: Flags of types, as Python has them: of what a pattern in brackets or braces takes, and of types
#: such as int, whose one positional pattern is for the object itself.
_SEQUENCE, _MAPPING, _ITSELF = 1 << 5, 1 << 6, 1 << 22


class Matching:
    """Matches an object with a pattern."""

    def __init__(self, scope: Any) -> None:
        self._scope = scope
        #: The names that the pattern binds, and what to.
        self.names: dict[str, Any] = {}

    def matches(self, x: Any, pattern: Pattern) -> bool:
        """Return whether an object has the form of a pattern."""
        kind, *parts = pattern
        return bool(getattr(self, f"_{kind}")(x, *parts))

    def _is_of(self, x: Any, flag: int) -> bool:
        self._scope.call(type, x)
        return bool(type(x).__flags__ & flag)

    def _value(self, x: Any, value: Callable[[], Any]) -> bool:
        return bool(self._scope.truth(self._scope.eq(x, value())))

    def _singleton(self, x: Any, value: Any) -> bool:
        return bool(self._scope.is_(x, value))

    def _as(self, x: Any, pattern: Pattern | None, name: str | None) -> bool:
        if pattern is not None and not self.matches(x, pattern):
            return False
        if name is not None:
            self.names[name] = x
        return True

    def _or(self, x: Any, *patterns: Pattern) -> bool:
        return any(self.matches(x, each) for each in patterns)

    def _sequence(self, x: Any, *patterns: Pattern) -> bool:
        if not self._is_of(x, _SEQUENCE):
            return False
        length, number = self._scope.call(len, x), len(patterns)
        star = next((n for n, each in enumerate(patterns) if each[0] == "star"), None)
        if (length != number) if star is None else (length < number - 1):
            return False
        for n, pattern in enumerate(patterns):
            if n == star:
                if (name := pattern[1]) is not None:
                    items = range(n, n + length - number + 1)
                    self.names[name] = [self._scope.item(x, k) for k in items]
                continue
            index = n if star is None or n < star else n + length - number
            if not self.matches(self._scope.item(x, index), pattern):
                return False
        return True

    def _mapping(self, x: Any, keys: Any, patterns: Any, rest: str | None) -> bool:
        if not self._is_of(x, _MAPPING):
            return False
        keys = [key() for key in keys]
        for key, pattern in zip(keys, patterns, strict=True):
            if not self._scope.contained(key, x):
                return False
            if not self.matches(self._scope.item(x, key), pattern):
                return False
        if rest is not None:
            found = self._scope.mapping(x)
            self.names[rest] = {key: found[key] for key in found if key not in keys}
        return True

    def _class(self, x: Any, kind: Any, patterns: Any, names: Any, of_names: Any) -> bool:
        kind, scope = kind(), self._scope
        if not scope.call(isinstance, x, kind):
            return False
        if patterns and kind.__flags__ & _ITSELF:
            first, *patterns = patterns
            if not self.matches(x, first):
                return False
        taken = scope.call(getattr, kind, "__match_args__", ()) if patterns else ()
        if len(patterns) > len(taken):
            raise TypeError(
                f"{kind.__name__}() accepts {len(taken)} positional sub-patterns "
                f"({len(patterns)} given)"
            )
        missing = object()
        for name, pattern in zip(
            (*taken[: len(patterns)], *names), (*patterns, *of_names), strict=True
        ):
            found = scope.call(getattr, x, name, missing)
            if found is missing or not self.matches(found, pattern):
                return False
        return True
