"""The check of Functions that declare elementwise: what slices give is compared with the whole.

Promise: docs/reference/testing.rst
"""

import numpy as np
import pytest
from dezero_tools.testing import Call, CheckError, Draw, Sample, elementwise

from dezero_core import Function, hookimpl

from .planted import Sine, Slope, operation, run, sine

UNDECLARED = "its Function does not declare elementwise"
TOO_SMALL = "its arrays are too small to be cut"
PLAIN = elementwise((0.3, 1.2))


def check(function, **options):
    return run("elementwise", operation(function, **options))


class Declared(Function):
    elementwise = True

    def backward(self, gy):
        return gy


class Softmax(Declared):
    saves = ("outputs",)

    def forward(self, x):
        y = np.exp(x)
        return y / y.sum()

    def backward(self, gy):
        y = self.outputs[0]().data
        return y * (gy - np.sum(gy * y))


class Centred(Declared):
    def forward(self, x):
        return x - np.mean(x)

    def backward(self, gy):
        return gy - np.mean(gy)


class CumSum(Declared):
    def forward(self, x):
        return np.cumsum(x).reshape(x.shape)

    def backward(self, gy):
        return np.cumsum(gy.reshape(-1)[::-1])[::-1].reshape(gy.shape)


class CentredRows(Declared):
    def forward(self, x):
        return x - np.mean(x, axis=-1, keepdims=True) if x.ndim else x

    def backward(self, gy):
        return gy - np.mean(gy, axis=-1, keepdims=True) if gy.ndim else gy


class CentredColumns(CentredRows):
    def forward(self, x):
        return x - np.mean(x, axis=0, keepdims=True) if x.ndim else x


class Turned(Declared):
    def forward(self, x):
        return np.transpose(x)

    def backward(self, gy):
        return np.transpose(gy)


class Maximal(Declared):
    def forward(self, x):
        return np.equal(x, np.max(x, initial=0.0)).astype(int)


class WithTable(Declared):
    def __init__(self):
        self.table = [0.5, 1.0, 2.0]

    def factor(self, x):
        return np.array(self.table if x.shape[-1:] == (3,) else self.table[0])

    def forward(self, x):
        return x * self.factor(x)

    def backward(self, gy):
        return gy * self.factor(gy)


class Refusing(Declared):
    def forward(self, x):
        if x.shape[-1:] == (2,):
            raise ValueError("two of them")
        return np.sin(x)


@pytest.mark.parametrize(
    "function", [Softmax, Centred, CumSum, CentredRows, CentredColumns, Maximal, WithTable]
)
def test_a_wrong_declaration_is_found_by_slices_along_some_axis(function):
    rule = r"elementwise: wrong (values|gradient 0) for the slice \[\d:\d\] of axis"
    with pytest.raises(CheckError, match=rule) as caught:
        check(lambda x: function()(x), sample=PLAIN)
    message = str(caught.value)
    assert f"{function.__name__} declares elementwise = True: results for slices" in message
    assert "Let each element depend only on those at its position, or remove the decl" in message
    assert not np.allclose(caught.value.expected, caught.value.got)


def test_a_gradient_that_depends_on_elements_elsewhere_is_found():
    def backward(self, gy):
        return gy * np.cos(self.inputs[0].data) + 1e-6 * np.sum(gy)

    with pytest.raises(CheckError, match=r"wrong gradient 0 for the slice \[0:1\]") as caught:
        check(sine(elementwise=True, backward=backward))
    assert caught.value.order == 1
    assert caught.value.gy[0].shape == caught.value.got.shape


def test_what_is_wrong_of_one_element_alone_is_found():
    def forward(self, x):
        return np.sin(x) if x.size > 1 else np.cos(x)

    planted = sine(elementwise=True, forward=forward)
    with pytest.raises(CheckError, match="wrong values for the last element alone"):
        check(planted, sample=Sample(Call(Draw((2, 3)))))


def test_a_result_of_another_shape_is_found():
    with pytest.raises(CheckError, match=r"operands of shape \(2, 3\), the result has shape \(3"):
        check(lambda x: Turned()(x), sample=PLAIN)


def test_an_error_for_slices_names_the_declaration():
    with pytest.raises(CheckError, match="ValueError: two of them") as caught:
        check(lambda x: Refusing()(x), sample=PLAIN)
    assert "Refusing declares elementwise = True" in str(caught.value)


def test_operands_that_do_not_broadcast_are_an_error_with_the_declaration():
    class Product(Declared):
        def forward(self, a, b):
            return a @ b

    planted = operation(
        lambda a, b: Product()(a, b), sample=Sample(Call(Draw((2, 3)), Draw((3, 4))), order=0)
    )
    with pytest.raises(CheckError, match=r"ValueError: shape mismatch(.|\n)*Product declares elem"):
        run("elementwise", planted)


def test_what_is_wrong_of_complex_data_alone_is_found_with_these():
    def forward(self, x):
        return np.sin(x) if x.dtype.kind != "c" else np.sin(x) + 1e-6 * np.sum(x)

    with pytest.raises(CheckError, match="wrong values for the slice") as caught:
        check(sine(elementwise=True, forward=forward))
    assert caught.value.drawn[0].dtype == complex


