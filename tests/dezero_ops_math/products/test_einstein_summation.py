"""``einsum`` at its edges, and against sums that are written out."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import einsum


def gradient_of(subscripts, *operands, gy, **options):
    """Return the gradient by the first operand."""
    x = Variable(operands[0])
    y = np.einsum(subscripts, x, *operands[1:], **options)
    y.grad = np.asarray(gy)
    y.backward()
    return x.grad


def test_a_trace_by_einsum_has_a_gradient_on_the_diagonal_only():
    gx = gradient_of("ii", np.ones((3, 3)), gy=2.0)
    np.testing.assert_array_equal(gx, 2.0 * np.eye(3))


def test_an_infinite_gradient_of_a_diagonal_by_einsum_leaves_zeros_beside_the_diagonal():
    gx = gradient_of("ii->i", np.ones((2, 2)), gy=[np.inf, np.nan])
    np.testing.assert_array_equal(gx, [[np.inf, 0.0], [0.0, np.nan]])


def test_an_axis_that_einsum_sums_has_a_constant_gradient_along_the_axis():
    gx = gradient_of("ij->i", np.ones((2, 3)), gy=[1.0, 2.0])
    np.testing.assert_array_equal(gx, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])


def test_an_axis_of_length_1_that_einsum_repeats_gets_the_sum_of_gradients():
    gx = gradient_of("ij,j->i", np.ones((2, 1)), np.array([1.0, 2.0, 4.0]), gy=[1.0, 10.0])
    np.testing.assert_array_equal(gx, [[7.0], [70.0]])


def test_an_ellipsis_of_einsum_for_fewer_axes_gets_the_sum_of_gradients():
    gx = gradient_of("...,...", np.array([1.0, 2.0]), np.ones((3, 2)), gy=np.ones((3, 2)))
    np.testing.assert_array_equal(gx, [3.0, 3.0])


def test_einsum_sums_over_an_ellipsis_like_numpy():
    """It accepts an output without them, if the order is optimized."""
    gx = gradient_of("...i->i", np.ones((2, 3)), gy=[1.0, 2.0, 3.0], optimize=True)
    np.testing.assert_array_equal(gx, [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])


def test_an_operand_given_twice_to_einsum_gets_the_sum_of_gradients():
    x = Variable(np.array([1.0, 2.0]))
    einsum("i,i", x, x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


def test_the_implicit_output_of_einsum_has_capitals_first():
    x = np.arange(6.0).reshape(2, 3)
    weights = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(gradient_of("aB", x, gy=weights), weights.T)


def test_lists_of_subscripts_changed_after_einsum_change_no_gradient():
    x, axes = Variable(np.ones((2, 3))), [0, 1]
    y = einsum(x, axes, [1])
    axes[:] = [1, 0]
    y.grad = np.array([1.0, 2.0, 3.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [[1.0, 2.0, 3.0]] * 2)


def test_einsum_does_not_compute_the_gradient_of_a_constant():
    y = einsum("i,i", Variable(np.ones(2)), np.ones(2))
    of_x, of_constant = y.creator.backward(np.array(1.0))
    np.testing.assert_array_equal(of_x, [1.0, 1.0])
    assert of_constant is None


def test_the_third_derivative_of_a_cubic_form_by_einsum_is_right():
    """f(x) = (sum x)^3: f''' = 6."""
    x = Variable(np.array([1.0, 2.0]))
    first = grad(einsum("i,j,k->", x, x, x), x, create_graph=True)
    second = grad(einsum("i->", first), x, create_graph=True)
    third = grad(einsum("i->", second), x)
    np.testing.assert_allclose(third, [6.0 * 4.0, 6.0 * 4.0], rtol=1e-14)


@pytest.mark.parametrize("optimize", [False, True, "optimal", ["einsum_path", (1, 2), (0, 1)]])
def test_einsum_gives_the_gradient_with_every_way_to_optimize(optimize):
    a, b, c = np.ones((2, 3)), np.arange(12.0).reshape(3, 4), np.ones((4, 5))
    gx = gradient_of("ij,jk,kl->il", a, b, c, gy=np.ones((2, 5)), optimize=optimize)
    np.testing.assert_allclose(gx, np.ones((2, 5)) @ c.T @ b.T, rtol=1e-14)


@pytest.mark.parametrize(
    ("optimize", "back"),
    [(False, False), ("greedy", "greedy"), (["einsum_path", (0, 1), (0, 1)], True)],
    ids=str,
)
def test_the_gradient_of_einsum_is_optimized_in_an_order_of_its_own(monkeypatch, optimize, back):
    x = Variable(np.eye(2))
    y = einsum("ij,jk,kl->", x, np.eye(2), np.eye(2), optimize=optimize)
    numpys, seen = np.einsum, []

    def watched(*operands, **options):
        seen.append(options["optimize"])
        return numpys(*operands, **options)

    monkeypatch.setattr(np, "einsum", watched)
    y.backward()
    assert seen == [back]


@pytest.mark.parametrize(
    ("subscripts", "error", "match"),
    [
        ("ij,jk", ValueError, "more operands"),
        ("ijk", ValueError, "too many subscripts"),
        ("ii", ValueError, "don't match"),
        ("ij->ii", ValueError, "multiple times"),
        ("ij->k", ValueError, "never appeared"),
    ],
)
def test_wrong_subscripts_of_einsum_are_numpys_error_with_a_note(subscripts, error, match):
    x = Variable(np.ones((2, 3)))
    x.grad = before = np.ones((2, 3))
    with pytest.raises(error, match=match) as caught:
        einsum(subscripts, x)
    assert (x.creator, x.generation) == (None, 0)
    assert x.grad is before
    assert type(caught.value) is error
    (note,) = caught.value.__notes__
    assert "Einsum.forward" in note


@pytest.mark.parametrize("operands", [(), ("ij",), (Variable(np.ones(2)),)], ids=repr)
def test_too_few_arguments_of_einsum_are_numpys_error(operands):
    with pytest.raises(ValueError, match="must"):
        einsum(*operands)


def test_einsum_refuses_a_variable_among_the_subscripts():
    x = Variable(np.ones(2))
    with pytest.raises(TypeError, match=r"'subscripts\[0\]\[0\]'"):
        einsum(x, [x])


def test_einsum_refuses_out_and_unknown_options_by_name():
    x = Variable(np.ones(2))
    with pytest.raises(TypeError, match="out="):
        np.einsum("i", x, out=np.ones(2))
    with pytest.raises(TypeError, match="other"):
        np.einsum("i", x, other=1)
