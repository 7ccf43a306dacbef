"""What the checks compare by, and what they say nothing about.

Promise: docs/reference/testing.rst
"""

import threading

import numpy as np
import pytest
from dezero_tools.testing import Call, CheckError, Draw, Sample, elementwise
from dezero_tools.testing.checks import CHECKS
from dezero_tools.testing.rules import BrokenRuleError, check_form, close
from dezero_tools.testing.runner import Check

from dezero_core import Function, Variable

from .planted import Sine, operation, run, sine

PLAIN = elementwise((0.3, 1.2))


class Times(Function):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        (1.0, "is no ndarray"),
        (np.float64(1.0), "is no ndarray"),
        (np.ones(3), "shape and dtype"),
        (np.ones(2, np.float32), "shape and dtype"),
    ],
)
def test_the_kit_wants_gradients_of_the_shape_and_dtype_of_the_input(gradient, message):
    with pytest.raises(BrokenRuleError, match=message):
        check_form([gradient], [np.ones(2)])


def test_arrays_of_different_shapes_are_never_close_for_the_kit():
    with pytest.raises(BrokenRuleError, match="of another shape"):
        close(np.ones((2, 1)), np.ones(2), "gradient")


@pytest.mark.parametrize("check", ["values", "integers"])
def test_the_kit_does_not_compare_values_without_a_reference(check):
    planted = operation(sample=PLAIN, numpy=())
    assert list(run(check, planted).skipped) == ["it has neither a NumPy function nor a reference"]


ONCE = elementwise((0.3, 1.2), complex=True, order=1)
NEARLY = operation(approximate="central differences")


@pytest.mark.parametrize(
    ("check", "planted", "reason"),
    [
        ("constants", operation(), "it takes one array"),
        ("operands", operation(), "it is no ufunc of two operands"),
        ("second order", operation(sample=ONCE), "it can be differentiated 1 times"),
        ("second order, complex", operation(sample=ONCE), "it can be differentiated 1 times"),
        ("second order, complex", operation(sample=PLAIN), "its sample does not say complex=True"),
        ("third order", operation(sample=ONCE), "it can be differentiated 1 times"),
        ("third order", NEARLY, "it is approximate: no digits are asked of third derivatives"),
        ("hidden derivative", operation(sample=ONCE), "it can be differentiated 1 times"),
        (
            "integers",
            operation(sample=elementwise((0.3, 1.2), integers=False)),
            "it takes no integers",
        ),
    ],
)
def test_the_kit_skips_a_check_for_calls_that_lack_what_it_needs(check, planted, reason):
    counts = run(check, planted)
    assert (counts.ran, counts.skipped) == (0, {reason: 7})


def test_the_kit_does_not_check_a_plain_operation_without_a_reference():
    planted = operation(lambda x: np.sin(x), numpy=(), sample=PLAIN, differentiable=False)
    check = Check(planted, "plain", CHECKS["plain"], allow_empty=True)
    assert check.run().skipped == {"planted was registered without a reference": 1}
    with pytest.raises(CheckError, match=r"nothing was checked: .* without a reference\. Say what"):
        Check(planted, "plain", CHECKS["plain"]).run()


def beside_a_sine(result):
    """An operation that returns a sine and a `result`, and right is ``(sine, 3)``."""
    sample = elementwise((0.3, 1.2), complex=True, reference=lambda x: (np.sin(x), 3))
    return operation(lambda x: (Sine()(x), result), sample=sample, numpy=())


@pytest.mark.parametrize("check", ["values", "complex", "dtypes", "integers"])
def test_the_kit_takes_an_integer_beside_a_variable_for_a_constant_and_compares_it(check):
    for right in (3, Variable(np.array(3))):
        assert run(check, beside_a_sine(right)).ran == 7
    for wrong, message in ((4, "wrong values"), (3.0, "shape or dtype"), ([3], "shape or dtype")):
        with pytest.raises(CheckError, match=message):
            run(check, beside_a_sine(wrong))


def test_the_kit_finds_a_constant_in_place_of_floats_or_of_all_results():
    def failed(reference, function):
        sample = elementwise((0.3, 1.2), reference=reference)
        with pytest.raises(CheckError, match="instead of a Variable"):
            run("values", operation(function, sample=sample, numpy=()))

    failed(lambda x: (np.sin(x), np.cos(x)), lambda x: (Sine()(x), np.cos(x.data)))
    failed(lambda x: (x.size, x > 0.5), lambda x: (x.size, x.data > 0.5))


