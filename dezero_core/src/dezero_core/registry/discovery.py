"""Which plugins are installed, in which order they load, and what the switches say."""

from __future__ import annotations

import os
import re
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from ..errors import PluginConflictError, attempt, shown
from .distributions import entry_points, normalized

GROUP = "dezero"
State = Literal["loaded", "disabled", "failed", "incompatible", "pending"]
_UNREAD = "(unread)"


class PluginRecord(NamedTuple):
    """What is known of one plugin.

    Attributes
    ----------
    name : str
        Name of its entry point, or the one it was registered under.
    distribution, version : str or None
        The installed distribution that brings it; None for ``register(plugin)``.
    origin : str
        Where it comes from: the URL or folder it was installed from, or the module.
    state : str
        ``"loaded"``, ``"disabled"``, ``"failed"``; ``"incompatible"``: with this version of
        the core, or of a plugin that it requires; ``"pending"`` while its package is itself
        being imported.
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

    @property
    def is_broken(self) -> bool:
        """Whether it, or a module of it, was to be loaded and could not be."""
        late = self.state == "loaded" and self.cause is not None
        return late or self.state in ("failed", "incompatible")

    @property
    def why_not(self) -> str:
        """Why it is not loaded, as a sentence goes on with it."""
        return f"is not loaded: {self.cause}" if self.cause else "is not loaded yet"


class Plugin:
    """One plugin as it is handled: how to load it, and what came of it."""

    def __init__(self, record: PluginRecord, entry_point: Any = None, module: Any = None) -> None:
        self.record = record
        self.entry_point = entry_point
        self.hold(module)
        #: Names of the plugins that it requires, once it is loaded.
        self.requires: tuple[str, ...] = ()
        #: What it has failed for, if that was a conflict with another plugin.
        self.conflict: PluginConflictError | None = None

    def hold(self, module: Any) -> None:
        """Take the module or object that the hooks are in."""
        self._module: Callable[[], Any] = lambda: module

    def let_go(self) -> None:
        """Keep it only as long as others do: it is not to live for its name in a list."""
        try:
            self._module = weakref.ref(self.module)
        except TypeError:  # of what no weak reference can be made
            self.hold(None)

    @property
    def module(self) -> Any:
        """The module or object that the hooks are in; None if it is not there, or not any more."""
        return self._module()

    def described(self) -> PluginRecord:
        """Return the record, with the origin read: at import nobody asks for that."""
        if self.record.origin is _UNREAD:
            origin = _origin(self.entry_point.dist)
            self.record = self.record._replace(origin=origin)
        return self.record

    @property
    def key(self) -> tuple[str, str]:
        """The entry point's name alone may occur in two distributions."""
        return self.record.name, self.record.distribution or ""

    @property
    def unique_name(self) -> str:
        """The key as one string."""
        return " of ".join(filter(None, self.key))

    @property
    def names(self) -> set[str]:
        """Every name a user may call it by: of entry point, distribution, module, package."""
        names = (self.record.name, self.record.distribution, self.module_name, self.package)
        return {normalized(name) for name in names if name}

    @property
    def module_name(self) -> str:
        """Name of the module that the entry point names, or that was registered."""
        target = self.record.origin if self.entry_point is None else self.entry_point.value
        return str(target).partition(":")[0].strip()

    @property
    def package(self) -> str:
        """Name of the top-level package of that module."""
        return self.module_name.partition(".")[0]

    def is_redefined_by(self, other: Plugin) -> bool:
        """Return whether it is loaded, and `other` the same class defined once more.

        That is what running a cell of a notebook again does.
        """
        mine, others = (
            plugin.module if isinstance(plugin.module, type) else type(plugin.module)
            for plugin in (self, other)
        )
        where, wherefrom = ((cls.__module__, cls.__qualname__) for cls in (mine, others))
        local = "<locals>" in mine.__qualname__  # a factory makes many classes of one name
        return (
            self.record.state == "loaded"
            and mine is not others
            and where == wherefrom
            and not local
        )

    def is_being_imported(self) -> bool:
        """Return whether its package is on the way in, and its hooks perhaps not there yet.

        So it is when the package imports the core, which loads the plugins.
        """
        package = self.package
        return any(
            getattr(getattr(module, "__spec__", None), "_initializing", False)
            for name, module in list(sys.modules.items())
            if name == package or name.startswith(f"{package}.")
        )


