"""Compiled functions with SciPy's functions in them have the bits of eager code.

Promise: docs/how_to/make_it_faster.md
"""

from collections import Counter

import numpy as np
import pytest
import scipy.special
from dezero_tools.testing import sample_of

from dezero_core import Parameter
from dezero_ops_scipy import linalg, stats
from dezero_replay import compiled
from tests.dezero_replay.survey import operations_with_samples, outcome
from tests.replayed import same, several

#: Sums with as many terms as the values need, which a program cannot have: they stay eager.
OF_VALUES = {f"scipy.stats.{name}.entropy" for name in ("nbinom", "poisson")}
OPERATIONS = operations_with_samples("scipy")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_of_scipy_is_recorded_or_opaque_with_the_bits_of_eager_code(
    operation, record_property
):
    calls = [*enumerate(sample_of(operation).calls)][:1]
    found = Counter(outcome(operation, number, call) for number, call in calls)
    record_property("survey", dict(found))
    assert found
    assert found.keys() <= {"recorded", "guarded", "opaque", "without arrays"} | (
        {"refused"} if operation.name in OF_VALUES else set()
    )


def test_a_training_step_with_scipys_own_functions_is_replayed():
    def step(shape, x):
        loss = np.sum(scipy.special.gammaln(shape) + scipy.special.expit(x * shape))
        shape.cleargrad()
        loss.backward()
        shape.data -= 0.01 * shape.grad
        return loss

    found = same(step, several((4,), calls=100), lambda: Parameter(np.full(4, 2.0)))
    assert found.stats["recorded"] == 2


def test_a_step_with_distributions_is_replayed_and_recorded_anew_beyond_the_support():
    """Whether all numbers are inside is a question of their values."""

    def step(p, x):
        loss = -np.sum(stats.expon.logpdf(x, scale=p) + stats.t.logpdf(x, 3.0, scale=p))
        p.cleargrad()
        loss.backward()
        p.data -= 0.001 * p.grad
        return loss

    x = np.linspace(0.5, 2.0, 4)
    calls = [((1.0 - 2.0 * (number == 60)) * x,) for number in range(100)]
    found = same(step, calls, lambda: Parameter(np.array(1.5)))
    assert found.stats["replayed"] > 50


def test_functions_of_arrays_are_scipys_to_the_bit_also_while_a_function_is_recorded():
    def of_arrays(x):
        return stats.norm.logpdf(x, 0.5, 2.0) + linalg.expm(np.outer(x, x))[0]

    step = compiled(of_arrays)
    for number in range(6):
        x = np.array([0.1, 0.2]) + number
        np.testing.assert_array_equal(step(x), of_arrays(x))
