"""repeat and tile: counts of every kind, and what is no count."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import repeat, tile


def test_gradients_of_repetitions_by_repeat_and_tile_add_up():
    x = Variable(np.array([1.0, 2.0, 3.0]))
    y = x.repeat([2, 0, 3])
    y.grad = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 3.0, 3.0, 3.0])
    np.testing.assert_array_equal(x.grad, [11.0, 0.0, 11100.0])


@pytest.mark.parametrize("gradient", [np.nan, np.inf])
def test_a_nan_in_the_gradient_of_repeat_and_tile_reaches_only_its_element(gradient):
    for function in (lambda x: repeat(x, [1, 2]), lambda x: repeat(x, 2), lambda x: tile(x, 2)):
        x = Variable(np.array([1.0, 2.0]))
        y = function(x)
        y.grad = np.where(y.data == 2.0, gradient, 1.0)
        y.backward()
        assert np.isfinite(x.grad[0])
        np.testing.assert_array_equal(x.grad[1], gradient)


def test_counts_changed_after_repeat_change_no_gradient():
    counts = np.array([1, 2])
    x = Variable(np.array([1.0, 2.0]))
    y = repeat(x, counts)
    counts[:] = [2, 1]
    y.grad = np.array([1.0, 10.0, 100.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 110.0])


def test_gradients_of_random_counts_of_repeat_and_tile_are_right():
    """By the definition: the gradient of an element is the sum where its number went."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        shape = tuple(rng.integers(1, 4, rng.integers(1, 4)))
        axis = int(rng.integers(-len(shape), len(shape)))
        counts = rng.integers(0, 4, shape[axis])
        reps = tuple(rng.integers(1, 3, rng.integers(1, 5)))
        numbers = np.arange(np.prod(shape)).reshape(shape)
        for function, arguments in ((repeat, (counts, axis)), (tile, (reps,))):
            x = Variable(numbers.astype(float))
            y = function(x, *arguments)
            where = getattr(np, function.__name__)(numbers, *arguments)
            gy = rng.integers(-9, 9, y.shape).astype(float)
            y.grad = gy
            y.backward()
            expected = np.bincount(where.ravel(), gy.ravel(), numbers.size)
            np.testing.assert_array_equal(x.grad, expected.reshape(shape))


def test_third_derivatives_pass_through_repeat_and_tile():
    x = Variable(np.array([1.0, 2.0]))
    y = np.sum(repeat(tile(x, 2), [1, 2, 3, 0]) ** 3.0)  # four times x0, twice x1
    for _ in range(2):
        y = grad(y, x, create_graph=True)
    np.testing.assert_array_equal(y.data, [24.0, 24.0])
    np.testing.assert_array_equal(grad(y, x), [24.0, 12.0])


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda x: repeat(x, -1), ValueError, "Repeat"),
        (lambda x: repeat(x, [1, 2, 3], 0), ValueError, "Repeat"),
        (lambda x: repeat(x, np.array([1.0, 2.0]), 0), TypeError, "Repeat"),
        (lambda x: repeat(x, 2, 1), np.exceptions.AxisError, "Repeat"),
        (lambda x: tile(x, -1), ValueError, "Tile"),
        (lambda x: tile(x, 1.5), TypeError, "Tile"),
    ],
)
def test_a_bad_count_of_repeat_or_tile_is_numpys_error_with_a_note(call, error, name):
    with pytest.raises(error) as caught:
        call(Variable(np.array([1.0, 2.0])))
    assert name in caught.value.__notes__[0]
    assert "test_repeating.py" in caught.value.__notes__[0]


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: [n], lambda n: (n,)])
def test_repeat_and_tile_refuse_a_variable_as_count(kind, wrap):
    x, count = Variable(np.array([1.0])), Variable(np.array(2, kind))
    for function in (repeat, np.repeat, Variable.repeat):
        with pytest.raises(TypeError, match="'repeats"):
            function(x, wrap(count))
    for function in (tile, np.tile):
        with pytest.raises(TypeError, match="'reps"):
            function(x, wrap(count))
