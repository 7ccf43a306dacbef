"""flatten: nested arrays as a vector and back, with gradients through both ways.

Promise: docs/how_to/use_scipy.md
"""

import functools
import pickle
import re
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import jax
import jax.flatten_util
import numpy as np
import pytest
from dezero_tools.functional import flatten, grad, hessian, jacobian, value_and_grad
from dezero_tools.testing.strict import StrictArray
from scipy.optimize import minimize

from dezero_core import Parameter, Variable, VariableTypeError

jax.config.update("jax_enable_x64", True)

Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any = None


W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
TREES = {
    "an array": W,
    "a number": 3.0,
    "a dict": {"b": 1.0, "a": W},
    "an ordered dict": OrderedDict(b=1.0, a=W),
    "lists and tuples": [W, (2.0, [3.0], ())],
    "a namedtuple": Pair(W, Pair(1.0, 2.0)),
    "a dataclass": Layer(W, [Layer(2.0)]),
    "None": {"a": None, "b": 2.0},
    "an array of no elements": [np.zeros((0, 3)), 1.0],
    "nothing": {},
}


def same(tree, other):
    """Compare form, classes, shapes, dtypes and numbers of two trees."""
    if isinstance(tree, Layer):
        tree, other = vars(tree), vars(other)
    assert isinstance(other, type(tree) if isinstance(tree, (dict, list, tuple)) else object)
    if isinstance(tree, dict):
        assert list(tree) == list(other)
        tree, other = list(tree.values()), list(other.values())
    if isinstance(tree, (list, tuple)):
        for each in zip(tree, other, strict=True):
            same(*each)
    elif tree is None:
        assert other is None
    else:
        assert (np.shape(tree), np.asarray(tree).dtype) == (other.shape, other.dtype)
        np.testing.assert_array_equal(tree, other)


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_unflatten_builds_the_tree_that_was_flattened(tree):
    vector, unflatten = flatten(tree)
    assert (vector.ndim, vector.dtype) == (1, float)
    same(tree, unflatten(vector))
    same(tree, pickle.loads(pickle.dumps(unflatten))(vector))


def test_the_numbers_of_a_vector_are_in_the_order_of_the_leaves():
    vector, unflatten = flatten({"b": 1.0, "a": [np.array([[2.0], [3.0]]), Layer(4.0)]})
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0]
    tree = unflatten([10.0, 20.0, 30.0, 40.0])
    assert (tree["b"], tree["a"][0].tolist(), tree["a"][1].w) == (10.0, [[20.0], [30.0]], 40.0)


def test_writing_into_a_vector_does_not_change_the_tree_that_was_flattened():
    x = W.copy()
    flatten(x)[0][:] = 0.0
    np.testing.assert_array_equal(x, W)


def test_a_tree_that_is_changed_after_flatten_does_not_change_unflatten():
    tree = {"a": [1.0]}
    vector, unflatten = flatten(tree)
    tree["a"].append(2.0)
    assert unflatten(vector) == {"a": [1.0]}


@pytest.mark.parametrize(
    ("dtypes", "of_vector", "of_leaves"),
    [
        ("ff", "f", "ff"),
        ("ee", "e", "ee"),
        ("fd", "d", "fd"),
        ("ef", "f", "ef"),
        ("li", "d", "dd"),
        ("?l", "d", "dd"),
        ("fl", "d", "fd"),
        ("fF", "F", "fF"),
        ("dF", "D", "dF"),
        ("lD", "D", "dD"),
    ],
)
def test_a_vector_has_the_common_dtype_and_each_leaf_gets_its_own_again(
    dtypes, of_vector, of_leaves
):
    tree = [np.ones(2, dtype) for dtype in dtypes]
    vector, unflatten = flatten(tree)
    assert vector.dtype.char == of_vector
    again = unflatten(vector)
    assert "".join(leaf.dtype.char for leaf in again) == of_leaves
    for leaf, other in zip(tree, again, strict=True):
        np.testing.assert_array_equal(leaf, other)


def test_a_vector_of_another_dtype_is_converted_to_the_dtypes_of_the_leaves():
    _, unflatten = flatten([np.ones(1, np.float32), 2])
    single, number = unflatten(np.array([0.1, 2.5]))
    assert (single.dtype, single[0], number) == (np.float32, np.float32(0.1), 2.5)
    assert unflatten(np.array([1, 2]))[0].dtype == np.float32


def loss(p):
    hidden = np.tanh(p["w"] @ p["x"] + p["b"][0])
    return np.sum(hidden**2) * p["b"][1]


POINT = {"w": W / 6.0, "x": np.array([0.3, -0.8, 0.5]), "b": (np.array([0.1, 0.2]), 2.0)}


def test_gradients_go_through_unflatten_as_in_jax():
    vector, unflatten = flatten(POINT)
    of_jax, ravelled = jax.flatten_util.ravel_pytree({name: POINT[name] for name in "bwx"})

    def in_jax(v):
        p = ravelled(v)
        return jax.numpy.sum(jax.numpy.tanh(p["w"] @ p["x"] + p["b"][0]) ** 2) * p["b"][1]

    by_jax = ravelled(jax.grad(in_jax)(of_jax))
    found = unflatten(grad(lambda v: loss(unflatten(v)))(vector))
    for name in ("w", "x"):
        np.testing.assert_allclose(found[name], by_jax[name], rtol=1e-12)
    np.testing.assert_allclose(found["b"][0], by_jax["b"][0], rtol=1e-12)
    hessians = hessian(lambda v: loss(unflatten(v)))(vector)
    np.testing.assert_allclose(hessians, hessians.T, rtol=1e-12, atol=1e-14)


