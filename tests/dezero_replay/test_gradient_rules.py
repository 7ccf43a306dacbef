"""Functions with a gradient of their own are replayed; what is recomputed stays eager, by name.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, recomputed, stop_gradient, vmap, with_gradient

from dezero_replay import ReplayWarning, compiled
from tests.replayed import same, several


@with_gradient(lambda gy, y, x: gy * np.clip(x, -0.5, 0.5) * y)
def ruled(x):
    return np.sin(x)


def once(x):
    return np.sum(ruled(x) * x)


FUNCTIONS = {
    "a gradient": lambda x: grad(once)(x),
    "a second derivative": lambda x: grad(lambda x: np.sum(grad(once)(x) ** 2))(x),
    "over a batch": lambda x: vmap(grad(once))(x),
    "a part without a gradient": lambda x: grad(lambda x: np.sum(stop_gradient(np.sin(x)) * x))(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_gradient_rule_is_replayed_and_follows_its_arguments(name):
    same(FUNCTIONS[name], several((3, 2)), strict=True)


def test_a_function_that_is_recomputed_stays_eager_and_right():
    def gradient(x):
        return grad(lambda x: np.sum(recomputed(lambda x: np.sin(x) * x)(x)))(x)

    step, x = compiled(gradient), np.linspace(-1.0, 1.0, 5)
    with pytest.warns(ReplayWarning, match=r"RandomState.get_state\(\), which reads or sets"):
        got = step(x)
    np.testing.assert_allclose(got, np.cos(x) * x + np.sin(x), rtol=1e-14)
