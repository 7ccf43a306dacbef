"""Gradients of elementwise functions are as near to the truth as docs/accuracy.md says.

Promise: docs/accuracy.md
"""

import importlib.util
import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest
from dezero_tools.testing import sample_of

import dezero_core

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")


def load(name):
    """Return one of the benchmark's modules; it finds the others by their names."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


truth, accuracy = load("accuracy_truth"), load("accuracy")
FUNCTIONS = sorted(truth.TRUTHS)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # inf is what is asked for


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_at_hard_places_are_within_the_limit_of_the_page_of_accuracy(name):
    errors = accuracy.measured(name, random=0)
    assert not errors.failures, next(accuracy.problems({name: errors}))


def differentiated(function, x, operand):
    """Return a derivative by a central difference, far beyond double precision."""
    x = list(map(mpmath.mpf, x))
    step = mpmath.mpf(2) ** -500 * (x[operand] or 1)
    above, below = (
        function(*x[:operand], x[operand] + sign * step, *x[operand + 1 :]) for sign in (1, -1)
    )
    return (above - below) / (2 * step)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_truth_of_a_derivative_is_the_derivative_of_the_truth_of_the_value(name):
    known = truth.TRUTHS[name]
    x = truth.points(known, random=4)
    x = x[:, (np.abs(x) < 300.0).all(axis=0) & (np.abs(x) > 1e-3).all(axis=0)]
    for column in x.T[:: max(1, x.shape[1] // 20)].tolist():
        for operand, slope in enumerate(known.slopes):
            with mpmath.workprec(truth.PRECISION):
                found = truth.at_precision(slope, *column)
                if found is not None:
                    expected = differentiated(known.value, column, operand)
                    assert abs(found - expected) <= abs(expected) * mpmath.mpf(2) ** -300


def test_every_elementwise_operation_has_a_truth_in_mpmath():
    assert sorted(accuracy.elementwise()) == FUNCTIONS


def test_a_truth_by_formula_is_none_at_a_pole_or_complex_value():
    inverse, logarithm = truth.of_formulas("1 / x", "-1 / x**2"), truth.of_formulas("log(x)", "1/x")
    assert [inverse.value(mpmath.mpf(x)) for x in (0, 2)] == [None, 0.5]
    assert [inverse.slopes[0](mpmath.mpf(x)) for x in (0, 2)] == [None, -0.25]
    assert [logarithm.value(mpmath.mpf(x)) for x in (-1, 0, 1)] == [None, None, 0]
    assert [logarithm.slopes[0](mpmath.mpf(x)) for x in (-1, 0, 1)] == [None, None, 1]


def test_a_truth_by_formula_of_two_operands_has_a_slope_for_each_operand():
    product = truth.of_formulas("x0 * x1", "x1", "x0")
    assert (product.operands, product.value(2, 3)) == (2, 6)
    assert [slope(2, 3) for slope in product.slopes] == [3, 2]


def test_no_operation_has_a_truth_both_in_its_sample_and_in_the_table():
    source = (ROOT / "benchmarks" / "accuracy_truth.py").read_text("utf-8")
    table = re.findall(r'^    "(\w+)": ', source, re.MULTILINE)
    formulas = {operation.name for operation in dezero_core.ops() if sample_of(operation).truth}
    assert formulas
    assert formulas.isdisjoint(table)


def test_the_page_of_accuracy_has_a_row_for_every_elementwise_operation():
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert rows == FUNCTIONS, "run python benchmarks/accuracy.py"


def test_the_page_of_accuracy_gives_every_reason():
    for name, reason in accuracy.REASONS.items():
        assert re.search(rf"^\* `{name}`, .*: {re.escape(reason.why)}\.$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(
    ("got", "true", "expected"),
    [
        (1.0, 1.0, 0.0),
        (1.0 + 2**-52, 1.0, 1.0),
        (0.5, "0.500000000000000027755575615628913510590791702270507812500", 0.25),
        (-3.0, 3.0, 6.0 * 2**51),
        (1.5e-323, 1e-323, 1.0),
        (0.0, 0.0, 0.0),
        (5e-324, 0.0, 1.0),
        (math.inf, 1e308, math.inf),
        (math.nan, 1.0, math.inf),
        (math.inf, "1e400", 0.0),
        (1.7976931348623157e308, "1e400", 0.0),
        (-math.inf, "1e400", math.inf),
        (math.nan, "1e400", math.inf),
        (-0.0, "1e-400", 0.0),
        (1e-300, "1e-400", math.inf),
        (math.nan, "1e-400", math.inf),
    ],
)
def test_the_unit_of_accuracy_is_the_spacing_of_floats_at_the_truth(got, true, expected):
    with mpmath.workprec(200):
        assert accuracy.ulps(got, mpmath.mpf(true)) == expected


def off_by(monkeypatch, ulps):
    """Let the derivative of the exponential be off by so many ULP."""
    slope = truth.TRUTHS["exp"].slopes[0]
    wrong = replace(
        truth.TRUTHS["exp"], slopes=(lambda x: slope(x) * (1 + ulps * mpmath.mpf(2) ** -52),)
    )
    monkeypatch.setitem(truth.TRUTHS, "exp", wrong)
    monkeypatch.setattr(accuracy, "RANDOM", 0)


def test_the_check_of_accuracy_passes_within_the_limit(monkeypatch, capsys):
    off_by(monkeypatch, 3)
    assert accuracy.main(["--check", "exp"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_check_of_accuracy_fails_above_the_limit(monkeypatch, capsys):
    off_by(monkeypatch, 20)
    assert accuracy.main(["--check", "exp"]) == 1
    assert re.search(r"exp: \d+ gradients .* without a reason, such as at", capsys.readouterr().err)


def test_the_check_of_accuracy_accepts_a_reason_only_up_to_its_limit(monkeypatch, capsys):
    off_by(monkeypatch, 20)
    monkeypatch.setitem(accuracy.REASONS, "exp", accuracy.Reason("…", lambda x, slope: 50.0))
    assert accuracy.main(["--check", "exp"]) == 0
    monkeypatch.setitem(accuracy.REASONS, "exp", accuracy.Reason("…", lambda x, slope: 10.0))
    assert accuracy.main(["--check", "exp"]) == 1


def test_the_check_of_accuracy_fails_for_a_reason_without_a_use(monkeypatch, capsys):
    off_by(monkeypatch, 0)
    monkeypatch.setitem(accuracy.REASONS, "exp", accuracy.Reason("…", lambda x, slope: 50.0))
    assert accuracy.main(["--check", "exp"]) == 1
    assert "exp: REASONS has a reason that nothing needs" in capsys.readouterr().err


def test_the_check_of_accuracy_fails_for_a_function_without_a_truth(monkeypatch, capsys):
    monkeypatch.delitem(truth.TRUTHS, "exp")
    with pytest.raises(SystemExit):
        accuracy.main(["--check"])
    assert "not both: exp" in capsys.readouterr().err


def test_the_page_of_accuracy_is_not_written_without_the_peers_that_it_compares(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(accuracy, "PAGE", tmp_path / "accuracy.md")
    monkeypatch.setattr(accuracy, "Torch", lambda *_: accuracy.Peer("PyTorch", "no_such_library"))
    with pytest.raises(SystemExit, match=r"pip install -r benchmarks/requirements-accuracy\.txt"):
        accuracy.main([])
    assert not accuracy.PAGE.exists()
