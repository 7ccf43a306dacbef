"""The state of an optimizer as a dict."""

import numpy as np
import pytest
from dezero_nn.layers import Linear

from dezero_core import Parameter
from dezero_nn import optimizers as O  # noqa: N812

OPTIMIZERS = [
    *(O.SGD, O.MomentumSGD, O.AdaGrad, O.AdaDelta, O.RMSprop, O.Adam, O.AdamW),
    lambda: O.RMSprop(momentum=0.5, centered=True),
]


def begun(make, steps=3):
    """Return an optimizer and its layer after some steps."""
    layer = Linear(2, in_size=3, rng=np.random.default_rng(0))
    return go_on(make().setup(layer), steps)


def go_on(optimizer, steps=3):
    rng = np.random.default_rng(optimizer.t)
    for _ in range(steps):
        for param in optimizer.target.params():
            param.grad = rng.normal(size=param.shape).astype("f")
        optimizer.update()
    return optimizer


def bits(optimizer):
    """Return all numbers and arrays of an optimizer and its parameters."""
    state = optimizer.state_dict()
    state |= {f"data {n}": param.data for n, param in enumerate(optimizer.target.params())}
    return {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in state.items()}


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_another_optimizer_goes_on_with_the_same_bits(make):
    one, other = begun(make), begun(make, steps=0)
    for param, new in zip(other.target.params(), one.target.params(), strict=True):
        param.data = new.data.copy()
    other.load_state_dict(one.state_dict())
    assert bits(other) == bits(one)
    assert bits(go_on(other)) == bits(go_on(one))


def test_numbers_are_saved_too_and_are_those_of_python():
    one, other = begun(O.Adam), begun(O.Adam, steps=0)
    one.alpha = np.float64(0.5)
    state = one.state_dict()
    assert type(state["number/alpha"]) is float
    other.load_state_dict(state)
    assert (other.alpha, other.t) == (0.5, 3)


def test_the_arrays_that_were_loaded_are_copies():
    one, other = begun(O.Adam), begun(O.Adam, steps=0)
    other.load_state_dict(one.state_dict())
    before = bits(one)
    go_on(other)
    assert bits(one) == before


def test_states_without_data_stay_without():
    one, other = begun(O.Adam, steps=0), begun(O.Adam)
    other.load_state_dict(one.state_dict())
    assert {state.data is None for p in other.target.params() for state in other.states_of(p)} == {
        True
    }
    assert other.t == 0


def wider():
    return go_on(O.Adam().setup(Linear(2, in_size=4)))


def finer():
    return go_on(O.Adam().setup(Linear(2, in_size=3, dtype=np.float64)))


REFUSED = {
    "another class": (
        lambda: begun(O.AdamW),
        r"Adam: the class of this optimizer is 'Adam', but the saved optimizer has 'AdamW'",
    ),
    "another model": (
        lambda: go_on(O.Adam().setup([Linear(2, in_size=3)])),
        r"Adam: the model is not .* here alone: W, b; in the saved state alone: parameters/0/W, p",
    ),
    "a larger model": (
        lambda: go_on(O.Adam().setup(Linear(2, in_size=3, nobias=True))),
        r"here alone: b; in the saved state alone: none",
    ),
    "another shape": (
        wider,
        r"Adam: 'W' is float32\[3, 2\] here, and its 'm' in the saved state float32\[4, 2\]",
    ),
    "another dtype": (finer, r"'W' is float32\[3, 2\] .* float64\[3, 2\]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_state_that_does_not_fit_says_what_differs_and_changes_nothing(case):
    make, message = REFUSED[case]
    optimizer = begun(O.Adam)
    before = bits(optimizer)
    with pytest.raises(ValueError, match=message):
        optimizer.load_state_dict(make().state_dict())
    assert bits(optimizer) == before


def test_rmsprop_with_momentum_is_another_one_than_without():
    state = begun(lambda: O.RMSprop(momentum=0.5)).state_dict()
    with pytest.raises(ValueError, match=r"the state_names of this optimizer is 'v', but .* 'v b"):
        begun(O.RMSprop).load_state_dict(state)


@pytest.mark.parametrize("method", ["state_dict", "load_state_dict"])
def test_an_optimizer_that_was_not_set_up_has_no_state(method):
    with pytest.raises(RuntimeError, match=rf"SGD\.{method} needs a model"):
        getattr(O.SGD(), method)(*[{}] * (method == "load_state_dict"))


@pytest.mark.parametrize(
    "arrays", [{1: np.ones(2)}, [np.ones(2)], np.ones(2), Parameter(np.ones(2))]
)
def test_arrays_in_other_attributes_are_refused_since_they_would_be_lost(arrays):
    optimizer = begun(O.SGD)
    optimizer.vs = arrays
    with pytest.raises(TypeError, match=r"SGD keeps arrays in the attribute 'vs'.*state_names ="):
        optimizer.state_dict()
