"""Functions that take ndarrays alone run over a batch by a loop.

Promise: docs/how_to/batches.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, jacobian, vmap

from dezero_core import Function, VariableTypeError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4, 5))


def close(got, expected):
    np.testing.assert_allclose(got, np.stack(expected), 1e-12, 1e-12)


class Sorted(Function):
    """Sorts, with 0 for the last element: forward keeps places, a mask and a number."""

    saves = ()
    arrays = "numpy: a list is made of it"

    def __init__(self):
        self.places, self.count = None, 0

    def forward(self, x):
        self.places, self.count = np.argsort(x.tolist()), len(x)
        self.is_last = self.places == len(x) - 1
        return 2.0 * x[self.places] * ~self.is_last

    def backward(self, gy):
        gx = np.zeros(self.count)
        gx[self.places] = 2.0 * np.array(gy.tolist()) * ~self.is_last
        return gx


def of_sorted(x):
    return np.sum(Sorted()(x) * np.arange(5.0) ** 2)


def test_arrays_that_forward_keeps_are_of_each_example():
    close(vmap(grad(of_sorted))(X), [grad(of_sorted)(x) for x in X])
    assert vmap(grad(of_sorted)).explain(X) == (
        "These functions looped over the examples:\n"
        "- Sorted.forward: once\n- Sorted.backward: once"
    )


def test_maps_within_maps_loop_within_loops():
    pairs = np.stack([X, -X])
    got = vmap(vmap(grad(of_sorted)))(pairs)
    close(got, [[grad(of_sorted)(x) for x in each] for each in pairs])
    got = vmap(jacobian(lambda x: Sorted()(x)))(X)
    close(got, [jacobian(lambda x: Sorted()(x))(x) for x in X])


def test_no_example_has_gradients_of_the_same_form():
    assert vmap(grad(of_sorted))(X[:0]).shape == (0, 5)


class Chosen(Function):
    """Keeps what differs from example to example and is no array."""

    arrays = "numpy: a number is made of it"

    def __init__(self):
        self.largest = 0

    def forward(self, x):
        self.largest = int(np.argmax(x))
        return x[self.largest]

    def backward(self, gy):
        gx = np.zeros(5)
        gx[self.largest] = gy
        return gx


def test_numbers_that_forward_keeps_and_that_differ_are_refused():
    message = r"self\.largest of Chosen\.forward is another int for each example of vmap\(.*array"
    with pytest.raises(VariableTypeError, match=message):
        vmap(grad(lambda x: Chosen()(x)))(np.eye(5)[:2])
    alike = np.stack([X[0], 2.0 * X[0]])
    close(vmap(grad(lambda x: Chosen()(x)))(alike), [np.eye(5)[np.argmax(X[0])]] * 2)
