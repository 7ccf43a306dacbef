"""Every operation is right over a batch, to second derivatives, or refused by name.

Promise: docs/array_types.md
"""

import pytest

from dezero_core import ops
from tests.array_types import on_the_page_for_batches, over_a_batch

OPERATIONS = {each.name: each for each in ops() if each.plugin in ("basic", "math", "nn")}
ON_THE_PAGE = on_the_page_for_batches()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_over_a_batch_agrees_with_a_loop_over_the_examples_as_the_page_says(name):
    assert over_a_batch(OPERATIONS[name]) == ON_THE_PAGE[name]
