"""Functions of NumPy give over a batch what they give for each example, in rarer calls too.

Promise: docs/how_to/batches.md
"""

import random

import numpy as np
import pytest
from dezero_tools.functional import grad, hvp, jvp, recomputed, vmap

from dezero_core import Function, Variable, VariableTypeError
from dezero_ops_math import softmax_cross_entropy
from tests.weighted import Weighted

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(3, 4))
M = RANDOM.normal(size=(3, 2, 2))
POSITIONS = np.array([[0, 1], [3, 2], [1, 1]])
TABLE = RANDOM.normal(size=(4, 2))


def filled(z, write):
    write(z)
    return z


#: Name -> a function of one example, and the arrays of all examples.
CALLS = {
    "where, of a condition": (lambda a: np.where(np.abs(a) >= 0)[0], X),
    "pinv, by another rtol for each": (lambda a: np.linalg.pinv(a, rtol=np.abs(a[0, 0]) / 1e6), M),
    "roll by another shift for each": (lambda i: np.roll(i, i[0]), POSITIONS),
    "positions, then a slice": (lambda i: Variable(TABLE)[i, :1].data, POSITIONS),
    "positions, then all": (lambda i: Variable(TABLE)[i, :].data, POSITIONS),
    "where= of a ufunc": (lambda a: np.add(a, 1.0, out=np.zeros_like(a), where=a > 0), X),
    "ndim of an array": (lambda a: a * np.ndim(a), X),
    "copyto, which returns nothing": (
        lambda a: filled(np.ones_like(a), lambda z: np.copyto(z, a)),
        X,
    ),
    "clip, out= and where=": (
        lambda a: np.clip(a, 0.0, 0.1, out=np.ones_like(a), where=a > 0.05),
        X,
    ),
    "sum, out= and where=": (
        lambda a: np.sum(a, axis=0, out=np.ones_like(a[0]), where=a > 0.0),
        M,
    ),
    "einsum of all letters": (
        lambda a: np.einsum("a,bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ->a", a, DEEP),
        X,
    ),
    "vecmat": (lambda a: np.vecmat(a[0], a), M),
    "reduce of no axes": (lambda a: np.add.reduce(a[0]), X),
    "reduce of a shared array": (lambda a: np.add.reduce(TABLE, where=a[0] > 0), X),
    "accumulate": (lambda a: np.multiply.accumulate(a, axis=-1), M),
    "hstack": (lambda a: np.hstack([a, 2.0 * a]), X),
    "hstack, of matrices": (lambda a: np.hstack([a, 2.0 * a], dtype=np.float32), M),
    "vstack": (lambda a: np.vstack([a, np.ones(4)], casting="same_kind"), X),
    "trace of linalg": (lambda a: np.linalg.trace(a), M),
    "diagonal of linalg": (lambda a: np.linalg.diagonal(a, offset=1), M),
    "gradient, by other distances for each": (lambda a: np.gradient(TABLE[:, 0], a[0]), X),
    "gradient, along no axis": (lambda a: len(np.gradient(a, axis=())) + a, X),
    "compress, by another condition": (lambda a: np.compress(np.abs(a) >= 0, a), X),
    "take, of own positions, wrapped": (lambda i: np.take(i, i, mode="wrap"), POSITIONS),
    "reshape, by columns": (lambda a: np.reshape(a, (4,), order="F"), M),
    "transpose": (lambda a: np.transpose(a, (-1, 0)), M),
    "rollaxis": (lambda a: np.rollaxis(a, -1, 0), M),
    "tensordot, by axes from the end": (lambda a: np.tensordot(a, TABLE, ((-1,), (-1,))), M),
    "len": (lambda a: a * len(a), X),
    "iteration": (lambda a: sum(row for row in a), M),
}
DEEP = np.ones((1,) * 51)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_over_a_batch_gives_what_it_gives_for_each_example(name):
    f, batch = CALLS[name]
    got, expected = vmap(f)(batch), np.stack([f(x) for x in batch])
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)


def test_an_array_of_the_outer_map_is_shared_by_the_examples_of_the_inner_one():
    got = vmap(lambda a: vmap(lambda b: np.full_like(a, b[0]))(X))(X)
    np.testing.assert_array_equal(got, np.broadcast_to(X[None, :, :1], (3, 3, 4)))
    got = vmap(lambda a: vmap(lambda i: np.take(a, i + 1, mode="clip"))(POSITIONS))(X)
    np.testing.assert_array_equal(got, [[x[np.minimum(i + 1, 3)] for i in POSITIONS] for x in X])


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.sum(a, axis=2),
        lambda a: np.take(a, [0], axis=2),
        lambda a: np.take(a, [0], axis=-3),
        lambda a: np.transpose(a, (0, 2)),
        lambda a: np.rollaxis(a, 2),
        lambda a: np.rollaxis(a, 0, 3),
        lambda a: np.rollaxis(a, 0, -3),
        lambda a: np.add.reduce(a, axis=2),
        lambda a: np.add.accumulate(a, axis=-3),
        lambda a: np.tensordot(a, a, ((2,), (0,))),
        lambda a: np.tensordot(a, a, ((0,), (-3,))),
    ],
)
def test_an_axis_that_is_not_there_is_an_error_as_without_a_batch(f):
    with pytest.raises((np.exceptions.AxisError, IndexError)):
        f(M[0])
    with pytest.raises(np.exceptions.AxisError, match="out of bounds for array of dimension"):
        vmap(f)(M)


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda a: complex(a[0]), VariableTypeError, r"complex\(\) needs one value"),
        (lambda a: int(a[0]), VariableTypeError, r"int\(\) needs one value"),
        (lambda a: len(a[0]), TypeError, r"len\(\) of an array without dimensions"),
        (lambda a: list(a[0]), TypeError, "iteration over an array without dimensions"),
        (lambda a: np.add.at(a, [0], 1.0), VariableTypeError, "np.add.at within vmap"),
        (lambda a: np.tensordot(a, np.ones(5), 1), ValueError, "shape-mismatch for sum"),
        (lambda a: np.meshgrid(a, kind="x"), TypeError, "kind"),
        (lambda a: np.einsum("i,j", a), ValueError, "operand|subscripts"),
        (lambda a: np.vecdot(a[0], a[:1]), ValueError, "not have enough dimensions"),
        (lambda a: np.vecdot(a[0], a[1]), ValueError, "not have enough dimensions"),
    ],
)
def test_a_call_that_needs_one_value_or_does_not_fit_is_an_error(f, error, message):
    with pytest.raises(error, match=message):
        vmap(f)(X)


