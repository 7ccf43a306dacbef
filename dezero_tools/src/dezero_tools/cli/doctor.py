"""The command ``dezero doctor``."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

import dezero_core
from dezero_core import PLUGIN_API, PluginRecord
from dezero_core.extend import (
    IN_USE,
    OPERATORS,
    PLUGINS,
    PREFERRED,
    SLOTS,
    Plugin,
    attempt,
    contesting,
    plugin_in_use,
    shown,
    to_choose,
)

from ..providers import answers, providers
from .lookup import all_operations, by_advice, is_reflected
from .output import Result, indented, load_warnings
from .plugins import plugin_rows

#: Milliseconds from which the import of a plugin is pointed at.
_SLOW = 250.0
#: Contested things that are listed in one line.
_LISTED = 8
#: Variables of the environment by which OpenBLAS does not go by the processor that it finds.
_KERNELS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def doctor() -> Result:
    """Show the installed plugins and versions, and every problem with them."""
    bound = {dunder for operation in all_operations() for dunder in operation.dunders}
    missing = [(dunder, ufunc) for dunder, (_, ufunc) in OPERATORS.items() if dunder not in bound]
    seen = list(PLUGINS)
    records = dezero_core.plugins()
    told = tuple(f"{record} " for record in records)
    heap = f"up to 64 MiB of freed memory are kept, if by glibc: {' '.join(platform.libc_ver())}"
    if os.environ.get("DEZERO_KEEP_HEAP") == "0":
        heap = "as the C library has it (DEZERO_KEEP_HEAP=0)"
    ok = not any(record.is_broken for record in records)
    data = {
        "ok": ok,
        "versions": {
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "dezero-core": dezero_core.__version__,
            "plugin API": _version_text(PLUGIN_API),
            "pluggy": version("pluggy"),
        },
        "platform": platform.platform(),
        "executable": sys.executable,
        "heap": heap,
        "environment": {k: v for k, v in sorted(os.environ.items()) if k.startswith("DEZERO_")},
        "warnings": [each for each in load_warnings if not each.startswith(told)]
        + _chosen_kernels(),
        "plugins": [
            record._asdict() | {"operations": len(record.operations), "api": _api(plugin)}
            for record, plugin in zip(records, seen, strict=True)
        ],
        "contested": _contests(),
        "missing_operators": by_advice(missing, "operators"),
    }
    return Result(data, _printed(data, records), ok)


def _chosen_kernels() -> list[str]:
    """Return a sentence if the environment chooses the kernels of NumPy's matrix products."""
    found = [f"{name}={os.environ[name]}" for name in _KERNELS if os.environ.get(name)]
    if not found:
        return []
    be, them = ("is", "it") if len(found) == 1 else ("are", "them")
    return [
        f"{' '.join(found)} {be} set in the environment: OpenBLAS computes NumPy's matrix products "
        f"with other kernels than it would choose, often slower ones. Unset {them}."
    ]


def _api(plugin: Plugin) -> str | None:
    """Return the version of the plugin API that a plugin states, even if it is not loaded."""
    module = plugin.module
    if module is None:  # it was imported, and then refused
        module = attempt(lambda: sys.modules[plugin.entry_point.module])
    stated = getattr(module, "DEZERO_PLUGIN_API", None)
    return None if stated is None else _version_text(stated)


def _version_text(api: Any) -> str:
    return shown(".".join(map(str, api)) if isinstance(api, tuple) else repr(api))


def _printed(data: dict[str, Any], records: tuple[PluginRecord, ...]) -> RenderableType:
    versions = " · ".join(f"{name} {version}" for name, version in data["versions"].items())
    environment = " ".join(f"{k}={v}" for k, v in data["environment"].items())
    lines = [versions, f"{data['platform']} · {data['executable']}", f"heap: {data['heap']}"]
    lines.append(f"environment: {environment or 'no DEZERO_ variable is set'}")
    parts: list[RenderableType] = list(map(Text, lines))
    parts += [Text(sentence, "yellow") for sentence in data["warnings"]]
    parts += [Text(), *plugin_rows(records, API=[each["api"] or "" for each in data["plugins"]])]
    broken = [record for record in records if record.is_broken]
    others = [record for record in records if record.cause and not record.is_broken]
    sections = {
        "Disabled": map(_cause, others),
        "Failed": [*map(_cause, broken), *([_advice(broken)] if broken else [])],
        "Slow": (
            f"{each.name}: took {each.milliseconds:.0f} ms to import. "
            f"DEZERO_DISABLE_PLUGINS={each.name} leaves it out. Its author can announce modules by "
            "register.later, so that they are imported when they are first needed."
            for each in records
            if each.milliseconds > _SLOW
        ),
        "Contested": _contested(data["contested"]),
        "Operators that no loaded plugin provides": (
            f"{_symbols(each['operators'])}: {each['advice']}" for each in data["missing_operators"]
        ),
    }
    for title, sentences in sections.items():
        below = [indented(sentence) for sentence in sentences]
        parts += [Text(f"\n{title}", "bold"), *below] if below else []
    return Group(*parts, _verdict(broken, len(records)))


