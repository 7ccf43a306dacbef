"""Every operation is right over a batch, at once or by a loop over the examples.

Promise: docs/how_to/use_scipy.md
"""

import pytest

from dezero_core import ops
from tests.array_types import over_a_batch

#: SciPy's own functions of these take no more than one example.
LOOPS = (
    *("scipy.linalg.", "scipy.stats.dirichlet.", "scipy.stats.multivariate_normal."),
    *(f"scipy.special.{name}" for name in ("lambertw", "multigammaln", "polygamma", "sph_harm_y")),
    *(f"scipy.special.{name}" for name in ("log_softmax", "logsumexp", "softmax")),
)
OPERATIONS = {each.name: each for each in ops() if each.plugin == "scipy"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_of_scipy_over_a_batch_agrees_with_a_loop_over_the_examples(name):
    how, message = over_a_batch(OPERATIONS[name])
    if name == "scipy.linalg.logm":  # as is said, SciPy draws random numbers for it
        assert "randomness='different'" in message
        return
    assert (how in ("at once", "a loop", "a loop in some calls"), message) == (True, "")
    assert how == "at once" or name.startswith(LOOPS), how
