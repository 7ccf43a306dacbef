"""``numeric_op``: an operation of any function, differentiated by differences.

Promise: docs/how_to/use_any_function.md
"""

import gc
import warnings
import weakref

import mpmath
import numpy as np
import pytest

import dezero_tools
from dezero_core import (
    ApproximateGradientWarning,
    Variable,
    VariableTypeError,
    grad,
)
from dezero_tools import numeric_op

quiet = pytest.mark.filterwarnings("ignore::dezero_core.ApproximateGradientWarning")


def rosenbrock(x):
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


@quiet
@pytest.mark.parametrize(("order", "digits"), [(2, 3e-10), (4, 2e-11), (6, 2e-11)])
def test_the_gradient_of_a_ufunc_by_numeric_op_has_the_promised_digits(order, digits):
    x = Variable(np.array([0.7, 1.0, 5.0, -30.0]))
    y = numeric_op(np.sinh, order=order)(x)
    np.testing.assert_array_equal(y.data, np.sinh(x.data))
    y.grad = np.array([1.0, 2.0, -1.0, 0.5])
    y.backward()
    np.testing.assert_allclose(x.grad, [1.0, 2.0, -1.0, 0.5] * np.cosh(x.data), rtol=digits)


@quiet
def test_each_derivative_of_numeric_op_loses_a_part_of_the_digits():
    x = Variable(np.array(1.3))
    y = numeric_op(np.sin)(x)
    for n, digits in (1, 1e-12), (2, 1e-9), (3, 1e-7):
        y = grad(y, x, create_graph=True)
        truth = float(mpmath.diff(mpmath.sin, 1.3, n))
        assert y.item() == pytest.approx(truth, rel=digits)


@quiet
def test_numeric_op_of_a_function_of_arrays_has_a_derivative_for_each_element():
    x = Variable(np.array([-1.2, 1.0]))
    y = numeric_op(rosenbrock)(x)
    y.backward()
    np.testing.assert_allclose(x.grad, [-215.6, -88.0], rtol=1e-11)
    gx = grad(numeric_op(rosenbrock)(x), x, create_graph=True)
    gx.grad = np.array([1.0, 0.0])
    x.cleargrad()
    gx.backward()
    np.testing.assert_allclose(x.grad, [1330.0, 480.0], rtol=1e-8)


@quiet
def test_numeric_op_takes_broadcasting_constants_and_keywords_like_any_operation():
    def power(x, y, shift=0.0):
        return (x + shift) ** y

    x, y = Variable(np.array([[2.0], [3.0]])), Variable(np.array([1.0, 2.0, 3.0]))
    z = numeric_op(power, elementwise=True)(x, y, shift=1.0)
    z.backward()
    a, b = np.broadcast_arrays(x.data + 1.0, y.data)
    np.testing.assert_allclose(x.grad, np.sum(b * a ** (b - 1.0), 1, keepdims=True), rtol=1e-11)
    np.testing.assert_allclose(y.grad, np.sum(a**b * np.log(a), 0), rtol=1e-11)
    x.cleargrad()
    numeric_op(power, elementwise=True)(x, 2).backward()
    np.testing.assert_allclose(x.grad, 2.0 * x.data, rtol=1e-11)


@quiet
@pytest.mark.parametrize("elementwise", [True, False])
def test_complex_gradients_of_numeric_op_are_by_real_and_imaginary_part(elementwise):
    """Of f = z² conj(z), dL = Re(g dz) for L = Re(f): by hand."""
    z = Variable(np.array([1.0 + 2.0j, 3.0 - 1.0j]))
    cubic = numeric_op(lambda z: z * z * np.conj(z), elementwise=elementwise, name="cubic")
    y = cubic(z)
    y.grad = np.ones(2, dtype=complex)
    y.backward()
    a, b = z.data.real, z.data.imag
    by_a = 3 * a**2 + b**2  # Re(f) = a³ + a b²
    by_b = 2 * a * b
    np.testing.assert_allclose(z.grad, by_a + 1j * by_b, rtol=1e-11)


@quiet
def test_numeric_op_keeps_float32_and_computes_in_double():
    x = Variable(np.array([1.5], dtype=np.float32))
    y = numeric_op(np.exp)(x)
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)
    assert x.grad[0] == np.float32(np.exp(1.5))


