"""Systems, factors and their gradients are replayed to the bit, whatever the matrices become.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, value_and_grad, vmap

from tests.replayed import same

RANDOM = np.random.default_rng(0)
N = 140
X, Y = np.linspace(0.0, 6.0, N), RANDOM.normal(size=N)
DISTANCES = (X[:, None] - X) ** 2


def likelihood(t):
    k = np.exp(-0.5 * DISTANCES / t[0] ** 2) * t[1] ** 2 + t[2] * np.eye(N)
    factor = np.linalg.cholesky(k)
    alpha = np.linalg.solve(factor.T, np.linalg.solve(factor, Y))
    return 0.5 * (Y @ alpha) + np.sum(np.log(np.diagonal(factor)))


def lengths(calls, *lead):
    return [(RANDOM.uniform(0.5, 1.5, (*lead, 3)),) for _ in range(calls)]


FUNCTIONS = {
    "value and gradient": (value_and_grad(likelihood), lengths(6)),
    "a Hessian": (hessian(likelihood), lengths(5)),
    "gradients of examples": (lambda t: vmap(grad(likelihood))(t), lengths(5, 2)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_likelihood_of_a_large_gaussian_process_is_replayed_to_the_bit(name):
    function, calls = FUNCTIONS[name]
    same(function, calls)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.sum(np.sin(np.linalg.solve(a, b))),
        lambda a, b: np.sum(np.sin(np.linalg.inv(a)) * b),
        lambda a, b: np.linalg.slogdet(a)[1] * np.sum(b),
    ],
    ids=["solve", "inv", "slogdet"],
)
def test_matrices_that_are_triangles_in_some_calls_alone_are_replayed_to_the_bit(function):
    lower = np.tril(RANDOM.normal(size=(N, N))) / 20 + 3.0 * np.eye(N)
    full = RANDOM.normal(size=(N, N)) + 20.0 * np.eye(N)
    matrices = [lower, 1.1 * lower, lower, full, lower.T.copy(), lower, full, lower.T.copy()]
    step = same(value_and_grad(function, (0, 1)), [(a, Y) for a in matrices])
    assert (step.stats["recorded"], step.stats["replaced"]) == (2, 0)
