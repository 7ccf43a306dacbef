"""Operations that are declared approximate have tolerances of their own, and are held to them.

Promise: docs/reference/testing.rst
"""

import warnings

import numpy as np
import pytest
from dezero_tools.testing import Call, CheckError, Draw, Sample, check_plugin, elementwise

from dezero_core import ApproximateGradientWarning, Function, Variable, hookimpl
from dezero_tools import numeric_op

from .planted import Sine, operation, registered_as, run, sine, slope

SAMPLE = elementwise((0.3, 1.2), reference=np.sin, integers=False)


def off_by(error):
    """Return sines whose gradient, and whose second derivative, is wrong by a part of it."""

    def backward(self, gy):
        return self.slope().of(gy * (1.0 + error), self.inputs[0].data)

    return sine(backward=backward), slope(error=1.0 + error)


def planted(function, approximate="series", sample=SAMPLE):
    return operation(function, sample=sample, approximate=approximate)


def real_sine(x):
    return np.sin(np.abs(x))


#: What gives the truth: a complex step, or differences where there is none.
BY_DIFFERENCES = elementwise((0.3, 1.2), reference=real_sine, integers=False)


@pytest.mark.parametrize(
    ("check", "number", "allowed", "wrong"),
    [("gradient", 0, 1e-8, 1e-6), ("second order", 1, 1e-5, 1e-3)],
)
@pytest.mark.parametrize("sample", [SAMPLE, BY_DIFFERENCES], ids=["complex step", "differences"])
def test_the_kit_wants_the_digits_of_each_order_of_an_approximate_operation(
    check, number, allowed, wrong, sample
):
    nearly = off_by(allowed)[number]
    assert run(check, planted(nearly, sample=sample)).ran == 7
    with pytest.raises(CheckError, match="wrong"):
        run(check, planted(nearly, approximate="", sample=sample))
    with pytest.raises(CheckError, match="wrong"):
        run(check, planted(off_by(wrong)[number], sample=sample))


def test_the_kit_wants_the_derivative_by_gy_as_right_as_the_gradient():
    class Slope(Sine.slope):
        error = 1e-8

        def backward(self, ggx):
            gy, x = self.inputs[0].data, self.inputs[1].data
            return ggx * np.cos(x) * (1.0 + self.error), -ggx * gy * np.sin(x)

    assert run("second order", planted(sine(slope=Slope))).ran == 7
    wrong = sine(slope=type("Wrong", (Slope,), {"error": 1e-6}))
    with pytest.raises(CheckError, match="derivative of the gradient by gy"):
        run("second order", planted(wrong))


def test_the_kit_gives_values_of_an_approximate_operation_no_larger_tolerance():
    with pytest.raises(CheckError, match="wrong values"):
        run("values", planted(sine(forward=lambda self, x: np.sin(x) * (1.0 + 1e-9))))


def test_the_kit_skips_the_third_derivative_of_an_approximate_operation():
    reason = "it is approximate: no digits are asked of third derivatives"
    assert run("third order", planted(sine())).skipped == {reason: 7}
    assert run("third order", planted(sine(), approximate="")).ran == 7


def test_the_kit_finds_a_hidden_derivative_of_an_approximate_operation():
    def backward(self, gy):
        x = self.inputs[0].data
        return self.slope().of(gy, x.data if isinstance(x, Variable) else x)

    with pytest.raises(CheckError, match="its graph does not lead there"):
        run("hidden derivative", planted(sine(backward=backward)))


class Nearly(Function):
    """A sine that says it is approximate; its gradient is wrong by a thousandth."""

    approximate = "series"
    factor = 1.001

    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        return gy * np.cos(self.inputs[0].data) * self.factor


def log_sum_exp(x, axis=None):
    return np.log(np.sum(np.exp(x), axis))


class Numeric:
    """Brings functions by `numeric_op`, with samples: ufuncs of one and of two, and another one."""

    @hookimpl
    def dezero_register_ops(self, register):
        sinh, power, total = numeric_op(np.sinh), numeric_op(np.power), numeric_op(log_sum_exp)
        whole = elementwise((-2.0, 2.0), reference=np.sinh)
        register("numeric_sinh", sinh, sinh.function_class, sample=registered_as(whole))
        of_two = elementwise((1.0, 2.0), (-1.0, 1.0), reference=np.power)
        register("numeric_power", power, power.function_class, sample=registered_as(of_two))
        calls = Call(Draw((2, 3))), Call(Draw((2, 3)), axis=1)
        sample = Sample(*calls, reference=log_sum_exp)
        register("numeric_log_sum_exp", total, total.function_class, sample=registered_as(sample))


class Wrong:
    @hookimpl
    def dezero_register_ops(self, register):
        register("nearly", lambda x: Nearly()(x), Nearly, sample=registered_as(SAMPLE))


def test_operations_of_numeric_op_pass_the_whole_kit_without_warnings(registered):
    registered(Numeric(), "numeric")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ApproximateGradientWarning)
        report = check_plugin("numeric")
    assert caught == []
    assert (report.operations, report.counts.known) == (3, {})
    of_calls = 7 + 10 + 2
    reason = "it is approximate: no digits are asked of third derivatives"
    assert report.counts.skipped[reason] == of_calls
    assert report.counts.ran > 10 * of_calls


def test_a_gradient_that_is_wrong_by_a_thousandth_is_found_by_the_kit(registered):
    registered(Wrong(), "wrong")
    with pytest.raises(ExceptionGroup) as caught:
        check_plugin("wrong")
    failed = {error.check: str(error) for error in caught.value.exceptions}
    assert "wrong gradient of input 0" in failed["gradient"]
    assert failed.keys() <= {"gradient", "complex", "second order"}
