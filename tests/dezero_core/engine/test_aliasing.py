"""No gradient shares memory with another, nor with anything that somebody else holds.

Promise: docs/engine.md
"""

import itertools

import numpy as np
import pytest

from dezero_core import Function, Variable, grad

kept = []


@pytest.fixture(autouse=True, params=[False, True], ids=["as small arrays", "as large arrays"])
def nothing_kept(request, monkeypatch):
    """Sums of large arrays are made in place where the engine can tell that it may."""
    kept.clear()
    if request.param:
        monkeypatch.setattr("dezero_core.gradients._LARGE", 0)


class Identity(Function):
    saves = ()

    def forward(self, x):
        return x * 1.0

    def backward(self, gy):
        return gy


class Keeps(Identity):
    """An operation that holds on to the array it returns."""

    def backward(self, gy):
        kept.append(gy * 2.0)
        return kept[-1]


class KeepsView(Identity):
    """An operation that returns a view of an array it holds on to."""

    def backward(self, gy):
        kept.append(np.stack([gy, gy]))
        return kept[-1][0]


class ReturnsItsInput(Function):
    """An operation that returns the very data of an input (x0 x1, from ones)."""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        return self.inputs[1].data, self.inputs[0].data


class ReturnsOneConstant(Identity):
    constant = np.ones(3)

    def backward(self, gy):
        return self.constant


def inputs(number=2):
    return [Variable(np.arange(1.0, 4.0)) for _ in range(number)]


def assert_disjoint(*arrays):
    arrays = [a.data if isinstance(a, Variable) else a for a in arrays]
    for a, b in itertools.combinations(arrays, 2):
        assert a is not b
        assert not np.shares_memory(a, b)


def test_two_inputs_that_are_handed_one_gradient_array_get_an_array_each(book):
    x, y = inputs()
    book.Add()(x, y).backward()
    assert x.grad is not y.grad
    x.grad[0] = 100.0
    np.testing.assert_array_equal(y.grad, np.ones(3))


def test_gradients_of_inputs_intermediates_and_results_share_no_memory(book):
    x, y = inputs()
    a = Identity()(x)
    b = book.Add()(a, y)
    c = Identity()(b)
    c.backward(retain_grad=True)
    assert_disjoint(x.grad, y.grad, a.grad, b.grad, c.grad)


def test_a_start_gradient_set_by_the_user_stays_the_users(book):
    x, y = inputs()
    z = book.Add()(x, y)
    mine = np.array([1.0, 2.0, 3.0])
    z.grad = mine
    z.backward()
    assert_disjoint(x.grad, y.grad, mine)
    x.grad *= 100.0
    np.testing.assert_array_equal(mine, [1.0, 2.0, 3.0])


def test_a_start_gradient_is_not_written_to_while_sums_are_formed(book):
    """x is reached three times, so that its gradient is summed in place."""
    (x,) = inputs(1)
    z = book.Add()(book.Add()(x, x), x)
    mine = np.array([1.0, 2.0, 3.0])
    z.grad = mine
    z.backward()
    np.testing.assert_array_equal(x.grad, [3.0, 6.0, 9.0])
    np.testing.assert_array_equal(mine, [1.0, 2.0, 3.0])


class Turned(Identity):
    """An operation whose gradient lies by columns."""

    def backward(self, gy):
        return np.asfortranarray(gy)


@pytest.mark.parametrize("kinds", [*itertools.product([Identity, Turned], repeat=3)])
def test_a_sum_of_gradients_lies_in_memory_as_new_sums_do(kinds, book):
    x = Variable(np.ones((4, 3)))
    a, b, c = (kind()(x) for kind in kinds)
    y = book.Add()(book.Add()(a, b), c)
    y.backward()
    one, two, three = (kind().backward(np.ones((4, 3))) for kind in kinds)
    assert x.grad.strides == ((three + one) + two).strides


@pytest.mark.parametrize("operation", [Keeps, KeepsView])
def test_an_array_that_an_operation_keeps_is_not_given_away_as_a_gradient(operation):
    (x,) = inputs(1)
    operation()(x).backward()
    assert_disjoint(x.grad, kept[0])


