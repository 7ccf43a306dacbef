"""The errors of machine code on docs/accuracy.md: of which functions, and measured where.

Promise: docs/accuracy.md
"""

import re

import accuracy
import numpy as np
import pytest

from dezero_replay import compilation
from dezero_replay_llvm import functions

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # inf is what is asked for


def test_the_page_of_accuracy_has_a_row_for_each_function_of_which_machine_code_has_another_form():
    rows = re.findall(
        r"^\| `np\.(\w+)` \|", accuracy.PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [
        function.__name__ for _, function in sorted(accuracy.native_functions().items())
    ]
    assert set(rows) == {function.__name__ for function in functions.NEEDS}


def test_the_error_of_machine_code_is_measured_in_replays_of_it(monkeypatch):
    steps = []
    made = compilation.Compiled.__init__

    def noted(self, *arguments):
        made(self, *arguments)
        steps.append(self)

    monkeypatch.setattr(compilation.Compiled, "__init__", noted)
    x = np.array([[0.5, 1.5, -2.5]])
    in_vectors, alone = accuracy.natively(np.exp, x)
    np.testing.assert_array_almost_equal_nulp(in_vectors, np.exp(x[0]), 4)
    np.testing.assert_array_almost_equal_nulp(alone, np.exp(x[0]), 4)
    for step in steps:
        assert "native: 2 calls" in step.explain()
        assert step.stats == {"replayed": 2, "recorded": 2, "eager": 0, "audits": 0, "replaced": 0}
    assert len(steps) == 2


@pytest.mark.parametrize("name", ["exp", "tanh", "log1p"])
def test_machine_code_at_hard_places_is_within_four_units(name):
    grid = accuracy.Grid(name, random=0)
    found = grid.of_values(*accuracy.natively(accuracy.native_functions()[name], grid.x))
    assert found.worst.error <= 4.0
    assert found.used > 50
