"""Over a batch, convolutions, pooling and recurrences are one call, and agree with a loop."""

import re

import numpy as np
import pytest
from dezero_nn.functions import (
    average_pooling,
    col2im,
    conv2d,
    conv2d_simple,
    deconv2d,
    im2col,
    lstm,
    pooling,
    pooling_simple,
)
from dezero_tools.functional import grad, hvp, jacobian, vmap

from dezero_core import Variable
from dezero_replay import ReplayWarning, compiled
from dezero_tools import Observer, observe

RANDOM = np.random.default_rng(0)
AT_ONCE = "Each function computed all examples at once."
EXAMPLES = 3


def drawn(*shape):
    return RANDOM.normal(size=shape)


def hs_and_cs(*operands):
    hs, cs = lstm(*operands)
    return np.sum(np.sin(hs)) + np.sum(cs**2)


IMAGES = (2, 2, 5, 6)
W, B = drawn(3, 2, 3, 2), drawn(3)
LSTM_W = [drawn(3, 8), drawn(2, 8), drawn(8)]
#: Name -> a function, the shape of the operand that differs from example to example, and the other
#: operands, which all examples share.
FUNCTIONS = {
    "conv2d": (conv2d, IMAGES, [W]),
    "conv2d with b": (conv2d, IMAGES, [W, B]),
    "conv2d, strides": (lambda x, w, b: conv2d(x, w, b, (2, 1), (0, 2)), IMAGES, [W, B]),
    "conv2d, one image": (
        lambda x, w: conv2d(np.expand_dims(x, 0), w, None, 1, 1),
        IMAGES[1:],
        [W],
    ),
    "conv2d, large": (lambda x, w: conv2d(x, w, pad=1), (2, 16, 11, 12), [drawn(3, 16, 3, 3)]),
    "conv2d, 1 x 1": (conv2d, (2, 2, 11, 12), [drawn(3, 2, 1, 1)]),
    "deconv2d": (deconv2d, (2, 3, 3, 2), [W]),
    "deconv2d, strides": (
        lambda x, w, b: deconv2d(x, w, b, (3, 2), (0, 1), (10, 3)),
        (2, 3, 3, 2),
        [W, drawn(2)],
    ),
    "conv2d_simple": (lambda x, w, b: conv2d_simple(x, w, b, 2, 1), IMAGES, [W, B]),
    "pooling": (lambda x: pooling(x, 2), IMAGES, []),
    "pooling, strides": (lambda x: pooling(x, (2, 3), (2, 1), 1), IMAGES, []),
    "average_pooling": (lambda x: average_pooling(x, 2, 2), IMAGES, []),
    "average_pooling, pad": (lambda x: average_pooling(x, (3, 2), 1, (2, 0)), IMAGES, []),
    "pooling_simple": (lambda x: pooling_simple(x, (2, 3), 2, 1), IMAGES, []),
    "im2col": (lambda x: im2col(x, (3, 2), 2, 1), IMAGES, []),
    "im2col, 6 axes": (lambda x: im2col(x, 2, to_matrix=False), IMAGES, []),
    "col2im": (lambda x: col2im(x, (2, 1, 3, 3), 2), (8, 4), []),
    "col2im, 6 axes": (
        lambda x: col2im(x, (2, 1, 4, 3), 2, 2, 1, to_matrix=False),
        (2, 1, 2, 2, 3, 2),
        [],
    ),
    "lstm": (hs_and_cs, (4, 2, 3), LSTM_W),
    "lstm, one step": (hs_and_cs, (1, 2, 3), LSTM_W),
    "lstm with a start": (
        lambda start, x, *w: hs_and_cs(x, *w, np.tanh(start), start),
        (2, 2),
        [drawn(3, 2, 3), *LSTM_W],
    ),
    "lstm, cells": (lambda x, *w: lstm(x, *w)[1], (3, 2, 3), LSTM_W),
}


def number_of(f):
    return lambda *xs: np.sum(np.tanh(f(*xs)))


def looped(f, batch, shared):
    return [f(x, *shared) for x in batch]


def over_batch(f, shared):
    return vmap(f, in_axes=(0, *[None] * len(shared)))


def close(got, expected, dtype=np.float64):
    expected = np.stack(expected)
    assert got.dtype == expected.dtype == dtype
    limit = 1e-10 if dtype == np.float64 else 2e-4
    np.testing.assert_allclose(got, expected, limit, limit)


WITH_WEIGHTS = [name for name, (_, _, shared) in FUNCTIONS.items() if shared]


@pytest.fixture(params=FUNCTIONS)
def case(request):
    f, shape, shared = FUNCTIONS[request.param]
    return f, RANDOM.normal(size=(EXAMPLES, *shape)), shared


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_gradients_are_one_call(case, dtype):
    f, batch, shared = case
    batch, shared = batch.astype(dtype), [x.astype(dtype) for x in shared]
    for each in (f, grad(number_of(f))):
        mapped = over_batch(each, shared)
        close(mapped(batch, *shared), looped(each, batch, shared), dtype)
        assert mapped.explain(batch, *shared) == AT_ONCE


