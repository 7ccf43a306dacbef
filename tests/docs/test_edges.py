"""docs/edges says what happens: every row is computed, and compared with its page.

Promise: docs/edges.md
"""

import importlib
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"

sys.path.insert(0, str(DOCS))
program = importlib.import_module("make_edges")
sys.path.remove(str(DOCS))

CASES = [(family.title, case) for family in program.FAMILIES for case in family.cases]
ALL = pytest.mark.parametrize("case", [case for _, case in CASES], ids=str)


@ALL
def test_the_value_at_an_edge_is_that_of_numpy(case):
    if any(name in case.code for name in program.NAMES if name != "np"):
        return  # NumPy has no such function
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            truth = program.written(eval(case.code, {"np": np} | case.inputs()))
        except Exception as error:
            truth = f"raises {type(error).__name__}"
    assert program.value(case) == truth


@ALL
def test_the_gradient_at_an_edge_is_that_of_the_page_of_edges(case):
    assert program.gradient(case) == case.gradient


@ALL
def test_every_edge_case_has_a_reason(case):
    assert case.why.endswith(".")
    if {case.torch, case.jax} != {"same"}:
        assert case.gradient not in (case.torch, case.jax)


def _has_slopes(title, case):
    """Whether the gradient has to lie between the slopes along each of the axes."""
    # Not where a matrix counts as symmetric, nor where equal elements keep their order.
    moves = title not in ("Linear algebra", "nan") and "sort" not in case.code
    return moves and not case.twice and "j" not in case.at and "raises" not in program.value(case)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "case", [case for title, case in CASES if _has_slopes(title, case)], ids=str
)
def test_a_gradient_lies_between_the_slopes_on_both_sides(case):
    inputs, xs = case.inputs(), program.variables(case)
    program.result(case, xs).backward()

    def value(name, index, step):
        moved = inputs[name].copy()
        moved[index] += step
        return program.result(case, xs | {name: program.Variable(moved)}).data.sum()

    for name, array in inputs.items():
        for index in np.ndindex(array.shape):
            here, got = value(name, index, 0.0), xs[name].grad[index]
            slopes = np.array(
                [(value(name, index, step) - here) / step for step in (1e-4, 1e-6, -1e-4, -1e-6)]
            )
            far, near = slopes[::2], slopes[1::2]
            if abs(array[index]) > 1e10 or not np.allclose(far, near, rtol=1e-3, atol=1e-3):
                continue  # it does not move, or one of the slopes is infinite or not there
            if np.isnan(got) and "*" in case.gradient:
                continue  # by the chain rule, 0 times inf
            assert near.min() - 1e-3 <= got <= near.max() + 1e-3


def test_the_pages_of_edges_are_up_to_date():
    written = {name: (DOCS / name).read_text(encoding="utf-8") for name in program.pages()}
    assert written == program.pages(), "run python docs/make_edges.py"


def test_every_page_of_a_family_of_edges_is_in_the_summary():
    files = {path.relative_to(DOCS).as_posix() for path in (DOCS / "edges").glob("*.md")}
    assert {"edges.md", *files} == set(program.pages())
    summary = program.pages()["edges.md"]
    assert len(summary.split()) < 600
    assert all(f"]({name})" in summary for name in files)


def test_every_edge_case_is_listed_once():
    names = [str(case) for _, case in CASES]
    assert len(set(names)) == len(names)


def test_the_check_of_edges_passes_with_the_page(capsys):
    assert program.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_the_check_of_edges_fails_for_a_stale_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "DOCS", tmp_path)
    for _ in range(2):
        assert program.main(["--check"]) == 1
        assert "docs/edges/ties.md is stale" in capsys.readouterr().err
        (tmp_path / "edges").mkdir(exist_ok=True)
        (tmp_path / "edges" / "ties.md").write_text("another page")
    program.main([])
    for name, text in program.pages().items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("wrong", "mistake"),
    [
        ({"gradient": "1"}, "The gradient of `np.abs(x)`, `x = 0` is 0, and not 1."),
        ({"torch": "0"}, "PyTorch is said to differ in `np.abs(x)`, `x = 0`, and does not."),
        ({"jax": "0"}, "JAX is said to differ in `np.abs(x)`, `x = 0`, and does not."),
    ],
)
def test_the_check_of_edges_finds_a_mistake_in_a_case(monkeypatch, wrong, mistake):
    (case,) = (case for _, case in CASES if str(case) == "`np.abs(x)`, `x = 0`")
    family = program.Family("a title", "", (replace(case, **wrong),))
    monkeypatch.setattr(program, "FAMILIES", (family,))
    assert mistake in program.mistakes()
