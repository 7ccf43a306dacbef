"""The check over arrays of another type finds what is planted, and what a type does wrong.

Promise: docs/reference/testing.rst
"""

import re

import numpy as np
import pytest
from dezero_tools.testing import (
    Call,
    CheckError,
    Draw,
    Sample,
    check_plugin,
    checks_of,
    elementwise,
)
from dezero_tools.testing.checks import array_rule
from dezero_tools.testing.runner import Check
from dezero_tools.testing.strict import StrictArray

from dezero_core import (
    Function,
    PluginError,
    Variable,
    VariableTypeError,
    hookimpl,
    plugins,
)
from dezero_core.extend import ArrayType, certain

from .planted import Sine, operation, sine, slope


def run_over(planted, name="strict"):
    ((check, rule),) = array_rule(name).items()
    return Check(planted, check, rule).run()


def test_a_right_operation_passes_over_strict_arrays():
    counts = run_over(operation())
    assert (counts.ran, counts.skipped) == (7, {})


def test_the_strict_type_is_registered_only_while_a_check_runs():
    run_over(operation())
    assert "strict arrays" not in [p.name for p in plugins() if p.state == "loaded"]
    with pytest.raises(VariableTypeError):
        Variable(StrictArray([1.0]))


def _converting(self, x):
    return np.sin(np.asarray(x))


def _looking_at_a_value(self, x):
    return np.sin(x) if np.isfinite(x).all() else x


def _reducing(self, x):
    return np.sin(x) + 0.0 * np.add.reduce(x, axis=None)


def _writing(self, gy):
    gx = np.zeros(gy.shape)
    gx[...] = gy * np.cos(self.inputs[0].data)
    return gx


def _right_for_ndarrays_alone(self, x):
    return np.sin(x) if type(x) is np.ndarray else np.sin(x) * (1.0 + 1e-6)


def _by_a_wrong_general_path(self, x):
    return np.sin(x) if certain(np.isfinite(x).all()) else np.sin(x) + 1e-6


def _in_double(self, x):
    return np.sin(x) if type(x) is np.ndarray else np.sin(x.astype(float))


def _wrong_for_others(self, gy):
    gx = gy * np.cos(self.inputs[0].data)
    return gx if type(gx) is np.ndarray else gx * (1.0 + 1e-6)


PLANTED = {
    "converts an operand": (sine(forward=_converting), "does not turn into an ndarray"),
    "looks at a value": (sine(forward=_looking_at_a_value), "neither true nor false"),
    "calls a method of a ufunc": (sine(forward=_reducing), "NotImplemented"),
    "writes into an array": (sine(backward=_writing), "does not turn|with a sequence|NotImpl"),
    "values of others": (sine(forward=_right_for_ndarrays_alone), "wrong value 0 over strict"),
    "a wrong general path": (sine(forward=_by_a_wrong_general_path), "wrong value 0 over strict"),
    "another dtype": (sine(forward=_in_double), "value 0 over strict arrays has another"),
    "a wrong gradient": (sine(backward=_wrong_for_others), "wrong gradient 0 over strict arrays"),
    "a wrong second derivative": (
        slope(error=1.0, forward=lambda self, gy, x: gy * np.cos(np.asarray(x))),
        "does not turn into an ndarray",
    ),
}


@pytest.mark.parametrize("what", PLANTED)
def test_an_operation_that_is_right_for_ndarrays_alone_is_found(what):
    function, rule = PLANTED[what]
    with pytest.raises(CheckError) as caught:
        run_over(operation(function))
    assert caught.value.check == "strict arrays"
    assert re.search(rule, str(caught.value))


def test_a_wrong_second_derivative_over_other_arrays_has_its_order():
    def backward(self, ggx):
        gy, x = self.inputs[0].data, self.inputs[1].data
        off = 1.0 if type(x) is np.ndarray else 1.0 + 1e-6
        return ggx * np.cos(x), -ggx * gy * np.sin(x) * off

    with pytest.raises(CheckError, match="wrong second gradient 0 over strict arrays") as caught:
        run_over(operation(slope(backward=backward)))
    assert caught.value.order == 2


def test_an_operation_that_is_wrong_beside_an_ndarray_is_found():
    class Product(Function):
        def forward(self, x0, x1):
            both = type(x0) is type(x1)
            return x0 * x1 if both else x0 * x1 * (1.0 + 1e-6)

        def backward(self, gy):
            x0, x1 = self.inputs[0].data, self.inputs[1].data
            return gy * x1, gy * x0

    planted = operation(
        lambda x0, x1: Product()(x0, x1),
        numpy=(np.multiply,),
        sample=elementwise((0.3, 1.2), (0.3, 1.2)),
    )
    with pytest.raises(CheckError, match="wrong value 0 over strict arrays"):
        run_over(planted)


def test_a_call_without_an_array_counts_as_skipped():
    planted = operation(lambda: np.sin(0.5), sample=Sample(Call()), differentiable=False)
    assert run_over(planted).skipped == {"its call draws no array": 1}


