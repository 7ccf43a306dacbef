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
from dezero_core import PLUGIN_API, Operation, PluginRecord
from dezero_core.extend import OPERATORS, PLUGINS, Plugin, attempt, shown
from dezero_tools.providers import providers

from ..providers import answers
from .contests import Contest, contests
from .lookup import all_operations, by_advice, is_reflected
from .output import Result, load_warnings, section
from .plugins import plugin_rows

#: Milliseconds from which the import of a plugin is pointed at.
_SLOW = 250.0
#: Contested things that are listed in one line.
_LISTED = 8
#: Variables of the environment by which OpenBLAS does not go by the processor that it finds.
_KERNELS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def doctor() -> Result:
    """Show the installed plugins and versions, and every problem with them."""
    operations = all_operations()
    seen = list(PLUGINS)
    records = dezero_core.plugins()
    apis = [_api(plugin) for plugin in seen]
    described = [
        record._asdict() | {"operations": len(record.operations), "api": api}
        for record, api in zip(records, apis, strict=True)
    ]
    ok = not any(record.is_broken for record in records)
    data = {
        "ok": ok,
        "versions": _versions(),
        "platform": platform.platform(),
        "executable": sys.executable,
        "heap": _heap(),
        "environment": {k: v for k, v in sorted(os.environ.items()) if k.startswith("DEZERO_")},
        "warnings": [
            warning
            for warning in load_warnings
            if not warning.startswith(tuple(f"{record} " for record in records))
        ]
        + _chosen_kernels(),
        "plugins": described,
        "contested": [
            contest._asdict() | {"elsewhere": _elsewhere(contest)} for contest in contests()
        ],
        "missing_operators": by_advice(_missing_operators(operations), "operators"),
    }
    return Result(data, _printed(data, records), ok)


def _versions() -> dict[str, str]:
    from dezero_core import __version__

    return {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "dezero-core": __version__,
        "plugin API": _version_text(PLUGIN_API),
        "pluggy": version("pluggy"),
    }


def _heap() -> str:
    if os.environ.get("DEZERO_KEEP_HEAP") == "0":
        return "as the C library has it (DEZERO_KEEP_HEAP=0)"
    return f"up to 64 MiB of freed memory are kept, if by glibc: {' '.join(platform.libc_ver())}"


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


def _missing_operators(operations: tuple[Operation, ...]) -> list[tuple[str, str]]:
    """Return the operators that no loaded plugin provides, each with the ufunc of that name."""
    bound = {dunder for operation in operations for dunder in operation.dunders}
    return [(dunder, ufunc) for dunder, (_, ufunc) in OPERATORS.items() if dunder not in bound]


def _printed(data: dict[str, Any], records: tuple[PluginRecord, ...]) -> RenderableType:
    versions = " · ".join(f"{name} {version}" for name, version in data["versions"].items())
    environment = " ".join(f"{k}={v}" for k, v in data["environment"].items())
    parts: list[RenderableType] = [
        Text(versions),
        Text(f"{data['platform']} · {data['executable']}"),
        Text(f"heap: {data['heap']}"),
        Text(f"environment: {environment or 'no DEZERO_ variable is set'}"),
    ]
    parts += [Text(sentence, "yellow") for sentence in data["warnings"]]
    parts += [Text(), *plugin_rows(records, API=[each["api"] or "" for each in data["plugins"]])]
    broken = [record for record in records if record.is_broken]
    others = [record for record in records if record.cause and not record.is_broken]
    sections = {
        "Disabled": map(_cause, others),
        "Failed": [*map(_cause, broken), *([_advice(broken)] if broken else [])],
        "Slow": map(_slowness, (each for each in records if each.milliseconds > _SLOW)),
        "Contested": _contested(data["contested"]),
        "Operators that no loaded plugin provides": (
            f"{_symbols(each['operators'])}: {each['advice']}" for each in data["missing_operators"]
        ),
    }
    for title, sentences in sections.items():
        parts += section(title, sentences)
    return Group(*parts, _verdict(broken, len(records)))


def _slowness(record: PluginRecord) -> str:
    return (
        f"{record.name}: took {record.milliseconds:.0f} ms to import. "
        f"DEZERO_DISABLE_PLUGINS={record.name} leaves it out. Its author can announce modules by "
        "register.later, so that they are imported when they are first needed."
    )


def _verdict(broken: Sequence[PluginRecord], number: int) -> Text:
    """Return the last line, which counts the plugins that failed."""
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


def _elsewhere(contest: Contest) -> dict[str, str]:
    """Return the names of a chosen operation that its plugin does not bind -> who answers them."""
    if not contest.is_chosen:
        return {}
    named: dict[str, str | None] = {}
    for operation in providers().get(contest.thing, ()):
        named |= answers(operation)
    return {name: by for name, by in named.items() if by not in (None, contest.in_use)}


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