def _verdict(broken: Sequence[PluginRecord], number: int) -> Text:
    if not broken:
        return Text("\nNo plugin failed.", "green")
    late = [record.name for record in broken if record.state == "loaded"]
    found = f"{len(broken) - len(late)} of {number} plugins cannot be loaded."
    if late:
        found += f" Of {', '.join(late)} a module cannot be imported."
    return Text(f"\n{found}", "red")


def _cause(record: PluginRecord) -> str:
    return f"{record.name}: {shown(record.cause or '', 400)}"


def _advice(broken: Sequence[PluginRecord]) -> str:
    """Return the advice on plugins that failed: to leave them out, and to see where they fail."""
    names = ",".join(record.name for record in broken)
    advice = f"DEZERO_DISABLE_PLUGINS={names} leaves {'it' if len(broken) == 1 else 'them'} out"
    raised = [record.name for record in broken if record.state == "failed"]
    if raised:
        advice += f"; dezero_core.register({raised[0]!r}) tries again and shows where it fails"
    return f"{advice}."


def _contests() -> list[dict[str, Any]]:
    """Return the things that several plugins provide, and not as alternatives.

    The thing is an operation, ``"exp"``, or a name of several ones, ``"np.exp"``, and `choice` an
    argument of `prefer`, ``"exp='fast'"``. The plugin in use is None if using the thing raises an
    error; if the user has not chosen it, it is the advised one for operators.
    """
    named: dict[tuple[Any, ...], list[str]] = {}
    for slot in list(SLOTS.values()):
        plugins = tuple(contesting(slot.bindings))
        if len(plugins) > 1:
            thing, choices = to_choose(slot.name, slot.bindings)
            in_use = plugin_in_use(slot.name, slot.bindings)
            things = {slot.name, *(name for b in slot.bindings.values() for name in b.operations)}
            is_chosen = in_use is not None and not things.isdisjoint({*IN_USE.get(), *PREFERRED})
            key = thing, plugins, in_use, is_chosen, choices[-1]
            named.setdefault(key, []).append(slot.name)
    titles = ("thing", "plugins", "in_use", "is_chosen", "choice", "names")
    found = [dict(zip(titles, (*key, names), strict=True)) for key, names in named.items()]
    for each in found:
        # The names of a chosen operation that its plugin does not bind -> who answers them.
        operations = providers().get(each["thing"], ()) if each["is_chosen"] else ()
        pairs = [pair for operation in operations for pair in answers(operation).items()]
        each["elsewhere"] = {name: by for name, by in pairs if by not in (None, each["in_use"])}
    return sorted(found, key=lambda each: each["names"])


def _contested(contests: Sequence[dict[str, Any]]) -> list[str]:
    """Return a sentence on the contested things of the same plugins, and who answers them now."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in contests:
        key = each["plugins"], each["in_use"], each["is_chosen"]
        groups.setdefault(key, []).append(each)
    sentences = []
    for (several, in_use, is_chosen), group in groups.items():
        things = [", ".join(dict.fromkeys((each["thing"], *each["names"]))) for each in group]
        listed = "; ".join(things[:_LISTED]) + ("; …" if len(things) > _LISTED else "")
        answer = "using it raises"
        if in_use is not None:
            answer = f"{in_use!r} is {'chosen' if is_chosen else 'in use'}"
        for name, plugin in (item for each in group for item in each["elsewhere"].items()):
            answer += f", and {plugin!r} answers {name}"
        providers = " and ".join(map(repr, several))
        choice = f"dezero_core.prefer({group[0]['choice']})"
        sentences.append(f"{listed}: provided by {providers}; {answer}. To choose: {choice}.")
    return sentences


def _symbols(dunders: list[str]) -> str:
    """Return the symbols of operators; "(reflected)" where only the reflected one is missing."""
    plain = dict.fromkeys(OPERATORS[dunder][0] for dunder in dunders if not is_reflected(dunder))
    reflected = [OPERATORS[dunder][0] for dunder in dunders if is_reflected(dunder)]
    return ", ".join([*plain, *(f"{s} (reflected)" for s in reflected if s not in plain)])
