"""Operations that say that they are approximate: whose gradients warn, and how often.

Promise: docs/how_to/use_any_function.md
"""

import re
import warnings

import numpy as np
import pytest

from dezero_core import (
    ApproximateGradientWarning,
    Function,
    Variable,
    grad,
    hookimpl,
    ops,
    register,
    unregister,
)
from dezero_tools import numeric_op

quiet = pytest.mark.filterwarnings("ignore::dezero_core.ApproximateGradientWarning")


class Rounded(Function):
    """An operation whose author says that it is approximate."""

    approximate = "series of 3 terms"

    def forward(self, x):
        return 1.0 + x + x * x / 2.0

    def backward(self, gy):
        return Rounded().of(self.inputs[0].data)


class RoundedOfOutputs(Rounded):
    saves = ("outputs",)

    def backward(self, gy):
        return self.outputs[0]().data


class RoundedOfNothing(Rounded):
    saves = ()

    def backward(self, gy):
        return gy


class RoundedOfShapes(RoundedOfNothing):
    def backward(self, gy):
        assert self.inputs[0].shape == ()
        return gy


CLASSES = (Rounded, RoundedOfOutputs, RoundedOfNothing, RoundedOfShapes)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_through_an_approximate_operation_warns_with_the_line(cls, create_graph):
    x = Variable(np.array(0.5))
    y = cls()(x)
    with pytest.warns(ApproximateGradientWarning) as caught:
        grad(y, x, create_graph=create_graph)
    (warning,) = caught
    says = f"a gradient goes through {cls.__name__} of module {__name__}: series of 3 terms."
    assert str(warning.message) == says
    assert warning.filename == __file__


def test_exact_operations_and_values_give_no_warning_of_approximation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = Rounded()(Variable(np.array(0.5)))
    assert y.item() == 1.625
    assert Function.approximate == ""


def test_the_registry_knows_which_operations_are_approximate():
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            sinh = numeric_op(np.sinh)
            register("a", sinh, sinh.function_class)
            register("b", lambda x: x, approximate="by hand")
            register("c", lambda x: x)

    plugin = Plugin()
    register(plugin)
    try:
        found = {op.name: op.approximate for op in ops() if op.plugin == "Plugin"}
        says = next(op for op in ops() if op.name == "a").function
        with pytest.warns(ApproximateGradientWarning, match="sinh of plugin 'Plugin'"):
            says(Variable(np.array(1.0))).backward()
    finally:
        unregister(plugin)
    assert found == {"a": "central differences of order 4", "b": "by hand", "c": ""}


def test_the_warning_of_approximation_comes_once_for_each_line(run_python):
    outcome = run_python(
        "import warnings, numpy as np\nfrom dezero_core import Variable\n"
        "from dezero_tools import numeric_op\n"
        "sinh = numeric_op(np.sinh)\nwarnings.simplefilter('default')\n"
        "for _ in range(3):\n    sinh(Variable(np.array(1.0))).backward()\n"
        "sinh(Variable(np.array(1.0))).backward()\n",
        warns=2,
    )
    assert re.match("ApproximateGradientWarning: a gradient goes through sinh", outcome.warnings[0])


def test_lines_with_the_same_number_in_two_files_each_get_a_warning_of_approximation():
    names = {"sinh": numeric_op(np.sinh), "x": Variable(np.array(1.0))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for cell in ("cell-1", "cell-2"):
            for _ in range(2):
                exec(compile("sinh(x).backward()", cell, "exec"), dict(names))
    assert [warning.filename for warning in caught] == ["cell-1", "cell-2"]
