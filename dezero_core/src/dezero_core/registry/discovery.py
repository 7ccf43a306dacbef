"""The installed plugins: how they are found, their records, and the order of loading.

`entry_points` finds what ``importlib_metadata.entry_points(group=...)`` finds. To import that, and
to let it read every distribution, takes as long as the rest of the core; so the folders on
``sys.path`` are looked through here, and the library is asked only where there is more than
folders.
"""

from __future__ import annotations

import os
import sys
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial, reduce
from importlib import import_module
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from ..errors import attempt, cause_of, shown
from .requirements import Requirement

GROUP = "dezero"
State = Literal["loaded", "disabled", "failed", "incompatible", "pending"]
_UNREAD = "(unread)"


class PluginRecord(NamedTuple):
    """The record of one plugin.

    Attributes
    ----------
    name : str
        Name of its entry point, or the one it was registered under. Where the entry points of
        several distributions have one name, each is listed under the name of its distribution.
    distribution, version : str or None
        The installed distribution that brings it; None for ``register(plugin)``.
    origin : str
        The URL or folder it was installed from, or the module.
    state : str
        ``"loaded"``, ``"disabled"``, ``"failed"``; ``"incompatible"`` with this version of the
        core, or of a plugin that it requires; ``"pending"`` while its package is being imported.
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
        name = " ".join(filter(None, (repr(self.name), self.version)))
        count = f"{len(self.operations)} operation{'' if len(self.operations) == 1 else 's'}"
        return f"PluginRecord({name}, {self.state}, {count})"

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
    """One plugin as it is handled: its entry point, its module, and its record."""

    def __init__(self, record: PluginRecord, entry_point: Any = None, module: Any = None) -> None:
        self.record, self.entry_point = record, entry_point
        self.hold(module)
        #: The plugins to be loaded before it: first those of the metadata, then those it needs.
        self.requires: list[Requirement] = []

    def hold(self, module: Any) -> None:
        """Take the module or object that the hooks are in."""
        self._module: Callable[[], Any] = lambda: module

    def let_go(self) -> None:
        """Keep it only as long as others do: it is not to live for its name in a list."""
        try:
            self._module = weakref.ref(self.module)
        except TypeError:  # as an object with slots, which takes no weak reference
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
    def entry_name(self) -> str:
        """Name of its entry point, which another distribution may have as well."""
        return self.record.name if self.entry_point is None else shown(self.entry_point.name)

    @property
    def key(self) -> tuple[str, str]:
        """Names of the entry point and of the distribution."""
        return self.entry_name, self.record.distribution or ""

    @property
    def unique_name(self) -> str:
        """The key as one string."""
        return " of ".join(filter(None, self.key))

    @property
    def names(self) -> set[str]:
        """Every name a user may call it by: of entry point, distribution, module, package."""
        names = (self.record.name, self.record.distribution, self.module_name, self.package)
        return {normalized(name) for name in (self.entry_name, *names) if name}

    def is_namesake_of(self, name: str) -> bool:
        """Return whether it is not listed by the name of its entry point, and that is `name`."""
        mine, wanted = normalized(self.entry_name), normalized(name)
        return mine == wanted != normalized(self.record.name)

    def is_based_on(self, other: Plugin) -> bool:
        """Return whether it requires another plugin, by its metadata or by ``DEZERO_REQUIRES``."""
        return any(normalized(each.name) in other.names for each in self.requires)

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
        """Return whether `other` is the same class defined once more, as a notebook's cell does."""
        mine, others = (
            plugin.module if isinstance(plugin.module, type) else type(plugin.module)
            for plugin in (self, other)
        )
        same_name = (mine.__module__, mine.__qualname__) == (others.__module__, others.__qualname__)
        local = "<locals>" in mine.__qualname__  # a factory makes many classes of one name
        return self.record.state == "loaded" and mine is not others and same_name and not local

    def is_being_imported(self) -> bool:
        """Return whether its package imports the core just now: the hooks may not be there yet."""
        package = self.package
        return any(
            getattr(getattr(module, "__spec__", None), "_initializing", False)
            for name, module in list(sys.modules.items())
            if name.partition(".")[0] == package
        )


