"""SciPy's functions refuse Variables, and the message names the function to call instead.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.special
import scipy.stats

from dezero_core import GraphCopyError, Variable, VariableTypeError


@pytest.fixture
def y():
    return np.exp(Variable(np.array([0.0, 1.0])))


@pytest.mark.parametrize(
    ("call", "asks", "instead"),
    [
        (lambda y: scipy.linalg.inv(np.diag(y)), "linalg.inv", "np.linalg.inv"),
        (lambda y: scipy.linalg.solve(np.diag(y), y), "linalg.solve", "np.linalg.solve"),
    ],
    ids=["inv", "solve"],
)
def test_an_operation_of_the_same_name_is_named_for_a_function_of_scipy(y, call, asks, instead):
    with pytest.raises(VariableTypeError) as caught:
        call(y)
    use = f"scipy.{asks} takes arrays: {instead} has a gradient; its defaults may differ."
    assert str(caught.value).startswith(use)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda y: scipy.special.logsumexp(y), "special.logsumexp"),
        (lambda y: scipy.linalg.cholesky(np.diag(y)), "linalg.cholesky"),
        (lambda y: scipy.stats.norm.logpdf(y), "stats.norm.logpdf"),
    ],
    ids=["logsumexp", "cholesky", "logpdf"],
)
def test_the_mirror_is_named_for_a_function_of_scipy_that_it_has(y, call, name):
    with pytest.raises(VariableTypeError) as caught:
        call(y)
    use = f"scipy.{name} takes arrays: use dezero_ops_scipy.{name}. For a constant, x.data."
    assert str(caught.value).startswith(use)


@pytest.mark.parametrize(
    ("call", "asks"),
    [
        (lambda y: scipy.interpolate.interp1d(y, y), "interpolate.interp1d"),
        (lambda y: scipy.optimize.minimize(lambda p: p @ p, y), "optimize.minimize"),
    ],
    ids=["interp1d", "minimize"],
)
def test_numeric_op_is_named_for_a_function_of_scipy_that_no_plugin_has(y, call, asks):
    with pytest.raises(VariableTypeError) as caught:
        call(y)
    assert f"scipy.{asks} takes arrays: write f(x) that calls it, and " in str(caught.value)
    assert "dezero_tools.numeric_op(f)(x). For a constant, x.data." in str(caught.value)
    assert "np.stack" not in str(caught.value)


def test_a_function_of_scipy_that_copies_a_variable_is_named_with_x_data(y):
    with pytest.raises(
        GraphCopyError, match=r"scipy\.integrate\.odeint takes arrays: give it x\.data\."
    ):
        scipy.integrate.odeint(lambda y, t: y, y, [0.0, 1.0])
