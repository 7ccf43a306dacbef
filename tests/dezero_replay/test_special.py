"""A plugin of somebody else, in which nothing was changed for replay.

Promise: docs/how_to/make_it_faster.md
"""

from collections import Counter

import numpy as np
import pytest
import scipy.special
from dezero_tools.testing import sample_of

from dezero_core import Parameter
from tests.dezero_replay.survey import operations_with_samples, outcome
from tests.replayed import same, several

OPERATIONS = operations_with_samples("special")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_of_special_is_recorded_or_opaque_with_the_bits_of_eager_code(
    operation, record_property
):
    calls = enumerate(sample_of(operation).calls)
    found = Counter(outcome(operation, number, call) for number, call in calls)
    record_property("survey", dict(found))
    assert found
    assert found.keys() <= {"recorded", "guarded", "opaque", "without arrays"}


def test_all_operations_of_special_are_tried():
    assert len(OPERATIONS) == 21


def test_a_training_step_with_scipys_own_functions_is_replayed():
    def step(shape, x):
        loss = np.sum(scipy.special.gammaln(shape) + scipy.special.expit(x * shape))
        shape.cleargrad()
        loss.backward()
        shape.data -= 0.01 * shape.grad
        return loss

    found = same(step, several((4,), calls=100), lambda: Parameter(np.full(4, 2.0)))
    assert found.stats["recorded"] == 2
