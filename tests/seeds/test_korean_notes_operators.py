"""The Korean notes: operator overloading and packaging.

Sections are quoted by their headings; each operation of the notes is tested in both forms,
as the class that the notes write and as the function of dezero_ops_basic.
"""

import operator

import numpy as np
import pytest

import dezero_ops_basic
from dezero_core import Function, Variable, as_array, as_variable
from dezero_ops_basic import add, arithmetic


class Mul(Function):
    def forward(self, x0, x1):
        y = x0 * x1
        return y  # noqa: RET504 - as in the notes

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


class Neg(Function):
    def forward(self, x):
        return -x

    def backward(self, gy):
        return -gy


class Sub(Function):
    def forward(self, x0, x1):
        y = x0 - x1
        return y  # noqa: RET504 - as in the notes

    def backward(self, gy):
        return gy, -gy


class Pow(Function):
    def __init__(self, c):
        self.c = c

    def forward(self, x):
        y = x**self.c
        return y  # noqa: RET504 - as in the notes

    def backward(self, gy):
        x = self.inputs[0].data
        c = self.c

        gx = c * x ** (c - 1) * gy
        return gx  # noqa: RET504 - as in the notes


def sub(x0, x1):
    x1 = as_array(x1)
    return Sub()(x0, x1)


def rsub(x0, x1):
    # The notes convert here too, and then call sub(), which converts the Variable x0 to no
    # effect. The text says what is meant: exchange the operands and call Sub.
    x1 = as_array(x1)
    return Sub()(x1, x0)


def both(name, notes):
    """Parametrise a test with the function of the notes and with this project's."""
    project = getattr(arithmetic, name, None) or getattr(dezero_ops_basic, name)
    return pytest.mark.parametrize(name, [notes, project], ids=["notes", "dezero_ops_basic"])


@both("mul", lambda x0, x1: Mul()(x0, x1))
def test_mul_has_the_printed_value_and_gradients(mul):
    """곱셈의 순전파와 역전파: y = add(mul(a, b), c)."""
    a, b, c = (Variable(np.array(value)) for value in (3.0, 2.0, 1.0))
    y = add(mul(a, b), c)
    y.backward()
    assert [float(v) for v in (y.data, a.grad, b.grad, c.grad)] == [7.0, 2.0, 3.0, 1.0]


def test_overloaded_mul_and_add_compute_a_times_b_plus_c():
    """곱셈 연산자 오버로드: `Variable.__mul__ = mul`, which the notes put inside the class."""
    assert Variable.__mul__.__wrapped__ is dezero_ops_basic.mul
    assert Variable.__add__.__wrapped__ is dezero_ops_basic.add
    a, b, c = (Variable(np.array(value)) for value in (3.0, 2.0, 1.0))
    y = (a * b) + c
    y.backward()
    assert repr(y) == "variable(7.0)"
    assert [float(v.grad) for v in (a, b, c)] == [2.0, 3.0, 1.0]


def test_as_variable_wraps_an_ndarray_and_leaves_a_variable():
    """Variable을 ndarray 인스턴스와 함께 사용하려면."""
    array = np.array(2.0)
    x = as_variable(array)
    assert type(x) is Variable
    assert x.data is array
    assert as_variable(x) is x


@pytest.mark.parametrize("number", [2.0, 2, np.float64(2.0), np.int64(2)])
def test_as_array_makes_a_number_an_ndarray(number):
    """Variable을 float, int와 함께 사용하려면."""
    array = as_array(number)
    assert (type(array), array.shape) == (np.ndarray, ())
    assert array == 2
    assert as_array(array) is array


def test_problem_1_a_number_on_the_left_finds_rmul():
    """문제점 1: `y = 2.0 * x` is a TypeError without `__rmul__`; `y = x * 2.0` is not."""
    x = Variable(np.array(3.0))
    assert float.__mul__(2.0, x) is NotImplemented
    y = 2.0 * x
    y.backward()
    assert (float(y.data), float(x.grad)) == (6.0, 2.0)
    assert repr(x * 2.0) == "variable(6.0)"


def test_problem_2_an_ndarray_on_the_left_leaves_the_sum_to_radd():
    """문제점 2: `__array_priority__ = 200`. What comes back is a Variable, no object array."""
    assert Variable.__array_priority__ == 200
    x = Variable(np.array([1.0]))
    y = np.array([2.0]) + x
    y.backward()
    assert type(y) is Variable
    assert (y.data.tolist(), x.grad.tolist()) == ([3.0], [1.0])


@both("neg", lambda x: Neg()(x))
def test_neg_has_the_right_value_and_gradient(neg):
    """음수(부호 변환): `Variable.__neg__ = neg`."""
    x = Variable(np.array(2.0))
    y = neg(x)
    y.backward()
    assert (float(y.data), float(x.grad)) == (-2.0, -1.0)
    assert Variable.__neg__.__wrapped__ is dezero_ops_basic.neg
    assert repr(-x) == "variable(-2.0)"