def discover(warn: Callable[[str], Any] = warnings.warn) -> list[Plugin]:
    """Find the installed plugins: each after those its distribution requires, then by name.

    `warn` is called with a sentence on each place that could not be looked through.
    """
    found: dict[str, list[Plugin]] = {}
    entries = [(entry, *_metadata(entry.dist)) for entry in entry_points(GROUP, warn)]
    keys = {(entry.name, distribution) for entry, distribution, *_ in entries}
    names = Counter(name for name, _ in keys)
    distributions = Counter(distribution for _, distribution in keys)
    for entry, distribution, version, required in sorted(entries, key=lambda e: (e[0].name, e[1])):
        name = entry.name
        if names[name] > 1:  # no distribution is to take the name from another
            alone = distributions[distribution] == 1
            name = distribution if alone else f"{distribution}.{name}"
        record = PluginRecord(shown(name), distribution, version, _UNREAD, "disabled")
        plugin = Plugin(record, entry)
        plugin.requires = [each for each in map(Requirement.of_metadata, required) if each]
        found.setdefault(normalized(distribution), []).append(plugin)
    ordered: list[Plugin] = []
    visited: set[str] = set()

    def visit(distribution: str) -> None:
        if distribution in found and distribution not in visited:
            visited.add(distribution)
            for name in sorted(normalized(each.name) for each in found[distribution][0].requires):
                visit(name)
            ordered.extend(found[distribution])

    for distribution in found:  # in the order of the entry points' names
        visit(distribution)
    return ordered


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


def installed(name: str, plugins: Collection[Plugin]) -> str:
    """Return a sentence on which plugins there are, and which `name` may have meant."""
    names = sorted({plugin.record.name for plugin in plugins})
    others = sorted({each for plugin in plugins for each in plugin.names})
    guess = did_you_mean(name, names) or did_you_mean(name, others)
    return f"Installed: {', '.join(names) or 'none'}. {guess}".rstrip()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``Did you mean 'x'?`` with the nearest known name, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return f"Did you mean {close[0]!r}?" if close else ""


#: Modules of the finders on ``sys.meta_path`` that look for distributions in folders alone.
_STANDARD = ("_frozen_importlib_external", "importlib_metadata")


class EntryPoint(NamedTuple):
    """One entry point: its name, the reference to an object, and the distribution that has it."""

    name: str
    value: str
    dist: Any

    def load(self) -> Any:
        """Import the module and return it, or the object in it that is referred to.

        Raises
        ------
        ValueError
            If `value` is no reference such as ``"package.module:name"``.
        """
        reference = self.value.partition("[")[0]  # extras may follow
        module, colon, attribute = (part.strip() for part in reference.partition(":"))
        parts = attribute.split(".") if colon else []
        if not all(part and f"_{part}".isidentifier() for part in (*module.split("."), *parts)):
            raise ValueError(f"{self.value!r} is no reference to a module or an object in one")
        return reduce(getattr, parts, import_module(module))