def test_numeric_op_does_not_differentiate_by_integers_and_constants():
    def refuses_to_move(x, n):
        assert n == 3
        return x * n

    x, n = Variable(np.array(2.0)), Variable(np.array(3))
    with pytest.warns(ApproximateGradientWarning):
        numeric_op(refuses_to_move)(x, n).backward()
    assert x.grad == pytest.approx(3.0, rel=1e-11)


@quiet
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (np.linalg.matrix_power, (3,)),
        (np.diag, (1,)),
        (lambda x, places: x[places], (np.array([0, 1]),)),
        (lambda x, mask: x[mask], (np.array([True, False]),)),
    ],
    ids=["exponent", "offset", "places", "mask"],
)
def test_numeric_op_gives_integers_and_booleans_unchanged_to_the_function(function, arguments):
    values = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = Variable(values)
    y = numeric_op(function)(x, *arguments)
    y.backward()
    np.testing.assert_array_equal(y.data, function(values, *arguments))
    direction = np.array([[0.3, -0.7], [1.1, 0.2]])
    moved = [np.sum(function(values + h * direction, *arguments)) for h in (1e-5, -1e-5)]
    assert np.sum(x.grad * direction) == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-8)


@quiet
@pytest.mark.parametrize("elementwise", [True, False])
def test_a_function_of_numeric_op_may_write_into_its_arguments(elementwise):
    def multiply(a, b):
        a *= b
        return a

    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x, y = Variable(a), Variable(b)
    z = numeric_op(multiply, elementwise=elementwise)(x, y)
    z.backward()
    np.testing.assert_array_equal(a, [1.0, 2.0])
    np.testing.assert_array_equal(z.data, [3.0, 8.0])
    np.testing.assert_allclose(x.grad, b, rtol=1e-11)
    np.testing.assert_allclose(y.grad, a, rtol=1e-11)


@quiet
def test_a_function_of_numeric_op_may_return_one_array_again_and_again():
    buffer = np.empty(3)

    def square(x):
        return np.multiply(x, x, out=buffer)

    x = Variable(np.array([1.0, 2.0, 3.0]))
    op = numeric_op(square, elementwise=True)
    y, z = op(x), op(Variable(np.zeros(3)))
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 4.0, 9.0])
    np.testing.assert_array_equal(z.data, np.zeros(3))
    np.testing.assert_allclose(x.grad, 2.0 * x.data, rtol=1e-11)


@quiet
def test_numeric_op_does_not_take_a_generalized_ufunc_element_by_element():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    x, y = Variable(a), Variable(b)
    numeric_op(np.matmul)(x, y).backward()
    np.testing.assert_allclose(x.grad, np.ones((2, 2)) @ b.T, rtol=1e-11)
    np.testing.assert_allclose(y.grad, a.T @ np.ones((2, 2)), rtol=1e-11)


@quiet
def test_numeric_op_differentiates_a_straight_line_exactly():
    x = Variable(np.array([1.5, 0.7, 48.0]))
    numeric_op(lambda x: 3.0 * x, order=2, elementwise=True)(x).backward()
    assert x.grad[0] == x.grad[2] == 3.0


@quiet
def test_a_real_input_of_a_complex_numeric_op_has_a_real_gradient():
    """Of f = exp(ix), dL = Re(conj(i) df) for L = Im(f): by hand."""
    x = Variable(np.array([0.3, 1.0, 2.5]))
    y = numeric_op(lambda x: np.exp(1j * x))(x)
    y.grad = np.full(3, 1j)
    y.backward()
    np.testing.assert_allclose(x.grad, np.cos(x.data), rtol=1e-11)


@quiet
def test_the_gradient_of_numeric_op_at_the_end_of_the_domain_is_nan():
    x = Variable(np.array([1e-9, 1.0]))
    with np.errstate(invalid="ignore"):
        numeric_op(np.sqrt)(x).backward()
    assert np.isnan(x.grad[0])
    assert x.grad[1] == pytest.approx(0.5, rel=1e-11)


