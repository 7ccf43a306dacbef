"""unchain and unchain_backward: cutting a graph, and freeing what is behind the cut.

Promise: docs/how_to/derivatives_in_a_loss.md
"""

import weakref

import numpy as np
import pytest

from dezero_core import Function, GradientError, GraphError, Variable, grad


def test_an_unchained_variable_has_no_creator_and_generation_0(book):
    y = book.Square()(Variable(np.array(2.0)))
    y.unchain()
    assert (y.creator, y.generation) == (None, 0)


def test_the_gradient_ends_at_an_unchained_variable_as_at_an_input(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    z = book.Square()(y)
    y.unchain()
    z.backward()
    assert (y.grad, x.grad) == (18.0, None)


def test_a_variable_may_be_unchained_before_its_use(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    y.unchain()
    book.Square()(y).backward()
    assert (y.grad, x.grad) == (18.0, None)


def test_gradients_of_uses_before_and_after_unchaining_add_up(book):
    y = book.Square()(Variable(np.array(3.0)))
    before = book.Square()(y)
    y.unchain()
    after = book.Sin()(y)
    book.Add()(before, after).backward()
    np.testing.assert_allclose(y.grad, 18.0 + np.cos(9.0), rtol=1e-15)


def test_backward_from_an_unchained_variable_is_an_error(book):
    y = book.Square()(Variable(np.array(2.0)))
    y.unchain()
    with pytest.raises(GraphError):
        y.backward()


def test_unchaining_an_input_changes_no_gradient(book):
    x = Variable(np.array(2.0))
    y = book.Square()(x)
    x.unchain()
    y.backward()
    assert x.grad == 4.0


def test_unchaining_one_of_two_outputs_leaves_the_other_output_connected(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    s, p = book.SumAndProduct()(x0, x1)
    total = book.Mul()(s, p)
    s.unchain()
    total.backward()
    assert s.grad == p.data
    assert (x0.grad, x1.grad) == (8.0 * 5.0, 8.0 * 3.0)


def test_unchaining_both_outputs_stops_every_gradient(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    s, p = book.SumAndProduct()(x0, x1)
    total = book.Mul()(s, p)
    s.unchain()
    p.unchain()
    total.backward()
    assert (s.grad, p.grad, x0.grad, x1.grad) == (15.0, 8.0, None, None)


def test_a_dropped_variable_that_was_unchained_still_stops_the_gradient(book):
    x = Variable(np.array(3.0))
    y = book.Sin()(x)
    z = book.Exp()(y)
    y.unchain()
    del y
    z.backward()
    assert x.grad is None


def test_unchaining_a_result_frees_the_graph_behind_it(book, no_collector):
    x = Variable(np.ones(3))
    hidden = book.Square()(x)
    y = book.Square()(hidden)
    array, creator = weakref.ref(hidden.data), weakref.ref(y.creator)
    del hidden
    assert array() is not None
    y.unchain()
    assert array() is None
    assert creator() is None


def test_unchaining_an_intermediate_frees_the_graph_behind_it(book, no_collector):
    hidden = book.Square()(Variable(np.ones(3)))
    y = book.Square()(hidden)
    z = book.Square()(y)
    array = weakref.ref(hidden.data)
    del hidden
    y.unchain()
    assert array() is None
    z.backward()
    np.testing.assert_array_equal(y.grad, 2.0)


def test_unchaining_both_outputs_frees_the_inputs_that_were_kept_for_them(book, no_collector):
    x = Variable(np.ones(3))
    hidden = book.Square()(x)
    s, p = book.SumAndProduct()(hidden, x)
    total = book.Mul()(s, p)
    kept = weakref.ref(hidden)
    del hidden
    s.unchain()
    assert kept() is not None
    p.unchain()
    assert kept() is None
    total.backward()
    assert x.grad is None


def test_unchain_backward_behind_an_unchained_output_keeps_the_graph_of_the_other_output(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    s, p = book.SumAndProduct()(x0, x1)
    y = book.Square()(s)
    s.unchain()
    y.unchain_backward()
    p.backward()
    assert (x0.grad, x1.grad) == (5.0, 3.0)


def test_unchain_backward_makes_inputs_of_the_creators_inputs(book):
    x, w = Variable(np.array(2.0)), Variable(np.array(3.0))
    hidden = book.Square()(x)
    y = book.Mul()(hidden, w)
    y.unchain_backward()
    y.backward()
    assert (hidden.creator, hidden.generation) == (None, 0)
    assert (hidden.grad, w.grad, x.grad) == (3.0, 4.0, None)


def test_unchain_backward_of_an_input_changes_nothing():
    x = Variable(np.array(2.0))
    x.unchain_backward()
    assert x.creator is None


def test_unchain_backward_twice_is_as_good_as_once(book):
    hidden = book.Square()(Variable(np.array(2.0)))
    y = book.Square()(hidden)
    y.unchain_backward()
    y.unchain_backward()
    y.backward()
    assert hidden.grad == 8.0


def test_unchain_backward_cuts_both_arms_of_a_diamond(book):
    x = Variable(np.array(2.0))
    a = book.Square()(x)
    left, right = book.Square()(a), book.Neg()(a)
    y = book.Add()(left, right)
    y.unchain_backward()
    y.backward()
    assert (left.grad, right.grad, a.creator, a.grad, x.grad) == (1.0, 1.0, None, None, None)


def test_truncated_backpropagation_sees_only_the_last_steps(book):
    """h = w h, ten times, cut after seven: d(w**3 h7)/dw = 3 w**2 h7."""
    w, h = Variable(np.array(1.5)), Variable(np.array(2.0))
    for step in range(10):
        h = book.Mul()(w, h)
        if step == 6:
            h7 = h
            h7.unchain_backward()
            h7.unchain()
    h.backward()
    np.testing.assert_allclose(w.grad, 3 * 1.5**2 * h7.data, rtol=1e-14)


def test_unchain_backward_frees_a_deep_graph_without_recursion(book, no_collector):
    y = x = Variable(np.ones(2))
    arrays = []
    for _ in range(20_000):
        y = book.Square()(y)
        arrays.append(weakref.ref(y.data))
    y.unchain_backward()
    # What is left: y, and the one before it, which its creator saves.
    assert [array() is not None for array in arrays] == [False] * 19_998 + [True] * 2
    y.backward()
    assert x.grad is None


def test_grad_goes_up_to_an_unchained_variable(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    z = book.Square()(y)
    y.unchain()
    with pytest.warns(UserWarning, match="does not depend on input 0 of grad"):
        gx, gy = grad(z, [x, y])
    assert (gx, gy) == (0.0, 18.0)


def test_a_gradient_that_can_be_differentiated_ends_at_an_unchained_variable(book, operators):
    y = book.Square()(Variable(np.array(3.0)))
    z = book.Mul()(book.Square()(y), y)
    y.unchain()
    z.backward(create_graph=True)
    first = y.grad
    y.cleargrad()
    first.backward()
    assert (first.item(), y.grad) == (3 * 9.0**2, 6 * 9.0)


class Both(Function):
    """Returns x and 2 x, and how many elements there are."""

    saves = ()

    def forward(self, x):
        return x + 0.0, x * 2.0, np.array(x.size)

    def backward(self, gx, g2x, gn):
        return gx + g2x * 2.0


def test_retain_grad_leaves_the_gradient_that_ended_at_an_unchained_output(book):
    x = Variable(np.array(1.0))
    a, b, n = Both()(x)
    z = book.Add()(book.Mul()(a, 10.0), b)
    a.unchain()
    z.backward(retain_grad=True)
    assert (a.grad, b.grad, x.grad) == (10.0, 1.0, 2.0)
    assert n.grad is None, "an integer is a constant"


def test_an_unchained_output_with_integer_data_takes_the_gradient_that_ends_there(book):
    x = Variable(np.array(1.0))
    a, b, _ = Both()(x)
    z = book.Add()(book.Mul()(a, 10.0), book.Mul()(b, 3.0))
    a.unchain()
    a.data = np.array(3)
    z.backward()
    assert (a.grad, x.grad) == (10.0, 6.0)


def test_an_unchained_output_that_nobody_used_gets_no_gradient(book):
    x = Variable(np.array(1.0))
    a, b, _ = Both()(x)
    z = book.Mul()(b, 3.0)
    a.unchain()
    z.backward()
    assert (a.grad, x.grad) == (None, 6.0)


def test_a_creator_that_was_set_after_unchaining_stays(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    z = book.Square()(y)
    y.unchain()
    other = book.Sin()(x).creator
    y.set_creator(other)
    z.backward()
    assert y.creator is other
    assert (y.grad, x.grad) == (None, None)  # y is no input any more


def test_gradients_of_two_shapes_for_an_unchained_variable_are_refused(book):
    y = book.Square()(Variable(np.array([1.0, 2.0, 3.0])))
    before = book.Square()(y)
    y.unchain()
    y.data = np.array([1.0])
    after = book.Square()(y)
    with pytest.raises(GradientError, match=r"shapes \(1,\) and \(3,\)|shapes \(3,\) and \(1,\)"):
        book.Add()(before, after).backward()
