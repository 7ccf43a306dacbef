"""step: an update of nested plain arrays, with the bits of one of Parameters."""

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from dezero_nn.layers import Linear
from dezero_tools.functional import grad
from dezero_tools.functional.trees import leaves_of, like

from dezero_core import Parameter, Variable
from dezero_nn import load_checkpoint, save_checkpoint
from dezero_nn import optimizers as O  # noqa: N812
from dezero_replay import compiled

OPTIMIZERS = [
    *(O.SGD, O.MomentumSGD, O.AdaGrad, O.AdaDelta, O.RMSprop, O.Adam, O.AdamW),
    lambda: O.RMSprop(momentum=0.5, centered=True),
]


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True)
class Model:
    weights: Any
    bias: Any
    note: Any = None


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(3, 2)),
        rng.normal(size=4).astype(np.float32),
        rng.normal(size=2) + 1j * rng.normal(size=2),
    )


def tree(seed=0):
    a, b, c = arrays(seed)
    return {"pair": Pair(a, [b]), "model": Model((c, 0.5), np.float32(2.0))}


def gradients(seed):
    leaves = [np.asarray(each) for each in leaves_of(tree(seed + 1))]
    return like(tree(), leaves)


def with_hooks(optimizer):
    optimizer.add_hook(O.ClipGrad(0.5))
    optimizer.add_hook(O.WeightDecay(0.1))
    return optimizer


def bits(values):
    return [(np.asarray(x).dtype, np.shape(x), np.asarray(x).tobytes()) for x in leaves_of(values)]


@pytest.mark.parametrize("make", OPTIMIZERS)
@pytest.mark.parametrize("prepare", [lambda optimizer: optimizer, with_hooks])
def test_a_tree_is_changed_with_the_bits_of_parameters(make, prepare):
    params = [Parameter(np.array(leaf)) for leaf in leaves_of(tree())]
    one, other = prepare(make()).setup(params), prepare(make())
    schedules = O.StepLR(one, 2, gamma=0.5), O.StepLR(other, 2, gamma=0.5)
    values = tree()
    for step in range(5):
        grads = gradients(step)
        for param, leaf in zip(params, leaves_of(grads), strict=True):
            param.grad = leaf.copy()
        one.update()
        values = other.step(values, grads)
        assert bits(values) == bits([param.data for param in params])
        for schedule in schedules:
            schedule.step()
    assert other.t == one.t == 5


def test_the_given_tree_and_its_gradients_do_not_change_and_the_form_stays():
    values, grads = tree(), gradients(0)
    before, slopes = bits(values), bits(grads)
    optimizer = with_hooks(O.AdamW())
    first = optimizer.step(values, grads)
    kept = bits(first)
    second = optimizer.step(first, gradients(1))
    assert (bits(values), bits(grads), bits(first)) == (before, slopes, kept)
    assert bits(second) != kept
    assert type(second["pair"]) is Pair
    assert type(second["model"]) is Model
    assert second["model"].note is None
    assert [type(leaf) for leaf in leaves_of(second)] == [
        *(np.ndarray, np.ndarray, np.ndarray),
        *(np.float64, np.float32),
    ]


def test_a_loop_of_grad_and_step_finds_a_minimum():
    def loss(params):
        return np.sum((params["w"] - np.array([1.0, -2.0])) ** 2) + (params["b"] - 3.0) ** 2

    gradient, params, adam = grad(loss), {"w": np.zeros(2), "b": 0.0}, O.Adam(alpha=0.1)
    for _ in range(400):
        params = adam.step(params, gradient(params))
    np.testing.assert_allclose(params["w"], [1.0, -2.0], atol=1e-4)
    np.testing.assert_allclose(params["b"], 3.0, atol=1e-4)