@both("sub", sub)
def test_sub_has_the_right_value_and_gradients(sub):
    """뺄셈의 미분: `Variable.__sub__ = sub`."""
    x0, x1 = Variable(np.array(2.0)), Variable(np.array(5.0))
    y = sub(x0, x1)
    y.backward()
    assert (float(y.data), float(x0.grad), float(x1.grad)) == (-3.0, 1.0, -1.0)
    assert float(sub(x0, 1.5).data) == 0.5
    assert Variable.__sub__.__wrapped__ is dezero_ops_basic.sub


@both("rsub", rsub)
def test_rsub_exchanges_its_operands(rsub):
    """뺄셈 미분의 문제: 2.0 - x calls x.__rsub__(2.0)."""
    x = Variable(np.array(5.0))
    for y in (rsub(x, 2.0), 2.0 - x):
        x.cleargrad()
        y.backward()
        assert (float(y.data), float(x.grad)) == (-3.0, -1.0)


def test_rsub_keeps_float32_beside_a_number():
    """뺄셈 미분의 문제: as_array(2.0) of the notes is float64 and would make y float64."""
    x = Variable(np.array([5.0], dtype=np.float32))
    assert rsub(x, np.array([2.0])).dtype == np.float64
    assert (2.0 - x).dtype == np.float32


@both("pow", lambda x, c: Pow(c)(x))
def test_pow_has_the_right_value_and_gradient(pow):  # noqa: A002
    """거듭제곱의 미분: y = x ** c has c * x ** (c - 1); the notes give only the derivative."""
    x = Variable(np.array(2.0))
    y = pow(x, 3)
    y.backward()
    assert (float(y.data), float(x.grad)) == (8.0, 12.0)
    assert Variable.__pow__.__wrapped__ is dezero_ops_basic.pow


def test_package_program_of_x_plus_3_squared_prints_16_and_8(capsys):
    """패키지로 정리. The snippet prints y and drops the lines that compute it."""
    x = Variable(np.array(1.0))
    y = (x + 3) ** 2
    y.backward()
    print(y)
    print(x.grad)
    assert capsys.readouterr().out == "variable(16.0)\n8.0\n"


# Value and derivatives by hand, for y = op(a, b).
OPERATORS = {
    "+": (operator.add, lambda a, b: (1.0, 1.0)),
    "-": (operator.sub, lambda a, b: (1.0, -1.0)),
    "*": (operator.mul, lambda a, b: (b, a)),
    "/": (operator.truediv, lambda a, b: (1.0 / b, -a / b**2)),
    "**": (operator.pow, lambda a, b: (b * a ** (b - 1.0), a**b * np.log(a))),
}
OTHERS = {
    "Variable": lambda: Variable(np.array([3.0, 0.5])),
    "ndarray": lambda: np.array([3.0, 0.5]),
    "0-d ndarray": lambda: np.array(2.5),
    "NumPy scalar": lambda: np.float64(2.5),
    "float": lambda: 2.5,
    "int": lambda: 3,
}


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_take_variable_ndarray_float_and_int_on_both_sides(symbol, other, side):
    """새로운 연산자들, with 문제점 1 and 2: the table of special methods."""
    op, derivatives = OPERATORS[symbol]
    x, other = Variable(np.array([2.0, 4.0])), OTHERS[other]()
    operands = (x, other) if side == "left" else (other, x)
    a, b = (o.data if isinstance(o, Variable) else o for o in operands)
    y = op(*operands)
    y.backward()
    assert type(y) is Variable
    np.testing.assert_allclose(y.data, op(a, b), rtol=1e-15)
    for operand, derivative in zip(operands, derivatives(a, b), strict=True):
        if isinstance(operand, Variable):
            expected = np.broadcast_to(derivative, (2,))
            np.testing.assert_allclose(operand.grad, expected, rtol=1e-14)


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_take_two_variables_of_no_dimension(symbol):
    """The form that the notes use throughout: np.array(…) of a single number."""
    op, derivatives = OPERATORS[symbol]
    a, b = Variable(np.array(3.0)), Variable(np.array(2.0))
    y = op(a, b)
    y.backward()
    assert (type(y.data), y.shape) == (np.ndarray, ())
    np.testing.assert_allclose(y.data, op(3.0, 2.0), rtol=1e-15)
    np.testing.assert_allclose([a.grad, b.grad], derivatives(3.0, 2.0), rtol=1e-14)


def test_operator_neg_of_a_variable_changes_the_sign():
    x = Variable(np.array([2.0, -4.0]))
    y = -x
    y.backward()
    assert (y.data.tolist(), x.grad.tolist()) == ([-2.0, 4.0], [-1.0, -1.0])