class Switch(NamedTuple):
    """A list of plugin names, and who gave it; None: it is not set."""

    source: str
    names: tuple[str, ...] | None

    @classmethod
    def read(cls, variable: str, given: Iterable[str] | None) -> Switch:
        """Take the names given in Python, otherwise those of an environment variable."""
        if given is not None:
            return cls("load_plugins()", (given,) if isinstance(given, str) else tuple(given))
        value = os.environ.get(variable)
        if value is None:
            return cls(variable, None)
        return cls(variable, tuple(name.strip() for name in value.split(",") if name.strip()))

    def lists(self, plugin: Plugin) -> bool:
        """Return whether it names this plugin, by any of the plugin's names."""
        return any(normalized(name) in plugin.names for name in self.names or ())

    def unknown(self, plugins: Iterable[Plugin]) -> list[str]:
        """Return a sentence for each name that no plugin has."""
        plugins = list(plugins)
        known = set().union(*(plugin.names for plugin in plugins))
        return [
            f"{self.source} names {name!r}, and no plugin of that name is installed. "
            f"{installed(name, plugins)}"
            for name in self.names or ()
            if normalized(name) not in known
        ]


def discover(warn: Callable[[str], Any] = warnings.warn) -> list[Plugin]:
    """Return the installed plugins: each after those its distribution requires, then by name.

    `warn` is called with a sentence on each place that could not be looked through.
    """
    found: dict[str, list[Plugin]] = {}
    requires: dict[str, list[str]] = {}
    entries = [(entry, *_metadata(entry.dist)) for entry in entry_points(GROUP, warn)]
    for entry, name, version, required in sorted(entries, key=lambda e: (e[0].name, e[1])):
        record = PluginRecord(shown(entry.name), name, version, _UNREAD, "disabled")
        found.setdefault(normalized(name), []).append(Plugin(record, entry))
        requires[normalized(name)] = sorted(map(_required, required))
    ordered: list[Plugin] = []
    visited: set[str] = set()

    def visit(distribution: str) -> None:
        if distribution in found and distribution not in visited:
            visited.add(distribution)
            for required in requires[distribution]:
                visit(required)
            ordered.extend(found[distribution])

    for distribution in found:  # in the order of the entry points' names
        visit(distribution)
    return ordered


def _required(requirement: str) -> str:
    """Return the name of a required distribution, empty if only an extra requires it."""
    if ";" in requirement and re.search(r";.*\bextra\b", requirement):
        return ""
    return normalized("".join(takewhile(lambda c: c.isalnum() or c in "_.-", requirement)))


def _metadata(distribution: Any) -> tuple[str, str, list[str]]:
    """Return name, version and requirements of a distribution, also a damaged one."""
    name = attempt(lambda: distribution.name) or _folder(distribution)
    version = attempt(lambda: distribution.version) or "unknown"
    return shown(name), shown(version), attempt(lambda: distribution.requires) or []


def _origin(distribution: Any) -> str:
    """Return where a distribution was installed from, else the folder it is in."""
    origin = attempt(lambda: distribution.origin)
    url = shown(str(getattr(origin, "url", None) or _folder(distribution)))
    editable = getattr(getattr(origin, "dir_info", None), "editable", False)
    return f"{url} (editable)" if editable else url


def _folder(distribution: Any) -> str:
    return str(attempt(lambda: distribution.locate_file("")) or "unknown")


def installed(name: str, plugins: Iterable[Plugin]) -> str:
    """Return a sentence on which plugins there are, and which `name` may have meant."""
    names = sorted({plugin.record.name for plugin in plugins})
    return f"Installed: {', '.join(names) or 'none'}. {did_you_mean(name, names)}".rstrip()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``Did you mean 'x'?`` with the nearest known name, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return f"Did you mean {close[0]!r}?" if close else ""
