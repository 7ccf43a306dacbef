"""A function that writes into an array of each example is right; into a shared one, refused.

Each example would write over the one before.

Promise: docs/how_to/batches.md
"""

import re

import numpy as np
import pytest
from dezero_tools.functional import vmap

from dezero_core import Variable, VariableTypeError

X = np.arange(6.0).reshape(3, 2)

#: Each writes a pair of numbers, computed from `a`, into `z`.
WRITES = {
    "copyto": lambda z, a: np.copyto(z, a),
    "copyto, where": lambda z, a: np.copyto(z, a, where=a > 2),
    "put": lambda z, a: np.put(z, [0], a[0]),
    "place": lambda z, a: np.place(z, [True, False], a),
    "putmask": lambda z, a: np.putmask(z, [True, False], a),
    "add, out": lambda z, a: np.add(a, 1.0, out=z),
    "modf, out": lambda z, a: np.modf(a / 2, out=(z, None)),
    "matmul, out": lambda z, a: np.matmul(np.eye(2), a, out=z),
    "dot, out": lambda z, a: np.dot(np.eye(2), a, out=z),
    "take, out": lambda z, a: np.take(a, [1, 0], out=z),
    "outer, out": lambda z, a: np.outer(a, [2.0], out=z.reshape(2, 1)),
    "cumsum, out": lambda z, a: np.cumsum(a, out=z),
    "mean, out": lambda z, a: np.mean(a[None], axis=0, out=z),
    "clip, out": lambda z, a: np.clip(a, 1.0, 2.0, out=z),
    "round, out": lambda z, a: np.round(a / 3, 1, out=z),
    "concatenate, out": lambda z, a: np.concatenate([a[:1], a[1:]], out=z),
    "stack, out": lambda z, a: np.stack([a[0], a[1]], out=z),
    "einsum, out": lambda z, a: np.einsum("i,i->i", a, a, out=z),
    "choose, out": lambda z, a: np.choose([0, 1], [a, -a], out=z),
    "compress, out": lambda z, a: np.compress([True, True], a, out=z),
}
BY_POSITION = {
    "dot": lambda z, a: np.dot(a, 2.0 * np.eye(2), z),
    "take": lambda z, a: np.take(a, [1, 0], None, z),
    "outer": lambda z, a: np.outer(a, [2.0], z.reshape(2, 1)),
    "cumsum": lambda z, a: np.cumsum(a, None, None, z),
}


def written(write, made):
    def f(a):
        z = made(a)
        write(z, a)
        return z

    return f


@pytest.mark.parametrize("write", [*WRITES.values(), *BY_POSITION.values()])
def test_what_is_written_into_an_array_like_that_of_an_example_is_of_that_example(write):
    f = written(write, np.zeros_like)
    np.testing.assert_allclose(vmap(f)(X), [f(x) for x in X])


@pytest.mark.parametrize("write", WRITES.values())
def test_an_array_that_all_examples_share_is_not_written_to(write):
    shared = np.zeros(2)
    with pytest.raises(VariableTypeError, match=r"np\.zeros_like\(x\)"):
        vmap(written(write, lambda a: shared))(X)
    assert shared.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("write", BY_POSITION.values())
def test_it_is_neither_where_it_is_given_by_position(write):
    shared = np.zeros(2)
    with pytest.raises((VariableTypeError, ValueError)):
        vmap(written(write, lambda a: shared))(X)
    assert shared.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["copyto", "put", "add, out", "choose, out"])
def test_an_array_of_the_outer_map_is_not_written_to_by_the_examples_of_the_inner_one(name):
    def outer(row):
        z = np.zeros_like(row)
        vmap(lambda a: WRITES[name](z, a + row))(X)
        return z

    with pytest.raises(VariableTypeError):
        vmap(outer)(X)


def test_a_part_of_an_array_of_the_outer_map_is_not_written_either():
    def outer(row):
        z = np.zeros_like(row)

        def inner(a):
            z[0] = a[0]
            return z

        return vmap(inner)(X)

    with pytest.raises(VariableTypeError):
        vmap(outer)(X)


def test_arguments_are_the_callers_and_are_not_written_to():
    square = np.ones((3, 2, 2))
    message = (
        "np.fill_diagonal writes into an array that vmap(<lambda>) does not own: an argument, or "
        "one that all examples share. Write into np.copy(x)"
    )
    with pytest.raises(VariableTypeError, match=re.escape(message)):
        vmap(lambda a: np.fill_diagonal(a, 0.0))(square)
    assert square.all()


def test_the_array_that_a_variable_holds_is_not_written_to_by_a_function_that_loops():
    def f(a):
        x = Variable(a) * 1.0
        np.fill_diagonal(x.data, 0.0)
        return x

    with pytest.raises(VariableTypeError, match=r"np\.fill_diagonal writes into an array"):
        vmap(f)(np.ones((3, 2, 2)))
    argument = Variable(np.ones((3, 2, 2)))
    with pytest.raises(VariableTypeError, match=r"np\.fill_diagonal writes into an array"):
        vmap(lambda x: np.fill_diagonal(x.data, 0.0))(argument)
    assert argument.data.all()


def test_other_errors_keep_their_class_and_name_the_example():
    with pytest.raises(ValueError, match="cannot reshape") as caught:
        vmap(lambda a: np.reshape(a, (5,), order="F"))(X)
    assert caught.value.__notes__[0] == "in example 0 of vmap(<lambda>)"
