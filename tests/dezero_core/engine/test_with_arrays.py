"""``node.with_arrays(...)``: a copy of a Function on which ``backward`` computes with other arrays.

Promise: docs/engine.md
"""

import pickle

import numpy as np
import pytest

from dezero_core import Function, GradientError, GraphCopyError, Variable
from dezero_core.extend import mode


class Scaled(Function):
    """One input and one output saved, a constant of its own."""

    saves = ("inputs", "outputs")

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return self.factor * x * x

    def backward(self, gy):
        x, y = self.inputs[0].data, self.outputs[0]().data
        return gy * (self.factor * x + y / x)


class Times(Function):
    saves = ("other inputs",)

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        gx0 = gy * self.inputs[1].data if self.needs_grad[0] else None
        gx1 = gy * self.inputs[0].data if self.needs_grad[1] else None
        return gx0, gx1


class Ends(Function):
    """Two outputs, and no array saved."""

    saves = ()

    def forward(self, x, n):
        return x[:1] * n, x[1:] * n

    def backward(self, g0, g1):
        assert (self.inputs[0].shape, self.inputs[0].dtype) == (self.expected, float)
        return np.concatenate([g0, g1]) * 3.0, None


def gradients(node, *gys):
    """Return what ``backward`` of a node returns in a backward pass."""
    token = mode.set(mode.get().changed(in_backward=True))
    try:
        return node.backward(*gys)
    finally:
        mode.reset(token)


def node(function, *xs):
    y = function(*xs)
    return (y[0] if isinstance(y, list) else y).creator


X = np.array([1.0, 2.0])


def test_a_copy_computes_with_the_arrays_given_and_the_function_with_its_own():
    function = node(Scaled(3.0), Variable(X))
    inputs, outputs = function.saved_arrays()
    np.testing.assert_array_equal([*inputs, *outputs], [X, 3.0 * X * X])
    copy = function.with_arrays([2.0 * X], [12.0 * X * X])
    np.testing.assert_array_equal(gradients(copy, np.ones(2)), 12.0 * X)
    np.testing.assert_array_equal(gradients(function, np.ones(2)), 6.0 * X)
    assert copy.factor == 3.0
    assert copy.inputs[0].data.tolist() == [2.0, 4.0]


def test_a_copy_keeps_its_place_in_the_graph_and_a_bare_one_keeps_nothing_of_it():
    x = Variable(X)
    function = node(Scaled(3.0), Scaled(2.0)(x))
    arrays = function.saved_arrays()
    assert function.with_arrays(*arrays).inputs[0].shape == (2,)
    copy, bare = function.with_arrays(*arrays), function.with_arrays(*arrays, bare=True)
    assert copy._edges == function._edges
    assert not {type(edge).__name__ for edge in bare._edges} - {"Spec"}
    assert bare.generation == function.generation == 1
    np.testing.assert_array_equal(gradients(bare, np.ones(2)), gradients(function, np.ones(2)))


@pytest.mark.parametrize("constant", [False, True])
def test_a_bare_copy_can_be_pickled_though_its_function_cannot(constant):
    other = np.array([5.0, 7.0])
    function = node(Times(), Variable(X), other if constant else Variable(other))
    with pytest.raises(GraphCopyError):
        pickle.dumps(function)
    bare = function.with_arrays(*function.saved_arrays(), bare=True)
    found = gradients(pickle.loads(pickle.dumps(bare)), np.ones(2))
    np.testing.assert_array_equal(found[0], other)
    assert found[1] is None if constant else found[1].tolist() == X.tolist()


def test_a_copy_can_be_copied_where_no_function_of_its_class_was_applied_yet(monkeypatch):
    function = node(Times(), Variable(X), Variable(X))
    arrays = function.saved_arrays()
    bare = pickle.loads(pickle.dumps(function.with_arrays(*arrays, bare=True)))
    monkeypatch.setattr(Times, "_prepared", False)  # as in another process
    again = bare.with_arrays(*arrays, bare=True)
    np.testing.assert_array_equal(gradients(again, np.ones(2)), [X, X])


def test_what_was_not_saved_is_not_there_in_a_copy_either():
    function = node(Times(), Variable(X), np.array([5.0, 7.0]))
    inputs, _ = function.saved_arrays()
    assert inputs[0] is None
    for copy in (
        function,
        function.with_arrays(inputs, ()),
        function.with_arrays(inputs, (), True),
    ):
        assert copy.inputs[0].shape == (2,)
        with pytest.raises(GradientError, match="'other inputs'"):
            _ = copy.inputs[0].data


def test_a_bare_copy_of_other_shape_has_inputs_and_outputs_of_that_shape():
    function = node(Ends(), Variable(np.arange(4.0)), 3.0)
    function.expected = (4,)
    expected = gradients(function, np.ones(1), np.ones(3))[0].tolist()
    bare = function.with_arrays(*function.saved_arrays(), bare=True, shape=(2,))
    bare.expected = (2,)
    assert expected == [3.0] * 4
    assert gradients(bare, np.ones(1), np.ones(1))[0].tolist() == [3.0] * 2
    assert [edge._edge_shape for edge in bare._ports()] == [(2,), (2,)]
    assert bare.inputs[1].shape == ()
    one = node(Scaled(3.0), Variable(X)).with_arrays([X], [X], bare=True, shape=(7,))
    assert (one.inputs[0].data.shape, one._edge_shape) == ((2,), (7,))
