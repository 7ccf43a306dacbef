"""Hooks: what they do to gradients, in which order, and at the ends of the range of numbers."""

import numpy as np
import pytest
from dezero_nn.layers import Linear

from dezero_core import Parameter
from dezero_nn import optimizers as O  # noqa: N812


def parameters(*grads):
    params = []
    for grad in grads:
        params.append(Parameter(np.ones_like(grad)))
        params[-1].grad = grad
    return params


def norm(params):
    """Return the common norm of the gradients, in Python's integers and floats alone."""
    numbers = [abs(complex(x)) for param in params for x in param.grad.flat]
    largest = max(numbers, default=0.0) or 1.0
    return largest * sum((x / largest) ** 2 for x in numbers) ** 0.5


def test_weight_decay_adds_the_gradient_of_its_penalty():
    p = Parameter(np.array([1.0, -2.0]))
    np.sum(np.exp(p) + 0.3 / 2 * p**2).backward()
    wanted = p.grad
    p.cleargrad()
    np.sum(np.exp(p)).backward()
    O.WeightDecay(0.3)([p])
    np.testing.assert_allclose(p.grad, wanted, rtol=1e-15)


@pytest.mark.parametrize("hook", [O.WeightDecay(0.5), O.ClipGrad(0.5)])
def test_a_gradient_that_two_parameters_share_is_changed_once_for_each(hook):
    shared = np.array([3.0, 4.0])
    p, q = Parameter(np.ones(2)), Parameter(np.full(2, 2.0))
    p.grad = q.grad = shared
    hook([p, q])
    np.testing.assert_array_equal(shared, [3.0, 4.0])
    if isinstance(hook, O.WeightDecay):
        np.testing.assert_array_equal(q.grad, [4.0, 5.0])
    else:
        np.testing.assert_array_equal(q.grad, p.grad)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("hook", [O.WeightDecay(0.5), O.ClipGrad(0.5)])
def test_hooks_keep_the_dtype(hook, dtype):
    params = parameters(np.ones((2, 2), dtype), np.array(1.0, dtype), np.zeros(0, dtype))
    hook(params)
    assert {param.grad.dtype for param in params} == {np.dtype(dtype)}


@pytest.mark.parametrize("size", [1e-310, 1e-300, 1e-5, 1.0, 1e5, 1e170, 1e307])
def test_clipped_gradients_have_the_norm_and_the_direction(size):
    grads = np.array([[3.0, -4.0]]) * size, np.array(12.0) * size
    params = parameters(*grads)
    O.ClipGrad(2.0)(params)
    assert norm(params) == pytest.approx(min(2.0, 13.0 * size), rel=1e-5)
    ratio = params[1].grad / grads[1]
    np.testing.assert_allclose(params[0].grad, grads[0] * ratio, rtol=1e-12)


def test_float32_gradients_whose_squares_overflow_are_clipped():
    params = parameters(np.array([3e38, -3e38], np.float32), np.array([1e-30], np.float32))
    O.ClipGrad(1.0)(params)
    np.testing.assert_allclose(params[0].grad, [0.5**0.5, -(0.5**0.5)], rtol=1e-6)


def test_gradients_of_several_dtypes_have_one_norm():
    params = parameters(np.float32([3.0]), np.array([4.0]), np.array([12.0j]))
    O.ClipGrad(1.3)(params)
    assert norm(params) == pytest.approx(1.3, rel=1e-6)


@pytest.mark.parametrize("largest", [13.1, 1e300])
def test_smaller_gradients_keep_their_bits(largest):
    grads = np.array([3.0, -4.0]), np.array(12.0)
    params = parameters(*grads)
    O.ClipGrad(largest)(params)
    for param, grad in zip(params, grads, strict=True):
        np.testing.assert_array_equal(param.grad, grad)


def test_gradients_of_zeros_stay_zeros():
    params = parameters(np.zeros(3), np.zeros((0, 2)))
    O.ClipGrad(1.0)(params)
    np.testing.assert_array_equal(params[0].grad, np.zeros(3))


