"""Functions that write into Variables, into their arguments too, are differentiated.

Promise: docs/how_to/write_into_arrays.md
"""

import dezero_tools.numpy as dnp
import numpy as np
import pytest
from dezero_tools.functional import (
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    recomputed,
    value_and_grad,
    vjp,
    vmap,
)

from dezero_core import GradientError, Variable, VariableTypeError

from ...layouts import LAYOUTS

X = np.array([1.0, 2.0, 3.0])
V = np.array([0.3, -0.2, 0.5])


def writes(x):
    """Write into the argument, after it was used."""
    y = x * 2.0
    x[0] = y[1] * x[2]
    x[1:] += x[0]
    return np.sum(x * x * y)


def computes(x):
    y = x * 2.0
    first = y[1] * x[2]
    z = np.stack([first, x[1] + first, x[2] + first])
    return np.sum(z * z * y)


USES = {
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X),
    "hessian": lambda f: hessian(f)(X),
    "jacobian": lambda f: jacobian(f)(X),
    "hvp": lambda f: hvp(f)(X, V),
    "jvp": lambda f: jvp(f, X)[1](V),
    "vjp": lambda f: vjp(f, X)[1](np.array(2.0)),
    "vjp, twice": lambda f: [vjp(f, X)[1](np.array(each)) for each in (1.0, 2.0)],
    "third derivative": lambda f: grad(lambda x: np.sum(grad(lambda x: grad(f)(x) @ V)(x)))(X),
    "recomputed": lambda f: grad(recomputed(f))(X),
    "recomputed, second derivative": lambda f: hessian(recomputed(f))(X),
    "over a batch": lambda f: vmap(grad(f))(np.stack([X, V])),
    "batch in a gradient": lambda f: grad(lambda x: np.sum(vmap(f)(x)))(np.stack([X, V])),
    "of a Variable": lambda f: grad(lambda x: np.sum(grad(f)(x) * V))(Variable(X)).data,
}


@pytest.mark.parametrize("use", USES)
def test_a_function_that_writes_into_its_argument_has_the_derivative_by_the_value_before(use):
    got, expected = USES[use](writes), USES[use](computes)
    several = isinstance(got, (tuple, list))
    for a, b in zip(got if several else [got], expected if several else [expected], strict=True):
        np.testing.assert_allclose(a, b, 1e-12)
    np.testing.assert_array_equal(X, [1.0, 2.0, 3.0])


def test_a_variable_of_the_caller_is_not_written_into():
    x = Variable(X.copy())
    grad(writes)(x)
    np.testing.assert_array_equal(x.data, X)
    assert x.creator is None


def test_an_argument_that_was_written_into_and_is_returned_has_the_gradient_of_the_write():
    def f(x):
        x[0] = x[1] * x[1]
        return x

    np.testing.assert_array_equal(jacobian(f)(X), [[0, 4, 0], [0, 1, 0], [0, 0, 1]])