def test_a_numeric_op_has_the_name_and_documentation_of_the_function():
    op = numeric_op(rosenbrock, name="valley")
    assert (op.__name__, op.function_class.__name__) == ("valley", "valley")
    assert op.function_class.__module__ == rosenbrock.__module__
    assert numeric_op(rosenbrock).__name__ == "rosenbrock"
    assert numeric_op(np.sinh).__doc__ == np.sinh.__doc__
    assert numeric_op(Partial()).__name__ == "numeric"


def test_numeric_op_names_a_ufunc_by_the_library_that_exports_the_ufunc(
    fake_distribution, run_python
):
    """Not like a module, of a shorter name, that has imported it."""
    source = "from numpy import {0}\n__all__ = ['{0}']\n"
    modules = {"special.py": source.format("nextafter"), "inputs.py": source.format("gcd")}
    fake_distribution("libraries", modules | {"user.py": "from numpy import gcd, nextafter\n"})
    outcome = run_python(
        "import numpy as np\nimport inputs, special, user\n"
        "from dezero_core import Variable\nfrom dezero_tools import numeric_op\n"
        "made_by = lambda ufunc: numeric_op(ufunc).function_class.__module__\n"
        "out['numpy'] = [made_by(np.sinh), made_by(np.strings.str_len).partition('.')[0]]\n"
        "out['of_nobody'] = made_by(np.frompyfunc(abs, 1, 1))\n"
        "for name in 'nextafter', 'gcd':  # as if only others had them\n"
        "    np.__all__.remove(name)\n    delattr(np, name)\n"
        "out['other'] = [made_by(user.nextafter), made_by(user.gcd)]\n"
        "x = Variable(np.ones(2))\n"
        "out['missing'] = [failure(lambda: f(x, x)) for f in (user.nextafter, user.gcd)]\n"
    )
    assert outcome.out.numpy == ["numpy", "numpy"]
    assert outcome.out.of_nobody == "numpy"
    assert outcome.out.other == ["special", "inputs"]
    names = "special.nextafter", "inputs.gcd"
    for error, name in zip(outcome.out.missing, names, strict=True):
        assert error["message"].startswith(f"no loaded plugin provides {name} for a Variable.")
        assert error["message"].endswith("dezero_tools.numeric_op(f) gives an approximate one.")
        assert error["distribution"] == "None"


class Partial:
    def __call__(self, x):
        return x


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"function": np.sin, "order": 3}, ValueError, r"one of \(2, 4, 6\), got 3"),
        ({"function": 3}, TypeError, "takes a function, got 3"),
    ],
)
def test_numeric_op_refuses_a_wrong_order_and_an_object_that_is_no_function(arguments, error, says):
    with pytest.raises(error, match=says):
        numeric_op(**arguments)


def test_numeric_op_refuses_several_results_and_variables_by_keyword():
    x = Variable(np.array([1.0, 2.0]))
    with pytest.raises(VariableTypeError, match="modf returns 2 results") as caught:
        numeric_op(np.modf)(x)
    assert caught.value.got is tuple
    with pytest.raises(VariableTypeError, match="by position alone, and scale= is a Variable"):
        numeric_op(lambda x, scale: x * scale)(x, scale=Variable(np.array(2.0)))


def test_a_masked_result_of_numeric_op_is_refused_and_not_stripped_of_its_mask():
    hiding = numeric_op(lambda x: np.ma.masked_less(x, 1.5), name="hiding")
    with pytest.raises(VariableTypeError, match=r"hiding\.forward.*MaskedArray"):
        hiding(Variable(np.array([1.0, 2.0])))


def test_numeric_op_refuses_out_and_does_not_write_to_out():
    out = np.zeros(2)
    with pytest.raises(VariableTypeError, match="sinh of numeric_op takes no out=") as caught:
        numeric_op(np.sinh)(Variable(np.ones(2)), out=out)
    assert caught.value.got == "out"
    np.testing.assert_array_equal(out, np.zeros(2))


