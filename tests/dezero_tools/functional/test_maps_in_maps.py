"""A map inside of another one, and derivatives through both: the results are those of loops.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, vjp, vmap

from dezero_core import Function, Variable

RANDOM = np.random.default_rng(0)
V, SCALES = RANDOM.normal(size=3), np.array([1.0, 0.5, -0.3, 0.2])
BATCH = 0.7 * RANDOM.normal(size=(2, 3))
ROWS = RANDOM.normal(size=(4, 3))


def looped(f, *batches):
    return np.stack([f(*xs) for xs in zip(*batches, strict=True)])


def close(got, expected, rtol=1e-10):
    got = got.data if isinstance(got, Variable) else got  # of a Function that has no plugin
    assert type(got) is np.ndarray
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


def curve(x):
    return vmap(lambda s: np.tanh(x * s) * x)(SCALES)


def curve_looped(x):
    return np.stack([np.tanh(x * s) * x for s in SCALES])


def test_what_only_the_inner_of_two_maps_takes_apart_has_the_gradient_of_all_examples():
    def total(rows):
        def of_one(x, rows):
            return np.sum(vmap(lambda y: np.sum(np.tanh(x * y)))(rows)) ** 2

        return np.sum(vmap(of_one, in_axes=(0, None))(BATCH, rows))

    def truth(rows):
        return sum(sum(np.sum(np.tanh(x * y)) for y in rows) ** 2 for x in BATCH)

    close(grad(total)(ROWS), grad(truth)(ROWS))
    close(hvp(total)(ROWS, ROWS), hvp(truth)(ROWS, ROWS))
    rows = Variable(ROWS.copy())
    total(rows).backward()
    close(rows.grad, grad(truth)(ROWS))


def test_what_both_maps_share_has_the_gradient_of_all_examples_of_both():
    def total(w):
        return np.sum(vmap(lambda x: vmap(lambda s: np.sum((w * s) * x) ** 2)(SCALES))(BATCH))

    def truth(w):
        return sum(np.sum(w * s * x) ** 2 for s in SCALES for x in BATCH)

    close(grad(total)(V), grad(truth)(V))
    close(hvp(total)(V, V), hvp(truth)(V, V))


def test_what_only_the_outer_map_takes_apart_has_gradients_within_the_inner_one():
    def of_each(x, s):
        return np.sum(grad(lambda x: np.sum(np.sin(s * x)))(x) ** 2)

    def total(xs):
        return np.sum(vmap(lambda x: vmap(lambda s: of_each(x, s))(SCALES))(xs))

    close(
        grad(total)(BATCH), grad(lambda xs: sum(of_each(x, s) for x in xs for s in SCALES))(BATCH)
    )


def test_an_example_of_the_outer_map_may_be_returned_by_the_inner_one():
    got = vmap(lambda x: vmap(lambda s: x)(SCALES))(BATCH)
    np.testing.assert_array_equal(got, np.repeat(BATCH[:, None], len(SCALES), axis=1))
    got[0, 0] = 9.0
    assert not np.any(BATCH == 9.0)
    assert not np.any(got[0, 1] == 9.0)


DERIVATIVES = {
    "tangents": lambda f, x: vmap(jvp(f, x)[1])(np.eye(3)[:2]),
    "gradients": lambda f, x: vmap(vjp(f, x)[1])(np.stack([f(x), 2.0 * f(x)]))[0],
    "jacobian": lambda f, x: jacobian(f)(x),
    "two jacobians": lambda f, x: jacobian(jacobian(f))(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_map_through_the_graph_of_one_that_has_ended_is_differentiated(name):
    def total(f):
        return lambda x: np.sum(np.sin(DERIVATIVES[name](f, x)))

    ours, truth = total(curve), total(curve_looped)
    close(DERIVATIVES[name](curve, V), DERIVATIVES[name](curve_looped, V))
    close(grad(ours)(V), grad(truth)(V))
    close(hvp(ours)(V, V), hvp(truth)(V, V))
    close(hessian(ours)(V), hessian(truth)(V))
    products = vmap(hvp(ours), in_axes=(0, None))(BATCH, V)
    close(products, looped(lambda x: hvp(truth)(x, V), BATCH))


class OfNdarrays(Function):
    arrays = "numpy: it looks at the class"

    def forward(self, x):
        assert type(x) is np.ndarray
        return np.sin(x)

    def backward(self, gy):
        return gy * np.cos(self.inputs[0].data)


class OfElements(Function):
    """Keeps an array, and is for ndarrays alone: as of each element, it need not say so."""

    elementwise = True

    def forward(self, x):
        assert type(x) is np.ndarray
        self.is_high = x > 0.5
        return np.where(self.is_high, x, np.sin(x))

    def backward(self, gy):
        x = self.inputs[0].data
        assert type(x) in (np.ndarray, Variable)
        return gy * np.where(self.is_high, 1.0, np.cos(x))


class Product(Function):
    elementwise = True

    def forward(self, a, b):
        return a * b

    def backward(self, gy):
        a, b = (x.data for x in self.inputs)
        return gy * b, gy * a


@pytest.mark.parametrize("of", [OfNdarrays, OfElements])
def test_a_function_for_ndarrays_gets_them_within_two_maps(of):
    def f(x):
        return np.sum(of()(x) ** 2)

    def total(w):
        return np.sum(vmap(lambda x: vmap(lambda s: f(s * w * x))(SCALES))(BATCH))

    rows = np.stack([ROWS, -ROWS])
    close(vmap(vmap(f))(rows), [looped(f, each) for each in rows])
    close(vmap(vmap(grad(f)))(rows), [looped(grad(f), each) for each in rows])
    truth = grad(lambda w: sum(f(s * w * x) for s in SCALES for x in BATCH))
    close(grad(total)(V), truth(V))


def test_a_gradient_that_only_one_operand_has_a_part_in_is_of_the_outer_map_as_well():
    def f(x, s):
        return np.sum(Product()(Product()(x, np.ones(3)), s) ** 2)

    both = vmap(lambda x: vmap(lambda s: grad(f)(x, s))(SCALES))(BATCH)
    close(both, [[grad(f)(x, s) for s in SCALES] for x in BATCH])
    both = vmap(lambda s: vmap(lambda x: grad(f, 1)(x, s))(BATCH))(SCALES)
    close(both, [[grad(f, 1)(x, s) for x in BATCH] for s in SCALES])


def test_gradients_of_elements_that_are_picked_twice_add_up_within_two_maps_in_their_dtype():
    def f(x):
        return np.sum(np.arange(3.0) * x[[0, 0, 2]] ** 2)

    rows = np.stack([ROWS, -ROWS]).astype(np.longdouble)
    got = vmap(vmap(grad(f)))(rows)
    assert got.dtype == np.longdouble
    close(got, [looped(grad(f), each) for each in rows])


def test_an_argument_whose_type_numpy_does_not_look_at_may_be_of_the_outer_map():
    def select(x, default):
        return np.select([np.array([True, False, True])], [x], default)

    def variance(x, mean):
        return np.nanvar(x, mean=mean)

    for f in (select, variance):
        got = vmap(lambda m, f=f: vmap(f, in_axes=(0, None))(BATCH, m))(SCALES)
        close(got, [[f(x, m) for x in BATCH] for m in SCALES])
