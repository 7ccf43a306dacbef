"""Operations that are declared by their class: the function, its docstring, its registration."""

from __future__ import annotations

import inspect
import subprocess
import sys
import traceback
from importlib import import_module

import numpy as np
import pytest
from dezero_ops_math.declaring import Call, Draw, Elementwise, Sample, elementwise, operation
from dezero_ops_math.elementwise import hyperbolic
from dezero_ops_math.families import FOLDERS

from dezero_core import Variable, ops
from dezero_core.extend import Array, Operand
from dezero_ops_math import allclose, declaring, fft, isfinite, sinh
from dezero_tools import testing

MODULES = [f"{folder}.{module}" for folder, modules in FOLDERS.items() for module in modules]
OPERATIONS = {operation.name: operation for operation in ops()}
SHAPE = (2, 3)


class Scaled(Elementwise):
    """`x` times a factor.

    Derivative: whatever `x` is.
    """

    def __init__(self, factor: float = 2.0, *, shift: object = 0.5) -> None:
        self.factor, self.shift = factor, shift

    def forward(self, x: Operand) -> Array:
        if np.shape(x) == SHAPE:
            raise ValueError("on purpose")
        return self.factor * x

    def backward(self, gy: Array) -> Array:
        return self.factor * gy


class Plus(Elementwise):
    """The sum of two.

    Derivative: ``2`` by both, as it is.
    """

    def forward(self, x0: Operand, x1: Operand, /) -> Array:
        return np.add(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        return gy, gy


LINE = inspect.currentframe().f_lineno + 1
scaled = operation(Scaled, elementwise((-3.0, 3.0), truth=("2 * x", "2")))
plus_1 = operation(Plus, elementwise((-3.0, 3.0), arity=2, truth=("x + y", "3")), name="plus_1")


def test_a_declared_function_applies_its_class_and_is_recorded():
    x = Variable(np.array([1.0, -2.0]))
    y = scaled(x, 3.0)
    y.backward()
    assert isinstance(y.creator, Scaled)
    assert y.data.tolist() == [3.0, -6.0]
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_declared_function_takes_operands_and_options_as_its_class_names_them():
    signature = inspect.signature(scaled)
    assert str(signature) == (
        "(x: 'Operand', factor: 'float' = 2.0, *, shift: 'object' = 0.5) -> 'Variable'"
    )
    assert scaled(x=1.0, factor=3.0).data == 3.0
    assert scaled(1.0).data == 2.0
    x = Variable(np.array(1.0))
    assert [scaled(x).creator.shift, scaled(x, shift=SHAPE).creator.shift] == [0.5, SHAPE]
    with pytest.raises(TypeError, match=r"scaled\(\) takes from 1 to 2 positional arguments"):
        scaled(1.0, 2.0, None)
    with pytest.raises(TypeError, match=r"scaled\(\) got an unexpected keyword argument 'y'"):
        scaled(1.0, y=2.0)


def test_operands_by_position_alone_stay_so():
    assert plus_1(1.0, 2.0).data == 3.0
    assert str(inspect.signature(plus_1)) == "(x0: 'Operand', x1: 'Operand', /) -> 'Variable'"
    with pytest.raises(TypeError, match=r"plus_1\(\) got some positional-only arguments"):
        plus_1(x0=1.0, x1=2.0)


def test_a_declared_function_has_the_name_and_the_module_of_a_written_one():
    assert (scaled.__name__, scaled.__qualname__, scaled.__module__) == (
        ("scaled", "scaled", __name__)
    )
    assert plus_1.__name__ == "plus_1"


def test_a_traceback_shows_the_line_of_the_declaration():
    with pytest.raises(ValueError, match="on purpose") as caught:
        scaled(np.ones(SHAPE))
    frames = traceback.extract_tb(caught.value.__traceback__)
    (made,) = [frame for frame in frames if frame.name == "scaled"]
    assert (made.filename, made.lineno) == (__file__, LINE)
    assert made.line.startswith("scaled = operation(")


def test_a_declared_function_is_one_call_of_python_as_a_written_one_is():
    def written(x, factor=2.0, *, shift=0.5):
        return Scaled(factor, shift=shift)(x)

    assert scaled.__code__.co_code == written.__code__.co_code


def test_the_derivative_in_the_help_is_the_formula_of_the_truth():
    assert "    Derivative: ``2``, whatever `x` is." in inspect.getdoc(scaled).splitlines()


def test_a_derivative_that_begins_with_a_formula_is_left_as_it_is():
    assert "    Derivative: ``2`` by both, as it is." in inspect.getdoc(plus_1).splitlines()


def test_without_docstrings_operations_work_and_are_registered():
    code = (
        "import numpy as np, dezero_core; x = dezero_core.Variable(np.ones(2));"
        "np.sinh(x).sum().backward(); import dezero_ops_math;"
        "print(dezero_ops_math.sinh.__doc__, x.grad.shape)"
    )
    run = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert run.stdout == "None (2,)\n", run.stderr


@pytest.mark.parametrize("module", MODULES)
def test_the_declared_functions_of_a_module_are_those_of_the_table_of_families(module):
    """One that is not in the table would never be registered."""
    folder, _, file = module.rpartition(".")
    found = import_module(f"dezero_ops_math.{module}")
    declared = {f.__name__ for f in declaring._DECLARED if f.__module__ == found.__name__}
    assert declared == set(FOLDERS[folder][file].split())
    assert all(vars(found)[name].__name__ == name for name in declared)


def declared_with(*calls, **demands):
    """Return the sample of a declaration, made."""

    class Halved(Scaled):
        """Half of `x`."""

    function = operation(Halved, *calls, **demands)
    return declaring._DECLARED[function]["sample"](testing)


def test_a_sample_of_calls_takes_complex_numbers_unless_it_says_otherwise():
    call = Call(Draw(SHAPE))
    assert declared_with(call).complex
    assert declared_with(call, ulps=2.0).complex
    assert not declared_with(call, complex=False).complex
    assert not declared_with(call, differentiable=False).complex
    assert not declared_with(Sample(call)).complex
    assert not declared_with(elementwise((-3.0, 3.0))).complex


def test_the_words_of_a_sample_are_made_by_the_kit_also_inside_of_lists():
    draw = Draw(SHAPE, (-1.0, 1.0))
    sample = declared_with(Call([draw, (draw, 1)], axis={"a": draw}))
    (call,) = sample.calls
    made = testing.Draw(SHAPE, (-1.0, 1.0))
    assert str(call) == str(testing.Call([made, (made, 1)], axis={"a": made}))


def test_an_operation_that_only_works_on_values_records_nothing():
    x = Variable(np.array([1.0, 2.0]))
    for made in isfinite(x), allclose([x], x):
        assert not isinstance(made, Variable)
    assert OPERATIONS["isfinite"].function_class is None
    assert not OPERATIONS["isfinite"].differentiable


def test_a_declaration_gives_its_function_and_its_class_to_the_operation():
    for function, name in (sinh, "sinh"), (fft.rfft, "fft.rfft"):
        assert OPERATIONS[name].function is function
    assert OPERATIONS["sinh"].function_class is hyperbolic.Sinh
