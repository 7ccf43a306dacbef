"""Functions and arguments that vmap cannot map are refused, by their names.

Promise: docs/reference/functional.rst
"""

import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from dezero_tools.functional import grad, value_and_grad, vmap

from dezero_core import Function, Variable, VariableTypeError

X = np.arange(6.0).reshape(3, 2)
TABLE = np.arange(18.0).reshape(6, 3) ** 2


def total(a, b):
    return np.sum(a * b)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: vmap(total)(X, np.ones((4, 2))),
            "vmap(total) needs as many examples in each argument: argument 0 has 3 along its axis, "
            "and argument 1 has 4.",
        ),
        (
            lambda: vmap(lambda p: p["w"][0])({"w": [X], "b": np.ones(2)}),
            "argument 0['w'][0] has 3 along its axis, and argument 0['b'] has 2",
        ),
        (
            lambda: vmap(total)(X, b=np.ones((4, 2))),
            "argument 0 has 3 along its axis, and argument b has 4",
        ),
        (
            lambda: vmap(total, in_axes=(0,))(X, X),
            "in_axes of vmap(total) has 1 parts, and total was called with 2 arguments",
        ),
        (
            lambda: vmap(total, in_axes="a")(X, X),
            "in_axes of vmap(total) must be an axis, None, or of the form of argument 0, got 'a'",
        ),
        (
            lambda: vmap(lambda p: p, in_axes=({"v": 0},))({"w": X}),
            "of the form of argument 0, got {'v': 0} for <class 'dict'>",
        ),
        (
            lambda: vmap(total, in_axes=(0, 2))(X, X),
            "argument 1 of vmap(total) has the shape (3, 2), and no axis 2 of examples",
        ),
        (lambda: vmap(total)(X, 2.0), "argument 1 of vmap(total) has the shape (), and no axis 0"),
        (lambda: vmap(total, in_axes=None)(X, X), "has no argument with examples"),
        (
            lambda: vmap(total, out_axes=None)(X, X),
            "the result of vmap(total) differs from example to example, and out_axes=None",
        ),
        (
            lambda: vmap(lambda a: (a, a), out_axes=(0, 0, 0))(X),
            "out_axes of vmap(<lambda>) must be an axis, None, or of the form of the result",
        ),
        (lambda: vmap(np.sin, randomness="no")(X), "is 'error', 'same' or 'different', got 'no'"),
        (lambda: vmap(np.sin)([1.0, 2.0]), "np.array(x) makes one array of it"),
        (
            lambda: vmap(np.sin, out_axes=2)(X),
            "the result of vmap(sin) has for each example the shape (2,), so its axis of examples "
            "is from -2 to 1, got 2 in out_axes.",
        ),
        (lambda: vmap(np.sin, out_axes=-3)(X), "is from -2 to 1, got -3 in out_axes"),
        (lambda: vmap(lambda a: 1.0, out_axes=1)(X), "is from -1 to 0, got 1 in out_axes"),
        (
            lambda: vmap(np.sin, out_axes=2, randomness="different")(X),
            "the result of vmap(sin) has for each example the shape (2,)",
        ),
    ],
)
def test_arguments_and_axes_that_do_not_fit_are_a_value_error(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def looks(a):
    return a if a[0] > 0 else -a


def writes_into_an_array(a):
    z = np.zeros(2)
    z[0] = a[0]
    return z


def adds_in_place(a):
    z = np.zeros(2)
    z += a
    return z


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (looks, "a condition, as of `if`, needs one value, and within vmap(looks)"),
        (lambda a: float(a[0]), "float() needs one value"),
        (lambda a: a.item(), ".item needs one value"),
        (lambda a: np.copy(a).resize(3), ".resize needs one value"),
        (lambda a: a[a > 1], "x[i] gives arrays of different shapes for the examples"),
        (lambda a: np.array([a[0], a[1]]), "write np.stack([x, y]) in place of np.array([x, y])"),
        (lambda a: TABLE[a.astype(int)], "Variable(a)[i].data in place of a[i] of an ndarray"),
        (lambda a: np.take(TABLE, a.astype(int), axis=0), "Variable(a)[i].data in place of a[i]"),
        (adds_in_place, "Write a = a + x for a += x, or fill np.zeros_like(x)"),
        (lambda a: a + np.random.normal(size=2), "draws random numbers"),
        (lambda a: a + random.random(), "draws random numbers"),
        (lambda a: a + RNG.normal(size=2), "draws random numbers"),
        (lambda a: a + OF_THE_SYSTEM.random(), "draws random numbers"),
        (lambda a: "text", "the result of vmap(<lambda>) is of <class 'str'>, no array"),
    ],
)
def test_a_function_that_needs_one_value_or_one_drawing_is_refused_with_the_cure(f, message):
    with pytest.raises(VariableTypeError, match=re.escape(message)):
        vmap(f)(X)


