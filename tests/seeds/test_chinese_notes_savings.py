"""The Chinese notes: 2.3 (savings), extensions of Variable and operator overloading.

The last two have no numbers: 对Variable的拓展和完善 and 运算符重载.
"""

import weakref

import numpy as np
import pytest

from dezero_core import Config, Function, Variable, as_variable, no_grad, using_config
from dezero_ops_basic import add


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


def square(x):
    return Square()(x)


def test_section_2_3_weak_outputs_free_the_graph_without_the_collector(no_collector):
    """The line numbers 61 and 33, which the notes point to, are those of this change."""
    x = Variable(np.array(2.0))
    a = square(x)
    y = add(square(square(a)), square(a))
    y.backward()
    assert y.creator.outputs[0]() is y
    watched = [weakref.ref(a), weakref.ref(a.creator), weakref.ref(y), weakref.ref(y.creator)]
    del a, y
    assert [reference() for reference in watched] == [None] * 4
    assert float(x.grad) == 1056.0


@pytest.mark.parametrize("retain_grad", [False, True])
def test_section_2_3_gradients_of_intermediates_are_kept_only_with_retain_grad(retain_grad):
    x = Variable(np.array(2.0))
    a = square(x)
    y = square(a)
    y.backward(retain_grad=retain_grad)
    kept = [None if v.grad is None else float(v.grad) for v in (y, a, x)]
    assert kept == ([1.0, 8.0, 32.0] if retain_grad else [None, None, 32.0])


def test_section_2_3_no_grad_computes_forward_only():
    """The example y = x^2."""
    with no_grad():
        x = Variable(np.array(2.0))
        y = square(x)
    assert (float(y.data), y.creator, y.generation) == (4.0, None, 0)


def test_section_2_3_using_config_restores_the_old_value_also_on_an_exception():
    """`old_value`, try and finally: the value before the block, which need not be True."""

    def fail():
        with using_config("enable_backprop", False):
            with using_config("enable_backprop", True):
                assert Config.enable_backprop is True
            assert Config.enable_backprop is False
            1 / 0  # noqa: B018

    assert Config.enable_backprop is True
    with pytest.raises(ZeroDivisionError):
        fail()
    assert Config.enable_backprop is True


def test_extended_variable_has_name_shape_ndim_size_dtype_and_len():
    """对Variable的拓展和完善."""
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]), name="x")
    assert (x.name, x.shape, x.ndim, x.size, len(x)) == ("x", (2, 3), 2, 6, 2)
    assert x.dtype == x.data.dtype


def test_extended_variable_is_printed_as_variable_in_small_letters():
    """对Variable的拓展和完善. The notes print Variable(…), the other documents variable(…)."""
    assert repr(Variable(None)) == "variable(None)"
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
    assert repr(x) == "variable([[1 2 3]\n          [4 5 6]])"


def test_overloading_as_variable_wraps_an_ndarray():
    """运算符重载."""
    x = Variable(np.array(1.0))
    assert as_variable(x) is x
    assert as_variable(x.data).data is x.data
