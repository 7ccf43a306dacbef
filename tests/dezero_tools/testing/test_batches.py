"""Every operation is right over a batch, to second derivatives, or refused by name.

Promise: docs/array_types.md
"""

import numpy as np
import pytest
from dezero_tools.testing import Call, Draw, Sample
from dezero_tools.testing.checks import array_rule
from dezero_tools.testing.rules import CheckError
from dezero_tools.testing.runner import Check

from dezero_core import ops
from tests.array_types import on_the_page_for_batches, over_a_batch

from .planted import operation, sine

OPERATIONS = {each.name: each for each in ops() if each.plugin in ("basic", "math", "nn")}
ON_THE_PAGE = on_the_page_for_batches()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_over_a_batch_agrees_with_a_loop_over_the_examples_as_the_page_says(name):
    assert over_a_batch(OPERATIONS[name]) == ON_THE_PAGE[name]


def run(planted):
    ((check, rule),) = array_rule("batched").items()
    return Check(planted, check, rule).run()


def slope_but_of_a_batch(self, gy):
    x = self.inputs[0].data
    return gy if hasattr(x, "batch") else gy * np.cos(x)


@pytest.mark.parametrize("order", [1, 2])
def test_a_gradient_that_is_another_over_a_batch_is_found(order):
    sample = Sample(Call(Draw((2,))), order=order)
    assert run(operation(sample=sample)).skipped == {}
    wrong = operation(sine(backward=slope_but_of_a_batch), sample=sample)
    with pytest.raises(CheckError, match="gradient 0 over a batch"):
        run(wrong)
