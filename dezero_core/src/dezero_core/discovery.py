"""Which plugins are installed, in which order they load, and what the switches say."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import importlib_metadata

GROUP = "dezero"
State = Literal["loaded", "disabled", "failed", "pending"]


@dataclass(frozen=True)
class PluginRecord:
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
        ``"loaded"``, ``"disabled"``, ``"failed"``; ``"pending"`` while its package is
        itself being imported.
    cause : str or None
        Why it is not loaded.
    operations : tuple of str
        Names of the operations it provides.
    milliseconds : float
        Time taken to import and register it.
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


@dataclass
class Plugin:
    """One plugin as it is handled: how to load it, and what came of it."""

    record: PluginRecord
    entry_point: Any = None
    module: Any = None

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
        target = self.entry_point.value if self.entry_point else self.record.origin
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
        return any(
            getattr(getattr(module, "__spec__", None), "_initializing", False)
            for name, module in list(sys.modules.items())
            if name.partition(".")[0] == self.package
        )


@dataclass(frozen=True)
class Switch:
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


def discover() -> list[Plugin]:
    """Return the installed plugins: each after those its distribution requires, then by name."""
    found: dict[str, list[Plugin]] = {}
    requires: dict[str, list[str]] = {}
    entries = [
        (entry, _metadata(entry.dist)) for entry in importlib_metadata.entry_points(group=GROUP)
    ]
    for entry, (name, version, origin, required) in sorted(
        entries, key=lambda pair: (pair[0].name, pair[1][0])
    ):
        record = PluginRecord(entry.name, name, version, origin, "disabled")
        found.setdefault(normalized(name), []).append(Plugin(record, entry))
        requires[normalized(name)] = sorted(
            normalized(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
            for requirement in required
            if not re.search(r";.*\bextra\b", requirement)
        )
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


def _metadata(distribution: Any) -> tuple[str, str, str, list[str]]:
    """Return name, version, origin and requirements of a distribution, also a damaged one."""

    def read(attribute: str) -> Any:
        try:
            return getattr(distribution, attribute)
        except Exception:  # whatever one file of one distribution holds, the others count
            return None

    folder = str(distribution.locate_file(""))
    origin = read("origin")  # PEP 610: what the installer was given, if that was no index
    url = getattr(origin, "url", folder)
    if getattr(getattr(origin, "dir_info", None), "editable", False):
        url = f"{url} (editable)"
    return read("name") or folder, read("version") or "unknown", url, read("requires") or []


def installed(name: str, plugins: Iterable[Plugin]) -> str:
    """Return a sentence on which plugins there are, and which `name` may have meant."""
    names = sorted({plugin.record.name for plugin in plugins})
    guess = did_you_mean(name, names)
    return f"Installed: {', '.join(names) or 'none'}. {guess[:1].upper()}{guess[1:]}".rstrip()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'x'?`` with the nearest known name, or nothing."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {close[0]!r}?" if close else ""


def normalized(name: str) -> str:
    """Return a name as PEP 503 compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()
