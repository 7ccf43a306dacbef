"""Write docs/dask_operations.md: how each operation runs over Dask's arrays.

    python docs/make_dask_operations.py

It runs every operation of this repository's plugins over Dask's arrays, under a scheduler that
raises when anything is computed, and compares values, gradients and second derivatives with those
of ndarrays. Tests run a part of the same, and compare it with the page.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from copy import copy
from dataclasses import replace
from typing import Any

import dask
from dezero_tools.testing import checks_of, sample_of
from make_coverage import ROOT, family_of, linked, our_operations, rows, table

PAGE = ROOT / "docs" / "dask_operations.md"
REASON = "dask: "


def tried(operation: Any, calls: int | None = None) -> tuple[int, list[str]]:
    """Return how many calls are right over Dask's arrays, and why other calls are refused.

    Parameters
    ----------
    operation : Operation
    calls : int, optional
        How many of the calls of its sample are tried; all by default.

    Raises
    ------
    CheckError
        If an operation is wrong over them, or computes them.
    """
    checks = checks_of(operation.plugin, [operation.name], array="dask")
    check = next(check for check in checks if check.name == "dask arrays")
    if calls is not None:
        sample = copy(sample_of(operation))
        sample.calls = sample.calls[:calls]
        check = replace(check, operation=operation._replace(sample=lambda kit: sample))
    with dask.config.set(scheduler="synchronous"), warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # by which Dask says that it calls NumPy
        counts = check.run()
    reasons = [why.removeprefix(REASON) for why in counts.skipped if why.startswith(REASON)]
    return counts.ran, sorted(reasons)


def way(operation: Any, ran: int, reasons: list[str]) -> str:
    """Return the section of the page that an operation belongs to."""
    if not ran and reasons:
        return "refused"
    if reasons:
        return "in part"
    cls = operation.function_class
    return "chunk by chunk" if cls is not None and cls.elementwise else "lazy"


SECTIONS = {
    "chunk by chunk": "Their bodies run on the chunks, which are ndarrays.",
    "lazy": (
        "Their bodies run as they stand, on arrays that pass each call of NumPy on to a function "
        "of Dask's that computes nothing."
    ),
}


def page() -> str:
    """Return the whole text."""
    found: dict[str, Any] = {name: defaultdict(list) for name in SECTIONS}
    others: dict[str, list[tuple[str, ...]]] = {"in part": [], "refused": []}
    for operation in our_operations():
        name = linked(f"`{operation.name}`", operation)
        ran, reasons = tried(operation)
        section = way(operation, ran, reasons)
        if section in others:
            others[section].append((operation.plugin, name, "; ".join(reasons)))
        else:
            found[section][family_of(operation)].append(name)
    lines = [
        "# Operations over Dask's arrays",
        "",
        "With [dezero-dask](how_to/more_data_than_memory.md) a Variable holds a Dask array. This",
        "page says how each operation computes with it. `python docs/make_dask_operations.py`",
        "makes it: it runs each operation over arrays in chunks, under a scheduler that raises",
        "when anything is computed, and compares values, gradients and second derivatives with",
        "those of ndarrays. Tests run a part of the same.",
        "",
    ]
    for section, text in SECTIONS.items():
        count = sum(map(len, found[section].values()))
        lines += [f"## {section.capitalize()}: {count}", "", text, ""]
        lines += table(("Plugin", "Family", "Operations"), rows(found[section]))
    head = ("Plugin", "Operation", "Reason")
    lines += [
        f"## Lazy in some calls: {len(others['in part'])}",
        "",
        "Other calls raise a `LazyArrayError` that names the reason.",
        "",
        *table(head, others["in part"]),
        f"## Refused: {len(others['refused'])}",
        "",
        "They raise a `LazyArrayError`; nothing is computed.",
        "",
        *table(head, others["refused"]),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
