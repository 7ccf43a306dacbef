"""Operations of this repository give NumPy's values to the last bit, unless they say otherwise.

The conformance kit asks them for that where it runs: see `exact` in ``tests/conftest.py``.

Promise: docs/how_to/differences_from_numpy.md
"""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_tools.testing import CheckError, Sample, checks_of, sample_of
from dezero_tools.testing.checks import CHECKS
from dezero_tools.testing.runner import Check

from dezero_core import ops

from ..conftest import exact, make_exact

OURS = [op for op in ops() if op.plugin in ("basic", "math") and op.differentiable]
EXACT = {op.name for op in OURS if sample_of(op).ulps == Sample().ulps}
(SIN,) = (op for op in OURS if op.name == "sin")


@pytest.mark.parametrize("plugin", ["basic", "math"])
def test_the_checks_of_our_operations_allow_no_rounding_unless_the_sample_says_so(plugin):
    for check in checks_of(plugin):
        asked, said = sample_of(exact(check).operation), sample_of(check.operation)
        assert vars(asked) == (vars(said) | {"ulps": 0.0} if asked.ulps == 0.0 else vars(said))
        if check.operation.differentiable:
            assert (asked.ulps == 0.0) == (check.operation.name in EXACT or said.ulps == 0.0)


def test_a_value_in_the_last_bit_is_wrong_for_our_operations_and_right_for_others():
    def off(x):
        y = SIN.function(x)
        y.data = np.asarray(y.data * (1.0 + 2.0**-52))
        return y

    check = Check(SIN._replace(function=off), "values", CHECKS["values"])
    assert check.run().ran
    with pytest.raises(CheckError, match="wrong values"):
        exact(check).run()
    other = Check(check.operation._replace(plugin="other"), "values", check.rule)
    assert exact(other) is other


def test_the_tests_of_the_kit_are_made_exact_when_they_are_collected():
    check = next(checks_of("math", ["sin"]))
    items = [SimpleNamespace(check=check), SimpleNamespace()]
    make_exact(items)
    assert sample_of(items[0].check.operation).ulps == 0.0
    assert not vars(items[1])


def test_few_operations_say_that_their_values_are_rounded_in_another_way():
    assert len(EXACT) > 0.9 * len(OURS) > 0.0
