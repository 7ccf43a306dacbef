"""Operations of this repository give NumPy's values to the last bit, unless they say otherwise.

The conformance kit allows a few units of the last digit, for authors who compute in another way.
"""

import pytest
from dezero_tools.testing.checks import DIFFERENTIABLE_CHECKS
from dezero_tools.testing.runner import Check

from dezero_core import Sample, ops

OURS = [op for op in ops() if op.plugin in ("basic", "math") and op.differentiable]
EXACT = [op for op in OURS if op.sample.ulps == Sample(()).ulps]


@pytest.mark.parametrize("operation", EXACT, ids=lambda operation: operation.name)
def test_an_operation_gives_the_values_of_its_reference_to_the_last_bit(operation):
    exact = operation._replace(sample=operation.sample._replace(ulps=0.0))
    for check in ("values", "complex", "dtypes", "integers"):
        Check(exact, check, DIFFERENTIABLE_CHECKS[check]).run()


def test_few_operations_say_that_their_values_are_rounded_in_another_way():
    assert len(EXACT) > 0.9 * len(OURS) > 0.0