class InstalledDistribution:
    """A folder ``*.dist-info``, with the attributes that ``importlib_metadata`` gives it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        text = _read(folder, "METADATA") or _read(folder, "PKG-INFO")
        values: dict[str, list[str]] = {"name": [], "version": [], "requires-dist": []}
        # A description may follow the headers, behind an empty line.
        for line in takewhile(bool, text.decode("utf-8", "replace").splitlines()):
            header, _, value = line.partition(":")
            values.setdefault(header.lower(), []).append(value.strip())
        self.name = next(iter(values["name"]), None)
        self.version = next(iter(values["version"]), None)
        self.requires = values["requires-dist"]

    def locate_file(self, path: str) -> str:
        """Return the path of an installed file."""
        return os.path.normpath(os.path.join(os.path.dirname(self._folder), path))

    @property
    def origin(self) -> Any:
        """The URL that it was installed from, if that was no index (PEP 610)."""
        from json import loads
        from types import SimpleNamespace

        text = _read(self._folder, "direct_url.json")
        return loads(text, object_hook=lambda pairs: SimpleNamespace(**pairs)) if text else None


class _MoreThanFoldersError(Exception):
    """There may be distributions that only `importlib_metadata` finds."""


def entry_points(group: str, warn: Callable[[str], Any] = warnings.warn) -> list[Any]:
    """Return the entry points of a group; each has the attributes of an `EntryPoint`.

    `warn` is called with a sentence on each finder that raises.
    """
    try:
        return list(_in_folders(group))
    except _MoreThanFoldersError:
        import importlib_metadata

    found = attempt(lambda: list(importlib_metadata.entry_points(group=group)))
    return list(_by_finders(group, warn)) if found is None else found


def _by_finders(group: str, warn: Callable[[str], Any]) -> Iterator[Any]:
    """Yield the entry points that each finder knows, also if others raise."""
    import importlib_metadata

    everything: Any = importlib_metadata.DistributionFinder.Context
    seen = set()
    for finder in list(sys.meta_path):
        distributions: list[Any] = []
        try:
            if hasattr(finder, "find_distributions"):
                distributions = list(finder.find_distributions(everything()))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            cls = finder if isinstance(finder, type) else type(finder)
            name = shown(f"{cls.__module__}.{cls.__qualname__}")
            warn(
                f"the finder {name} on sys.meta_path fails: {cause_of(error)} Plugins that it "
                "alone would find are left out."
            )
        for distribution in distributions:
            name, entries = attempt(partial(_name_and_entries, distribution, group), (None, ()))
            if name not in seen:
                yield from entries
            seen.add(name)


def _name_and_entries(distribution: Any, group: str) -> tuple[str, Any]:
    return normalized(distribution.name or ""), distribution.entry_points.select(group=group)


def _in_folders(group: str) -> Iterator[EntryPoint]:
    for folders in _folders().values():
        # The first on the path counts, unless a failed uninstallation has left it.
        folder = folders[0] if len(folders) == 1 else next(filter(_is_whole, folders), folders[0])
        text = _read(folder, "entry_points.txt")
        if group.encode() in text:
            if folder.endswith(".egg-info"):  # of an older form, which keeps requirements elsewhere
                raise _MoreThanFoldersError
            distribution = InstalledDistribution(folder)
            yield from _parsed(text.decode("utf-8", "replace"), group, distribution)


def _folders() -> dict[str, list[str]]:
    """Return the metadata of all distributions, by their normalized names, as on the path."""
    for finder in sys.meta_path:
        module = getattr(finder, "__module__", None)
        if hasattr(finder, "find_distributions") and module not in _STANDARD:
            raise _MoreThanFoldersError
    found: dict[str, list[str]] = {}
    for root in dict.fromkeys(sys.path):
        for child in _children(root):
            lower = child.lower()
            if lower.endswith((".dist-info", ".egg-info")):
                name = normalized(lower.rpartition(".")[0].partition("-")[0])
                found.setdefault(name, []).append(os.path.join(root, child))
    return found


def _children(root: Any) -> list[str]:
    if type(root) is not str or root.lower().endswith(".egg"):
        raise _MoreThanFoldersError
    try:
        return os.listdir(root or os.curdir)
    except FileNotFoundError:  # so is the archive of the standard library, usually
        return []
    except OSError as error:  # an archive, which may have distributions inside
        raise _MoreThanFoldersError from error


def _is_whole(folder: str) -> bool:
    parts = (folder, os.path.join(folder, "PKG-INFO"), os.path.join(folder, "METADATA"))
    return any(map(os.path.isfile, parts))


def _parsed(text: str, group: str, distribution: Any) -> Iterator[EntryPoint]:
    section = None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
        elif line and not line.startswith("#") and section == group:
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), distribution)


def _read(folder: str, file: str) -> bytes:
    try:
        with open(os.path.join(folder, file), "rb") as opened:
            return opened.read()
    except OSError:
        return b""


def normalized(name: str) -> str:
    """Return a name as PEP 503 compares names."""
    name = name.replace("_", "-").replace(".", "-").lower()
    while "--" in name:
        name = name.replace("--", "-")
    return name