@pytest.mark.parametrize("check", ["gradient", "complex", "dtypes"])
def test_the_kit_compares_gradients_with_differences_also_without_a_reference(check):
    assert run(check, operation(sample=PLAIN, numpy=())).ran == 7
    wrong = sine(backward=lambda self, gy: 1.001 * gy * np.cos(self.inputs[0].data))
    if check != "dtypes":
        with pytest.raises(CheckError, match="wrong gradient"):
            run(check, operation(wrong, sample=PLAIN, numpy=()))


def test_the_kit_finds_a_plain_operation_of_another_dtype():
    planted = operation(
        lambda x: np.sin(getattr(x, "data", x)).astype(np.float32), differentiable=False
    )
    with pytest.raises(CheckError, match="another shape or dtype than NumPy: float32 of shape"):
        Check(planted, "plain", CHECKS["plain"]).run()


def test_the_kit_finds_an_operation_that_declares_and_refuses_complex_data():
    def real_only(self, x):
        if np.iscomplexobj(x):
            raise TypeError("only real numbers")
        return np.sin(x)

    with pytest.raises(CheckError, match="only real numbers"):
        run("complex", operation(sine(forward=real_only)))
    assert run("complex", operation(sine(forward=real_only), sample=PLAIN)).ran == 0


@pytest.mark.parametrize("check", ["second order", "third order", "hidden derivative"])
def test_the_kit_does_not_differentiate_an_operation_of_order_1_twice(check):
    sample = elementwise((0.3, 1.2), order=1)
    assert run(check, operation(sample=sample)).skipped == {"it can be differentiated 1 times": 7}


def test_the_kit_finds_a_backward_that_uses_an_operation_of_no_plugin():
    planted = sine(backward=lambda self, gy: gy * np.cos(np.nextafter(self.inputs[0].data, 0.0)))
    with pytest.raises(CheckError, match=r"no loaded plugin provides np\.nextafter"):
        run("second order", operation(planted))


def test_the_kit_does_not_take_a_constant_gradient_for_a_hidden_derivative():
    class Shifted(Function):
        def forward(self, x0, x1):
            return x0 + np.sin(x1)

        def backward(self, gy):
            return gy, gy * np.cos(self.inputs[1].data)

    sample = elementwise((0.3, 1.2), (0.3, 1.2), reference=lambda a, b: a + np.sin(b))
    planted = operation(lambda a, b: Shifted()(a, b), sample=sample, numpy=())
    assert run("hidden derivative", planted).ran == 10


def test_the_kit_does_not_take_a_missing_gradient_for_a_hidden_derivative():
    class OfTheSecond(Function):
        def forward(self, x0, x1):
            return np.sin(x1) + 0.0 * x0

        def backward(self, gy):
            return None, gy * np.cos(self.inputs[1].data)

    sample = elementwise((0.3, 1.2), (0.3, 1.2), reference=lambda a, b: np.sin(b) + 0.0 * a)
    planted = operation(lambda a, b: OfTheSecond()(a, b), sample=sample, numpy=())
    for check in "gradient", "second order", "third order", "hidden derivative":
        assert run(check, planted).ran


def test_the_kit_finds_a_graph_of_integers():
    def hiding(x):
        data = getattr(x, "data", x)
        return Sine()(x if data.dtype.kind in "fc" else Variable(data.astype(float)))

    sample = elementwise((0.3, 1.2), reference=lambda x: np.sin(np.asarray(x, float)))
    with pytest.raises(CheckError, match="records a graph of integers"):
        run("integers", operation(hiding, sample=sample))


def test_the_kit_leaves_the_garbage_collector_switched_off(no_collector):
    assert run("freed", operation()).ran == 7


def test_the_kit_shows_an_exception_in_a_thread_of_a_check():
    here = threading.get_ident()

    def only_here(x):
        if threading.get_ident() != here:
            raise RuntimeError("not here")
        return Sine()(x)

    with pytest.raises(CheckError, match="RuntimeError: not here"):
        run("threads", operation(only_here))


