"""Rules that all programs of the book follow.

Promise: docs/coming_from/book.md
"""

import ast
import re

import pytest

from .conftest import BOOK

PROGRAMS = {path.stem: path for path in sorted(BOOK.glob("*.py"))}
HERE = BOOK.parents[1] / "tests" / "examples" / "book"
PAGE = BOOK.parents[1] / "docs" / "coming_from" / "book.md"


def test_each_program_is_run_by_a_test():
    tests = "\n".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    assert set(re.findall(r'[ (]run\("(\w+)"', tests)) == set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_says_how_to_run_it_and_what_to_expect(program):
    text = ast.get_docstring(ast.parse(PROGRAMS[program].read_text("utf-8")))
    assert f"\n    python examples/book/{program}.py" in text
    assert "xpect" in text


def test_the_page_names_each_program():
    named = re.findall(r"`(\w+)\.py`", PAGE.read_text("utf-8"))
    assert sorted(set(named)) == sorted(PROGRAMS)
