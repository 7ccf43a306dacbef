"""Write docs/array_types.md: which operations take which arrays.

    python docs/make_array_types.py

It runs every operation of this repository's plugins over the strict arrays of the conformance kit,
and over batches. Tests run the same, and compare each result with the page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dezero_tools.batches.batch import LOOPED
from dezero_tools.testing import checks_of
from dezero_tools.testing.rules import NotApplicableError
from make_coverage import ROOT, family_of, linked, our_operations, rows, table

from dezero_core.extend import operations_of

PAGE = ROOT / "docs" / "array_types.md"

AT_ONCE, PARTLY, LOOP, REFUSED = "at once", "a loop in some calls", "a loop", "refused"


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


def over_a_batch(operation: Any) -> tuple[str, str]:
    """Return how an operation is computed over a batch, and the message if it is refused.

    Raises
    ------
    CheckError
        If it is wrong over a batch.
    """
    checks = checks_of(operation.plugin, [operation.name], array="batched")
    check = next(check for check in checks if check.name == "batched arrays")
    loops: list[bool] = []
    messages: list[str] = []

    def watched(subject: Any) -> None:
        counted: Counter[str] = Counter()
        before = LOOPED.set(counted)
        try:
            check.rule.check(subject)
        except NotApplicableError as error:
            messages.append(str(error))
        finally:
            LOOPED.reset(before)
            loops.append(bool(counted))

    replace(check, rule=check.rule._replace(check=watched)).run()
    if messages:
        return REFUSED, messages[0]
    return (LOOP if all(loops) else PARTLY if any(loops) else AT_ONCE), ""


def batched(hows: Iterable[tuple[str, str]]) -> str:
    """Return the entry for operations in the column of batches, given the name and how of each.

    Those that are not computed at once are named.
    """
    names = defaultdict(list)
    for name, how in hows:
        names[how].append(f"`{name}`")
    parts = [AT_ONCE] if AT_ONCE in names else []
    parts += [f"{how}: {', '.join(names[how])}" for how in (LOOP, PARTLY, REFUSED) if names[how]]
    return "; ".join(parts)


def page() -> str:
    """Return the whole text."""
    any_type, alone, refused, hows = defaultdict(list), [], [], defaultdict(list)
    networks = list(operations_of("nn"))
    for operation in [*our_operations(), *networks]:
        name, family = operation.name, family_of(operation)
        how, message = over_a_batch(operation)
        if message:
            refused.append((operation.plugin, f"`{name}`", f"`{message}`"))
        link = f"`{name}`" if operation in networks else linked(f"`{name}`", operation)
        if operation not in networks and (why := reasons(operation)):
            alone.append((operation.plugin, link, "; ".join(why), batched([(name, how)])))
        else:
            any_type[family].append(link)
            hows[family].append((name, how))
    body = [(*row, batched(hows[row[:2]])) for row in rows(any_type)]
    of_networks = [row for row in body if row[0] == "nn"]
    others = [row for row in body if row[0] != "nn"]
    count = sum(row[2].count("](") for row in others)
    families = ("Plugin", "Family", "Operations", "Batched")
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
        "The arrays of a [batch](how_to/batches.md), within `vmap`, are such a type. The column",
        "*Batched* says how the operations of a family are computed there: *at once* for all",
        "examples, but for those that are named behind it. *A loop* computes one example after the",
        "other, the value or a derivative: this is right, and slow. Values and derivatives are",
        "compared with those of each example.",
        "",
        f"## Any type: {count}",
        "",
        *table(families, others),
        f"## ndarrays alone: {len(alone)}",
        "",
        "Over other arrays these raise a `VariableTypeError` that names the reason, in all calls",
        "or in some. The operations of `dezero_tools.numeric_op` are among them. Over a batch they",
        "run for one example after the other.",
        "",
        *(table(("Plugin", "Operation", "Reason", "Batched"), alone) if alone else ()),
        "## Neural networks over a batch",
        "",
        "Some operations of dezero-nn take ndarrays alone. A batch takes those, too.",
        "Convolutions and `lstm` are a loop where weights differ from example to example, as in",
        "the check, and are computed at once with weights that all examples share:",
        "",
        *table(families, of_networks),
        f"## Refused over a batch: {len(refused)}",
        "",
        "These raise a `VariableTypeError`, in all calls or in some:",
        "",
        *(table(("Plugin", "Operation", "Message"), refused) if refused else ()),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
