"""Gradients of SciPy's functions are as near to the truth as docs/accuracy_of_scipy.md says.

Promise: docs/accuracy_of_scipy.md
"""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "accuracy_of_scipy.md").read_text(encoding="utf-8")

sys.path.insert(0, str(ROOT / "benchmarks"))
accuracy = importlib.import_module("accuracy_of_scipy")
sys.path.remove(str(ROOT / "benchmarks"))

NAMES = sorted(accuracy.TRUTHS)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_scipy_are_within_the_limit_of_the_page(name):
    errors = accuracy.measured(name, accuracy.FEW)
    assert errors.count
    assert not errors.failures, next(accuracy.problems([errors]))


def test_the_page_has_a_row_for_every_function_with_a_truth_and_every_reason():
    rows = re.findall(r"^\| `(scipy\.\S+)` \|", PAGE, re.MULTILINE)
    assert rows == NAMES, "run python benchmarks/accuracy_of_scipy.py"
    for _, why, limit in accuracy.REASONS:
        assert f", up to {limit:g}: {why}." in PAGE


def test_no_reason_allows_far_more_than_a_function_of_the_page_needs():
    cells = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| `scipy.")]
    worst = {row[0].strip("| `"): float(row[4] or 0.0) for row in cells}
    for pattern, why, limit in accuracy.REASONS:
        errors = [error for name, error in worst.items() if accuracy.reason_of(name)[0] == why]
        assert max(errors) > limit / 20.0, f"{pattern} allows far more than there is"


def test_every_elementwise_operation_has_a_truth_but_for_those_with_a_reason():
    without = {  # compared in tests of their own
        *("huber", "sph_harm_y", "wofz", "log_softmax", "logsumexp", "softmax"),
    }
    names = {name.partition("[")[0] for name in NAMES}
    functions = {
        op.name
        for op in accuracy.ops()
        if op.name.startswith(("scipy.special.", "scipy.stats."))
        and op.name.split(".")[2] not in OF_VECTORS
    }
    # Its series takes mpmath minutes; the quantile is compared with the distribution function.
    without = {f"scipy.special.{name}" for name in without} | {"scipy.stats.vonmises.ppf"}
    assert functions - names == without


OF_VECTORS = {
    *("dirichlet", "gaussian_kde", "kurtosis", "multivariate_normal", "skew", "zscore"),
}


def test_an_error_above_the_limit_is_found(monkeypatch):
    name = "scipy.special.erf"
    right = accuracy.function_of(name)
    monkeypatch.setattr(accuracy, "function_of", lambda _: lambda x: right(x) * (1.0 + 1e-13))
    errors = accuracy.measured(name, accuracy.FEW)
    assert errors.failures
    assert "erf: " in next(accuracy.problems([errors]))
