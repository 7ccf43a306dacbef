"""The plugins that were seen: their records, how they are found by name, and the lock over them."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Literal, NamedTuple

from ..errors import PluginWarning, UnknownPluginError, attempt, shown, user_place
from ..providers import PLUGINS
from .registrar import Announcement, Registrar

State = Literal["loaded", "disabled", "failed", "incompatible", "pending"]


class PluginRecord(NamedTuple):
    """The record of one plugin.

    Attributes
    ----------
    name : str
        Name of its entry point, or the one it was registered under.
    distribution, version : str or None
        The installed distribution that brings it; None for ``register(plugin)``.
    origin : str
        The module that its entry point names, or that it was defined in.
    state : str
        ``"loaded"``, ``"disabled"``, ``"failed"``; ``"incompatible"`` with this version of the
        core; ``"pending"`` while its package is being imported.
    cause : str or None
        Why it is not loaded; or, of a loaded one, why one of its modules cannot be imported.
    operations : tuple of str
        Names of the operations it provides, also of those that are imported later.
    milliseconds : float
        Time taken to import and register it, without the modules that are imported later.
    """

    name: str
    distribution: str | None
    version: str | None
    origin: str
    state: State
    cause: str | None = None
    operations: tuple[str, ...] = ()
    milliseconds: float = 0.0

    def __str__(self) -> str:
        source = f"{self.distribution} {self.version}" if self.distribution else self.origin
        return f"plugin {self.name!r} ({source})"

    def __repr__(self) -> str:
        """Count the operations, since a list of plugins would fill a screen with their names."""
        count, name = len(self.operations), " ".join(filter(None, (repr(self.name), self.version)))
        return f"PluginRecord({name}, {self.state}, {count} operation{'s' * (count != 1)})"

    @property
    def is_broken(self) -> bool:
        """Whether it, or a module of it, was to be loaded and could not be."""
        is_late = self.state == "loaded" and self.cause is not None
        return is_late or self.state in ("failed", "incompatible")

    @property
    def why_not(self) -> str:
        """Why it is not loaded: the rest of a sentence that begins with the plugin."""
        return f"is not loaded: {self.cause}" if self.cause else "is not loaded yet"


class Plugin:
    """A plugin that was seen: its record, its entry point if it has one, and what it registered."""

    def __init__(self, record: PluginRecord, entry_point: Any = None, module: Any = None) -> None:
        self.record, self.entry_point, self.module = record, entry_point, module
        self.registrar = Registrar(record.name, record)
        #: The modules that could not be imported when they were last needed, and why.
        self.broken: dict[Announcement, str] = {}

    @classmethod
    def of(cls, entry_point: Any) -> Plugin:
        """Return the plugin of an entry point; the metadata of its distribution may be damaged."""
        # The two headers are read here: importlib_metadata parses the whole of a file for each.
        read = entry_point.dist.read_text
        text = attempt(lambda: read("METADATA") or read("PKG-INFO")) or ""
        found = [re.search(rf"^{header}: (.*)", text, re.M) for header in ("Name", "Version")]
        distribution, version = (shown(line[1]) if line else "unknown" for line in found)
        name, origin = map(shown, (entry_point.name, entry_point.value.partition(":")[0].strip()))
        return cls(PluginRecord(name, distribution, version, origin, "disabled"), entry_point)

    @property
    def key(self) -> tuple[str, str]:
        """Names of the entry point and of the distribution."""
        return self.record.name, self.record.distribution or ""

    @property
    def package(self) -> str:
        """Name of the top-level package of the module that the hook is in."""
        return str(self.record.origin).partition(".")[0]

    @property
    def normalized_names(self) -> set[str]:
        """Every name a user may call it by: of entry point, distribution, module, package."""
        return set(map(normalized, filter(None, (*self.key, self.record.origin, self.package))))

    def described(self) -> PluginRecord:
        """Return the record, with the errors of modules that it announces."""
        cause = " ".join(self.broken.values()) or self.record.cause
        return self.record._replace(cause=cause)

    def is_being_imported(self) -> bool:
        """Return whether its package is being imported just now: the hook may not be there yet."""
        modules = [m for n, m in list(sys.modules.items()) if n.partition(".")[0] == self.package]
        specs = [getattr(module, "__spec__", None) for module in modules]
        return any(getattr(spec, "_initializing", False) for spec in specs)


def normalized(name: str) -> str:
    """Return a name as PEP 503 compares names."""
    return re.sub("[-_.]+", "-", name).lower()


def find(plugin: Any) -> Plugin:
    """Return a plugin that was seen, given as object or by any of its names."""
    if isinstance(plugin, str):
        found = [each for each in PLUGINS if each.record.name == plugin]
        found = found or [each for each in PLUGINS if normalized(plugin) in each.normalized_names]
    else:
        found = [each for each in PLUGINS if each.module is plugin is not None]
    for each in sorted(found, key=lambda each: each.record.state != "loaded"):
        return each
    name = plugin if isinstance(plugin, str) else getattr(plugin, "__name__", repr(plugin))
    known = tuple(sorted({each.record.name for each in PLUGINS}))
    raise UnknownPluginError(
        f"no plugin is called {name!r}. Installed: {', '.join(known) or 'none'}.",
        plugin=name,
        known=known,
    )


_lock = RLock()
_said: list[tuple[str, str, int]] = []
_warned: dict[Any, Any] = {}

if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    # A forked child has one thread: a lock that another one held would never be released there.
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def warn_at_the_end(message: str) -> None:
    """Warn of a plugin that is left out, or of a switch, at the end of `changing`."""
    # Find the user's line that made the first Variable: no fixed `stacklevel` points to it.
    _said.append((message, *user_place("importlib", "contextlib")))


@contextmanager
def changing() -> Iterator[None]:
    """Hold the lock over the tables of plugins and names; give the warnings when all is done."""
    with _lock:
        try:
            yield
        except BaseException as error:
            for message, *_ in _said:  # a misspelt switch may be the reason
                error.add_note(message)
            _said.clear()
            raise
    said, _said[:] = list(_said), []
    raised: list[PluginWarning] = []
    for message, file, line in said:
        try:
            warnings.warn_explicit(message, PluginWarning, file, line, registry=_warned)
        except PluginWarning as error:  # as by python -W error
            raised.append(error)
    if raised:
        for other in raised[1:]:
            raised[0].add_note(str(other))
        raise raised[0]
