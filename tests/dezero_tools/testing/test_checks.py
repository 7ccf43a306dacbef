"""The conformance kit finds what is planted here: one error for each thing that it checks.

Promise: docs/reference/testing.rst
"""

import threading

import numpy as np
import pytest
from dezero_tools.testing import CheckError, Sample, elementwise, sample_of
from dezero_tools.testing.checks import CHECKS
from dezero_tools.testing.runner import Check

from dezero_core import Function, Variable, using_config

from .planted import Sine, operation, run, sine, slope

BILLIONTH = 1.0 + 1e-9
MILLIONTH = 1.0 + 1e-6


def _x(function):
    return function.inputs[0].data


def _wrong_in_the_last_element(self, gy):
    gx = gy * np.cos(_x(self))
    gx[..., -1:] *= BILLIONTH
    return gx


def _wrong_for_complex_data(self, gy):
    return gy * np.cos(_x(self)).conjugate()


def _wrong_by_gy(self, ggx):
    gy, x = self.inputs[0].data, self.inputs[1].data
    return ggx * np.cos(x) * MILLIONTH, -ggx * gy * np.sin(x)


def _with_x_as_a_constant(self, gy):
    x = _x(self)
    return self.slope().of(gy, x if isinstance(x, np.ndarray) else x.data)


def _writing_to_x(self, x):
    y = np.sin(x)
    x += 1.0
    return y


def _writing_to_x_backward(self, gy):
    x = _x(self)
    gx = gy * np.cos(x)
    x *= 2.0
    return gx


def _writing_to_gy(self, gy):
    gy *= np.cos(_x(self))
    return gy


def _writing_to_y(self, gy):
    gx = gy * np.cos(_x(self))
    y = self.outputs[0]().data
    y -= 1.0
    return gx


def _writing_to_x_and_back(self, x):
    x *= 2.0
    y = np.sin(x / 2.0)
    x /= 2.0
    return y


def _in_a_cycle(self, x):
    self.me = self
    return np.sin(x)


def _in_the_order_of_memory(self, x):
    return np.asarray(np.sin(x).ravel("K").reshape(x.shape))


def _in_float64(self, gy):
    return np.asarray(gy * np.cos(_x(self)), dtype=np.float64)


def _recording(x):
    with using_config("enable_backprop", True):
        return Sine()(x)


