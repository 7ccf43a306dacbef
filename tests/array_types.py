"""The operations over strict arrays, and the page that says which take such arrays."""

import importlib
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "array_types.md").read_text(encoding="utf-8")


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
    rows = re.findall(r"^\| \w+ \| \[`([\w.]+)`\]\S* \| (.*) \|$", alone, re.MULTILINE)
    alone = {name: why.split("; ") for name, why in rows}
    return Rows(found | alone, "docs/make_array_types.py")


def over_strict_arrays(operation):
    """Check an operation over strict arrays, as the program does that writes the page."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("make_array_types").reasons(operation)
    finally:
        sys.path.remove(str(DOCS))