def test_an_operation_of_ndarrays_alone_is_counted_with_its_reason():
    counts = run_over(operation(sine(arrays="numpy: it calls LAPACK")))
    assert counts.skipped == {"numpy: it calls LAPACK": 7}


def test_another_refusal_of_operands_is_a_failure():
    def forward(self, x):
        if type(x) is not np.ndarray:
            raise VariableTypeError("of ndarrays alone", got=type(x))
        return np.sin(x)

    with pytest.raises(CheckError, match="of ndarrays alone"):
        run_over(operation(sine(forward=forward)))


def floored(function):
    sample = elementwise((0.3, 1.2))
    return operation(function, numpy=(np.floor,), differentiable=False, sample=sample)


def test_an_operation_without_a_derivative_is_compared_by_its_values():
    assert run_over(floored(lambda x: np.floor(x.data))).ran == 7
    assert run_over(floored(lambda x: x.size + 1)).ran == 7
    with pytest.raises(CheckError, match="value 0 over strict arrays is of"):
        run_over(floored(lambda x: np.floor(np.zeros(x.shape))))


def test_float32_is_left_out_where_the_operation_does_not_take_it():
    def forward(self, x):
        assert x.dtype == float
        return np.sin(x)

    sample = elementwise((0.3, 1.2), dtypes=("float64",))
    assert run_over(operation(sine(forward=forward), sample=sample)).ran == 7


def test_complex_data_are_compared_if_the_operation_takes_them():
    def forward(self, x):
        is_complex = x.dtype.kind == "c" and type(x) is not np.ndarray
        return np.sin(x) * (1.0 + 1e-6) if is_complex else np.sin(x)

    with pytest.raises(CheckError, match="wrong value 0 over strict arrays") as caught:
        run_over(operation(sine(forward=forward)))
    assert caught.value.drawn[0].dtype == complex


def test_a_plain_result_that_is_no_array_must_be_equal():
    planted = operation(
        lambda x: type(x.data) is np.ndarray, numpy=(np.isscalar,), differentiable=False
    )
    with pytest.raises(CheckError, match="wrong value 0 over strict arrays"):
        run_over(planted)


def test_an_operation_that_loses_the_graph_over_other_arrays_is_found():
    def function(x):
        return sine()(x) if type(x.data) is np.ndarray else Variable(np.sin(x.data))

    with pytest.raises(CheckError, match="wrong gradient 0 over strict arrays"):
        run_over(operation(function))


class Rubber(StrictArray):
    """An array that an operation may write to."""


class Writes(Sine):
    def forward(self, x):
        if isinstance(x, Rubber):
            x._values = x._values + 1.0
            return np.sin(x - 1.0)
        return np.sin(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * np.cos(x - 1.0 if isinstance(x, Rubber) else x)


def plugin_of(kind):
    class plugin:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            register.part("array", kind.name, kind)

    return plugin


def _values(array):
    return array._values


def test_an_operation_that_writes_into_arrays_of_a_type_is_found(registered):
    kind = ArrayType("rubber", Rubber, to_numpy=_values, from_numpy=Rubber)
    registered(plugin_of(kind), "rubbers")
    planted = operation(lambda x: Writes()(x), sample=Sample(Call(Draw((2,))), order=1))
    with pytest.raises(CheckError, match="rubber array, which was written to"):
        run_over(planted, "rubber")


def test_a_type_whose_functions_return_ndarrays_is_found(registered):
    class Leaking(StrictArray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)._values

    kind = ArrayType("leaking", Leaking, to_numpy=_values, from_numpy=Leaking)
    registered(plugin_of(kind), "leaks")
    with pytest.raises(CheckError, match="must return a leaking array, as its operands are"):
        run_over(operation(), "leaking")


def test_a_type_that_nobody_registers_is_refused_with_the_known_ones(registered):
    with pytest.raises(
        PluginError, match=r"no loaded plugin registers arrays called 'strickt'.*'strict'"
    ):
        next(checks_of("basic", array="strickt"))
    registered(plugin_of(ArrayType("mute", Rubber)), "mutes")
    with pytest.raises(PluginError, match=r"mute arrays cannot be checked.*from_numpy"):
        check_plugin("basic", array="mute")


def test_check_plugin_checks_over_another_type_as_well():
    alone = check_plugin("basic", ["sub"])
    both = check_plugin("basic", ["sub"], array="strict")
    assert both.counts.ran > alone.counts.ran


def test_a_strict_array_has_the_protocols_and_shows_no_value():
    x = StrictArray([[1.0, 2.0]])
    assert repr(np.exp(x)) == "StrictArray(shape=(1, 2), dtype=float64)"
    assert (x.T.shape, x.real.dtype, x.imag.ndim, len(x)) == ((2, 1), float, 2, 1)
    assert type(np.count_nonzero(x)) is StrictArray
    assert np.common_type(x) is np.float64
    for looked_at in (bool, float, list, np.asarray, lambda y: y[y > 0], lambda y: y.__iadd__(1.0)):
        with pytest.raises(TypeError):
            looked_at(x)
    for refused in (np.add.reduce, lambda y: np.sum(y, out=y), lambda y: np.add(y, y, out=y)):
        with pytest.raises(TypeError):
            refused(x)
