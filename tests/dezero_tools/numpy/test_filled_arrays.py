"""Arrays of the namespace that a function fills are Variables where a gradient would be lost.

Promise: docs/how_to/write_into_arrays.md
"""

import pickle

import dezero_tools.numpy as np
import numpy
import pytest
from dezero_tools.functional import grad, recomputed, vmap, with_gradient

from dezero_core import Function, Variable, no_grad

X = numpy.array([1.0, 2.0, 3.0])

MADE = {
    "zeros": lambda x: np.zeros(3),
    "ones": lambda x: np.ones(3),
    "full": lambda x: np.full(3, 7.0),
    "empty": lambda x: np.empty(3),
    "zeros_like": lambda x: np.zeros_like(x),
    "ones_like": lambda x: np.ones_like(x),
    "full_like": lambda x: np.full_like(x, 7.0),
    "empty_like": lambda x: np.empty_like(x),
    "float32": lambda x: np.zeros(3, np.float32),
    "complex": lambda x: np.zeros(3, complex),
}


def filled(make):
    def f(x):
        out = make(x)
        for i in range(3):
            out[i] = np.sin(x[i]) * x[i - 1]
        return np.sum(np.real(out * out))

    return f


def stacked(x):
    return np.sum(np.stack([np.sin(x[i]) * x[i - 1] for i in range(3)]) ** 2)


@pytest.mark.parametrize("make", MADE)
def test_a_function_fills_an_array_and_has_the_gradient_of_the_stack(make):
    rtol = 1e-6 if make == "float32" else 1e-14
    numpy.testing.assert_allclose(grad(filled(MADE[make]))(X), grad(stacked)(X), rtol)


CALLS = {
    "recomputed": lambda f: grad(recomputed(f))(X),
    "mapped": lambda f: vmap(grad(f))(numpy.stack([X, 2.0 * X])),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_array_is_filled_in_every_function_that_we_wrap(call):
    got, expected = CALLS[call](filled(MADE["zeros"])), CALLS[call](stacked)
    numpy.testing.assert_allclose(got, expected, 1e-14)


def test_the_array_is_a_variable_where_we_wrap_a_function_and_an_array_elsewhere():
    kinds = []

    def note(x):
        kinds.append(type(np.zeros(2)))
        return np.sum(x)

    note(X)
    vmap(note)(X[None])
    vmap(note, randomness="different")(X[None])
    y = recomputed(note)(Variable(X))
    y.backward()
    note(X)
    assert kinds == [numpy.ndarray, *[Variable] * 4, numpy.ndarray]


def test_integers_and_booleans_stay_arrays_since_they_are_constants():
    def f(x):
        index, mask = np.zeros(2, int), np.ones(3, bool)
        assert type(index) is type(mask) is numpy.ndarray
        return np.sum(x[index] * 2.0) + np.sum(x[mask])

    numpy.testing.assert_array_equal(grad(f)(X), [5.0, 1.0, 1.0])


def test_the_array_wants_no_gradient_of_its_own():
    def f(x):
        out = np.ones(3)
        out[0] = 2.0
        assert out.creator is None
        out[1] = x[1]
        assert out.creator.needs_grad == (False, True)
        return np.sum(out * x)

    numpy.testing.assert_array_equal(grad(f)(X), [2.0, 4.0, 1.0])


def test_an_array_is_filled_under_no_grad_and_by_numbers():
    def f(x):
        with no_grad():
            table = np.zeros(3)
            table[1:] = x[1:]
        return np.sum(table * x)

    numpy.testing.assert_array_equal(grad(f)(X), [0.0, 2.0, 3.0])


class Shift(Function):
    """Fills arrays, there and back."""

    def forward(self, x):
        y = np.zeros_like(x)
        y[1:] = x[:-1]
        return y

    def backward(self, gy):
        gx = np.zeros(3)
        gx[:-1] = gy[1:]
        return gx


@with_gradient(lambda gy, y, x: Shift().backward(gy))
def shift(x):
    y = np.zeros_like(x)
    y[1:] = x[:-1]
    return y


@pytest.mark.parametrize("shifted", [lambda x: Shift()(x), shift], ids=["Function", "rule"])
def test_the_body_of_a_function_fills_arrays_wherever_it_runs(shifted):
    def f(x):
        return np.sum(shifted(x) * x)

    for call in (grad(f), grad(recomputed(f))):
        numpy.testing.assert_array_equal(call(X), [2.0, 1.0 + 3.0, 2.0])
    numpy.testing.assert_array_equal(vmap(f)(numpy.stack([X, X])), [8.0, 8.0])


def doubled(*args):
    y = np.zeros(3)
    y[:] = args[-1] * 2.0
    return y


BODIES = {
    "functions of other names": {"forward": doubled, "backward": doubled},
    "static methods": {"forward": staticmethod(doubled), "backward": staticmethod(doubled)},
    "without a name": {"forward": lambda self, x: doubled(x), "backward": lambda *a: doubled(*a)},
}


@pytest.mark.parametrize("form", BODIES)
def test_a_body_fills_arrays_in_whatever_form_it_is_written(form):
    cls = type("Doubled", (Function,), {**BODIES[form], "__module__": __name__})
    numpy.testing.assert_array_equal(grad(lambda x: np.sum(cls()(x)))(X), [2.0, 2.0, 2.0])


def test_a_recomputed_function_of_arrays_alone_returns_an_array():
    assert type(recomputed(lambda x: doubled(x))(X)) is numpy.ndarray


def test_a_function_that_is_called_forward_and_gets_a_function_fills_a_variable():
    def forward(activation, x):
        return np.sum(activation()(filled(MADE["zeros"])(x)))

    numpy.testing.assert_allclose(grad(lambda x: forward(Identity, x))(X), grad(stacked)(X))


class Identity(Function):
    def forward(self, x):
        return x * 1.0

    def backward(self, gy):
        return gy


def test_a_rule_of_arrays_alone_fills_arrays_within_a_function_that_is_differentiated():
    def f(x):
        assert type(shift(X)) is numpy.ndarray
        return np.sum(shift(X) * x)

    numpy.testing.assert_array_equal(grad(f)(X), [0.0, 1.0, 2.0])


class Model:
    """Has a method ``forward``, and is no Function."""

    def forward(self, x):
        return filled(MADE["zeros"])(x)


def test_the_method_forward_of_a_model_fills_a_variable():
    numpy.testing.assert_allclose(grad(Model().forward)(X), grad(stacked)(X), 1e-14)


class Slope(Function):
    """Differentiates a function that fills an array, within a body."""

    def forward(self, x):
        return grad(filled(MADE["zeros"]))(x)

    def backward(self, gy):
        return gy


def test_a_function_that_is_differentiated_within_a_body_fills_a_variable():
    numpy.testing.assert_allclose(Slope()(Variable(X)).data, grad(stacked)(X), 1e-14)


def test_functions_that_make_arrays_can_be_pickled():
    again = pickle.loads(pickle.dumps(np.zeros))
    assert grad(filled(lambda x: again(3)))(X).shape == (3,)
    assert again.__wrapped__ is numpy.zeros