def test_the_error_of_numpy_for_an_element_that_is_written_has_our_advice():
    with pytest.raises(ValueError, match="setting an array element") as caught:
        vmap(writes_into_an_array)(X)
    assert "to fill an array, np.stack" in caught.value.__notes__[0]


RNG, OF_THE_SYSTEM = np.random.default_rng(0), random.SystemRandom()


def test_the_cure_for_an_index_into_an_ndarray_works():
    def picked(x, i):
        return np.sum(Variable(TABLE)[i].data @ x)

    index, xs = np.array([[0, 5], [3, 3]]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    got = vmap(value_and_grad(picked))(xs, index)
    expected = [value_and_grad(picked)(x, i) for x, i in zip(xs, index, strict=True)]
    for number in (0, 1):
        np.testing.assert_allclose(got[number], [each[number] for each in expected])


def test_a_variable_of_an_example_is_no_condition_either():
    with pytest.raises(VariableTypeError, match=r"one for each example.*write np\.where"):
        vmap(grad(lambda a: np.sum(looks(a))))(X)
    with pytest.raises(VariableTypeError, match=r"one for each example.*write np\.where"):
        vmap(grad(lambda a: a[0] * a.item()))(X)


def test_an_argument_cannot_be_written_to():
    def writes(a):
        a[0] = 1.0

    before = X.copy()
    with pytest.raises(ValueError, match="read-only"):
        vmap(writes)(X)
    np.testing.assert_array_equal(X, before)


def test_an_array_that_a_graph_holds_cannot_be_written_to():
    def writes(a):
        gradient = grad(lambda a: np.sum(np.sin(a)))(a)
        gradient[0] = 1.0
        return gradient

    with pytest.raises(ValueError, match="Write into a copy"):
        vmap(writes)(X)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: np.sin(x),
        lambda x: np.sum(x),
        lambda x: vmap(lambda a: a + x)(X),
    ],
)
@pytest.mark.parametrize("make", [lambda a: a, lambda a: Variable(a) * 2.0])
def test_an_array_that_leaks_out_of_the_function_is_refused_at_its_next_use(use, make):
    kept = []

    def leaks(a):
        kept.append(make(a))
        return a

    vmap(leaks)(X)
    message = r"outside of vmap\(leaks\), which has ended. Return it from leaks"
    with pytest.raises(VariableTypeError, match=message):
        use(kept[0])


def test_after_an_error_in_the_function_all_is_as_before():
    def fails(a):
        raise ZeroDivisionError("in one example")

    with pytest.raises(ZeroDivisionError, match="in one example"):
        vmap(fails)(X)
    np.testing.assert_array_equal(vmap(np.sum)(X), [1.0, 5.0, 9.0])


class Halves(Function):
    """Takes ndarrays alone."""

    arrays = "numpy: a list is made of it"

    def forward(self, x):
        return np.array([each / 2 for each in x.tolist()])

    def backward(self, gy):
        return np.array([each / 2 for each in gy.tolist()])


def test_a_function_class_that_takes_ndarrays_alone_runs_for_each_example():
    got = vmap(grad(lambda x: np.sum(Halves()(x) ** 2)))(X)
    np.testing.assert_array_equal(got, X / 2)


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_random_numbers_are_the_same_for_all_or_different_if_that_is_said(randomness):
    f = vmap(lambda a: 0 * a + RNG.normal(size=2), randomness=randomness)
    rows = f(X)
    assert (len(np.unique(rows)) == 2) == (randomness == "same")
    x = Variable(X.copy())
    np.sum(vmap(lambda a: a * np.random.normal(size=2), randomness=randomness)(x)).backward()
    assert (len(np.unique(x.grad)) == 2) == (randomness == "same")


def test_an_error_in_one_example_of_a_loop_names_the_example():
    singular = np.stack([np.eye(2), np.zeros((2, 2))])
    with pytest.raises(np.linalg.LinAlgError) as caught:
        vmap(lambda a: np.linalg.tensorinv(a, ind=1))(singular)
    assert "in example 1 of vmap(<lambda>)" in caught.value.__notes__


PROGRAM = """
import numpy as np
from dezero_tools.functional import jacobian, vmap
print(jacobian(lambda x: x * x)(np.ones(2)).tolist())
try:
    vmap(np.sin)(np.ones(2))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_plugin_of_the_tools_a_map_says_so_and_a_jacobian_loops():
    environment = os.environ | {"DEZERO_DISABLE_PLUGINS": "tools"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    jacobian, refused = done.stdout.splitlines()
    assert jacobian == "[[2.0, 0.0], [0.0, 2.0]]"
    assert refused.startswith("PluginError vmap(sin) needs the arrays of the plugin 'tools'")
