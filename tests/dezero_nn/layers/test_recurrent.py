"""RNN, LSTM and GRU: the formulas, the state, truncated backpropagation and compiled steps."""

import copy
import gc
import pickle
import weakref

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.layers import GRU, LSTM, RNN, Linear

from dezero_core import Variable, no_grad
from dezero_nn import Model, optimizers
from dezero_replay import compiled

STEPS, ROWS, IN, SIZE = 4, 2, 3, 5
XS = np.random.default_rng(0).normal(size=(STEPS, ROWS, IN))
of_each = pytest.mark.parametrize("make", [RNN, LSTM, GRU])


def layer_of(make):
    layer = make(SIZE, IN, dtype=np.float64, rng=np.random.default_rng(1))
    for number, each in enumerate(layer.params()):
        each.data = np.random.default_rng(number).normal(size=each.shape)
    return layer


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def by_formulas(layer, xs, wx):
    """Return the hidden states after each step, by NumPy alone, with `wx` for x2h.W."""
    wh, b = layer.h2h.W.data, layer.x2h.b.data
    h = c = np.zeros((xs.shape[1], SIZE))
    hs = []
    for x in xs:
        z, u = x @ wx + b, h @ wh
        if isinstance(layer, RNN):
            h = np.tanh(z + u)
        elif isinstance(layer, LSTM):
            i, f, g, o = np.split(z + u, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        else:
            (zr, zz, zn), (ur, uz, un) = (np.split(a, 3, axis=1) for a in (z, u + layer.h2h.b.data))
            r, update = sigmoid(zr + ur), sigmoid(zz + uz)
            h = (1 - update) * np.tanh(zn + r * un) + update * h
        hs.append(h)
    return np.array(hs)


@of_each
def test_each_call_is_a_step_of_the_formulas(make):
    layer = layer_of(make)
    hs = [layer(x).data for x in XS]
    np.testing.assert_allclose(hs, by_formulas(layer, XS, layer.x2h.W.data), rtol=1e-12)


@of_each
def test_the_gradient_goes_through_all_steps_as_by_the_complex_step(make):
    layer = layer_of(make)
    sum(layer(x).sum() for x in XS).backward()
    direction = np.random.default_rng(2).normal(size=layer.x2h.W.shape)
    moved = by_formulas(layer, XS, layer.x2h.W.data + 1e-30j * direction)
    slope = moved.sum().imag / 1e-30
    np.testing.assert_allclose((layer.x2h.W.grad * direction).sum(), slope, rtol=1e-11)


def test_a_sequence_is_the_same_as_its_steps_and_goes_on_from_the_state():
    layer, other = layer_of(LSTM), layer_of(LSTM)
    steps = np.stack([layer(x) for x in XS])
    parts = np.concatenate([other.sequence(XS[:3]), other.sequence(XS[3:])])
    np.testing.assert_allclose(parts.data, steps.data, rtol=1e-13)
    np.testing.assert_allclose(other.c.data, layer.c.data, rtol=1e-13)
    for loss in (steps, parts):
        (loss * loss).sum().backward()
    for mine, others in zip(layer.params(), other.params(), strict=True):
        np.testing.assert_allclose(others.grad, mine.grad, rtol=1e-11)


@of_each
def test_reset_state_begins_another_sequence(make):
    layer = layer_of(make)
    first = layer(XS[0]).data
    assert np.any(layer(XS[0]).data != first)
    layer.reset_state()
    np.testing.assert_array_equal(layer(XS[0]).data, first)
    layer.reset_state()
    assert layer(XS[0, :1]).shape == (1, SIZE)


@of_each
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_goes_on_with_the_state_and_leaves_the_graph_to_the_layer(make, copied):
    layer = layer_of(make)
    layer(XS[0])
    other = copied(layer)
    y, z = layer(XS[1]), other(XS[1])
    np.testing.assert_array_equal(z.data, y.data)
    z.sum().backward()
    assert all(each.grad is None for each in layer.params())
    y.sum().backward()  # through both steps: there is more than in the copy, and without an error
    assert np.any(layer.x2h.W.grad != other.x2h.W.grad)


@of_each
def test_the_state_is_neither_trained_nor_saved(make):
    layer = layer_of(make)
    before = [name for name, _ in layer.variables()]
    layer(XS[0])
    assert [name for name, _ in layer.variables()] == before
    assert set(before) <= {"x2h/W", "x2h/b", "h2h/W", "h2h/b"}


def windows(layer, xs, way):
    """Train on two windows with truncated backpropagation; return the gradients of the second."""
    for window in xs:
        if way == "sequence":
            loss = (layer.sequence(window) ** 2).sum()
        else:
            loss = sum((layer(x) ** 2).sum() for x in window)
        layer.cleargrads()
        loss.backward()
        loss.unchain_backward()
        for each in layer.params():  # in place, as optimizers do
            each.data -= 0.01 * each.grad
    return [each.grad for each in layer.params()]


@pytest.mark.parametrize(
    ("make", "way"), [(RNN, "steps"), (GRU, "steps"), (LSTM, "steps"), (LSTM, "sequence")]
)
def test_truncated_backpropagation_stops_at_the_window(make, way):
    xs = XS.reshape(2, 2, ROWS, IN)
    got = windows(layer_of(make), xs, way)
    # The same, with the state of the first window as a constant.
    layer = layer_of(make)
    windows(layer, xs[:1], way)
    for name in ("h", "c", "_last") if make is LSTM else ("h",):
        setattr(layer, name, Variable(getattr(layer, name).data.copy()))
    for mine, others in zip(got, windows(layer, xs[1:], way), strict=True):
        np.testing.assert_array_equal(mine, others)


@pytest.mark.parametrize("way", ["steps", "sequence"])
def test_truncated_backpropagation_frees_the_graph_of_the_window_before(way):
    layer = layer_of(LSTM)
    operations = []
    for window in XS.reshape(2, 2, ROWS, IN):
        hs = layer.sequence(window) if way == "sequence" else [layer(x) for x in window][-1]
        operations += [weakref.ref(each.creator) for each in (hs, layer.h, layer.c)]
        hs.sum().unchain_backward()
        del hs
    gc.collect()
    assert [operation() for operation in operations[:3]] == [None] * 3


@of_each
def test_it_runs_without_a_graph(make):
    layer = layer_of(make)
    with no_grad():
        layer(XS[0])
        h = layer(XS[1])
    assert h.creator is None
    np.testing.assert_allclose(h.data, by_formulas(layer, XS, layer.x2h.W.data)[1], rtol=1e-12)


@of_each
def test_weights_are_float32_and_drawn_by_the_rng_in_the_first_call(make):
    layer, again = (make(3, rng=np.random.default_rng(0)) for _ in range(2))
    x = XS[0].astype(np.float32)
    assert layer(x).dtype == np.float32
    np.testing.assert_array_equal(layer.h.data, again(x).data)
    assert {each.dtype for each in layer.params()} == {np.dtype(np.float32)}


@of_each
def test_another_number_of_rows_without_a_reset_is_refused(make):
    layer = layer_of(make)
    h = layer(XS[0])
    message = rf"{make.__name__} has a hidden state of 2 rows, .* \(1, 3\): call reset_state\(\)"
    with pytest.raises(ValueError, match=message):
        layer(XS[0, :1])
    assert layer.h is h


@of_each
def test_an_input_of_another_kind_is_refused_and_draws_nothing(make):
    layer = make(SIZE)
    for x in ([1.0], np.ones((2, 3), int), np.ones(3), np.ones((1, 2, 3)), np.array(1.0)):
        with pytest.raises((TypeError, ValueError), match=f"^{make.__name__} takes"):
            layer(x)
    assert layer.x2h.W.data is None
    layer(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"in_size 3, got one of shape \(2, 4\)"):
        layer(np.ones((2, 4)))


def test_a_sequence_without_its_axis_is_refused():
    with pytest.raises(ValueError, match=r"shape \(steps, rows, in_size\), got .* \(2, 3\)"):
        LSTM(SIZE).sequence(np.ones((2, 3)))


class Predictor(Model):
    def __init__(self, make):
        rng = np.random.default_rng(3)
        self.rnn, self.fc = make(SIZE, rng=rng), Linear(1, rng=rng)


def trained(make, way, compile_step):
    """Return the losses and the parameters of a training, where a step is a whole sequence."""
    model = Predictor(make)
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(xs, ts):
        model.rnn.reset_state()
        hs = model.rnn.sequence(xs) if way == "sequence" else np.stack([model.rnn(x) for x in xs])
        loss = F.mean_squared_error(model.fc(hs), ts)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        model.cleargrads()
        model.rnn.reset_state()
        return loss

    if compile_step:
        step = compiled(step, strict=True)
    rng = np.random.default_rng(4)
    losses = [
        step(*(rng.normal(size=(4, 2, n)).astype(np.float32) for n in (3, 1))).data
        for _ in range(5)
    ]
    if compile_step:
        assert step.stats["replayed"] > 0
    return [*losses, *(each.data for each in model.params())]


@pytest.mark.parametrize(
    ("make", "way"), [(RNN, "steps"), (GRU, "steps"), (LSTM, "steps"), (LSTM, "sequence")]
)
def test_a_compiled_step_over_a_sequence_has_the_same_bits(make, way):
    for mine, others in zip(trained(make, way, False), trained(make, way, True), strict=True):
        np.testing.assert_array_equal(mine, others, strict=True)