@pytest.mark.parametrize("operation", [Keeps, KeepsView, ReturnsOneConstant])
def test_backward_does_not_write_to_an_array_that_an_operation_keeps(operation, book):
    (x,) = inputs(1)
    same = operation()
    y = book.Add()(book.Add()(same(x), same(x)), same(x))
    y.backward()
    for array in (*kept, ReturnsOneConstant.constant):
        assert len(np.unique(array)) == 1
        assert array.max() <= 2.0
    np.testing.assert_array_equal(ReturnsOneConstant.constant, np.ones(3))


def test_the_data_of_the_user_are_not_given_away_as_gradients():
    x, y = inputs()
    ReturnsItsInput()(x, y).backward()
    assert_disjoint(x.grad, y.grad, x.data, y.data)


def test_backward_does_not_write_to_the_data_of_the_user(book):
    x, y = inputs()
    product = ReturnsItsInput()
    book.Add()(book.Add()(product(x, y), product(x, y)), product(x, y)).backward()
    np.testing.assert_array_equal(x.data, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x.grad, 3 * y.data)


def test_a_gradient_taken_earlier_does_not_change_when_gradients_are_added():
    (x,) = inputs(1)
    y = Identity()(x)
    y.backward()
    first = x.grad
    y.backward()
    assert x.grad is not first
    np.testing.assert_array_equal(first, np.ones(3))
    np.testing.assert_array_equal(x.grad, 2 * np.ones(3))


def test_a_gradient_set_by_the_user_is_added_to_and_not_written_to():
    (x,) = inputs(1)
    mine = np.array([1.0, 2.0, 3.0])
    x.grad = mine
    Identity()(x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(mine, [1.0, 2.0, 3.0])


def test_gradients_broadcast_by_an_operation_are_whole_arrays_that_can_be_written_to():
    class Total(Function):
        def forward(self, x):
            return x.sum()

        def backward(self, gy):
            return np.broadcast_to(gy, self.inputs[0].shape)

    (x,) = inputs(1)
    Total()(x).backward()
    x.grad[0] = 5.0
    np.testing.assert_array_equal(x.grad, [5.0, 1.0, 1.0])


def test_grad_returns_arrays_that_share_no_memory(book):
    x, y = inputs()
    a = Identity()(x)
    z = book.Add()(a, y)
    assert_disjoint(*grad(z, [x, y, a, z, x]))


def test_gradients_that_can_be_differentiated_share_no_memory(book):
    x, y = inputs()
    a = Identity()(x)
    z = book.Add()(a, y)
    z.backward(retain_grad=True, create_graph=True)
    assert_disjoint(x.grad, y.grad, a.grad, z.grad)


def test_a_start_gradient_that_can_be_differentiated_stays_the_users(book):
    x, y = inputs()
    z = book.Add()(x, y)
    mine = Variable(np.array([1.0, 2.0, 3.0]))
    z.grad = mine
    z.backward(create_graph=True)
    x.grad.data *= 100.0
    np.testing.assert_array_equal(mine.data, [1.0, 2.0, 3.0])


def test_grad_under_create_graph_returns_variables_that_share_no_memory(book):
    x, y = inputs()
    z = book.Add()(Identity()(x), y)
    assert_disjoint(*grad(z, [x, y, z], create_graph=True))


def test_a_start_gradient_that_was_computed_stays_the_users(operators):
    v = Variable(np.array([1.0, 2.0])) * 3.0
    data = v.data
    x = Variable(np.ones(2))
    y = x + 1.0
    y.grad = v
    y.backward(create_graph=True)
    assert x.grad is not v
    assert v.data is data
    np.testing.assert_array_equal(x.grad.data, [3.0, 6.0])
    assert not np.shares_memory(x.grad.data, data)


def test_the_second_of_two_gradients_is_added_to_an_array_that_nobody_holds(book):
    class Watch(Identity):
        def backward(self, gy):
            gx = gy * 2.0
            seen.append(id(gx))
            return gx

    seen = []
    x = Variable(np.ones(2000))
    book.Add()(Watch()(x), Watch()(x)).backward()
    np.testing.assert_array_equal(x.grad, np.full(2000, 4.0))
    assert id(x.grad) in seen


def test_a_read_only_gradient_array_is_not_written_to(book):
    class ReadOnly(Identity):
        def backward(self, gy):
            gx = gy * 2.0
            gx.flags.writeable = False
            return gx

    x = Variable(np.ones(2000))
    book.Add()(ReadOnly()(x), ReadOnly()(x)).backward()
    np.testing.assert_array_equal(x.grad, np.full(2000, 4.0))
