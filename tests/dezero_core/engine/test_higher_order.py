"""create_graph: the book's operations, as they stand, differentiated up to the fifth time.

Promise: docs/tutorial/higher_order.md
"""

import math

import numpy as np
import pytest

from dezero_core import Function, Variable, grad

pytestmark = pytest.mark.usefixtures("operators")

ORDERS = range(1, 6)


def derivatives_by_backward(f, value):
    """Return the first five derivatives of `f`, in the way of the book."""
    x = Variable(np.array(value))
    f(x).backward(create_graph=True)
    found = []
    for _ in ORDERS:
        g = x.grad
        found.append(g.item())
        x.cleargrad()
        if len(found) < len(ORDERS):
            g.backward(create_graph=True)
    return found


def derivatives_by_grad(f, value):
    """Return the first five derivatives of `f` by grad()."""
    x = Variable(np.array(value))
    g, found = f(x), []
    for order in ORDERS:
        g = grad(g, x, create_graph=order < len(ORDERS))
        found.append(g.item())
    return found


def x_sin_x(book):
    """Leibniz: the n-th derivative is x sin(x + n pi/2) + n sin(x + (n-1) pi/2)."""
    sine = [lambda x, n=n: math.sin(x + n * math.pi / 2) for n in range(6)]
    exact = [lambda x, n=n: x * sine[n](x) + n * sine[n - 1](x) for n in ORDERS]
    return lambda x: book.Mul()(x, book.Sin()(x)), exact


def sixth_power(book):
    """x**2 x**2 x**2, by products of one Variable with itself."""

    def f(x):
        square = book.Mul()(x, x)
        return book.Mul()(book.Mul()(square, square), square)

    return f, [lambda x, n=n: math.perm(6, n) * x ** (6 - n) for n in ORDERS]


def power(book):
    return book.Pow(4), [lambda x, n=n: math.perm(4, n) * x ** max(4 - n, 0) for n in ORDERS]


def exponential(book):
    """exp(-2 x), whose Function saves its output."""
    exact = [lambda x, n=n: (-2.0) ** n * math.exp(-2 * x) for n in ORDERS]
    return lambda x: book.Exp()(book.Mul()(x, -2.0)), exact


def hyperbolic_tangent(book):
    """With t = tanh x and t' = 1 - t**2, each derivative is a polynomial in t."""
    polynomial, exact = np.polynomial.Polynomial([0, 1]), []
    for _ in ORDERS:
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1, 0, -1])
        exact.append(lambda x, p=polynomial: p(math.tanh(x)))
    return book.Tanh(), exact


def reciprocal(book):
    exact = [lambda x, n=n: (-1) ** n * math.factorial(n) / x ** (n + 1) for n in ORDERS]
    return lambda x: book.Div()(1.0, x), exact


CASES = [x_sin_x, sixth_power, power, exponential, hyperbolic_tangent, reciprocal]


@pytest.mark.parametrize("derivatives", [derivatives_by_backward, derivatives_by_grad])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("value", [0.7, -1.3])
def test_five_derivatives_of_the_books_operations_are_exact(book, case, value, derivatives):
    f, exact = case(book)
    expected = [derivative(value) for derivative in exact]
    np.testing.assert_allclose(derivatives(f, value), expected, rtol=1e-11, atol=1e-11)


def test_mixed_derivatives_of_the_books_operations_are_exact(book):
    """f = x**2 y**3 sin(z): the Hessian, by rows."""
    values = 1.5, -0.5, 0.3
    x, y, z = (Variable(np.array(v)) for v in values)
    f = book.Mul()(book.Mul()(book.Pow(2)(x), book.Pow(3)(y)), book.Sin()(z))
    rows = [grad(g, [x, y, z]) for g in grad(f, [x, y, z], create_graph=True)]
    a, b, c = values
    s, k = math.sin(c), math.cos(c)
    exact = [
        [2 * b**3 * s, 6 * a * b**2 * s, 2 * a * b**3 * k],
        [6 * a * b**2 * s, 6 * a**2 * b * s, 3 * a**2 * b**2 * k],
        [2 * a * b**3 * k, 3 * a**2 * b**2 * k, -(a**2) * b**3 * s],
    ]
    np.testing.assert_allclose(rows, exact, rtol=1e-14)


def test_backward_undoes_broadcasting_at_every_order(book):
    """f = sum of x_j w_ij**2: d/dw = 2 x w, and its sum by x is 2 sum_i w_ij."""
    w = np.arange(1.0, 7.0).reshape(2, 3)
    for shape in [(3,), (1, 3), (2, 1), ()]:
        x, v = Variable(np.full(shape, 2.0)), Variable(w)
        f = book.Mul()(x, book.Mul()(v, v))
        gx, gv = grad(f, [x, v], create_graph=True)
        assert gx.shape == shape
        lead = tuple(range(2 - len(shape)))
        kept = tuple(axis for axis, n in enumerate(shape) if n == 1)
        down = (w**2).sum(axis=lead).sum(axis=kept, keepdims=True)
        np.testing.assert_array_equal(gx.data, down)
        np.testing.assert_array_equal(gv.data, 4.0 * w)
        np.testing.assert_array_equal(grad(gx, v), 2.0 * w)
        down = (2 * w).sum(axis=lead).sum(axis=kept, keepdims=True)
        np.testing.assert_array_equal(grad(gv, x), down)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_derivatives_of_every_order_have_the_dtype_of_the_input(book, dtype):
    x = Variable(np.array([1.5], dtype))
    y = book.Mul()(book.Mul()(x, x), np.array([2.0]))
    g = grad(y, x, create_graph=True)
    assert (g.dtype, g.data[0]) == (dtype, 6.0)
    gg = grad(g, x)
    assert (gg.dtype, gg[0]) == (dtype, 4.0)


def test_several_outputs_have_second_derivatives(book):
    """g = (x0 + x1) x0 x1 has d2g/dx0 dx1 = 2 (x0 + x1)."""
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    s, p = book.SumAndProduct()(x0, x1)
    g = grad(book.Mul()(s, p), x0, create_graph=True)
    assert grad(g, [x0, x1]) == [2 * 5.0, 2 * 8.0]


def test_an_unused_output_counts_as_zeros_at_second_order(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    p = book.SumAndProduct()(x0, x1)[1]
    g = grad(p, x0, create_graph=True)
    assert (g.item(), grad(g, x1)) == (5.0, 1.0)


def test_an_integer_output_is_a_constant_to_backward_under_create_graph(operators):
    class PowerAndExponent(Function):
        """x**3 and the integer 3, which backward reads; what it is sent for it would show."""

        saves = ("inputs", "outputs")

        def forward(self, x):
            return x * x * x, np.array(3)

        def backward(self, gy, gn):
            x, n = self.inputs[0].data, self.outputs[1]().data
            return gy * n * x * x + gn * 1000.0

    x = Variable(np.array(2.0))
    y, _ = PowerAndExponent()(x)
    g = grad(y, x, create_graph=True)
    assert (g.item(), grad(g, x)) == (12.0, 12.0)
