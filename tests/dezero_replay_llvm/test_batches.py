"""Maps over batches are machine code: nearly all calls of their programs, forward and backward.

Promise: docs/how_to/batches.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, jacobian, vmap

from dezero_replay import compiled

RANDOM = np.random.default_rng(0)
W, TARGETS = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(6, 3))


def loss(w, x, target):
    return np.sum(np.tanh(x @ w - target) ** 2)


FUNCTIONS = {
    "a map": lambda x: vmap(lambda a: np.sin(a) * np.sum(a) - 1.0)(x),
    "gradients of examples": lambda x: vmap(grad(loss), in_axes=(None, 0, 0))(W, x, TARGETS),
    "gradients by examples": lambda x: vmap(grad(loss, 1), in_axes=(None, 0, 0))(W, x, TARGETS),
    "a Jacobian": jacobian(lambda x: np.tanh(x) * np.sin(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_map_over_a_batch_is_machine_code(name):
    function = FUNCTIONS[name]
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(4):
        x = RANDOM.normal(size=4 if name == "a Jacobian" else (6, 4))
        np.testing.assert_allclose(step(x), function(x), rtol=1e-12, atol=1e-13)
    (line,) = [each for each in str(step.explain()).splitlines() if "native:" in each]
    native = int(line.split("native:")[1].split()[0])
    others = [
        each
        for each in str(step.program).splitlines()
        if " = " in each and not each.strip().startswith(("c", "#"))
    ]
    assert native == len(others), step.explain()