def test_gradients_go_through_flatten():
    """By hand: the gradient of sum(c v**2) is 2 c v."""
    size = flatten(POINT)[0].size
    c = np.arange(1.0, size + 1.0)
    found = grad(lambda p: np.sum(c * flatten(p)[0] ** 2))(POINT)
    np.testing.assert_allclose(flatten(found)[0], 2.0 * c * flatten(POINT)[0], rtol=1e-15)
    flat = flatten(jacobian(lambda p: flatten(p)[0])(POINT))[0]
    assert flat.sum() == size


def test_a_flattened_gradient_is_differentiated_again():
    """By hand: the gradient of |2 v|**2 is 8 v."""
    found = grad(lambda p: np.sum(flatten(grad(lambda q: np.sum(flatten(q)[0] ** 2))(p))[0] ** 2))
    np.testing.assert_allclose(found([W, 1.0])[0], 8.0 * W)


def test_variables_and_parameters_are_flattened_with_their_graph():
    w, b = Parameter(W), Variable(np.array(2.0))
    vector, unflatten = flatten({"w": w, "b": b, "c": 1.0})
    assert isinstance(vector, Variable)
    tree = unflatten(vector * vector)
    assert {type(leaf) for leaf in tree.values()} == {Variable}
    (np.sum(tree["w"]) * tree["b"]).backward()
    np.testing.assert_allclose(w.grad, 2.0 * W * 4.0)
    assert b.grad == 2.0 * 2.0 * np.sum(W**2)


def test_leaves_of_short_floats_get_gradients_of_their_dtype():
    tree = [np.ones(2, np.float32), 2.0]
    gradient = grad(lambda p: np.sum(flatten(p)[0] ** 3))(tree)
    assert [leaf.dtype for leaf in gradient] == [np.float32, np.float64]
    np.testing.assert_array_equal(gradient[0], [3.0, 3.0])


def test_a_real_leaf_beside_complex_ones_gets_the_real_part_and_a_real_gradient():
    vector, unflatten = flatten({"x": 2.0, "z": 1.0 + 1.0j})
    assert unflatten(vector + 1.0j)["x"] == 2.0
    found = grad(lambda v: unflatten(v)["x"] ** 3 + np.abs(unflatten(v)["z"]) ** 2)(vector)
    np.testing.assert_allclose(found, [12.0, 2.0 + 2.0j])


@pytest.mark.usefixtures("strict_arrays")
def test_arrays_of_a_registered_type_are_flattened_to_one_of_that_type():
    vector, unflatten = flatten({"w": StrictArray(W), "b": StrictArray(1.0)})
    assert type(vector) is StrictArray
    tree = unflatten(vector)
    assert (type(tree["w"]), tree["w"].shape) == (StrictArray, (2, 3))
    gradient = grad(lambda v: np.sum(unflatten(v)["w"] ** 2))(vector)
    np.testing.assert_array_equal(gradient._values, [*2.0 * W.ravel(), 0.0])


def test_the_vector_of_a_tree_goes_to_scipy_and_back():
    target = {"w": W, "b": [2.0, np.array([3.0])]}

    def distance(p):
        parts = (p["w"] - W, p["b"][0] - 2.0, p["b"][1] - 3.0)
        return functools.reduce(np.add, (np.sum(part**2) for part in parts))

    vector, unflatten = flatten({"w": np.zeros((2, 3)), "b": [0, np.zeros(1)]})
    both = value_and_grad(lambda v: distance(unflatten(v)))
    found = unflatten(minimize(both, vector, jac=True).x)
    np.testing.assert_allclose(flatten(found)[0], flatten(target)[0], atol=1e-6)


@pytest.mark.parametrize(
    ("leaf", "said"),
    [
        ("abc", "flatten takes numbers, and tree['w'][1] is of <U3 data: 'abc'."),
        (np.array([1.0, None]), "tree['w'][1] is of object data: [1.0, None]."),
        (np.ma.array([1.0], mask=[True]), "tree['w'][1] is a MaskedArray."),
        (np.float64, "tree['w'][1] is of object data: <class 'numpy.float64'>."),
    ],
    ids=["text", "objects", "a mask", "a class"],
)
def test_a_leaf_that_is_no_number_is_refused_by_flatten_with_its_path(leaf, said):
    with pytest.raises(VariableTypeError, match=re.escape(said)):
        flatten({"w": [1.0, leaf]})


@pytest.mark.parametrize(
    ("vector", "error", "said"),
    [
        (np.zeros(3), ValueError, "a vector of shape (2,), as flatten has returned it, got an"),
        (np.zeros((2, 1)), ValueError, "got an array of shape (2, 1)."),
        (1.0, ValueError, "got an array of shape ()."),
        (Variable(np.zeros(3)), ValueError, "got an array of shape (3,)."),
        ([1.0, 2.0j], TypeError, "takes a real vector, as flatten has returned it, got complex128"),
        (["a", "b"], TypeError, "unflatten takes numbers, and its vector is of <U1 data"),
        (None, TypeError, "its vector is of object data: None."),
    ],
)
def test_unflatten_refuses_what_is_no_vector_of_the_tree(vector, error, said):
    _, unflatten = flatten([1.0, 2.0])
    with pytest.raises(error, match=re.escape(said)):
        unflatten(vector)
