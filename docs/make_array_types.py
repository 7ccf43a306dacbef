"""Write docs/array_types.md: which operations take which arrays.

    python docs/make_array_types.py

It runs every operation of this repository's plugins over the strict arrays of the conformance kit.
Tests of the two packages run the same, and compare each result with the page.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from dezero_tools.testing import checks_of
from make_coverage import ROOT, family_of, linked, our_operations, rows, table

PAGE = ROOT / "docs" / "array_types.md"


def reasons(operation: Any) -> list[str]:
    """Return why an operation takes ndarrays alone, in some calls or all; none if it takes any.

    Raises
    ------
    CheckError
        If it is wrong over strict arrays.
    """
    checks = checks_of(operation.plugin, [operation.name], array="strict")
    counts = next(check for check in checks if check.name == "strict arrays").run()
    skipped = (reason.partition("numpy: ") for reason in counts.skipped)
    return sorted(why for before, _, why in skipped if why and not before)


def page() -> str:
    """Return the whole text."""
    any_type, alone = defaultdict(list), []
    for operation in our_operations():
        name = linked(f"`{operation.name}`", operation)
        if why := reasons(operation):
            alone.append((operation.plugin, name, "; ".join(why)))
        else:
            any_type[family_of(operation)].append(name)
    count = sum(map(len, any_type.values()))
    lines = [
        "# Array types",
        "",
        "A Variable holds an ndarray, or an array of a type that a plugin has registered: see",
        "[use another array type](how_to/use_another_array_type.md). This page says which",
        "operations take those. `python docs/make_array_types.py` makes it: it runs each operation",
        "over the strict arrays of the conformance kit, which have NumPy's protocols and nothing",
        "else, and compares values, gradients and second derivatives with those of ndarrays. Tests",
        "run the same.",
        "",
        f"## Any type: {count}",
        "",
        *table(("Plugin", "Family", "Operations"), rows(any_type)),
        f"## ndarrays alone: {len(alone)}",
        "",
        "Over other arrays these raise a `VariableTypeError` that names the reason, in all calls",
        "or in some. The operations of `dezero_tools.numeric_op` are among them.",
        "",
        *(table(("Plugin", "Operation", "Reason"), alone) if alone else ()),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
