"""The checker finds errors of a billionth: each is planted here, and must be found."""

import numpy as np
import pytest

from dezero_core import Function, using_config

from . import checker
from .checker import Subject
from .oracles import complex_step, direction, richardson

BILLIONTH = 1.0 + 1e-9


class Slope(Function):
    """gy cos(x): what goes back through a sine, itself with a derivative."""

    error = 1.0

    def forward(self, gy, x):
        return gy * np.cos(x)

    def backward(self, ggx):
        gy, x = self.inputs[0].data, self.inputs[1].data
        return ggx * np.cos(x), -ggx * gy * np.sin(x) * self.error


class Sine(Function):
    """Right in everything; the others differ from it in one thing each."""

    slope = Slope

    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        return self.slope().of(gy, self.inputs[0].data)


def sine(**differences):
    """Return a subject that is a sine, but for what it does differently."""
    planted = type("Planted", (Sine,), differences)
    return Subject(call=lambda x: planted()(x), reference=np.sin)


def slope(**differences):
    """Return a subject whose gradient is a slope with differences."""
    return sine(slope=type("PlantedSlope", (Slope,), differences))


def _x(function):
    return function.inputs[0].data


def _wrong_in_one_element(self, gy):
    gx = gy * np.cos(_x(self))
    gx[-1, -1] *= BILLIONTH
    return gx


def _wrong_by_gy(self, ggx):
    gy, x = self.inputs[0].data, self.inputs[1].data
    return ggx * np.cos(x) * BILLIONTH, -ggx * gy * np.sin(x)


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


def _float64(self, x):
    return np.asarray(np.sin(x), dtype=np.float64)


def _in_the_order_of_memory(self, x):
    return np.sin(x).ravel("K").reshape(x.shape)


def _recording(x):
    with using_config("enable_backprop", True):
        return Sine()(x)


PLANTED = {
    "value": ("forward", sine(forward=lambda self, x: np.sin(x) * BILLIONTH), "not equal"),
    "shape": ("forward", sine(forward=lambda self, x: np.sin(x).ravel()), "shape"),
    "no Variable": ("forward", Subject(call=lambda x: x.data, reference=np.sin), "returned"),
    "gradient": (
        "gradient",
        sine(backward=lambda self, gy: gy * np.cos(_x(self)) * BILLIONTH),
        "Not equal",
    ),
    "one element of the gradient": (
        "gradient",
        sine(backward=_wrong_in_one_element),
        "Not equal",
    ),
    "oracle": (
        "gradient",
        Subject(call=lambda x: Sine()(x), reference=np.sin, smooth=np.cos),
        "the oracle is wrong",
    ),
    "second derivative": ("second order", slope(error=BILLIONTH), "by the inputs"),
    "second derivative by gy": ("second order", slope(backward=_wrong_by_gy), "by gy"),
    "lost graph": ("second order", sine(backward=_with_x_as_a_constant), "by the inputs"),
    "dtype": ("float32", sine(forward=_float64), "float32 in, float64 out"),
    "writing to the input": ("untouched", sine(forward=_writing_to_x), "input 0 was written"),
    "writing to the input in backward": (
        "untouched",
        sine(backward=_writing_to_x_backward),
        "input 0 was written to",
    ),
    "writing to gy": ("untouched", sine(backward=_writing_to_gy), "gy was written to"),
    "writing to the output": (
        "untouched",
        sine(saves=("inputs", "outputs"), backward=_writing_to_y),
        "the output was written to",
    ),
    "writing for a moment": ("layouts", sine(forward=_writing_to_x_and_back), "read-only"),
    "order of memory": ("layouts", sine(forward=_in_the_order_of_memory), "Fortran-ordered"),
    "recording": ("no_grad", Subject(call=_recording, reference=np.sin), "it was recorded"),
    "cycle": ("freed", sine(forward=_in_a_cycle), "not freed"),
}
CHECKS = {
    "forward": checker.check_forward,
    "gradient": checker.check_gradient,
    "second order": checker.check_second_order,
    "untouched": checker.check_untouched,
    "float32": lambda subject, xs: checker.check_dtype(subject, xs, np.float32),
    "layouts": checker.check_layouts,
    "no_grad": checker.check_nothing_recorded,
    "freed": checker.check_freed,
}


def sample():
    return [np.array([[0.3, -1.2, 0.7], [1.9, -0.4, -2.5]])]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_what_is_right_passes(check):
    check(sine(), sample())


@pytest.mark.parametrize(("check", "subject", "message"), PLANTED.values(), ids=PLANTED)
def test_planted_error_is_found(check, subject, message):
    with pytest.raises((AssertionError, ValueError), match=message):
        CHECKS[check](subject, sample())


def test_recording_that_is_not_refused_is_found():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checker.check_refused_without_operators(sine(), sample())


def test_complex_step_is_right_to_the_last_digits():
    """By hand: d sum(w x**3) = 3 w x**2."""
    (x,) = sample()
    w = direction(x)
    (gradient,) = complex_step(lambda z: z**3, [x], w)
    np.testing.assert_allclose(gradient, 3.0 * w * x**2, rtol=1e-15)


def test_extrapolated_difference_is_right_to_a_ten_billionth():
    assert richardson(lambda t: np.exp(2.0 * t)) == pytest.approx(2.0, rel=1e-12)
