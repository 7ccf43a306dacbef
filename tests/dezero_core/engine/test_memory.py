"""What is freed, and when: with the garbage collector off, by reference counts alone.

Promise: docs/tutorial/memory.md
"""

import gc
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable, grad, no_grad

pytestmark = pytest.mark.usefixtures("no_collector")


def watched(*variables):
    """Return weak references to the arrays of Variables and to their creators."""
    arrays = [weakref.ref(v.data) for v in variables]
    return arrays + [weakref.ref(v.creator) for v in variables if v.creator is not None]


def alive(references):
    return sum(reference() is not None for reference in references)


def test_a_graph_is_freed_together_with_its_result(book):
    x = Variable(np.ones(3))
    y = book.Square()(book.Exp()(book.Add()(x, x)))
    references = watched(y)
    assert alive(references) == 2
    del y
    assert alive(references) == 0


def test_a_graph_with_several_outputs_is_freed_with_the_last_output(book):
    x = Variable(np.ones(3))
    s, p = book.SumAndProduct()(x, x)
    references = watched(s)
    creator = references[1]
    del s
    assert [r() is None for r in references] == [True, False]
    del p
    assert creator() is None


def test_an_intermediate_result_that_no_backward_reads_is_freed_with_its_name(book):
    x = Variable(np.ones(3))
    hidden = book.Add()(x, x)
    y = book.Add()(hidden, hidden)
    array, variable = weakref.ref(hidden.data), weakref.ref(hidden)
    del hidden
    assert (array(), variable()) == (None, None)
    y.backward()
    np.testing.assert_array_equal(x.grad, np.full(3, 4.0))


def test_a_dropped_variable_whose_output_is_saved_leaves_only_its_array(book):
    x = Variable(np.zeros(3))
    hidden = book.Exp()(x)
    y = book.Add()(hidden, hidden)
    array, variable = weakref.ref(hidden.data), weakref.ref(hidden)
    del hidden
    assert variable() is None
    assert array() is not None
    y.backward()
    np.testing.assert_array_equal(x.grad, np.full(3, 2.0))


def test_an_input_that_no_backward_reads_is_freed_with_its_name(book):
    x, w = Variable(np.ones(3)), Variable(np.ones(3))
    y = book.Add()(x, w)
    array = weakref.ref(x.data)
    del x
    assert array() is None
    y.backward()
    np.testing.assert_array_equal(w.grad, np.ones(3))


def test_a_calculation_under_no_grad_keeps_no_intermediates(book):
    x = Variable(np.ones(3))
    with no_grad():
        hidden = book.Square()(x)
        y = book.Square()(hidden)
    references = watched(hidden)
    del hidden
    assert alive(references) == 0
    np.testing.assert_array_equal(y.data, np.ones(3))


def test_a_calculation_with_constants_alone_keeps_no_intermediates(book):
    hidden = book.Square()(Variable(np.array([1, 2])))
    y = book.Square()(hidden)
    references = watched(hidden)
    del hidden
    assert alive(references) == 0
    np.testing.assert_array_equal(y.data, [1, 16])


def test_backward_keeps_nothing_but_the_gradients(book):
    seen = []

    class Watch(Function):
        saves = ()

        def forward(self, x):
            return x * 2.0

        def backward(self, gy):
            seen.append(weakref.ref(gy))
            gx = gy * 2.0
            seen.append(weakref.ref(gx))
            return gx

    x = Variable(np.ones(3))
    y = Watch()(Watch()(x))
    y.backward()
    assert [reference() is not None for reference in seen] == [False, False, False, True]
    assert seen[-1]() is x.grad


def test_gradients_of_intermediates_are_freed_after_their_use(book):
    """At most a few are alive at any time, however long the chain."""
    seen, most = [], []

    class Watch(Function):
        saves = ()

        def forward(self, x):
            return x * 2.0

        def backward(self, gy):
            most.append(alive(seen))
            gx = gy * 2.0
            seen.append(weakref.ref(gx))
            return gx

    y = x = Variable(np.ones(3))
    for _ in range(50):
        y = Watch()(y)
    y.backward()
    assert max(most) <= 2
    np.testing.assert_array_equal(x.grad, np.full(3, 2.0**50))


@pytest.mark.parametrize("option", ["retain_grad", "create_graph"])
def test_a_graph_is_freed_with_its_result_after_backward(book, operators, option):
    x = Variable(np.ones(3))
    hidden = book.Sin()(x)
    y = book.Mul()(hidden, hidden)
    references = watched(hidden, y)
    y.backward(**{option: True})
    del hidden, y
    x.cleargrad()
    assert alive(references) == 0


def test_the_graph_of_a_gradient_is_freed_with_the_gradient(book, operators):
    x = Variable(np.ones(3))
    g = grad(book.Mul()(book.Sin()(x), x), x, create_graph=True)
    h = grad(g, x, create_graph=True)
    references = watched(g, h)
    del g, h
    assert alive(references) == 0


def test_an_exception_in_backward_leaves_no_objects_alive(book):
    class Raises(Function):
        def forward(self, x):
            return x * 1.0

        def backward(self, gy):
            raise ArithmeticError

    x = Variable(np.ones(3))
    y = book.Square()(Raises()(x))
    references = watched(y)
    with pytest.raises(ArithmeticError):
        y.backward()
    del y
    gc.collect()  # a traceback and its frames refer to one another
    assert alive(references) == 0


def test_a_training_loop_does_not_need_more_and_more_memory(book):
    w = Variable(np.ones(3))
    references = []
    for _ in range(20):
        loss = book.Square()(book.Mul()(w, book.Exp()(w)))
        references += watched(loss)
        loss.backward()
        w.data = w.data - 1e-3 * w.grad
        w.cleargrad()
    assert alive(references) == 2, "the last one only"


def test_the_objects_of_a_graph_are_not_in_any_cycle(book):
    x = Variable(np.ones(3))
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        y = book.Mul()(book.Exp()(x), x)
        y.backward()
        del y
        gc.collect()
        kinds = {type(thing).__name__ for thing in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert kinds & {"Variable", "Mul", "Exp", "ndarray"} == set()
