"""Complex data: which way the gradient points, and what is real stays real.

Promise: docs/how_to/differences_from_numpy.md
"""

import numpy as np
import pytest

from dezero_core import Function, GradientError, GraphError, Parameter, Variable, grad


class Product(Function):
    """As in the book: nothing in it knows of complex numbers."""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


class SquaredDistance(Function):
    """|z - c|**2: real, and not analytic."""

    def __init__(self, c):
        self.c = c

    def forward(self, z):
        return np.abs(z - self.c) ** 2

    def backward(self, gy):
        return gy * 2.0 * np.conj(self.inputs[0].data - self.c)


class RealPart(Function):
    saves = ()

    def forward(self, z):
        return np.real(z)

    def backward(self, gy):
        return gy


def product(x0, x1):
    return Product()(x0, x1)


Z = np.array([1.0 + 2.0j, -0.5 - 1.0j])


def test_descent_along_a_complex_gradient_finds_the_minimum():
    c, z = np.array([3.0 - 1.0j]), Parameter(np.array([0.0 + 0.0j]))
    for _ in range(60):
        z.cleargrad()
        SquaredDistance(c)(z).backward()
        z.data = z.data - 0.2 * z.grad
    np.testing.assert_allclose(z.data, c, rtol=1e-12)


def test_a_complex_gradient_is_the_derivative_by_real_plus_1j_by_imaginary_part():
    """By hand: |x + iy|**2 = x**2 + y**2."""
    z = Variable(Z)
    SquaredDistance(0.0)(z).backward()
    np.testing.assert_allclose(z.grad, 2.0 * Z.real + 2.0j * Z.imag)
    assert (type(z.grad), z.grad.dtype) == (np.ndarray, np.complex128)


def test_a_function_as_in_the_book_is_right_for_complex_data():
    """By hand: Re(z**2) = x**2 - y**2."""
    z = Variable(Z)
    RealPart()(product(z, z)).backward()
    np.testing.assert_allclose(z.grad, 2.0 * Z.real - 2.0j * Z.imag)


def test_a_real_input_gets_a_real_gradient_from_a_complex_calculation():
    """By hand: Re(x * (1 + 2i) * x) = x**2."""
    x = Variable(np.array([3.0], dtype=np.float32))
    y = product(product(x, np.array([1.0 + 2.0j], dtype=np.complex64)), x)
    assert y.dtype == np.complex64
    RealPart()(y).backward()
    np.testing.assert_allclose(x.grad, [6.0])
    assert x.grad.dtype == np.float32


def test_a_complex_input_whose_real_part_alone_counts_gets_a_complex_gradient():
    z = Variable(np.array(1.0 + 2.0j))
    RealPart()(z).backward()
    assert (z.grad, z.grad.dtype) == (1.0 + 0.0j, np.complex128)
    assert type(z.grad) is np.ndarray


@pytest.mark.parametrize(
    "differentiate", [lambda y, x: y.backward(), grad], ids=["backward", "grad"]
)
def test_a_complex_result_is_refused_because_it_has_no_descent(differentiate):
    z = Variable(Z)
    y = product(z, z)
    with pytest.raises(GraphError, match=r"it is complex.*np\.real or np\.abs") as caught:
        differentiate(y, z)
    assert caught.value.variable is y
    assert z.grad is None


def test_a_complex_result_is_differentiated_from_the_start_gradient_that_is_set():
    """With y.grad = g the loss is Re(conj(g) y): for g = 1j, the imaginary part of y."""
    z = Variable(Z)
    y = product(z, z)
    y.grad = np.array([1.0j, 1.0j])
    y.backward()
    np.testing.assert_allclose(z.grad, 2.0 * Z.imag + 2.0j * Z.real)  # of 2 x y
    given = grad(product(z, z), z, grad_outputs=np.array([1.0j, 1.0j]))
    np.testing.assert_array_equal(given, z.grad)


def test_retained_gradients_of_complex_intermediates_have_the_convention_of_inputs():
    z = Variable(Z)
    y = product(z, np.array([2.0j, 2.0j]))
    SquaredDistance(0.0)(y).backward(retain_grad=True)
    np.testing.assert_allclose(y.grad, 2.0 * y.data)
    np.testing.assert_allclose(z.grad, 8.0 * Z)
    np.testing.assert_array_equal(grad(SquaredDistance(0.0)(y), y), y.grad)


def test_a_complex_start_gradient_is_retained_as_the_user_gave_it():
    z = Variable(Z)
    y = product(z, z)
    y.grad = np.array([1.0 + 1.0j, 2.0j])
    y.backward(retain_grad=True)
    np.testing.assert_array_equal(y.grad, [1.0 + 1.0j, 2.0j])


def test_complex_gradients_of_several_passes_add_up():
    z = Variable(Z)
    SquaredDistance(0.0)(z).backward()
    SquaredDistance(0.0)(z).backward()
    np.testing.assert_allclose(z.grad, 4.0 * Z)


def test_two_inputs_never_share_one_complex_gradient():
    z0, z1 = Variable(Z), Variable(Z)

    class Sum(Function):
        saves = ()

        def forward(self, x0, x1):
            return x0 + x1

        def backward(self, gy):
            return gy, gy

    SquaredDistance(0.0)(Sum()(z0, z1)).backward()
    assert not np.shares_memory(z0.grad, z1.grad)
    np.testing.assert_array_equal(z0.grad, z1.grad)


def test_a_variable_of_a_complex_number_is_shown_and_converted():
    z = Variable(np.array(1.0 + 2.0j))
    assert complex(z) == 1.0 + 2.0j
    assert repr(z) == "variable((1+2j))"


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_complex_gradient_to_start_from_is_refused_by_a_real_result(create_graph):
    z = Variable(Z)
    y = RealPart()(z)
    with pytest.raises(GradientError, match="is complex, and that is real"):
        grad(y, z, create_graph=create_graph, grad_outputs=np.array([1.0j, 1.0j]))
