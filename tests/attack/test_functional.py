"""Derivatives inside derivatives, and values that callers overwrite: against dual numbers.

Promise: CONTRIBUTING.md
"""

import jax
import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

from dezero_core import Variable, no_grad

from .lengths import name_of, seeds
from .nested import DUALS, HERE, JAX, SIZE, SLOPES, Nested

ALL = (0, 1, 2)


def assert_close(got, truth):
    """Compare arrays, or sequences of them, relative to the largest number in them."""
    if isinstance(truth, (tuple, list)):
        assert len(got) == len(truth)
        for one, other in zip(got, truth, strict=True):
            assert_close(one, other)
        return
    got = got.data if isinstance(got, Variable) else got
    size = np.max(np.abs(truth), initial=1.0)
    np.testing.assert_allclose(got, truth, rtol=1e-9, atol=1e-10 * size)


def each(chunk, check, **options):
    """Check one function for each seed; say of all that fail which ones they are."""
    failures = []
    for seed in chunk:
        nested = Nested(seed, **options)
        try:
            check(nested)
        except Exception as error:
            failures.append(f"seed {seed}: {type(error).__name__}: {error}")
    assert not failures, "\n\n".join([f"{len(failures)} of {len(chunk)} functions", *failures])


def check_all(nested):
    """Check the value, the gradients and their products, by all arguments."""
    f, gradients = nested.of(HERE), nested.gradients()
    value = nested.of(DUALS)(*nested.point)
    found, got = value_and_grad(f, ALL)(*nested.point)
    assert_close([found, f(*nested.point)], [value, value])
    assert all(type(array) is np.ndarray for array in (found, *got))
    assert_close(got, gradients)
    assert_close(vjp(f, *nested.point)[1](1.0), gradients)
    along = [np.cos(x) for x in nested.point]
    step = sum(np.sum(g * v) for g, v in zip(gradients, along, strict=True))
    assert_close(jvp(f, *nested.point)[1](*along), step)


def check_matrix(nested, f, matrix):
    """Check what is said of a Jacobian of vectors by each way to compute it."""
    v = nested.point[1]
    assert_close(jacobian(f)(v), matrix)
    assert_close([vjp(f, v)[1](row)[0] for row in np.eye(SIZE)], list(matrix))
    assert_close([jvp(f, v)[1](column) for column in np.eye(SIZE)], list(matrix.T))


@pytest.mark.parametrize("chunk", seeds(short=1, size=4), ids=name_of)
class TestDerivativesInsideOfDerivatives:
    def test_gradients_agree_with_dual_numbers(self, chunk):
        each(chunk, check_all)

    def test_jacobians_and_products_with_jacobians_agree_with_dual_numbers(self, chunk):
        def check(nested):
            matrix = np.asarray(DUALS.jacobian(nested.of(DUALS, 1))(nested.point[1]))
            check_matrix(nested, nested.of(HERE, 1), matrix)

        each(chunk, check, result="vector")

    def test_hessians_and_products_with_hessians_agree_with_dual_numbers(self, chunk):
        def check(nested):
            f, (_, v, w) = nested.of(HERE, 1), nested.point
            matrix = np.asarray(DUALS.hessian(nested.of(DUALS, 1))(v))
            check_matrix(nested, grad(f), matrix)
            assert_close(hessian(f)(v), matrix)
            assert_close(hvp(f)(v, w), matrix @ w)

        each(chunk, check)

    def test_backward_to_variables_agrees_with_dual_numbers(self, chunk):
        def check(nested):
            xs = [Variable(np.asarray(x)) for x in nested.point]
            nested.of(HERE)(*xs).backward()
            assert_close([x.grad for x in xs], nested.gradients())

        each(chunk, check)

    @pytest.mark.parametrize("which", ALL)
    def test_backward_to_one_variable_among_arrays_agrees_with_dual_numbers(self, chunk, which):
        def check(nested):
            x = Variable(np.asarray(nested.point[which]))
            nested.of(HERE, which)(x).backward()
            assert_close(x.grad, nested.gradients()[which])

        each(chunk, check)

    def test_functional_derivatives_under_no_grad_are_right_and_arrays(self, chunk):
        def check(nested):
            xs = [Variable(np.asarray(x)) for x in nested.point]
            with no_grad():
                value = nested.of(HERE)(*xs)
                found, gradients = value_and_grad(nested.of(HERE), ALL)(*xs)
            assert getattr(value, "creator", None) is None
            assert all(type(array) is np.ndarray for array in (found, *gradients))
            assert_close([value, found], [nested.of(DUALS)(*nested.point)] * 2)
            assert_close(gradients, nested.gradients())
            assert [x.grad for x in xs] == [None] * 3

        each(chunk, check)

    @pytest.mark.parametrize("lib", SLOPES.values(), ids=SLOPES)
    def test_derivatives_of_the_core_agree_with_dual_numbers(self, chunk, lib):
        def check(nested):
            gradients = grad(nested.of(lib), ALL)(*nested.point)
            assert_close(gradients, nested.gradients())

        each(chunk, check, slopes=True)


@pytest.mark.parametrize("chunk", seeds(short=1, size=1), ids=name_of)
def test_dual_numbers_agree_with_jax(chunk):
    def check(nested):
        value, gradients = jax.value_and_grad(nested.of(JAX), ALL)(*nested.point)
        assert_close(nested.of(DUALS)(*nested.point), value)
        assert_close(nested.gradients(), gradients)

    each(chunk, check)


ENDS = {
    "as it is": lambda y: y,
    "exp": np.exp,
    "tanh": np.tanh,
    "sqrt": lambda y: np.sqrt(2.0 + y),
    "a view": lambda y: np.reshape(y, (SIZE, 1))[::-1],
    "twice the same": lambda y: (y, y),
    "a tree": lambda y: {"a": np.exp(y), "b": [y.T, np.tanh(y)]},
}


def leaves(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    return (
        [leaf for branch in tree for leaf in leaves(branch)]
        if isinstance(tree, (tuple, list))
        else [tree]
    )


def spoil(tree):
    """Overwrite every array that may be written to."""
    for leaf in leaves(tree):
        if leaf.flags.writeable:
            leaf[...] = np.nan


@pytest.mark.parametrize("chunk", seeds(short=1, size=2), ids=name_of)
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_arrays_that_callers_overwrite_change_no_derivative(chunk, end):
    def check(nested):
        number, v, w = nested.point
        f = nested.of(HERE)
        for transform in (vjp, jvp):
            inputs = v.copy(), w.copy()
            value, product = transform(lambda v, w: end(f(number, v, w)), *inputs)
            vectors = jax.tree.map(np.cos, value if transform is vjp else inputs)
            arguments = (vectors,) if transform is vjp else vectors
            first = product(*arguments)
            truth = jax.tree.map(np.copy, first)
            for written in (value, inputs, first):
                spoil(written)
                again = product(*arguments)
                assert_close(leaves(again), leaves(truth))

    each(chunk, check, result="vector")