def test_values_indices_and_masks_of_a_batch_are_written_for_each_example():
    rng = np.random.default_rng(0)
    rows, at = rng.normal(size=(5, 4)), rng.integers(0, 4, (5, 2))

    def f(x, index):
        y = Variable(np.zeros(4))
        y[1] = x[0]
        y[index] = x[:2] * x[2:]
        y[x > 1.0] = 0.5
        np.copyto(y, x, where=x < -1.0)
        return np.sum(y * y * x)

    gradients = vmap(grad(f))(rows, at)
    for row, index, gradient in zip(rows, at, gradients, strict=True):
        np.testing.assert_allclose(gradient, grad(f)(row, index), 1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_of_positions_that_an_example_repeats_the_last_value_counts(seed):
    rng = np.random.default_rng(seed)

    def f(x, v, index):
        y = x * 1.0
        y[index] = v
        return np.sum(y * y * weight)

    for _ in range(10):
        shape, rest = [(3,), (2, 2), (3, 2)][rng.integers(3)], [(), (3,)][rng.integers(2)]
        picked = tuple(n if rng.random() < 0.7 else 1 for n in (*shape, *rest))
        rows, weight = rng.normal(size=(4, 4, *rest)), rng.normal(size=(4, *rest))
        at = LAYOUTS[rng.integers(4)](rng.integers(0, 4, (4, *shape)))
        values = LAYOUTS[rng.integers(4)](rng.normal(size=(4, *picked)))
        gradients = vmap(grad(f, (0, 1)))(rows, values, at)
        for n, (gx, gv) in enumerate(zip(*gradients, strict=True)):
            expected = grad(f, (0, 1))(rows[n], values[n], at[n])
            np.testing.assert_allclose(gx, expected[0], 1e-13)
            np.testing.assert_allclose(gv, expected[1], 1e-13)


def test_a_mask_that_differs_from_example_to_example_gives_no_gradient_to_values():
    def f(x):
        y = x * 1.0
        y[x > 0.0] = x[0]
        return np.sum(y)

    with pytest.raises(VariableTypeError, match=r"All need one shape\. Write np\.where"):
        vmap(grad(f))(np.array([[1.0, -1.0], [1.0, 1.0]]))


def saved(x):
    """Write into a value that a product has saved."""
    y = x * 1.0
    product = y * y
    y[0] = 5.0
    return np.stack([product, y, np.sin(product)])


def saved_argument(x):
    product = x * x @ np.ones((3, 3)) * x
    x[0] = 5.0
    return np.stack([product, x, np.sin(product)])


@pytest.mark.parametrize("f", [saved, saved_argument], ids=lambda f: f.__name__)
def test_forward_mode_computes_with_the_values_before_a_write(f):
    """A Jacobian with more rows than columns is computed by columns."""
    by_rows = np.stack([grad(lambda x, n=n: np.ravel(f(x))[n])(X) for n in range(9)])
    np.testing.assert_allclose(jacobian(f)(X).reshape(9, 3), by_rows, 1e-13)
    np.testing.assert_allclose(np.ravel(jvp(f, X)[1](V)), by_rows @ V, 1e-13)


def test_forward_mode_computes_with_the_data_before_they_are_replaced():
    def f(x):
        y = x * 1.0
        product = y * y
        y.data = y.data + 1.0
        return product

    np.testing.assert_array_equal(jvp(f, X)[1](V), 2.0 * X * V)


def test_what_a_recomputed_function_has_computed_with_must_not_be_written_into():
    w, x = Variable(X), Variable(np.zeros(3))
    scale = w * 1.0
    y = recomputed(lambda x: x * scale)(x)
    scale[0] = 9.0
    with pytest.raises(GradientError, match="was written into since"):
        y.backward()
    assert x.grad is None


def test_an_argument_of_a_recomputed_function_may_be_written_into_later():
    w = Variable(X)
    x = w * 1.0
    y = recomputed(lambda x: x * x)(x)
    x[0] = 9.0
    y.backward()
    np.testing.assert_array_equal(w.grad, 2.0 * X)


def test_a_number_is_written_at_one_position_of_each_example():
    def f(x, i):
        y = Variable(np.zeros(3))
        y[i] = x[0]
        return np.sum(y * y)

    got = vmap(grad(f))(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 2]))
    np.testing.assert_array_equal(got, [[2.0, 0.0], [6.0, 0.0]])


def test_values_of_examples_are_copied_into_an_array_that_all_examples_share():
    def f(x):
        table = Variable(np.zeros((3, 4)))
        np.copyto(table, x, where=np.eye(3, 4) == 0)
        return np.sum(table * table)

    rows = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(vmap(grad(f))(rows), [grad(f)(row) for row in rows])


POSITIONS = {
    "added": lambda y, x, i: np.add.at(y, i, x[:2]),
    "subtracted": lambda y, x, i: np.subtract.at(y, i, x[:2]),
    "a number": lambda y, x, i: y.__setitem__(i, 7.0),
    "filled": lambda y, x, i: y.__setitem__(i, x[:2]),
}


@pytest.mark.parametrize("make", [lambda: Variable(np.ones(3)), lambda: dnp.ones(3)])
@pytest.mark.parametrize("way", POSITIONS)
def test_positions_of_examples_are_written_as_one_example_after_the_other(way, make):
    def f(x, i):
        y = make()
        POSITIONS[way](y, x, i)
        return np.sum(y * y * x)

    rows, at = np.arange(6.0).reshape(2, 3), np.array([[0, 2], [1, 1]])
    expected = [grad(f)(row, i) for row, i in zip(rows, at, strict=True)]
    np.testing.assert_array_equal(vmap(grad(f))(rows, at), expected)


def test_masks_that_pick_as_many_elements_of_each_example_give_gradients_to_values():
    def f(x):
        y = x * 1.0
        y[x > 0.0] = x[:1] * 3.0
        return np.sum(y * y)

    rows = np.array([[1.0, -1.0], [-1.0, 2.0]])
    np.testing.assert_array_equal(vmap(grad(f))(rows), [grad(f)(row) for row in rows])
