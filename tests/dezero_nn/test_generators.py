"""Generators are written as text, and go on from it."""

import json

import numpy as np
import pytest
from dezero_nn.generators import generator_as_text, set_generator

BITS = [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("wrapper", [np.random.Generator, np.random.RandomState])
def test_a_generator_goes_on_as_the_written_one(bits, wrapper):
    rng, other = wrapper(bits(1)), wrapper(bits(2))
    rng.standard_normal(3)
    text = generator_as_text(rng)
    assert isinstance(json.loads(text), dict)
    expected = rng.standard_normal(700), rng.permutation(20)
    set_generator(other, text, "test")
    np.testing.assert_array_equal(other.standard_normal(700), expected[0])
    np.testing.assert_array_equal(other.permutation(20), expected[1])


def test_the_global_generator_is_one_of_them():
    np.random.seed(5)
    text = generator_as_text(np.random)
    expected = np.random.random(5)
    set_generator(np.random, text, "test")
    np.testing.assert_array_equal(np.random.random(5), expected)


def test_the_state_of_another_kind_is_refused_and_changes_nothing():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    text = generator_as_text(np.random.RandomState(0))
    with pytest.raises(ValueError, match=r"mine: the state is of a MT19937, .* a PCG64"):
        set_generator(rng, text, "mine")
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (np.random.MT19937, {"key": [2**31] + [0] * 623}),
        (np.random.PCG64, {"state": 0, "inc": 1}),
        (np.random.Philox, {"counter": [0] * 4, "key": [0] * 2}),
        (np.random.SFC64, {"state": [0] * 4}),
    ],
)
def test_the_smallest_states_that_are_taken_go_on_to_others(bits, words):
    rng = np.random.Generator(bits(0))
    state = json.loads(generator_as_text(rng))
    state["state"].update(words)
    set_generator(rng, json.dumps(state), "test")
    assert np.unique(rng.bit_generator.random_raw(10**6)).size > 10**5
