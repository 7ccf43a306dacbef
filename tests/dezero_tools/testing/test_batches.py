"""Every operation is right over a batch, to second derivatives, or refused by name.

Promise: docs/array_types.md
"""

import pytest
from dezero_tools.testing import checks_of

from dezero_core import ops

OPERATIONS = {each.name: each for each in ops() if each.plugin in ("basic", "math", "nn")}

#: Operation -> a part of the reason why it is refused.
REFUSED = {
    "batch_norm": "np.zeros_like(x) for an array to be filled",  # it follows the data of the batch
    "result_type": "no array",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_over_a_batch_agrees_with_a_loop_over_the_examples(name):
    checks = checks_of(OPERATIONS[name].plugin, [name], array="batched")
    (check,) = [check for check in checks if check.name == "batched arrays"]
    skipped = [reason for reason in check.run().skipped if "draws no array" not in reason]
    assert all(REFUSED.get(name, "nothing") in reason for reason in skipped)
    assert bool(skipped) == (name in REFUSED)