class _Counting:
    """Gives another value each time."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        y = Sine()(x)
        y.data = y.data * (1.0 + 1e-12 * self.calls)
        return y


class _OnlyHere:
    """Right in the thread that made it."""

    def __init__(self):
        self.thread = threading.get_ident()

    def __call__(self, x):
        y = Sine()(x)
        if threading.get_ident() != self.thread:
            y.data = y.data + 1.0
        return y


class Cosine(Function):
    def forward(self, x):
        return np.cos(x)

    def backward(self, gy):
        return -gy * np.sin(_x(self))


class Float64Sum(Function):
    saves = ()

    def forward(self, x0, x1):
        return np.asarray(x0, dtype=float) + x1

    def backward(self, gy):
        return gy, gy


PLANTED = {
    "a wrong value": ("values", sine(forward=lambda self, x: np.sin(x) * BILLIONTH), "values"),
    "another shape": ("values", sine(forward=lambda self, x: np.sin(x).ravel()), "another shape"),
    "another dtype": ("values", sine(forward=lambda self, x: np.sin(x) + 0j), "shape or dtype"),
    "no Variable": ("values", lambda x: np.sin(x.data), "instead of a Variable"),
    "two outputs": ("values", lambda x: [Sine()(x), Sine()(x)], "2 outputs instead of 1"),
    "a wrong gradient": (
        "gradient",
        sine(backward=lambda self, gy: gy * np.cos(_x(self)) * BILLIONTH),
        "wrong gradient of input 0",
    ),
    "one wrong element": (
        "gradient",
        sine(backward=_wrong_in_the_last_element),
        "wrong gradient of input 0",
    ),
    "a wrong complex gradient": (
        "complex",
        sine(backward=_wrong_for_complex_data),
        "wrong gradient of input 0",
    ),
    "a wrong second derivative": ("second order", slope(error=MILLIONTH), "second derivative"),
    "a wrong second derivative of complex data": (
        "second order, complex",
        slope(error=MILLIONTH),
        "second derivative",
    ),
    "a wrong derivative by gy": ("second order", slope(backward=_wrong_by_gy), "by gy"),
    "a lost graph": ("second order", sine(backward=_with_x_as_a_constant), "second derivative"),
    "a hidden derivative": (
        "hidden derivative",
        sine(backward=_with_x_as_a_constant),
        "depends on input 0, but its graph does not lead there",
    ),
    "writing to the input": ("untouched", sine(forward=_writing_to_x), "input 0"),
    "writing to the input in backward": (
        "untouched",
        sine(backward=_writing_to_x_backward),
        "input 0",
    ),
    "writing to gy": ("untouched", sine(backward=_writing_to_gy), "gy"),
    "writing to the output": (
        "untouched",
        sine(saves=("inputs", "outputs"), backward=_writing_to_y),
        "the output",
    ),
    "writing for a moment": ("layouts", sine(forward=_writing_to_x_and_back), "read-only"),
    "the order of memory": ("layouts", sine(forward=_in_the_order_of_memory), "Fortran-ordered"),
    "a value of another dtype": (
        "dtypes",
        sine(forward=lambda self, x: np.sin(x, dtype=np.float64)),
        "another shape or dtype than NumPy",
    ),
    "a graph of integers": ("integers", lambda x: Sine()(x.data * 1.0 + x.data), "values"),
    "a Variable for arrays": (
        "arrays alone",
        lambda x: Sine()(x),
        "returns a Variable for arrays",
    ),
    "other values for arrays": (
        "arrays alone",
        lambda x: Sine()(x) if isinstance(x, Variable) else np.cos(x),
        "gives other values for arrays than for Variables",
    ),
    "recording under no_grad": ("no_grad", _recording, "was recorded"),
    "a cycle": ("freed", sine(forward=_in_a_cycle), "reference cycle"),
    "something random": ("deterministic", _Counting(), "the second time"),
    "something of one thread": ("threads", _OnlyHere(), "in a thread"),
}


@pytest.mark.parametrize(
    "check", [name for name, rule in CHECKS.items() if "differentiable" in rule.of]
)
def test_the_kit_passes_right_operations(check):
    counts = run(check, operation())
    assert counts.ran + sum(counts.skipped.values()) == 7


@pytest.mark.parametrize(("check", "planted", "message"), PLANTED.values(), ids=PLANTED)
def test_the_kit_finds_a_planted_error(check, planted, message):
    with pytest.raises(CheckError, match=message) as caught:
        run(check, operation(planted))
    assert (caught.value.operation, caught.value.check) == ("planted", check)


def test_the_kit_finds_a_wrong_binding():
    with pytest.raises(CheckError, match=r"result of np\.cos"):
        run("bindings", operation(numpy=(np.sin, np.cos)))


def test_the_kit_finds_an_operand_whose_dtype_counts_too_much():
    planted = operation(
        lambda x0, x1: Float64Sum()(x0, x1),
        sample=elementwise((0.3, 1.2), (0.3, 1.2)),
        numpy=(np.add,),
    )
    with pytest.raises(CheckError, match="another shape or dtype than NumPy"):
        run("operands", planted)


def test_the_kit_finds_a_plain_operation_that_gives_a_variable():
    planted = operation(lambda x: Sine()(x), differentiable=False)
    with pytest.raises(CheckError, match="gives a Variable"):
        Check(planted, "plain", CHECKS["plain"]).run()


def test_a_failure_of_the_kit_shows_the_call_and_both_arrays():
    planted = operation(sine(forward=lambda self, x: np.sin(x) + 1.0))
    with pytest.raises(CheckError) as caught:
        run("values", planted)
    message, call = str(caught.value), sample_of(planted).calls[0]
    assert "called: planted(Draw((2, 3), (0.3, 1.2)))" in message
    assert caught.value.call is call
    np.testing.assert_allclose(caught.value.got, caught.value.expected + 1.0)
    with np.printoptions(precision=8, linewidth=76):
        assert repr(caught.value.expected) in message
        assert repr(caught.value.got) in message
    size = 1.0 / np.max(caught.value.expected)
    assert caught.value.size == pytest.approx(size)
    assert f"planted: values: wrong values, off by {size:.2g} relative, 1 at most\n" in message


def test_a_failure_of_the_kit_in_the_last_digits_shows_all_digits():
    planted = operation(sine(forward=lambda self, x: np.sin(x) * (1.0 + 1e-9)))
    with pytest.raises(CheckError) as caught:
        run("values", planted)
    with np.printoptions(precision=17, linewidth=76):
        assert repr(caught.value.got) in str(caught.value)


def test_the_kit_shows_an_exception_of_an_operation_with_its_notes():
    def broken(x):
        error = ValueError("no luck")
        error.add_note("in Broken.forward")
        raise error

    with pytest.raises(CheckError, match=r"(?s)ValueError: no luck.*in Broken\.forward"):
        run("gradient", operation(broken))


def test_the_kit_does_not_ask_a_real_operation_for_complex_data():
    real = operation(sample=Sample(sample_of(operation())))
    assert run("second order, complex", real).ran == 0


def test_the_kit_finds_a_lost_gradient_though_a_variable_is_made_inside():
    def cut(x):
        return Sine()(Variable(getattr(x, "data", x).copy()) if isinstance(x, Variable) else x)

    with pytest.raises(CheckError, match="wrong gradient"):
        run("gradient", operation(cut))


class Weighted(Function):
    """x0 * x1, right; the classes below are wrong in one thing each."""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


class WithoutNumbers(Weighted):
    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1 + 0.0 * np.zeros(x1.shape), gy * x0


class OnlyIfBothAreWanted(Weighted):
    def backward(self, gy):
        gx0, gx1 = super().backward(gy)
        return gx0, gx1 if self.needs_grad[0] else 2.0 * gx1


class Consuming(Weighted):
    def forward(self, x0, x1):
        self.todo = [1]
        return x0 * x1

    def backward(self, gy):
        gx0, gx1 = super().backward(gy)
        return (gx0, gx1) if self.todo and self.todo.pop() else (gx0, 2.0 * gx1)


BUFFER = np.zeros(100)


class Buffered(Weighted):
    def forward(self, x0, x1):
        shape = np.broadcast_shapes(np.shape(x0), np.shape(x1))
        y = BUFFER[: int(np.prod(shape))].reshape(shape)
        y[...] = x0 * x1
        return y


class WrongInFloat32(Weighted):
    def backward(self, gy):
        gx0, gx1 = super().backward(gy)
        return (gx0, gx1) if gy.dtype == np.float64 else (gx0, 2.0 * gx1)


class Cubic(Function):
    """x0**2 * x1 with a wrong third derivative."""

    def forward(self, x0, x1):
        return x0 * x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * _Double().of(x0 * x1), gy * x0 * x0


class _Double(Function):
    def forward(self, x):
        return 2.0 * x

    def backward(self, gy):
        return gy * _Two().of(self.inputs[0].data)


class _Two(Function):
    """2, with a slope that it has not."""

    saves = ()

    def forward(self, x):
        return np.full_like(x, 2.0)

    def backward(self, gy):
        return gy


OF_TWO = {
    "a number for an operand": ("constants", WithoutNumbers, "AttributeError"),
    "one gradient alone": ("constants", OnlyIfBothAreWanted, "beside a constant for input 0"),
    "a second backward": ("repeated", Consuming, "from all outputs at once"),
    "one buffer for all outputs": ("repeated", Buffered, "in a call with other arrays"),
    "float32": ("dtypes", WrongInFloat32, "for float32"),
    "the third derivative": ("third order", Cubic, "third derivative"),
}


@pytest.mark.parametrize(("check", "function", "message"), OF_TWO.values(), ids=OF_TWO)
def test_the_kit_finds_a_planted_error_in_a_function_of_two_operands(check, function, message):
    reference = (lambda a, b: a * a * b) if function is Cubic else np.multiply
    sample = elementwise((0.3, 1.2), (0.3, 1.2), reference=reference)
    planted = operation(lambda x0, x1: function()(x0, x1), sample=sample, numpy=())
    with pytest.raises(CheckError, match=message):
        run(check, planted)
    right = operation(lambda x0, x1: Weighted()(x0, x1), sample=sample, numpy=())
    assert run(check, right).ran or function is Cubic


@pytest.mark.parametrize("scale", [1e-23, 1e-9, 1e9])
def test_the_kit_finds_an_error_on_every_scale(scale):
    class Scaled(Function):
        def forward(self, x):
            return scale * np.log(x)

        def backward(self, gy):
            return -gy * scale / self.inputs[0].data

    sample = elementwise((0.5, 3.0), reference=lambda x: scale * np.log(x))
    with pytest.raises(CheckError, match="wrong gradient"):
        run("gradient", operation(lambda x: Scaled()(x), sample=sample, numpy=()))


@pytest.mark.parametrize(
    ("function", "slope", "domain"),
    [
        (np.square, lambda x: 2.0 * x, (1e5, 1e6)),
        (lambda x: np.sin(100.0 * x), lambda x: 100.0 * np.cos(100.0 * x), (-3.0, 3.0)),
        (np.log, lambda x: 1.0 / x, (0.0, 3.0)),
        (np.log, lambda x: 1.0 / x, (1e-3, 1e-2)),
        (np.arcsin, lambda x: 1.0 / np.sqrt(1.0 - x * x), (-1.0, 1.0)),
    ],
)
def test_the_kit_passes_right_operations_on_the_intervals_that_authors_choose(
    function, slope, domain
):
    class Right(Function):
        def forward(self, x):
            return function(x)

        def backward(self, gy):
            return gy * slope(self.inputs[0].data)

    sample = elementwise(domain, reference=function)
    run("gradient", operation(lambda x: Right()(x), sample=sample, numpy=()))


def test_the_kit_accepts_an_operation_that_declares_to_take_no_integers():
    sample = elementwise((0.3, 1.2), integers=False)
    assert run("integers", operation(sample=sample)).skipped == {"it takes no integers": 7}


def test_the_kit_advises_another_interval_where_differences_do_not_settle():
    rng = np.random.default_rng(5)
    sample = elementwise((0.3, 1.2), reference=lambda x: np.sin(x) + rng.normal(size=x.shape))
    with pytest.raises(CheckError, match="Choose other arrays, where it is smoother"):
        run("gradient", operation(sample=sample, numpy=()))