def test_an_array_alone_is_a_tree():
    got = O.SGD(lr=0.5).step(np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    np.testing.assert_array_equal(got, [0.5, 2.5])


def test_gradients_are_matched_by_their_keys_and_may_be_variables():
    grads = {"b": np.float64(4.0), "a": Variable(np.ones(2))}
    got = O.SGD(lr=0.5).step({"a": np.zeros(2), "b": 1.0}, grads)
    np.testing.assert_array_equal(got["a"], [-0.5, -0.5])
    assert got["b"] == -1.0


def test_one_array_as_gradient_of_two_leaves_counts_for_both():
    same, slope = np.ones(2), np.ones(2)
    first, second = O.SGD(lr=0.5).step([same, same], [slope, slope])
    assert first is not second
    np.testing.assert_array_equal([first, second], np.full((2, 2), 0.5))


def test_an_array_without_a_gradient_stays_and_is_named():
    with pytest.warns(O.MissingGradientWarning, match=r"1 of 2 parameters .*: tree\['b'\]\."):
        got = O.SGD().step({"a": np.ones(2), "b": np.ones(3)}, {"a": np.ones(2), "b": None})
    np.testing.assert_array_equal(got["b"], 1.0)


def test_a_new_setup_begins_anew_with_another_tree():
    adam = O.Adam()
    adam.step([np.ones(2)], [np.ones(2)])
    adam.setup({"w": np.ones(3)})
    assert adam.t == 0
    wanted = O.Adam().step({"w": np.ones(3)}, {"w": np.ones(3)})
    assert bits(adam.step({"w": np.ones(3)}, {"w": np.ones(3)})) == bits(wanted)


def test_a_checkpoint_of_an_optimizer_of_a_tree_goes_on_with_the_same_bits(tmp_path):
    values, adam = tree(), O.Adam()
    for step in range(3):
        values = adam.step(values, gradients(step))
    save_checkpoint(tmp_path / "adam", adam=adam)
    fresh = O.Adam().setup(tree())
    load_checkpoint(tmp_path / "adam", adam=fresh)
    assert "m/tree['pair'].first" in fresh.state_dict()
    assert bits(fresh.step(values, gradients(3))) == bits(adam.step(values, gradients(3)))


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_a_compiled_step_has_the_same_bits(make):
    def loss(params):
        return np.sum(np.sin(params["w"])) * np.sum(params["b"][0] ** 2)

    def run(how):
        params = {"w": np.arange(3.0), "b": [np.ones(2, np.float32)]}
        optimizer, gradient = make().setup(params), grad(loss)
        step = how(lambda params: optimizer.step(params, gradient(params)))
        found = []
        for _ in range(8):
            params = step(params)
            found.append(bits(params))
        return found, step

    eager, _ = run(lambda step: step)
    replayed, step = run(lambda step: compiled(step, strict=True))
    assert replayed == eager
    assert step.stats["replayed"] > 0


W = {"w": np.ones(2)}
BAD = {
    "a number is an integer": (
        {"w": 3},
        {"w": 1.0},
        TypeError,
        r"got <class 'int'> at tree\['w'\]",
    ),
    "integers": ({"w": np.arange(2)}, W, TypeError, r"and got int64 at tree\['w'\]"),
    "a Variable": ({"w": Variable(np.ones(2))}, W, TypeError, r"Variable'> at tree\['w'\]"),
    "a text": ({"w": "a"}, W, TypeError, r"got <class 'str'> at tree"),
    "another form of gradients": (
        W,
        {"v": np.ones(2)},
        ValueError,
        "expected a dict with the keys",
    ),
    "fewer gradients": ([np.ones(2)] * 2, [np.ones(2)], ValueError, "expected a sequence of 2"),
    "another shape": (
        W,
        {"w": np.ones(3)},
        ValueError,
        r"has shape \(2,\), and its gradient \(3,\)",
    ),
    "a complex gradient": (W, {"w": np.ones(2) * 1j}, TypeError, "A real parameter has a real"),
    "a list as gradient": (W, {"w": [1.0, 2.0]}, TypeError, "has a gradient of <class 'list'>"),
    "nan": (
        W,
        {"w": np.array([np.nan, 1.0])},
        FloatingPointError,
        "has a gradient with nan or inf",
    ),
    "no array": ({}, {}, ValueError, "has no parameters"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_tree_that_does_not_fit_is_refused_and_changes_nothing(case):
    values, grads, error, message = BAD[case]
    adam = O.Adam()
    with pytest.raises(error, match=message):
        adam.step(values, grads)
    assert adam.t == 0
    good, slopes = {"w": np.ones(2)}, {"w": np.ones(2)}
    adam.setup(good)
    wanted = O.Adam().step(good, slopes)
    with pytest.raises((error, ValueError)):
        adam.step(values, grads)
    assert bits(adam.step(good, slopes)) == bits(wanted)


def test_a_tree_of_another_form_than_before_is_named():
    adam = O.Adam()
    adam.step({"w": np.ones(2)}, {"w": np.ones(2)})
    with pytest.raises(ValueError, match=r"Adam\.step: .*: tree\['b'\] is in one of them alone"):
        adam.step({"w": np.ones(2), "b": 1.0}, {"w": np.ones(2), "b": 1.0})
    with pytest.raises(ValueError, match=r"\"tree\['w'\]\" is now float64\[3\], and its 'm' float"):
        adam.step({"w": np.ones(3)}, {"w": np.ones(3)})
    assert adam.t == 1


def test_an_optimizer_of_a_model_takes_no_tree():
    optimizer = O.SGD().setup(Linear(1, in_size=1))
    with pytest.raises(TypeError, match=r"SGD\.step changes plain arrays, .* set up for a Linear"):
        optimizer.step(np.ones(2), np.ones(2))


def test_without_dezero_tools_an_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "dezero_tools.functional", None)
    with pytest.raises(ImportError, match="walked through by dezero-tools, which is not installed"):
        O.SGD().step(np.ones(2), np.ones(2))
