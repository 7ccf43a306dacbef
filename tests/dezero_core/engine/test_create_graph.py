"""create_graph: what becomes a Variable, what takes part, and what is refused.

Promise: docs/tutorial/higher_order.md
"""

import numpy as np
import pytest

from dezero_core import Config, Function, GradientError, GraphError, Variable, grad, no_grad

pytestmark = pytest.mark.usefixtures("operators")


def test_the_gradient_is_a_variable_only_under_create_graph(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    y.backward()
    assert type(x.grad) is np.ndarray
    x.cleargrad()
    y.backward(create_graph=True)
    assert type(x.grad) is Variable
    assert x.grad.creator is not None


def test_a_constant_gradient_has_no_graph_under_create_graph(book):
    x = Variable(np.array(3.0))
    book.Neg()(x).backward(create_graph=True)
    assert x.grad.item() == -1.0
    with pytest.raises(GraphError):
        x.grad.backward()


def test_a_gradient_that_depends_on_no_input_is_a_constant_of_the_graph_of_the_gradient(book):
    x = Variable(np.array(3.0))
    book.Neg()(book.Square()(x)).backward(create_graph=True)
    waiting, ends = [x.grad.creator], []
    while waiting:
        for edge in waiting.pop()._edges:
            if edge is not None:
                (waiting if edge.creator else ends).append(edge.creator or edge.variable())
    assert ends == [x]  # and no Variable with the gradient of Neg, which is -1
    assert grad(x.grad, x) == -2.0


def test_retained_gradients_under_create_graph_can_be_differentiated(book):
    x = Variable(np.array(3.0))
    a = book.Square()(x)
    y = book.Pow(3)(a)
    y.backward(retain_grad=True, create_graph=True)
    assert (type(a.grad), type(y.grad)) == (Variable, Variable)
    assert grad(a.grad, x) == 6 * 9.0 * 6.0


def test_gradients_of_two_calls_and_the_derivatives_of_the_gradients_add_up(book):
    x = Variable(np.array(2.0))
    for f in (book.Pow(3), book.Pow(4)):
        f(x).backward(create_graph=True)
    g = x.grad
    assert g.item() == 3 * 4.0 + 4 * 8.0
    assert grad(g, x) == 6 * 2.0 + 12 * 4.0


def test_an_array_gradient_and_a_recorded_gradient_add_up(book):
    x = Variable(np.array(2.0))
    book.Pow(3)(x).backward()
    book.Pow(3)(x).backward(create_graph=True)
    assert (type(x.grad), x.grad.item(), grad(x.grad, x)) == (Variable, 24.0, 12.0)
    book.Pow(3)(x).backward()
    assert (type(x.grad), x.grad) == (np.ndarray, 36.0)


def test_a_start_gradient_that_is_a_variable_takes_part_in_the_graph(book):
    """Differentiating by the start turns the product with the Jacobian around."""
    x, v = Variable(np.array([1.0, 2.0])), Variable(np.array([10.0, 100.0]))
    y = book.Pow(3)(x)
    y.grad = v
    y.backward(create_graph=True)
    np.testing.assert_array_equal(x.grad.data, [30.0, 1200.0])
    np.testing.assert_array_equal(grad(x.grad, v), [3.0, 12.0])
    np.testing.assert_array_equal(grad(x.grad, x), [60.0, 1200.0])


def test_a_start_gradient_that_is_an_array_is_a_constant(book):
    x = Variable(np.array([1.0, 2.0]))
    y = book.Pow(3)(x)
    y.grad = np.array([10.0, 100.0])
    y.backward(create_graph=True)
    np.testing.assert_array_equal(grad(x.grad, x), [60.0, 1200.0])


def test_the_gradient_is_recorded_under_create_graph_inside_no_grad(book):
    x = Variable(np.array(2.0))
    y = book.Pow(3)(x)
    with no_grad():
        y.backward(create_graph=True)
        assert Config.enable_backprop is False
    assert grad(x.grad, x) == 12.0


def test_the_sum_of_two_gradients_is_recorded_under_create_graph_inside_no_grad(book):
    x = Variable(np.array(2.0))
    y = book.Pow(3)(x)
    with no_grad():
        y.backward(create_graph=True)
        y.backward(create_graph=True)
    assert (x.grad.item(), grad(x.grad, x)) == (24.0, 24.0)


def test_a_node_waits_for_every_gradient_at_second_order():
    """Though of the Variables in between nothing is alive by then but the saved arrays."""
    runs = []

    class Root(Function):
        saves = ("outputs",)

        def forward(self, x):
            return np.sqrt(x)

        def backward(self, gy):
            runs.append(self.generation)
            return gy * (0.5 / self.outputs[0]().data)

    y = x = Variable(np.array(0.5))
    for _ in range(4):
        y = Root()(y)
    g = grad(y, x, create_graph=True)
    runs.clear()
    np.testing.assert_allclose(grad(g, x), 1 / 16 * -15 / 16 * 0.5 ** (1 / 16 - 2), rtol=1e-14)
    assert runs == [3, 2, 1, 0]


def test_integer_constants_stay_constants_under_create_graph(book):
    x, k = Variable(np.array(2.0)), Variable(np.array(3))
    g = grad(book.Mul()(book.Mul()(x, x), k), x, create_graph=True)
    assert (g.item(), grad(g, x), k.grad) == (12.0, 6.0, None)


def test_an_operation_that_leaves_the_graph_is_refused_and_named(book):
    class Cube(Function):
        def forward(self, x):
            return x * x * x

        def backward(self, gy):
            x = self.inputs[0].data
            return np.array(3.0 * float(x) ** 2)

    x = Variable(np.array(2.0))
    y = Cube()(x)
    assert grad(y, x) == 12.0
    with pytest.raises(GradientError, match=r"Cube\.backward.*lost the graph.*input 0") as caught:
        y.backward(create_graph=True)
    assert (caught.value.function, caught.value.index, x.grad) == (Cube, 0, None)


def test_an_operation_that_turns_variables_into_arrays_is_refused_by_numpy(book):
    class Cube(Function):
        def forward(self, x):
            return x * x * x

        def backward(self, gy):
            x = np.asarray(self.inputs[0].data)
            return gy * 3.0 * x * x

    x = Variable(np.array(2.0))
    y = Cube()(x)
    assert grad(y, x) == 12.0
    with pytest.raises(TypeError, match="does not turn into an ndarray"):
        grad(y, x, create_graph=True)


def test_a_gradient_of_zeros_is_not_taken_for_a_lost_graph():
    class Sign(Function):
        def forward(self, x):
            return np.sign(x)

        def backward(self, gy):
            return np.zeros(gy.shape)

    x = Variable(np.array([2.0, -3.0]))
    g = grad(Sign()(x), x, create_graph=True)
    assert type(g) is Variable
    np.testing.assert_array_equal(g.data, [0.0, 0.0])
