"""Each module of tests names the promise that its tests hold.

Promise: CONTRIBUTING.md
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: The first sentences of the tests of seeds name the seed. The others do not name a page yet.
ELSEWHERE = (
    *("seeds", "third_party"),
    *("dezero_ops_math", "dezero_nn"),
)
MODULES = [
    path
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if not path.relative_to(ROOT / "tests").as_posix().startswith(ELSEWHERE)
]


def docstring_of(path):
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_the_promise_of_a_module_of_tests_is_a_page(path):
    promise = re.search(r"\nPromise: (\S+)$", docstring_of(path))
    assert promise, "add the page that promises this as the last line: Promise: docs/engine.md"
    assert (ROOT / promise[1]).is_file()
