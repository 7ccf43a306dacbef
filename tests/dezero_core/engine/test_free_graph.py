"""backward(free_graph=True): each part of the graph goes as soon as it has been used.

Promise: docs/tutorial/memory.md
"""

import weakref

import numpy as np
import pytest

from dezero_core import Function, GraphError, Variable, grad

pytestmark = pytest.mark.usefixtures("no_collector")


def test_free_graph_does_not_change_the_gradients(book):
    def f(x, w):
        hidden = book.Mul()(book.Sin()(x), w)
        return book.Mul()(hidden, book.Add()(hidden, x))

    data = np.array([0.5, 1.5]), np.array([2.0, 3.0])
    kept, freed = [[Variable(a.copy()) for a in data] for _ in range(2)]
    f(*kept).backward()
    f(*freed).backward(free_graph=True)
    for x, y in zip(kept, freed, strict=True):
        np.testing.assert_array_equal(x.grad, y.grad)


def test_free_graph_frees_arrays_while_the_pass_goes_on(book):
    alive = []

    class Watch(Function):
        saves = ()

        def forward(self, x):
            return x * 1.0

        def backward(self, gy):
            alive.append(sum(array() is not None for array in arrays))
            return gy

    arrays = []
    y = Variable(np.ones(3))
    for _ in range(4):
        hidden = Watch()(y)
        arrays.append(weakref.ref(hidden.data))
        y = book.Square()(hidden)
        del hidden
    y.backward(free_graph=True)
    assert alive == [3, 2, 1, 0]


def test_every_array_lives_on_without_free_graph(book):
    hidden = book.Square()(Variable(np.ones(3)))
    array = weakref.ref(hidden.data)
    y = book.Square()(hidden)
    del hidden
    y.backward()
    assert array() is not None


def test_a_second_pass_through_a_freed_graph_is_refused_with_the_reason(book):
    y = book.Square()(Variable(np.array(3.0)))
    y.backward(free_graph=True)
    with pytest.raises(
        GraphError, match=r"let go by an earlier backward\(free_graph=True\)\. Compute it again"
    ):
        y.backward()
    with pytest.raises(GraphError, match="free_graph"):
        grad(y, Variable(np.array(1.0)))


@pytest.mark.parametrize("alive", [True, False])
def test_a_pass_from_another_result_through_a_freed_part_is_refused(book, alive):
    x = Variable(np.array(3.0))
    shared = book.Square()(x)
    one, other = book.Square()(shared), book.Sin()(shared)
    one.backward(free_graph=True)
    before = x.grad.copy()
    shared.name = "hidden"
    if not alive:
        del shared
    with pytest.raises(GraphError, match="through 'hidden': its creator, a Square, was let go"):
        other.backward()
    assert x.grad == before


def test_a_pass_through_a_freed_function_of_several_outputs_is_refused(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    s, p = book.SumAndProduct()(x0, x1)
    book.Square()(s).backward(free_graph=True)
    assert (x0.grad, x1.grad) == (16.0, 16.0)
    with pytest.raises(GraphError, match="a SumAndProduct, was let go"):
        book.Square()(p).backward()


def test_unchain_backward_stops_at_the_freed_part_of_a_graph(book):
    shared = book.Square()(Variable(np.array(3.0)))
    one, other = book.Square()(shared), book.Sin()(shared)
    one.backward(free_graph=True)
    one.unchain_backward()
    other.unchain_backward()
    assert one.creator is not None


def test_free_graph_is_refused_together_with_create_graph(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    with pytest.raises(ValueError, match="leave out free_graph=True"):
        y.backward(create_graph=True, free_graph=True)
    y.backward()
    assert x.grad == 6.0


def test_the_last_pass_may_free_the_graph_that_an_earlier_pass_needed(book, operators):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    y.backward(create_graph=True)
    first = x.grad
    x.cleargrad()
    first.backward(free_graph=True)
    assert x.grad == 2.0


def test_free_graph_keeps_gradients_of_intermediates_with_retain_grad(book):
    x = Variable(np.array(3.0))
    hidden = book.Square()(x)
    book.Square()(hidden).backward(retain_grad=True, free_graph=True)
    assert (hidden.grad, x.grad) == (18.0, 108.0)


def test_an_error_under_free_graph_leaves_every_grad(book):
    class Breaks(Function):
        def forward(self, x):
            return x * 1.0

        def backward(self, gy):
            raise ZeroDivisionError

    x = Variable(np.array(3.0))
    y = book.Square()(Breaks()(book.Square()(x)))
    with pytest.raises(ZeroDivisionError):
        y.backward(free_graph=True)
    assert x.grad is None
    with pytest.raises(GraphError, match="free_graph"):
        y.backward()
