"""The operations over strict arrays and batches, and the page that says which take such arrays."""

import importlib
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "array_types.md").read_text(encoding="utf-8")
PROGRAM = "docs/make_array_types.py"
NAME = r"`([\w.]+)`"


class Rows(dict):
    """The rows of a page that a program writes, by operation."""

    def __init__(self, rows, program):
        super().__init__(rows)
        self.program = program

    def __missing__(self, name):
        pytest.fail(f"the page has no row of {name!r}: run python {self.program}, or make pages")


def on_the_page():
    """Return operation -> the reasons why it takes ndarrays alone, none if it takes any array."""
    any_type, alone = PAGE.split("## ndarrays alone")
    found = {name: [] for name in re.findall(r"\[`([\w.]+)`\]", any_type)}
    rows = re.findall(r"^\| \w+ \| \[`([\w.]+)`\]\S* \| (.*) \| .* \|$", alone, re.MULTILINE)
    alone = {name: why.split("; ") for name, why in rows}
    return Rows(found | alone, PROGRAM)


def on_the_page_for_batches():
    """Return operation -> how it is computed over a batch, and the message if it is refused."""
    refused = PAGE.partition("## Refused over a batch")[2]
    messages = dict(re.findall(r"^\| \w+ \| `([\w.]+)` \| `(.*)` \|$", refused, re.MULTILINE))
    found = {}
    for line in PAGE.splitlines():
        cells = line.strip("| ").split(" | ")
        if len(cells) == 4:
            _, first, second, entry = cells
            for name in re.findall(NAME, first if "`" in first else second):
                found[name] = how_of(name, entry), messages.get(name, "")
    return Rows(found, PROGRAM)


def how_of(name, entry):
    """Return the word of a family for an operation: "at once" if it is not named."""
    for part in entry.split("; "):
        how, _, named = part.partition(": ")
        if name in re.findall(NAME, named):
            return how
    return "at once"


def over_strict_arrays(operation):
    """Check an operation over strict arrays, as the program does that writes the page."""
    return the_program().reasons(operation)


def over_a_batch(operation):
    """Check an operation over a batch, as the program does that writes the page."""
    return the_program().over_a_batch(operation)


def the_program():
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("make_array_types")
    finally:
        sys.path.remove(str(DOCS))
