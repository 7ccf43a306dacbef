"""A function of one example is mapped over a batch: the results are those of a loop.

Promise: docs/reference/functional.rst
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap

from dezero_core import Function, Variable, no_grad
from dezero_core import grad as gradient_of

RANDOM = np.random.default_rng(0)
N = 3
W, V = RANDOM.normal(size=(N, N)), RANDOM.normal(size=N)
BATCH = 0.7 * RANDOM.normal(size=(4, N))
PAIRS = RANDOM.normal(size=(4, 5, N))


def number(x):
    return np.sum(np.tanh(W @ x) * np.sin(x)) + np.prod(x)


def vector(x):
    return np.tanh(W @ x) * x


def looped(f, *batches):
    return np.stack([f(*xs) for xs in zip(*batches, strict=True)])


def differences(f, x, step=1e-5):
    moved = [(x + step * e, x - step * e) for e in np.eye(N)]
    pairs = [(np.asarray(f(a)), np.asarray(f(b))) for a, b in moved]
    return np.stack([(a - b) / (2 * step) for a, b in pairs], axis=-1)


def close(got, expected, rtol=1e-10):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


#: Name -> the derivative of a function at x, whether the function must return one number, and the
#: truth, given the function.
DERIVATIVES = {
    "grad": (lambda f, x: grad(f)(x), True, differences),
    "jacobian": (lambda f, x: jacobian(f)(x), False, differences),
    "hvp": (lambda f, x: hvp(f)(x, V), True, lambda f, x: differences(grad(f), x) @ V),
    "jvp": (lambda f, x: jvp(f, x)[1](V), False, lambda f, x: differences(f, x) @ V),
}


@pytest.mark.parametrize("inner", DERIVATIVES)
@pytest.mark.parametrize("outer", DERIVATIVES)
def test_two_derivatives_in_any_order_agree_with_differences_and_over_a_batch_with_a_loop(
    outer, inner
):
    of_inner, inner_of_one, _ = DERIVATIVES[inner]
    of_outer, outer_of_one, truth = DERIVATIVES[outer]

    def first(x):
        return of_inner(number if inner_of_one else vector, x)

    def function(x):
        return np.sum(np.sin(first(x))) if outer_of_one else first(x)

    close(of_outer(function, BATCH[0]), truth(function, BATCH[0]), 2e-5)
    close(
        vmap(lambda x: of_outer(function, x))(BATCH), looped(lambda x: of_outer(function, x), BATCH)
    )


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_of_a_mapped_function_is_that_of_a_loop(name):
    derivative, of_one, _ = DERIVATIVES[name]
    scales = np.array([1.0, 0.5, -0.3])
    if of_one:

        def mapped(x):
            return np.sum(vmap(lambda s: number(x * s))(scales) ** 2)

        def loop(x):
            return sum(number(x * s) ** 2 for s in scales)
    else:

        def mapped(x):
            return vmap(lambda s: vector(x * s))(scales)

        def loop(x):
            return np.stack([vector(x * s) for s in scales])

    for f in (lambda x: derivative(mapped, x), lambda x: derivative(loop, x)):
        assert np.shape(f(BATCH[0])) == np.shape(derivative(loop, BATCH[0]))
    close(derivative(mapped, BATCH[0]), derivative(loop, BATCH[0]))
    nonlinear = [lambda x, f=f: np.sum(np.sin(derivative(f, x))) for f in (mapped, loop)]
    close(grad(nonlinear[0])(BATCH[0]), grad(nonlinear[1])(BATCH[0]))
    close(hvp(nonlinear[0])(BATCH[0], V), hvp(nonlinear[1])(BATCH[0], V))


def test_maps_within_maps_have_the_outer_axis_first():
    close(vmap(vmap(number))(PAIRS), [looped(number, row) for row in PAIRS])
    close(vmap(vmap(grad(number)))(PAIRS), [looped(grad(number), row) for row in PAIRS])
    got = vmap(lambda x: vmap(lambda y: x @ y + np.sum(x))(PAIRS[0]))(BATCH)
    close(got, [[x @ y + np.sum(x) for y in PAIRS[0]] for x in BATCH])


def test_a_gradient_between_two_maps_is_of_each_example_of_the_outer_one():
    def row(x, w):
        return np.sum(vmap(lambda y: np.sum(np.tanh(w * x) * y))(PAIRS[0]) ** 2)

    def row_looped(x, w):
        return sum(np.sum(np.tanh(w * x) * y) ** 2 for y in PAIRS[0])

    got = vmap(lambda x: grad(lambda w: row(x, w))(V))(BATCH)
    close(got, looped(lambda x: grad(lambda w: row_looped(x, w))(V), BATCH))
    total = grad(lambda w: np.sum(vmap(lambda x: row(x, w))(BATCH)))(V)
    close(total, grad(lambda w: sum(row_looped(x, w) for x in BATCH))(V))


def test_gradients_by_variables_that_the_function_reaches_are_summed_over_the_batch():
    w = Variable(V.copy())
    loss = np.sum(vmap(lambda x: np.sum(np.tanh(w * x)))(BATCH)) + np.sum(w**2)
    loss.backward()
    close(w.grad, sum(x / np.cosh(V * x) ** 2 for x in BATCH) + 2 * V)
    w.cleargrad()
    loss = np.sum(vmap(lambda x: np.sum(np.tanh(w * x)) ** 2)(BATCH))
    loss.backward(create_graph=True)
    g = w.grad
    w.cleargrad()
    np.sum(g**2).backward()
    truth = hessian(lambda w: sum(np.sum(np.tanh(w * x)) ** 2 for x in BATCH))
    close(w.grad, 2 * truth(V) @ g.data)


def test_within_the_function_each_example_has_a_gradient_of_its_own():
    def f(x):
        w = Variable(V.copy())
        y = np.sum(np.tanh(w * x) ** 2) + np.sum(w)
        y.backward()
        return w.grad

    close(vmap(f)(BATCH), looped(f, BATCH))


def test_arguments_that_are_variables_get_gradients():
    x = Variable(BATCH.copy())
    y = np.sum(vmap(number)(x))
    y.backward()
    close(x.grad, looped(grad(number), BATCH))


Point = namedtuple("Point", "x y")


@dataclass
class Layer:
    w: object
    b: object


def test_trees_are_mapped_along_the_axis_of_each_leaf():
    layer = Layer(RANDOM.normal(size=(N, 4)), [RANDOM.normal(size=4), 2.0])

    def f(layer, point, scale=1.0):
        return {"y": (np.sum(layer.w * point.x) + layer.b[0]) * scale, "z": point.y}

    axes = (Layer(1, [0, None]), Point(0, None))
    got = vmap(f, in_axes=axes, out_axes={"y": 0, "z": None})(layer, Point(BATCH, 3.0))
    for index in range(4):
        one = f(Layer(layer.w[:, index], [layer.b[0][index], 2.0]), Point(BATCH[index], 3.0))
        close(got["y"][index], one["y"])
    assert got["z"] == 3.0
    got = vmap(f, in_axes=(Layer(-1, [0, None]), 0))(
        layer, Point(BATCH, BATCH), scale=np.arange(4.0)
    )
    close(got["y"][2], 2.0 * (np.sum(layer.w[:, 2] * BATCH[2]) + layer.b[0][2]))
    assert got["z"].shape == BATCH.shape


@pytest.mark.parametrize("out", [0, 1, -1, 2])
@pytest.mark.parametrize("axis", [0, 1, -2])
def test_the_axis_of_the_examples_may_be_any(axis, out):
    x = RANDOM.normal(size=(2, 5, 3))
    got = vmap(lambda a: 2.0 * a, in_axes=axis, out_axes=out)(x)
    np.testing.assert_array_equal(got, np.moveaxis(2.0 * x, axis, out))


def test_a_result_that_is_the_same_for_all_is_repeated_or_returned_as_it_is():
    np.testing.assert_array_equal(vmap(lambda x: np.ones(2))(BATCH), np.ones((4, 2)))
    np.testing.assert_array_equal(vmap(lambda x: np.ones(2), out_axes=None)(BATCH), np.ones(2))
    assert vmap(lambda x: 1)(BATCH).dtype == int
    assert vmap(lambda x: None)(BATCH) is None


def test_integers_and_booleans_are_mapped():
    np.testing.assert_array_equal(vmap(lambda i: i // 2)(np.arange(4)), [0, 0, 1, 1])
    np.testing.assert_array_equal(vmap(lambda b: ~b)(np.array([True, False])), [False, True])


@pytest.mark.parametrize("count", [0, 1])
def test_batches_of_no_example_and_of_one_have_results(count):
    assert vmap(number)(BATCH[:count]).shape == (count,)
    assert vmap(grad(number))(BATCH[:count]).shape == (count, N)
    assert vmap(lambda x: np.convolve(x, V))(BATCH[:count]).shape == (count, 2 * N - 1)


def test_positions_may_differ_from_example_to_example():
    labels = np.array([0, 2, 1, 1])
    close(vmap(lambda x, i: x[i])(BATCH, labels), BATCH[np.arange(4), labels])
    got = vmap(grad(lambda x, i: x[i] ** 2))(BATCH, labels)
    close(got, 2 * BATCH * np.eye(N)[labels])
    table = Variable(RANDOM.normal(size=(N, 2)))
    np.sum(vmap(lambda i: np.sin(table[i]))(labels)).backward()
    close(table.grad, np.array([[1], [2], [1]]) * np.cos(table.data))
    close(vmap(lambda x: x[np.argmax(x)])(BATCH), BATCH.max(axis=1))
    close(
        vmap(lambda x, i: x[:, i])(PAIRS, labels),
        [x[:, i] for x, i in zip(PAIRS, labels, strict=True)],
    )


def test_an_array_that_is_made_like_one_of_the_batch_can_be_filled():
    def reversed_by_hand(x):
        y = np.zeros_like(x)
        for index in range(len(x)):
            y[index] = x[len(x) - 1 - index]
        return y

    np.testing.assert_array_equal(vmap(reversed_by_hand)(BATCH), BATCH[:, ::-1])


def test_a_vector_jacobian_product_may_be_mapped_over_vectors():
    _, pull_back = vjp(vector, BATCH[0])
    close(vmap(pull_back)(np.eye(N))[0], jacobian(vector)(BATCH[0]))
    _, push_forward = jvp(vector, BATCH[0])
    close(vmap(push_forward)(np.eye(N)), jacobian(vector)(BATCH[0]).T)


def test_a_function_without_a_rule_loops_and_is_right():
    close(vmap(lambda x: np.convolve(x, V))(BATCH), looped(lambda x: np.convolve(x, V), BATCH))


class Alone(Function):
    """The cube, by a list of numbers: it takes ndarrays alone."""

    arrays = "numpy: a list is made of it"

    def forward(self, x):
        return np.array([each**3 for each in x.tolist()])

    def backward(self, gy):
        return 3.0 * gy * self.inputs[0].data ** 2


def filled(x):
    y = np.zeros_like(x)
    y[[0, 1]] = x[:2]
    y[x > 0.0] = 1.0
    return y


@pytest.mark.parametrize(
    ("f", "lines"),
    [
        (np.sin, []),
        (lambda x: np.convolve(np.convolve(x, V), V), ["np.convolve: 2 times"]),
        (lambda x: np.add.reduce(x, initial=1.0), ["np.add.reduce: once"]),
        (lambda x: np.vecdot(x, x, axis=0), ["np.vecdot: once"]),
        (
            grad(lambda x: np.sum(x[None, None, :][[0, 0], :, [1, 2]])),
            ["x[i]: once", "the gradient of x[i]: once"],
        ),
        (filled, ["x[i] = y: once"]),
        (grad(lambda x: np.sum(Alone()(x))), ["Alone.forward: once", "Alone.backward: once"]),
    ],
)
def test_explain_says_which_functions_looped(f, lines):
    close(vmap(f)(BATCH), looped(f, BATCH))
    words = ["Each function computed all examples at once."]
    if lines:
        words = ["These functions looped over the examples:", *[f"- {line}" for line in lines]]
    assert vmap(f).explain(BATCH) == "\n".join(words)


def test_explain_names_a_function_that_is_called_for_one_example_after_the_other():
    def drawn(x):
        return x * RANDOM.normal()

    assert "- drawn: once" in vmap(drawn, randomness="different").explain(BATCH)


def test_a_function_that_takes_ndarrays_alone_keeps_its_shapes_in_a_batch_of_none():
    value, gradient = vmap(value_and_grad(lambda x: np.sum(Alone()(x))))(BATCH[:0])
    assert (value.shape, gradient.shape) == ((0,), (0, N))


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((5, 3), (5, 4, 3), {}),
        ((5, 3, 4), (5, 4, 3), {"axisa": 0}),
        ((5, 3, 4), (5, 4, 3), {"axisa": 0, "axisb": 1, "axisc": 0}),
        ((5, 3, 4), (5, 3, 4), {"axis": 0}),
        ((5, 3), (4, 3), {}),
    ],
)
def test_cross_products_of_variables_are_computed_for_all_examples_at_once(a, b, axes):
    random = np.random.default_rng(0)
    a, b = random.normal(size=a), random.normal(size=b)
    mapped = vmap(lambda a, b: np.cross(a, b, **axes), in_axes=(0, 0 if len(b) == 5 else None))
    truth = [np.cross(x, y, **axes) for x, y in zip(a, b if len(b) == 5 else [b] * 5, strict=True)]
    np.testing.assert_array_equal(mapped(Variable(a), b).data, truth)
    assert "all examples at once" in mapped.explain(Variable(a), b)


def test_results_are_plain_arrays_of_the_callers_own():
    value, gradient = vmap(value_and_grad(number))(BATCH)
    assert type(value) is type(gradient) is np.ndarray
    got = vmap(lambda x: x)(BATCH)
    with no_grad():
        close(vmap(grad(number))(BATCH), gradient)
    got[0] = 9.0
    assert not np.any(BATCH == 9.0)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("size", [2, 2000])
def test_gradients_of_one_example_add_up_with_those_that_are_the_same_for_all(size, last):
    def f(x):
        w = Variable(np.ones(size))
        of_each = [np.sum(x * w), np.sum(np.exp(x) * w)]
        of_all = [np.sum(np.sin(w)), np.sum(np.cos(w))]
        return gradient_of(of_each + of_all if last else of_all + of_each, w)

    close(vmap(f)(BATCH[:, 0]), looped(f, BATCH[:, 0]))


def test_arrays_in_an_index_that_are_apart_keep_the_order_of_the_axes():
    first, last = np.array([0, 1]), np.array([1, 0])
    x = RANDOM.normal(size=(4, 2, 3, 2))
    close(vmap(lambda a: a[first, :, last])(x), looped(lambda a: a[first, :, last], x))


def test_gradients_of_elements_that_are_picked_twice_add_up():
    def f(x):
        return np.sum(np.arange(1.0, 4.0) * x[[0, 0, 2]] ** 2)

    close(vmap(grad(f))(BATCH), looped(grad(f), BATCH))
    close(vmap(hessian(f))(BATCH), looped(hessian(f), BATCH))


def test_matrices_that_do_not_fit_are_refused_as_without_a_batch():
    with pytest.raises(ValueError, match="mismatch"):
        vmap(lambda a: a[:, None] @ np.stack([a, a]))(BATCH)


class Kept(Function):
    """The square, with an array that forward keeps."""

    elementwise = True

    def forward(self, x):
        self.is_positive = x > 0
        return np.where(self.is_positive, x * x, -x)

    def backward(self, gy):
        return np.where(self.is_positive, 2.0 * self.inputs[0].data, -1.0) * gy


def test_an_array_that_forward_keeps_belongs_to_the_batch():
    def f(x):
        return np.sum(Kept()(x) * np.arange(3.0))

    close(vmap(grad(f))(BATCH), looped(grad(f), BATCH))
    close(vmap(hessian(f))(BATCH), looped(hessian(f), BATCH))


def changed(method, *args):
    def f(x):
        y = np.copy(x)
        assert getattr(y, method)(*args) is None
        return y

    return f


@pytest.mark.parametrize(
    "f",
    [
        changed("sort"),
        changed("sort", 0),
        changed("partition", 1, 0),
        lambda x: x.compress([True, False, True, True, False], 0),
        lambda x: x.transpose(),
        lambda x: x.transpose(1, 0),
        lambda x: x.transpose((1, 0)),
        lambda x: x.max(0) + x.repeat(2, 0).std(0, None, None, 1),
    ],
)
def test_methods_do_what_they_do_to_an_array_of_one_example(f):
    close(vmap(f)(PAIRS), looped(f, PAIRS))
