"""Functions that take ndarrays alone run over a batch by a loop, or once if they take batches.

Promise: docs/how_to/batches.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, jacobian, vmap

from dezero_core import Function, VariableTypeError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4, 5))
AT_ONCE = "Each function computed all examples at once."


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
        "These functions looped over the examples:\n- Sorted.forward: once\n- Sorted.backward: once"
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


class Affine(Function):
    """``x @ w + b`` for rows of x, which are along the first axis or, turned around, the second."""

    arrays = "numpy: rows are counted"
    calls = 0

    def __init__(self, axis=0, axes=None):
        self.axis = axis
        self.batch_axes = axes or ((axis, None, None), (axis,))

    def forward(self, x, w, b):
        Affine.calls += 1
        assert type(x) is type(w) is type(b) is np.ndarray
        y = np.moveaxis(x, self.axis, 0) @ w + b
        return np.moveaxis(y, 0, self.axis)

    def backward(self, gy):
        x, w, _ = (each.data for each in self.inputs)
        rows = np.moveaxis(gy, self.axis, 0)
        gw = np.moveaxis(x, self.axis, 0).T @ rows
        gx = Affine(self.axis).of(gy, w.T, np.zeros(len(w)))
        return gx, gw, rows.sum(axis=0)


W, B = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=3)
ROWS = RANDOM.normal(size=(4, 2, 5))


def affine(*options):
    return lambda x, w, b: np.sum(np.sin(Affine(*options)(x, w, b)))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_function_that_takes_batches_runs_once_for_all_examples_also_on_the_way_back(axis):
    rows = np.moveaxis(ROWS, 1, 1 + axis)
    for index in range(3):
        f = vmap(grad(affine(axis), index), in_axes=(0, None, None))
        Affine.calls = 0
        got = f(rows, W, B)
        assert Affine.calls == 2
        close(got, [grad(affine(axis), index)(x, W, B) for x in rows])
        assert f.explain(rows, W, B) == AT_ONCE
        twice = grad(lambda *xs, i=index: np.sum(grad(affine(axis), i)(*xs) ** 2), index)
        close(vmap(twice, in_axes=(0, None, None))(rows, W, B), [twice(x, W, B) for x in rows])


def test_an_axis_that_is_not_there_leads_to_the_loop():
    f = vmap(lambda x: Affine(0, ((5, None, None), (0,)))(x, W, B))
    close(f(ROWS), ROWS @ W + B)
    assert "Affine.forward: once" in f.explain(ROWS)


@pytest.mark.parametrize(
    ("axes", "wrong"),
    [
        (((0, None), (0,)), r"\(0, None\) of operands or results, of which there are 3"),
        (((0, None, None), ()), r"\(\) of operands or results, of which there are 1"),
        (((0, None, None), (0, 0)), r"\(0, 0\) of operands or results, of which there are 1"),
    ],
)
def test_axes_of_more_or_fewer_operands_or_results_are_refused(axes, wrong):
    with pytest.raises(ValueError, match=rf"Affine\.batch_axes has the axes {wrong}"):
        vmap(lambda x: Affine(0, axes)(x, W, B))(ROWS)


def test_what_differs_in_the_shared_operands_leads_to_the_loop():
    weights = np.stack([W, 2.0 * W])
    f = vmap(grad(affine()), in_axes=(None, 0, None))
    close(f(ROWS[0], weights, B), [grad(affine())(ROWS[0], w, B) for w in weights])
    assert "Affine.forward" in f.explain(ROWS[0], weights, B)


class Scaled(Function):
    """Multiplies rows by what it was made with, or by what forward keeps."""

    saves = ()
    arrays = "numpy: for a test"
    batch_axes = (0,), (0,)

    def __init__(self, factor, keeps):
        self.factor, self.keeps, self.kept = factor, keeps, 1.0

    def forward(self, x):
        if self.keeps:
            self.kept = np.sign(x).astype(int)
        return x * self.factor * self.kept

    def backward(self, gy):
        return gy * self.factor * np.ravel(self.kept)


@pytest.mark.parametrize("keeps", [False, True])
def test_a_constant_of_each_example_and_what_forward_keeps_lead_to_the_loop(keeps):
    def f(x, factor):
        return np.sum(Scaled(factor, keeps)(x) ** 2)

    factors = np.arange(1.0, 5.0)
    close(vmap(grad(f))(X, factors), [grad(f)(*each) for each in zip(X, factors, strict=True)])
    close(vmap(grad(f), in_axes=(0, None))(X, 3.0), [grad(f)(x, 3.0) for x in X])
    twice = grad(lambda x: np.sum(grad(f)(x, 3.0) ** 2))
    close(vmap(twice)(X), [twice(x) for x in X])
    assert vmap(twice)(X[:0]).shape == (0, 5)
