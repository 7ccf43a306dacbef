"""average with weights of every shape, and the sums that it returns."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import average, mean

DATA = np.arange(24.0).reshape(2, 3, 4) ** 2


def test_average_with_equal_weights_is_the_mean():
    x = Variable(DATA)
    for options in ({}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}):
        expected = grad(mean(x, **options), x)
        np.testing.assert_array_equal(grad(average(x, **options), x), expected)
        length = {(): (2, 3, 4), 1: 3, (0, -1): (2, 4)}[options.get("axis", ())]
        weights = np.full(length, 2.0)
        np.testing.assert_allclose(grad(average(x, weights=weights, **options), x), expected)


@pytest.mark.parametrize("axis", [(0, 2), (2, 0), (1, 2, 0), (-1, 0, 1)])
def test_weights_of_average_along_some_axes_have_the_gradient_of_full_weights(axis):
    """They are the axes of the weights, in that order."""
    rng = np.random.default_rng(0)
    weights = Variable(rng.uniform(0.5, 2.0, [DATA.shape[i] for i in axis]))
    axes = [i % 3 for i in axis]
    written_out = np.ones(DATA.shape) * np.expand_dims(
        np.transpose(weights.data, np.argsort(axes)), [i for i in range(3) if i not in axes]
    )
    whole = Variable(written_out)
    y, z = average(Variable(DATA), axis, weights), average(Variable(DATA), axis, whole)
    np.testing.assert_allclose(y.data, z.data, rtol=1e-14)
    y.grad = z.grad = rng.uniform(0.5, 2.0, y.shape)
    y.backward()
    z.backward()
    for position in np.ndindex(weights.shape):
        chosen = [slice(None)] * 3
        for i, index in zip(axes, position, strict=True):
            chosen[i] = index
        expected = whole.grad[tuple(chosen)].sum()
        np.testing.assert_allclose(weights.grad[position], expected, rtol=1e-11, atol=1e-11)


def test_the_sum_of_weights_that_average_returns_has_a_gradient():
    """Weights along one axis count once for each of the sums they are in."""
    weights = Variable(np.array([1.0, 2.0, 3.0]))
    pair = average(Variable(np.ones((2, 3))), axis=1, weights=weights, returned=True)
    assert type(pair) is tuple
    y, total = pair
    np.testing.assert_array_equal(total.data, [6.0, 6.0])
    total.grad = np.array([1.0, 10.0])
    total.backward()
    np.testing.assert_array_equal(weights.grad, [11.0, 11.0, 11.0])
    assert y.grad is None


def test_average_without_weights_returns_the_number_of_elements():
    x = Variable(np.ones((2, 3)))
    y, total = average(x, axis=1, returned=True)
    np.testing.assert_array_equal(total.data, [3.0, 3.0])
    total.backward()
    np.testing.assert_array_equal(x.grad, np.zeros((2, 3)))
    x.cleargrad()
    y.backward()
    np.testing.assert_allclose(x.grad, np.full((2, 3), 1.0 / 3.0), rtol=1e-15)


def test_average_takes_numbers_and_lists_of_numbers_as_weights():
    x = Variable(np.array([1.0, 5.0]))
    average(x, weights=[3.0, 1.0]).backward()
    np.testing.assert_array_equal(x.grad, [0.75, 0.25])
    x = Variable(np.array(3.0))
    y = average(x, weights=2.0)
    y.backward()
    assert (y.item(), x.grad.item()) == (3.0, 1.0)
    weights = Variable(np.array(2.0))
    average(3.0, weights=weights).backward()
    assert weights.grad == 0.0


def test_average_refuses_a_list_of_variables_as_weights():
    with pytest.raises(TypeError, match="does not turn into an ndarray by itself"):
        average(Variable(np.array([1.0])), weights=[Variable(np.array(1.0))])


@pytest.mark.parametrize(
    "options",
    [
        {"weights": np.array([1.0, -1.0, 0.0]), "axis": 1},
        {"weights": np.ones(3)},
        {"weights": np.ones(2), "axis": 1},
        {"weights": np.ones((3, 2)), "axis": (0, 1)},
    ],
    ids=["they add up to 0", "no axis", "another length", "axes the other way"],
)
def test_bad_weights_of_average_are_numpys_error_with_a_note(options):
    data = np.ones((2, 3))
    with pytest.raises(Exception) as numpys:  # noqa: PT011 (whatever NumPy raises)
        np.average(data, **options)
    x, weights = Variable(data), Variable(options["weights"])
    with pytest.raises(numpys.type) as caught:
        average(x, **options | {"weights": weights})
    assert (caught.type, str(caught.value)) == (numpys.type, str(numpys.value))
    assert "Average.forward" in caught.value.__notes__[0]
    assert (x.creator, weights.creator, x.grad, weights.grad) == (None,) * 4


def test_average_has_the_mixed_second_derivative_by_weights_and_elements():
    """With t for the total, d2 y / da[i] dw[j] is (i == j) / t - w[i] / t**2."""
    x, weights = Variable(np.array([1.0, 5.0])), Variable(np.array([3.0, 1.0]))
    first = grad(average(x, weights=weights), x, create_graph=True)
    first.grad = np.array([1.0, 0.0])
    first.backward()
    np.testing.assert_allclose(weights.grad, [1.0 / 16.0, -3.0 / 16.0], rtol=1e-15)
    assert x.grad is None