def test_an_array_in_an_attribute_is_refused_since_nobody_cuts_it():
    class Scaled(Sine):
        elementwise = True

        def __init__(self, scale):
            self.scale = scale

        def forward(self, x):
            return np.sin(x) + 0 * self.scale

    assert check(lambda x: Scaled(np.array(3))(x)).ran == 3
    with pytest.raises(CheckError, match="the attribute 'scale' is an array, which is not cut"):
        check(lambda x: Scaled(np.arange(3))(x))


def test_an_attribute_that_forward_sets_is_refused_since_each_slice_has_its_own():
    class WithShape(Sine):
        elementwise = True

        def forward(self, x):
            self.shape = x.shape
            return np.sin(x)

    class WithShapeFromTheBeginning(WithShape):
        def __init__(self):
            self.shape = None

    for function in WithShape, WithShapeFromTheBeginning:
        with pytest.raises(
            CheckError, match=r"forward sets the attribute 'shape'.*in backward, or"
        ):
            check(lambda x, function=function: function()(x))


def test_a_right_declaration_passes_where_there_is_something_to_cut():
    counts = check(sine(elementwise=True))
    assert (counts.ran, counts.skipped) == (3, {TOO_SMALL: 4})


def test_a_function_that_declares_nothing_is_skipped_with_the_reason():
    assert check(sine()).skipped == {UNDECLARED: 7}


def test_a_wrong_gradient_of_a_function_in_backward_is_found():
    class Helper(Slope):
        elementwise = True

        def backward(self, ggx):
            gy, x = self.inputs[0].data, self.inputs[1].data
            return ggx * np.cos(x), -ggx * gy * np.sin(x) * np.sum(x)

    with pytest.raises(CheckError, match=r"wrong gradient 1 for the slice.*Helper declares"):
        check(sine(elementwise=True, slope=Helper))


def test_functions_in_backward_that_are_operations_have_a_check_of_their_own(registered):
    class Helper(Slope):
        elementwise = True

        def forward(self, gy, x):
            return gy * np.cos(x) * (1.0 + np.sum(x))

    planted = type("OfTheHelper", (Sine,), {"elementwise": True, "slope": Helper})

    def backward(self, gy):
        x = self.inputs[0].data
        if isinstance(gy, np.ndarray):
            return gy * np.cos(x)
        return Helper()(gy, x)

    planted.backward = backward
    with pytest.raises(CheckError, match="Helper declares elementwise = True"):
        check(lambda x: planted()(x))

    class plugin:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register("helper", lambda gy, x: Helper()(gy, x), Helper)

    registered(plugin, "helpers")
    assert check(lambda x: planted()(x)).ran == 3


def test_nothing_is_recorded_of_an_operation_of_order_1():
    def backward(self, gy):
        assert isinstance(gy, np.ndarray)
        return gy * np.cos(self.inputs[0].data)

    planted = sine(elementwise=True, backward=backward)
    assert check(planted, sample=elementwise((0.3, 1.2), order=1)).ran == 3


def test_numbers_stay_numbers_and_arrays_are_broadcast_before_they_are_cut():
    factors = set()

    class Product(Function):
        elementwise = True

        def forward(self, x0, x1):
            factors.add(type(x1))
            return x0 * x1

        def backward(self, gy):
            x0, x1 = self.inputs[0].data, self.inputs[1].data
            return gy * x1, gy * x0

    calls = Call(Draw((2, 3)), 2.0), Call(Draw((2, 1)), 3)
    counts = check(lambda a, b: Product().of(a, b), sample=Sample(*calls))
    assert (counts.ran, factors) == (2, {float, int})
    sample = elementwise((0.3, 1.2), (0.3, 1.2))
    counts = check(lambda a, b: Product().of(a, b), sample=sample)
    assert (counts.ran, counts.skipped) == (7, {TOO_SMALL: 3})


def test_several_results_and_results_without_a_derivative_are_compared():
    class Both(Function):
        elementwise = True

        def forward(self, x):
            return np.sin(x), np.greater(x, 0.7), np.cos(x)

        def backward(self, g0, g1, g2):
            x = self.inputs[0].data
            return g0 * np.cos(x) - g2 * np.sin(x)

    class OfTheWhole(Both):
        def backward(self, g0, g1, g2):
            return super().backward(g0, g1, g2) + np.sum(g2)

    assert check(lambda x: Both()(x), sample=PLAIN).ran == 3
    with pytest.raises(CheckError, match="wrong gradient 0 for the slice"):
        check(lambda x: OfTheWhole()(x), sample=PLAIN)


def test_infinities_and_nan_equal_themselves():
    class Edges(Declared):
        def forward(self, x):
            return np.where(x > 0.7, np.inf, np.nan)

    assert check(lambda x: Edges()(x), sample=PLAIN).ran == 3


def test_what_is_wrong_beside_an_infinity_is_found():
    class Partly(Declared):
        def forward(self, x):
            return np.where(x > 0.7, np.inf, np.sum(x))

    with pytest.raises(CheckError, match="wrong values for the slice"):
        check(lambda x: Partly()(x), sample=PLAIN)