def test_an_array_of_the_batch_shows_the_dtype_and_shape_of_an_example():
    seen = []
    vmap(lambda a: (seen.append(repr(a)), a)[1])(X)
    assert seen == ["<float64[4] of each of 3 examples>"]


@pytest.mark.parametrize("generator", [random.Random(0), np.random.RandomState(0)])
def test_numbers_drawn_from_a_generator_that_the_function_names_are_refused(generator):
    with pytest.raises(VariableTypeError, match="draws random numbers"):
        vmap(lambda a: a * (generator.random() + 1.0))(X)


@pytest.mark.parametrize(("data", "kind"), [(np.array(["a", "b"]), "ndarray"), ("ab", "str")])
def test_arguments_that_are_no_numbers_are_refused(data, kind):
    with pytest.raises(VariableTypeError, match=f"{kind}'>, and no array of numbers"):
        vmap(np.sin)(data)


def test_drawing_anew_for_each_example_needs_an_example():
    with pytest.raises(ValueError, match="with randomness='different' needs an example"):
        vmap(lambda a: a * np.random.random(), randomness="different")(np.ones((0, 2)))


class OnesFor(Function):
    """Gives ones in place of each row: the result is the same for all examples."""

    saves = ()

    def forward(self, x):
        return np.ones(len(x))

    def backward(self, gy):
        return gy * 0.0


def test_a_function_whose_result_is_the_same_for_all_examples_gives_it_for_each():
    np.testing.assert_array_equal(vmap(lambda x: OnesFor()(Variable(x)).data)(X), np.ones((3, 4)))


def test_an_array_that_the_author_has_given_belongs_to_each_example():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    got = vmap(grad(lambda x: np.sum(np.sin(Weighted(weights)(x)))))(X)
    np.testing.assert_allclose(got, np.cos(X * weights) * weights, rtol=1e-14)


def test_labels_may_differ_from_example_to_example():
    xs, labels = RANDOM.normal(size=(3, 2, 4)), RANDOM.integers(0, 4, (3, 2))
    for f in (softmax_cross_entropy, grad(softmax_cross_entropy)):
        expected = [np.asarray(getattr(y, "data", y)) for y in map(f, xs, labels)]
        got = vmap(f)(xs, labels)
        np.testing.assert_allclose(getattr(got, "data", got), np.stack(expected), rtol=1e-13)


class OfTheFirst(Function):
    """A sum whose second operand has no gradient."""

    elementwise = True
    saves = ()

    def forward(self, x, y):
        return x + y

    def backward(self, gy):
        return gy, None


@pytest.mark.filterwarnings("error")
def test_an_operand_that_has_no_gradient_has_no_tangent_and_needs_no_warning():
    def f(x, y):
        return np.sum(OfTheFirst()(x, y) * 2.0)

    gx, gy = grad(f, argnums=(0, 1))(X[0], X[1])
    assert (gx.tolist(), gy.tolist()) == ([2.0] * 4, [0.0] * 4)
    _, push = jvp(f, X[0], X[1])
    assert (push(np.ones(4), np.ones(4)), push(np.zeros(4), np.ones(4))) == (8.0, 0.0)


def test_second_derivatives_go_through_positions_of_each_example():
    def f(x, i):
        return np.sum(np.sin(x[i]) * x[i[::-1]])

    v = RANDOM.normal(size=(3, 4))
    got = vmap(lambda x, i, v: hvp(lambda x: f(x, i))(x, v))(X, POSITIONS, v)
    expected = [hvp(lambda x, i=i: f(x, i))(x, w) for x, i, w in zip(X, POSITIONS, v, strict=True)]
    np.testing.assert_allclose(got, np.stack(expected), rtol=1e-13, atol=1e-13)


def test_complex_tangents_can_be_differentiated_again():
    z = np.array([0.3 + 0.4j, -1.0 + 0.2j])

    def along(x):  # d/dt of exp(t z) in the direction 1, whose real part is differentiated by x
        _, push = jvp(lambda t: np.exp(t * z), x)
        return np.real(np.sum(push(1.0)))

    np.testing.assert_allclose(grad(along)(0.7), np.sum(z**2 * np.exp(0.7 * z)).real, rtol=1e-13)


def test_a_result_without_a_gradient_is_recomputed_as_it_is():
    got = recomputed(lambda x: np.argmax(x.data))(Variable(X[0]))
    assert got == np.argmax(X[0])
