"""Maps over batches, Jacobians and Hessians are replayed: the program is that of whole arrays.

Promise: docs/how_to/batches.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, jacobian, vmap

from dezero_core import VariableTypeError
from dezero_replay import ReplayWarning, compiled
from tests.lowering import calls, graph_of
from tests.replayed import same, several

RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(5, 4))


def vector(x):
    return np.tanh(A @ x)


def number(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum(np.sin(x))


def loss(w, x, label):
    scores = x @ w
    return np.log(np.sum(np.exp(scores))) - scores[label]


def summed(w, x):
    return np.sum(vmap(loss, in_axes=(None, 0, 0))(w, x, LABELS))


W, LABELS = RANDOM.normal(size=(4, 3)), np.array([0, 2, 1, 1, 0, 2])

FUNCTIONS = {
    "a map": lambda x: vmap(number)(x),
    "gradients of examples": lambda x: vmap(grad(loss), in_axes=(None, 0, 0))(W, x, LABELS),
    "a sum over examples": lambda x: grad(lambda w: np.sum(vmap(loss, (None, 0, 0))(w, x, LABELS)))(
        W
    ),
    "maps within maps": lambda x: vmap(lambda a: vmap(lambda b: np.sin(a @ b))(x))(x),
    "a Jacobian by rows": lambda x: jacobian(lambda y: A[:3] @ np.sin(y))(x[0]),
    "a Jacobian by columns": lambda x: jacobian(vector)(x[0]),
    "a Hessian": lambda x: hessian(number)(x[0]),
    "Hessians of examples": lambda x: vmap(hessian(number))(x),
    "a function without a rule": lambda x: vmap(lambda a: np.convolve(a, A[0]))(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_over_a_batch_is_replayed_and_follows_its_arguments(name):
    same(FUNCTIONS[name], several((6, 4), calls=8), strict=True)


#: A function of an example, and the same of all examples.
WHOLE = {
    "elements": (lambda a: np.sin(a) * a - 1.0, lambda x: np.sin(x) * x - 1.0),
    "sums": (
        lambda a: np.sum((a[1:] - np.sin(a[:-1])) * a[1:]),
        lambda x: np.sum((x[:, 1:] - np.sin(x[:, :-1])) * x[:, 1:], axis=1),
    ),
    "products": (lambda a: np.tanh(a @ W) - 1.0, lambda x: np.tanh(x @ W) - 1.0),
}


@pytest.mark.parametrize("name", WHOLE)
def test_the_map_leaves_no_trace_in_the_program(name):
    f, of_all = WHOLE[name]
    x = RANDOM.normal(size=(6, 4))
    assert calls(graph_of(vmap(f), x)) == calls(graph_of(of_all, x))
    assert calls(graph_of(vmap(f, 1), x.T)) == ["moveaxis", *calls(graph_of(of_all, x))]


def test_random_numbers_within_a_map_are_refused_as_without_a_recording():
    step = compiled(lambda x: vmap(lambda a: a + np.random.normal(size=4))(x))
    with (
        pytest.raises(VariableTypeError, match="draws random numbers"),
        pytest.warns(ReplayWarning, match="draws random numbers within vmap"),
    ):
        step(np.ones((6, 4)))
