"""The installed distributions that have entry points of one group, and what they say of themselves.

It finds what ``importlib_metadata.entry_points(group=...)`` finds. To import that, and to let it
read every distribution, takes as long as the rest of the core; so the folders on ``sys.path`` are
looked through here, and `importlib_metadata` is asked only where there is more than folders.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial, reduce
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple

from ..errors import attempt, cause_of, shown

_KINDS = (".dist-info", ".egg-info")
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
        lines = text.decode("utf-8", "replace").splitlines()
        headers = takewhile(bool, lines)  # a description may follow, behind an empty line
        self._headers = [line.partition(":")[::2] for line in headers]

    def locate_file(self, path: str) -> str:
        """Return the path of an installed file."""
        return os.path.normpath(os.path.join(os.path.dirname(self._folder), path))

    @property
    def name(self) -> str | None:
        """Name of the distribution."""
        return next(self._values("Name"), None)

    @property
    def version(self) -> str | None:
        """Its version."""
        return next(self._values("Version"), None)

    @property
    def requires(self) -> list[str]:
        """What it requires."""
        return list(self._values("Requires-Dist"))

    @property
    def origin(self) -> Any:
        """What the installer was given, if that was no index (PEP 610)."""
        text = _read(self._folder, "direct_url.json")
        if not text:
            return None
        from json import loads
        from types import SimpleNamespace

        return loads(text, object_hook=lambda pairs: SimpleNamespace(**pairs))

    def _values(self, header: str) -> Iterator[str]:
        for name, value in self._headers:
            if name.lower() == header.lower():
                yield value.strip()


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
    """Yield what each finder knows, whatever becomes of the others."""
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
    found = _folders().values()
    for folders in found:
        # The first on the path counts, unless it is what a failed uninstallation has left.
        folder = folders[0] if len(folders) == 1 else next(filter(_is_whole, folders), folders[0])
        text = _read(folder, "entry_points.txt")
        if group.encode() in text:
            distribution: Any = InstalledDistribution(folder)
            if folder.endswith(".egg-info"):  # it keeps requirements elsewhere
                import importlib_metadata

                distribution = importlib_metadata.Distribution.at(folder)
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
            if lower.endswith(_KINDS):
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
