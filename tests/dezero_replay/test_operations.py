"""Every operation that is replayed on other arrays has the bits of eager code.

Promise: docs/how_replay_works.md
"""

from collections import Counter

import pytest
from dezero_tools.testing import sample_of

from tests.dezero_replay.survey import operations_with_samples, outcome

#: Operations that compute nothing with an array, but for its shape and dtype.
OF_SHAPES = {
    *("can_cast", "empty_like", "iscomplexobj", "isrealobj", "ones_like", "result_type"),
    *("unstack", "zeros_like"),  # the first one, of an array that has no rows
}


@pytest.mark.parametrize(
    "operation", operations_with_samples("basic", "math"), ids=lambda operation: operation.name
)
def test_an_operation_replayed_on_other_arrays_has_the_bits_of_eager_code(
    operation, record_property
):
    calls = enumerate(sample_of(operation).calls)
    found = Counter(outcome(operation, number, call) for number, call in calls)
    record_property("survey", dict(found))
    assert ("refused" in found) == (operation.name in OF_SHAPES)
    assert "many branches" not in found