def test_a_norm_of_zero_stops_all():
    params = parameters(np.ones(3))
    O.ClipGrad(0.0)(params)
    np.testing.assert_array_equal(params[0].grad, np.zeros(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_gradient_that_is_not_finite_is_refused_and_changes_nothing(bad):
    p, q = parameters(np.ones(2), np.array([1.0, bad, 2.0]))
    q.name = "W"
    optimizer = O.SGD().setup([p, q])
    optimizer.add_hook(O.ClipGrad(1.0))
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(FloatingPointError, match=r"1 of 2 gradients .* first is of W .* \(3,\)"),
    ):
        optimizer.update()
    np.testing.assert_array_equal(p.grad, 1.0)
    np.testing.assert_array_equal(p.data, 1.0)
    assert optimizer.t == 0


def test_a_parameter_without_a_name_is_told_by_its_shape():
    with np.errstate(invalid="ignore"), pytest.raises(FloatingPointError, match=r"of a param.*\(2"):
        O.ClipGrad(1.0)(parameters(np.full(2, np.inf)))


def test_hooks_run_in_the_order_in_which_they_were_added():
    def updated(*hooks):
        (p,) = parameters(np.array([3.0, 4.0]))
        optimizer = O.SGD(lr=1.0).setup([p])
        for hook in hooks:
            optimizer.add_hook(hook)
        optimizer.update()
        return 1.0 - p.data

    clip, decay = O.ClipGrad(1.0), O.WeightDecay(2.0)
    np.testing.assert_allclose(updated(clip, decay), [2.6, 2.8], rtol=1e-6)
    np.testing.assert_allclose(updated(decay, clip), np.array([5.0, 6.0]) / 61**0.5, rtol=1e-6)


def test_a_hook_is_any_callable_and_gets_the_parameters_with_gradients():
    p, q, r = parameters(np.ones(1), np.ones(1), np.ones(1))
    r.grad = None
    seen = []

    def first(params):
        seen.append(params)
        q.cleargrad()

    optimizer = O.SGD(lr=1.0).setup([p, q, r])
    optimizer.add_hook(first)
    optimizer.add_hook(lambda params: seen.append(params))
    with pytest.warns(O.MissingGradientWarning, match="1 of 3 .*: parameters/2"):
        optimizer.update()
    assert [[*map(id, params)] for params in seen] == [[id(p), id(q)], [id(p)]]
    assert [each.data.item() for each in (p, q, r)] == [0.0, 1.0, 1.0]


def test_frozen_layers_and_parameters_stay_as_they_are():
    frozen, lazy, free = Linear(2, in_size=2), Linear(2), Linear(2, in_size=2)
    optimizer = O.SGD(lr=1.0).setup([frozen, lazy, free])
    optimizer.add_hook(O.FreezeParam(frozen, lazy, free.b))
    x = np.ones((1, 2), np.float32)
    np.sum(frozen(x) + lazy(x) + free(x)).backward()
    before = [param.data.copy() for param in optimizer.target.params()]
    optimizer.update()
    changed = [
        not np.array_equal(param.data, old)
        for param, old in zip(optimizer.target.params(), before, strict=True)
    ]
    assert changed == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: O.FreezeParam("l1"), TypeError, "FreezeParam takes layers and parameters, and g"),
        (lambda: O.SGD().add_hook(0.1), TypeError, r"SGD\.add_hook takes a callable, and got 0\.1"),
        (lambda: O.WeightDecay(-1.0), ValueError, "WeightDecay: rate must be at least 0"),
        (lambda: O.ClipGrad("1"), TypeError, "ClipGrad: max_norm must be a real number"),
        (lambda: O.ClipGrad(np.nan), ValueError, "ClipGrad: max_norm"),
    ],
)
def test_what_hooks_refuse(make, error, message):
    with pytest.raises(error, match=message):
        make()
