"""Calls of the functions, through SciPy's ufuncs, and the arguments that they refuse."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
from dezero_core import DezeroError, Variable, VariableTypeError, ops, plugins

import dezero_ops_special as special

UFUNCS = [
    name for name in special.__all__ if isinstance(getattr(scipy.special, name, None), np.ufunc)
]
OF_TWO = ("beta", "betaln", "gammainc", "xlogy")
MODULES = [f"{special.__name__}.{module.name}" for module in pkgutil.iter_modules(special.__path__)]


def test_every_function_of_special_is_registered_under_scipys_name() -> None:
    names = [operation.name for operation in ops() if operation.plugin == "special"]
    functions = [name for name in special.__all__ if inspect.isfunction(getattr(special, name))]
    assert names == sorted(f"special.{name}" for name in functions)
    assert set(functions) - set(UFUNCS) == {"log_softmax", "logsumexp", "polygamma", "softmax"}


def test_scipy_is_imported_when_a_function_of_scipy_is_first_needed() -> None:
    code = (
        "import sys, numpy as np, dezero_core, dezero_ops_special\n"
        "assert 'scipy' not in sys.modules\n"
        "import scipy.special\n"
        "assert 'dezero_ops_special.gamma_functions' not in sys.modules\n"
        "x = dezero_core.Variable(np.array(1.0))\n"
        "scipy.special.psi(x).backward()\n"
        "assert abs(x.grad - np.pi**2 / 6) < 1e-12"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_of_dezero_ops_special_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'dezero_ops_special' has no attribute 'zeta'"):
        getattr(special, "zeta")  # noqa: B009


def test_operations_of_special_leave_the_operations_of_other_plugins() -> None:
    """dezero-ops-math has a log_softmax and a logsumexp of its own."""
    states = {record.name: record.state for record in plugins()}
    assert {"basic": "loaded", "math": "loaded", "special": "loaded"}.items() <= states.items()
    assert {"log_softmax", "logsumexp", "special.log_softmax"} < {op.name for op in ops()}


@pytest.mark.parametrize("name", UFUNCS)
def test_scipys_own_ufunc_is_differentiable(name: str) -> None:
    xs = [Variable(np.array([0.3, 0.6])) for _ in range(1 + (name in OF_TWO))]
    ours = [Variable(x.data) for x in xs]
    y = getattr(scipy.special, name)(*xs)
    y.backward()
    getattr(special, name)(*ours).backward()
    assert type(y) is Variable
    for x, other in zip(xs, ours, strict=True):
        np.testing.assert_array_equal(x.grad, other.grad)


def test_psi_of_special_is_digamma() -> None:
    x = Variable(np.array(1.0))
    scipy.special.psi(x).backward()
    np.testing.assert_allclose(x.grad, np.pi**2 / 6.0, rtol=1e-15)


@pytest.mark.parametrize("name", [name for name in special.__all__ if name[0].islower()])
def test_functions_of_special_keep_float32_to_the_second_derivative(name: str) -> None:
    function: Any = getattr(special, name)
    others: tuple[Any, ...] = (np.float32(0.7),) if name in OF_TWO else ()
    x = Variable(np.array([0.3, 0.6], dtype=np.float32))
    y = function(1, x) if name == "polygamma" else function(x, *others)
    y.backward(create_graph=True)
    gradient = x.grad
    assert (y.dtype, gradient.dtype) == (np.float32, np.float32)
    x.cleargrad()
    if name == "xlogy":  # its gradient by x is a constant
        assert gradient.creator is None
        return
    gradient.backward()
    assert x.grad.dtype == np.float32


@pytest.mark.parametrize("n", [1.0, "one", True, None, np.array([0.5]), Variable(np.array(1))])
def test_polygamma_refuses_orders_that_are_no_integers(n: Any) -> None:
    with pytest.raises(VariableTypeError, match="polygamma takes an integer") as caught:
        special.polygamma(n, np.array([1.0]))
    assert vars(caught.value)["got"] is type(n)


@pytest.mark.parametrize("n", [-1, 171, np.array([0, -3])])
def test_polygamma_refuses_orders_outside_of_0_to_170(n: Any) -> None:
    with pytest.raises(special.PolygammaOrderError, match="from 0 to 170") as caught:
        special.polygamma(n, np.array([1.0]))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, DezeroError)
    assert vars(caught.value)["n"] is n


@pytest.mark.parametrize("name", ["digamma", "log_ndtr", "polygamma"])
def test_functions_of_special_without_a_complex_derivative_refuse_complex_numbers(
    name: str,
) -> None:
    call = getattr(special, name)
    arguments = (1,) if name == "polygamma" else ()
    with pytest.raises(VariableTypeError, match=f"{name} takes real numbers, got complex128"):
        call(*arguments, Variable(np.array([1.0 + 1.0j])))


@pytest.mark.parametrize("name", ["erfinv", "expit", "logit", "gammaln", "entr", "i0", "j1"])
def test_functions_of_special_refuse_complex_numbers_where_scipy_does(name: str) -> None:
    with pytest.raises(TypeError, match="not supported for the input types"):
        getattr(special, name)(Variable(np.array([1.0 + 1.0j])))


def test_logsumexp_refuses_weights_that_would_get_no_gradient() -> None:
    weights = Variable(np.array([1.0, 2.0]))
    with pytest.raises(VariableTypeError, match="needs a constant for 'b'"):
        special.logsumexp(Variable(np.zeros(2)), b=weights)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_softmax_and_logsumexp_of_special_refuse_an_axis_out_of_range(name: str) -> None:
    with pytest.raises(np.exceptions.AxisError):
        getattr(special, name)(Variable(np.zeros((2, 3))), axis=2)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "polygamma"])
def test_scipys_functions_that_are_no_ufuncs_refuse_a_variable(name: str) -> None:
    """Never a number without its gradient."""
    arguments = (1,) if name == "polygamma" else ()
    with pytest.raises(TypeError, match="its gradient would be lost"):
        getattr(scipy.special, name)(*arguments, Variable(np.array([1.0, 2.0])))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_of_special_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


def test_the_code_in_the_readme_of_special_runs() -> None:
    text = Path(__file__).parents[1].joinpath("README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {})


def test_every_docstring_of_special_has_derivative_source_and_example() -> None:
    for name in special.__all__[1:]:
        text = inspect.getdoc(getattr(special, name)) or ""
        for part in ("Parameters\n", "Returns\n", "Raises\n", "Derivative", "Source:", ">>>"):
            assert part in text, (name, part)
