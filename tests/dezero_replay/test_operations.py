"""Every operation that is replayed on other arrays has the bits of eager code.

Promise: docs/how_replay_works.md
"""

from collections import Counter

import pytest
from dezero_tools.testing import sample_of

from tests.dezero_replay.survey import operations_with_samples, outcome

#: Operations that take whole numbers out of an array, which a sample gives them: where to split.
OF_LISTS = {"array_split", "roll", "split"}


@pytest.mark.parametrize(
    "operation", operations_with_samples("basic", "math"), ids=lambda operation: operation.name
)
def test_an_operation_replayed_on_other_arrays_has_the_bits_of_eager_code(
    operation, record_property
):
    calls = enumerate(sample_of(operation).calls)
    found = Counter(outcome(operation, number, call) for number, call in calls)
    record_property("survey", dict(found))
    assert found["refused"] == (operation.name in OF_LISTS)
    assert "many branches" not in found