@pytest.mark.parametrize("case", WITH_WEIGHTS, indirect=True)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_the_weights_for_each_example_are_one_call(case, dtype):
    f, batch, shared = case
    batch, shared = batch.astype(dtype), [x.astype(dtype) for x in shared]
    for index in range(1, 1 + len(shared)):
        each = grad(number_of(f), index)
        mapped = over_batch(each, shared)
        close(mapped(batch, *shared), looped(each, batch, shared), dtype)
        assert mapped.explain(batch, *shared) == AT_ONCE


def test_second_derivatives_are_those_of_a_loop_and_by_the_operand_one_call(case):
    f, batch, shared = case
    for index in range(1 + len(shared)):
        v = np.cos(np.arange((batch[0], *shared)[index].size)).reshape(
            (batch[0], *shared)[index].shape
        )

        def each(*xs, index=index, v=v):
            return hvp(lambda z: number_of(f)(*xs[:index], z, *xs[index + 1 :]))(xs[index], v)

        mapped = over_batch(each, shared)
        close(mapped(batch, *shared), looped(each, batch, shared))
        if index == 0:
            assert mapped.explain(batch, *shared) == AT_ONCE


def test_a_batch_of_batches_is_one_call(case):
    f, batch, shared = case
    batches = np.stack([batch, 2.0 * batch])
    mapped = vmap(lambda x: vmap(lambda x: grad(number_of(f))(x, *shared))(x))
    expected = [looped(grad(number_of(f)), each, shared) for each in batches]
    close(mapped(batches), expected)
    assert mapped.explain(batches) == AT_ONCE


def test_the_rows_of_a_jacobian_agree_with_those_of_a_loop(case):
    f, batch, shared = case
    got = jacobian(lambda x: f(x, *shared))(batch[0])
    y = f(batch[0], *shared)
    rows = [grad(lambda x, i=i: f(x, *shared)[i])(batch[0]) for i in np.ndindex(np.shape(y))]
    close(got, np.reshape(rows, np.shape(y) + batch[0].shape))


@pytest.mark.parametrize("case", WITH_WEIGHTS, indirect=True)
def test_variables_that_the_function_reaches_get_the_sum_over_the_batch(case):
    f, batch, shared = case
    reached = [Variable(x) for x in shared]
    np.sum(vmap(lambda x: number_of(f)(x, *reached))(batch)).backward()
    for index, w in enumerate(reached, 1):
        close(w.grad, np.sum(looped(grad(number_of(f), index), batch, shared), axis=0))


def test_compiled_it_is_recorded(case, recwarn):
    f, batch, shared = case
    mapped = over_batch(grad(number_of(f)), shared)
    program = compiled(mapped)
    for factor in (1.0, 2.0, 3.0):
        close(program(factor * batch, *shared), mapped(factor * batch, *shared))
    assert not [each for each in recwarn if issubclass(each.category, ReplayWarning)]


def test_a_batch_of_no_example_and_of_one_have_results(case):
    f, batch, shared = case
    mapped = over_batch(grad(number_of(f)), shared)
    assert mapped(batch[:0], *shared).shape == batch[:0].shape
    close(mapped(batch[:1], *shared), looped(grad(number_of(f)), batch[:1], shared))


class Calls(Observer):
    """Counts the calls of Functions."""

    def __init__(self):
        self.count = 0

    def after(self, call):
        self.count += 1


def test_all_steps_of_a_sequence_go_back_in_one_call():
    counts = []
    for steps in (3, 30):
        with observe(Calls()) as calls:
            vmap(lambda x: grad(hs_and_cs)(x, *LSTM_W))(drawn(EXAMPLES, steps, 2, 3))
        counts.append(calls.count)
    assert counts[0] == counts[1] < 60


def test_images_without_an_image_have_no_gradient():
    each = grad(number_of(conv2d), 1)
    images = np.zeros((EXAMPLES, 0, 2, 5, 6))
    np.testing.assert_array_equal(vmap(each, (0, None))(images, W), np.zeros((EXAMPLES, *W.shape)))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_networks_with_weights_of_their_own_are_those_of_a_loop(index):
    weights = [np.stack([k * w for k in (1.0, 2.0)]) for w in (W, B)]
    images = drawn(*IMAGES)
    each = grad(number_of(conv2d), index)
    got = vmap(each, in_axes=(None, 0, 0))(images, *weights)
    close(got, [each(images, *own) for own in zip(*weights, strict=True)])
    recurrent = [np.stack([k * w for k in (1.0, 2.0)]) for w in LSTM_W]
    each, x = grad(hs_and_cs, index), drawn(4, 2, 3)
    got = vmap(each, in_axes=(None, 0, 0, 0))(x, *recurrent)
    close(got, [each(x, *own) for own in zip(*recurrent, strict=True)])


@pytest.mark.parametrize(
    ("f", "shape", "message"),
    [
        (lambda x: conv2d(x, W), (2, 5, 6), "got an array of shape (2, 5, 6)"),
        (lambda x: conv2d(x, W), (2, 3, 5, 6), "images of 3, of shape (2, 3, 5, 6)"),
        (lambda x: pooling(x, 9), IMAGES, "larger than the image of 5 x 6"),
        (lambda x: lstm(x, *LSTM_W)[0], (3,), "got (3,)"),
    ],
)
def test_an_error_has_the_shapes_of_one_example(f, shape, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        vmap(f)(drawn(EXAMPLES, *shape))
    assert any("in example 0 of vmap" in note for note in caught.value.__notes__)