def warnings_of(function, at, **options):
    """Return the texts of the warnings of one backward pass at `at`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        numeric_op(function, **options)(Variable(np.asarray(at))).backward()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("function", "at"),
    [(np.floor, [0.5, 1.0001]), (np.abs, [1e-5]), (np.sin, [1e6]), (np.sin, [2.0, 1e6])],
    ids=["jump", "kink", "fast", "fast among slow"],
)
@pytest.mark.parametrize("elementwise", [True, False])
@pytest.mark.parametrize("order", [4, 6])
def test_numeric_op_warns_where_two_orders_differ_in_the_first_three_digits(
    function, at, elementwise, order
):
    plain, *doubtful = warnings_of(function, at, elementwise=elementwise, order=order)
    assert plain.endswith(f"central differences of order {order}.")
    assert doubtful
    name = function.__name__
    says = f"{name} of module numpy: fewer than three digits are reliable"
    assert all(says in text for text in doubtful)


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (lambda x: 1000.0 + np.sin(1e6 * x) / 1e6, 0.1),
        (lambda x: 1e6 + 1e-7 * x, 1.0),
        (np.sin, 1e15),
        (np.log, 0.0021),
        (np.sqrt, 0.003),
    ],
    ids=["fast on a pedestal", "rounding", "far out", "near the end", "near the end of a root"],
)
def test_numeric_op_warns_where_rounding_takes_the_digits(function, at):
    assert len(warnings_of(function, at, elementwise=True)) > 1


@quiet
def test_a_step_of_numeric_op_always_changes_the_argument():
    x = Variable(np.array([1e30, 1e300]))
    numeric_op(np.sqrt)(x).backward()
    np.testing.assert_allclose(x.grad, 0.5 / np.sqrt(x.data), rtol=1e-5)


@pytest.mark.parametrize(
    ("function", "at", "options"),
    [
        (np.cos, [0.0, np.pi], {}),
        (np.sin, [np.pi / 2.0, 100.0], {}),
        (np.tanh, [20.0], {}),
        (np.square, [0.0, 1e8], {}),
        (np.exp, [-30.0, 30.0], {}),
        (np.floor, [0.5], {}),
        (rosenbrock, [0.0, 0.0], {}),
        (lambda z: z**3, [1.0 + 1.0j, 2.0], {"elementwise": True}),
        (np.floor, [1.0001], {"order": 2}),
        (lambda x: (x - 1.0) ** 3 + 1.0, [1.0], {"elementwise": True}),
        (lambda x: np.sum((x - 1.0) ** 3) + 1.0, [1.0, 1.0], {}),
    ],
    ids=[
        "0",
        "maximum",
        "flat",
        "line",
        "scales",
        "steps",
        "valley",
        "complex",
        "second order",
        "saddle",
        "saddles",
    ],
)
def test_numeric_op_does_not_warn_where_three_digits_are_right(function, at, options):
    at = np.asarray(at)
    if at.dtype.kind == "c":  # a gradient of a complex result has to be given
        numeric, z = numeric_op(function, **options), Variable(at)
        y = numeric(z)
        y.grad = np.ones_like(at)
        with pytest.warns(ApproximateGradientWarning) as caught:
            y.backward()
        texts = [str(warning.message) for warning in caught]
    else:
        texts = warnings_of(function, at, **options)
    assert [text.partition(": ")[2][:19] for text in texts] == ["central differences"]


def test_numeric_op_makes_the_class_that_computes_a_gradient_once():
    cls = numeric_op(np.arctan2).function_class
    assert cls.pullback(0) is cls.pullback(0)
    assert cls.pullback(0) is not cls.pullback(1)
    assert (cls.pullback(1).__name__, cls.pullback(1).__module__) == ("arctan2_gradient_1", "numpy")


def test_an_operation_of_numeric_op_that_is_made_in_a_loop_is_freed():
    op = numeric_op(lambda x: 2.0 * x, name="doubled")
    x = Variable(np.array(1.0))
    with pytest.warns(ApproximateGradientWarning):
        op(x).backward()
    reference = weakref.ref(op.function_class)
    del op
    gc.collect()
    assert reference() is None


def test_numeric_op_is_not_imported_with_the_core(run_python):
    code = "import sys, dezero_tools\nout['was'] = 'dezero_tools.numeric' in sys.modules\n"
    outcome = run_python(code + "dezero_tools.numeric_op\ndezero_tools.observe")
    assert outcome.out.was is False
    assert "numeric_op" in dir(dezero_tools)
