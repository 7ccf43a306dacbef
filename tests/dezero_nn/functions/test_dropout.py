"""dropout: its mask, its switch, its generators, and a compiled step."""

import numpy as np
import pytest
from dezero_nn.functions import dropout

from dezero_core import Parameter, Variable, grad, using_config
from dezero_nn import test_mode as in_test_mode
from dezero_replay import compiled


def test_dropout_keeps_the_share_and_the_mean_of_the_elements():
    y = dropout(np.ones(100_000), 0.3, np.random.default_rng(0))
    assert set(np.unique(y)) == {0.0, 1.0 / (1.0 - 0.3)}
    # Five standard deviations of the share of zeros.
    assert abs(np.mean(y == 0.0) - 0.3) < 5.0 * np.sqrt(0.3 * 0.7 / 100_000)


def test_the_gradients_of_dropout_are_of_the_mask_that_was_drawn():
    x = Variable(np.arange(1.0, 7.0))
    y = dropout(x, 0.5, np.random.default_rng(1))
    first = grad((y * y).sum(), x, create_graph=True)
    mask = np.random.default_rng(1).random(6) >= 0.5
    assert 0 < mask.sum() < 6
    np.testing.assert_array_equal(y.data, np.where(mask, 2.0 * x.data, 0.0))
    np.testing.assert_array_equal(first.data, np.where(mask, 8.0 * x.data, 0.0))
    np.testing.assert_array_equal(grad(first.sum(), x), np.where(mask, 8.0, 0.0))


def test_by_default_dropout_draws_from_the_global_generator_as_in_the_book():
    np.random.seed(0)
    y = dropout(np.ones(8))
    np.random.seed(0)
    np.testing.assert_array_equal(y, (np.random.rand(8) > 0.5) * 2.0)


def test_dropout_takes_a_random_state():
    y = dropout(np.ones(8), rng=np.random.RandomState(3))
    np.testing.assert_array_equal(y, (np.random.RandomState(3).rand(8) > 0.5) * 2.0)


def test_in_test_mode_dropout_returns_x_itself_and_draws_nothing():
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    for x in (Variable(np.ones(3)), np.ones(3)):
        with in_test_mode():
            assert dropout(x, 0.5, rng) is x
        with using_config("train", False):
            assert dropout(x, 0.5, rng) is x
    assert rng.bit_generator.state == state


def test_a_ratio_of_0_changes_nothing():
    x = Variable(np.array([1.0, -2.0]))
    y = dropout(x, 0.0)
    y.backward()
    np.testing.assert_array_equal(y.data, x.data)
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_dropout_keeps_the_dtype(dtype):
    x = Variable(np.ones(5, dtype))
    y = dropout(x)
    y.backward()
    assert y.dtype == x.grad.dtype == dtype


def test_dropout_of_integers_is_not_rounded():
    y = dropout(np.array([3, 3, 3, 3]), 0.4, np.random.default_rng(0))
    assert set(y) == {0.0, 3.0 / 0.6}


@pytest.mark.parametrize("ratio", [1.0, -0.1, 1.5, np.nan])
@pytest.mark.parametrize("train", [True, False])
def test_dropout_refuses_a_ratio_outside_of_0_to_1(ratio, train):
    with (
        using_config("train", train),
        pytest.raises(ValueError, match="dropout: dropout_ratio must be from 0 to 1"),
    ):
        dropout(np.ones(3), ratio)


@pytest.mark.parametrize("own", [True, False], ids=["own generator", "global generator"])
def test_a_compiled_step_with_dropout_gives_the_same_bits(own):
    found = []
    for wrapped in (lambda f: f, compiled(strict=True)):
        np.random.seed(5)
        rng = np.random.default_rng(5) if own else None
        w = Parameter(np.linspace(-1.0, 1.0, 12).reshape(4, 3))

        @wrapped
        def step(x, w=w, rng=rng):
            y = dropout(x @ w, 0.4, rng)
            w.cleargrad()
            loss = (y * y).sum()
            loss.backward()
            w.data -= 0.01 * w.grad
            return loss

        losses = [step(np.eye(4) + k).item() for k in range(5)]
        found.append((losses, w.data.tolist()))
    assert found[0] == found[1]
    assert len(set(found[0][0])) == 5


def test_random_numbers_in_bodies_are_drawn_in_each_run():
    def f(x):
        x = Variable(x)
        for _ in range(4):
            x = dropout(x)
        return x.data

    step, long = compiled(f), np.ones(40)
    for seed in range(6):
        np.random.seed(seed)
        expected = f(long)
        np.random.seed(seed)
        assert np.array_equal(step(long), expected)
    assert step.stats["replayed"]
