"""clip: who gets the gradient on a bound, beyond it, of bounds in the wrong order, and of nan."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import clip

NAN, INF = np.nan, np.inf


def gradients(*operands, gy=1.0):
    """The value, and the gradients of `a` and of the bounds; None stands for no bound."""
    variables = [None if x is None else Variable(np.array(x)) for x in operands]
    y = clip(*variables)
    y.grad = np.array(gy)
    y.backward()
    return (y.item(), *(None if x is None else x.grad.item() for x in variables))


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((0.5, 0.0, 1.0), (0.5, 1.0, 0.0, 0.0)),
        ((-1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0)),
        ((2.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)),
        ((INF, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)),
        ((INF, 0.0, INF), (INF, 1.0, 0.0, 0.0)),
        ((-1.0, 0.0, None), (0.0, 0.0, 1.0, None)),
        ((1.0, 0.0, None), (1.0, 1.0, 0.0, None)),
        ((2.0, None, 1.0), (1.0, 0.0, None, 1.0)),
        ((0.0, None, 1.0), (0.0, 1.0, None, 0.0)),
        ((2.0, None, None), (2.0, 1.0, None, None)),
    ],
)
def test_clip_gives_the_gradient_to_the_array_inside_and_to_the_bound_outside(operands, expected):
    assert gradients(*operands) == expected


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0)),
        ((1.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0)),
        ((-0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0)),
        ((0.0, 0.0, None), (0.0, 1.0, 0.0, None)),
        ((0.0, None, 0.0), (0.0, 1.0, None, 0.0)),
        ((2.0, 2.0, 2.0), (2.0, 1.0, 0.0, 0.0)),
        ((1.0, 2.0, 2.0), (2.0, 0.0, 1.0, 0.0)),
        ((3.0, 2.0, 2.0), (2.0, 0.0, 0.0, 1.0)),
    ],
)
def test_clip_gives_the_gradient_on_a_bound_to_the_array(operands, expected):
    assert gradients(*operands) == expected


@pytest.mark.parametrize("a", [-1.0, 0.0, 0.5, 1.0, 2.0])
def test_clip_with_crossed_bounds_gives_the_upper_bound(a):
    assert gradients(a, 1.0, 0.0) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((NAN, 0.0, 1.0), (NAN, 1.0, 0.0, 0.0)),
        ((NAN, 1.0, 0.0), (NAN, 1.0, 0.0, 0.0)),
        ((NAN, NAN, NAN), (NAN, 1.0, 0.0, 0.0)),
        ((0.5, NAN, 1.0), (NAN, 0.0, 1.0, 0.0)),
        ((2.0, NAN, 1.0), (NAN, 0.0, 1.0, 0.0)),
        ((0.5, 0.0, NAN), (NAN, 0.0, 0.0, 1.0)),
        ((-1.0, 0.0, NAN), (NAN, 0.0, 0.0, 1.0)),
        ((-1.0, NAN, NAN), (NAN, 0.0, 1.0, 0.0)),
        ((0.5, NAN, None), (NAN, 0.0, 1.0, None)),
        ((0.5, None, NAN), (NAN, 0.0, None, 1.0)),
    ],
)
def test_clip_gives_the_gradient_to_the_nan_in_the_result(operands, expected):
    np.testing.assert_equal(gradients(*operands), expected)


@pytest.mark.parametrize("bad", [INF, NAN])
def test_clip_passes_an_inf_or_nan_in_the_gradient_only_to_the_chosen_operand(bad):
    np.testing.assert_equal(gradients(0.5, 0.0, 1.0, gy=bad), (0.5, bad, 0.0, 0.0))
    np.testing.assert_equal(gradients(2.0, 0.0, 1.0, gy=bad), (1.0, 0.0, 0.0, bad))


def test_clipping_twice_changes_no_derivative():
    x = Variable(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]))
    clip(clip(x, 0.0, 1.0), 0.0, 1.0).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0, 1.0, 1.0, 0.0])


def test_broadcast_bounds_of_clip_get_the_sum_of_gradients():
    a = Variable(np.array([[-5.0, 0.0, 5.0], [-6.0, 9.0, 7.0]]))
    low, high = Variable(np.array(-1.0)), Variable(np.array([1.0, 2.0, 3.0]))
    y = clip(a, low, high)
    y.grad = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y.backward()
    np.testing.assert_array_equal(a.grad, [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(low.grad, 5.0)
    np.testing.assert_array_equal(high.grad, [0.0, 5.0, 9.0])


def test_the_second_derivative_of_clip_is_that_of_the_chosen_operand():
    x = Variable(np.array([0.5, 1.0, 3.0]))
    first = grad(clip(x * x, None, 1.0), x, create_graph=True)
    np.testing.assert_array_equal(first.data, [1.0, 2.0, 0.0])
    np.testing.assert_array_equal(grad(first, x), [2.0, 2.0, 0.0])


def test_clip_takes_its_bounds_by_every_name_of_numpy():
    a = np.array([-1.0, 0.5, 2.0])
    x = Variable(a)
    for y in (
        np.clip(x, 0, 1),
        np.clip(x, a_max=1, a_min=0),
        np.clip(x, min=0, max=1),
        clip(x, min=0, max=1),
        x.clip(0, 1),
        x.clip(max=1, min=0),
        np.clip(a, Variable(np.array(0.0)), 1),
        np.clip(a, 0, Variable(np.array(1.0))),
    ):
        np.testing.assert_array_equal(y.data, [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(x.clip(0).data, [0.0, 0.5, 2.0])
    np.testing.assert_array_equal(clip(x, max=1).data, [-1.0, 0.5, 1.0])
    np.testing.assert_array_equal(clip(x).data, a)


@pytest.mark.parametrize("bounds", [(0, 1), (10**30, None), (-(10**30), 10**30)])
def test_clip_with_numbers_as_bounds_keeps_a_small_dtype(bounds):
    x = Variable(np.array([0.5], np.float32))
    y = clip(x, *bounds)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)
    np.testing.assert_array_equal(x.grad, [0.0 if bounds[1] is None else 1.0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"a_min": 0.0}, TypeError, "missing 1 required positional argument: 'a_max'"),
        ({"a_max": 0.0}, TypeError, "missing 1 required positional argument: 'a_min'"),
        ({"a_min": 0.0, "a_max": 1.0, "min": 0.0}, ValueError, "`min` or `max` keyword"),
        ({"a_min": 0.0, "a_max": 1.0, "max": 0.0}, ValueError, "`min` or `max` keyword"),
        ({"min": 0.0, "out": np.zeros(1)}, TypeError, "takes no out="),
        ({"min": 0.0, "where": True}, TypeError, "where"),
        ({"min": "0"}, TypeError, "is not supported"),
        ({"min": ["0"]}, TypeError, "is not supported"),
    ],
)
def test_clip_refuses_unsupported_arguments_by_name(arguments, error, message):
    x = Variable(np.array([0.5]))
    with pytest.raises(error, match=message):
        np.clip(x, **arguments)
    assert x.grad is None


def test_clip_with_bounds_that_do_not_broadcast_is_numpys_error_with_a_note():
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        clip(Variable(np.zeros(2)), np.zeros(3), 1.0)
    (note,) = caught.value.__notes__
    assert "Clip" in note
    assert "float64[2], float64[3], 1.0" in note
