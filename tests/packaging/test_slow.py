"""The list of slow tests is whole and about tests that exist, as CONTRIBUTING.md promises.

Promise: CONTRIBUTING.md
"""

import re
from pathlib import Path

import pytest

from ..slow import Line, SlowTests, lines

ROOT = Path(__file__).parents[2]


def kit_names():
    return {line.file for line in lines() if not line.file.startswith("tests/")}


def test_each_slow_test_exists():
    for line in lines():
        if line.file in kit_names():
            continue
        source = (ROOT / line.file).read_text("utf-8")
        *_, test = line.test.split("::")
        if "::" in line.test and "*" not in test:
            assert re.search(rf"^ *def {test}\(", source, re.MULTILINE), line.text


def test_no_line_is_there_twice_and_checks_of_the_kit_are_those_of_math_nn_and_scipy():
    texts = [line.text for line in lines()]
    assert len(texts) == len(set(texts))
    assert kit_names() == {"math", "nn", "scipy"}


def test_no_test_is_marked_as_slow_beside_the_list():
    sources = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    marked = [path for path, source in sources.items() if "mark" + ".slow" in source]
    assert marked == []


@pytest.mark.parametrize(
    ("text", "name", "slow"),
    [
        ("tests/test_a.py", "tests/test_a.py::test_b[c]", True),
        ("tests/test_a.py", "tests/test_ab.py::test_b", False),
        ("tests/test_a.py::test_b", "tests/test_a.py::test_b[c]", True),
        ("tests/test_a.py::test_b", "tests/test_a.py::test_bc", False),
        ("tests/test_a.py::test_b[c]", "tests/test_a.py::test_b[c]", True),
        ("tests/test_a.py::test_b[c]", "tests/test_a.py::test_b[d]", False),
        ("tests/test_a.py::*[*16 bytes]", "tests/test_a.py::test_b[float-16 bytes]", True),
        ("tests/test_a.py::test_b[*] except [c] [d e]", "tests/test_a.py::test_b[d e]", False),
        ("tests/test_a.py::test_b[*] except [c] [d e]", "tests/test_a.py::test_b[e]", True),
        ("math::*::complex except [exp]", "math::exp::complex", False),
        ("math::*::complex except [exp]", "math::expm1::complex", True),
        ("math::*::complex except [exp]", "math::exp::second order, complex", False),
    ],
)
def test_a_line_of_the_list_is_about_the_tests_that_it_names(text, name, slow):
    assert Line.of(text).has(name) is slow


@pytest.mark.parametrize("text", ["tests/test_a.py::b[d]", "tests/test_a.py::b[*] except [d]"])
def test_a_line_about_cases_that_do_not_exist_is_refused(text, monkeypatch, tmp_path):
    monkeypatch.setattr("tests.slow.LIST", tmp_path / "slow.txt")
    (tmp_path / "slow.txt").write_text(f"# a comment\n\n{text}\n")
    slow = SlowTests()
    slow.has("tests/test_a.py::b[c]")
    with pytest.raises(pytest.UsageError, match=r"slow\.txt lists cases that do not exist"):
        slow.assert_that_all_are_used()