def test_the_kit_reflects_an_operator_only_for_two_arrays():
    planted = operation(
        lambda x0, x1: Times()(x0, x1),
        dunders=("__mul__", "__rmul__"),
        numpy=(np.multiply,),
        sample=Sample(Call(Draw((2,)), 2.0), Call(Draw((2,)), Draw((2,)))),
    )
    assert run("bindings", planted).ran == 2


def test_the_kit_finds_a_gradient_that_is_lost_beside_a_number():
    def losing(x0, x1):
        both = isinstance(x0, Variable) and isinstance(x1, Variable)
        return Times()(x0, x1) if both else Times()(*(getattr(x, "data", x) for x in (x0, x1)))

    planted = operation(losing, sample=elementwise((0.3, 1.2), (0.3, 1.2)), numpy=(np.multiply,))
    with pytest.raises((CheckError, ExceptionGroup)):
        run("operands", planted)


@pytest.mark.parametrize("check", ["second order", "repeated"])
def test_the_kit_asks_for_no_derivative_of_an_operation_with_integer_outputs(check):
    class Count(Function):
        def forward(self, x):
            return np.array(x.size)

    planted = operation(lambda x: Count()(x), sample=PLAIN, numpy=())
    assert run(check, planted).skipped == {"no output has a derivative": 7}


def test_the_kit_asks_for_no_gradient_of_an_output_of_constants():
    sample = elementwise((0.3, 1.2), (0.3, 1.2), reference=lambda x0, x1: (x0 * x1, np.sin(x0)))
    planted = operation(lambda x0, x1: (Times()(x0, x1), Sine()(x0)), sample=sample, numpy=())
    assert run("constants", planted).ran


def test_the_kit_compares_no_gradients_in_a_dtype_that_changes_the_values():
    """As those of what is sorted, where values become equal."""

    def forward(x):
        return x if x.dtype == np.float64 else -x

    class Turned(Function):
        def forward(self, x):
            return forward(x)

        def backward(self, gy):
            return gy if gy.dtype == np.float64 else -gy

    sample = elementwise((0.3, 1.2), reference=forward)
    assert run("dtypes", operation(lambda x: Turned()(x), sample=sample, numpy=())).ran
    other = elementwise((0.3, 1.2), reference=np.positive)
    with pytest.raises(CheckError, match="value"):
        run("dtypes", operation(lambda x: Turned()(x), sample=other, numpy=()))


class Same(Function):
    """The value for floats; for integers the argument itself, or the same numbers as floats."""

    saves = ()

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x if self.factor is None else self.factor * x

    def backward(self, gy):
        return gy


@pytest.mark.parametrize(
    ("factor", "reference", "advice"),
    [
        (1.0, lambda x: x, "let the reference compute with 1.0 * x; if it takes no integers, say"),
        (None, lambda x: 1.0 * x, "let forward compute with 1.0 * x; if it takes no integers, say"),
    ],
)
def test_the_kit_says_what_to_write_where_only_one_side_gives_integers_for_integers(
    factor, reference, advice
):
    def failed(sample, numpy):
        with pytest.raises(CheckError, match="for int64: gives another shape or dtype") as caught:
            run("integers", operation(lambda x: Same(factor).of(x), sample=sample, numpy=numpy))
        return str(caught.value).partition("\n")[0]

    sample = elementwise((-3.0, 3.0), reference=reference)
    assert f"(2, 3). If floats are right, {advice} so by integers=False" in failed(sample, ())
    right = Sample(sample, reference=lambda x: x if factor is None else 1.0 * x)
    assert run("integers", operation(lambda x: Same(factor).of(x), sample=right, numpy=())).ran


def test_the_kit_does_not_advise_to_change_a_function_of_numpy():
    planted = operation(lambda x: Same(1.0).of(x), sample=PLAIN, numpy=(np.positive,))
    with pytest.raises(CheckError, match=r"than NumPy: float64 .* for int64 of shape \(2, 3\)\n"):
        run("integers", planted)


def test_the_kit_skips_integers_that_numpy_refuses():
    def reference(x):
        if x.dtype.kind in "biu":
            raise TypeError("no such loop")
        return np.sin(x)

    sample = elementwise((0.3, 1.2), reference=reference)
    skipped = run("integers", operation(sample=sample, numpy=())).skipped
    assert skipped == {"the reference does not take integers there": 7}
