"""An array that a differentiated function fills would lose the gradient: the last line says so.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

from dezero_core import VariableTypeError


def filled(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = x[i] ** 2
    return np.sum(out)


CALLS = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "hessian": lambda f, x: hessian(f)(x),
    "jacobian": lambda f, x: jacobian(f)(x),
    "vjp": lambda f, x: vjp(f, x),
    "jvp": lambda f, x: jvp(f, x),
    "hvp": lambda f, x: hvp(f)(x, x),
    "grad of grad": lambda f, x: grad(lambda x: np.sum(grad(f)(x)))(x),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_last_line_on_an_array_that_is_filled_is_the_advice_and_not_numpys_error(call):
    with pytest.raises(ValueError, match=r"^setting an array element") as caught:
        CALLS[call](filled, np.ones(3))
    (advice,) = caught.value.__notes__
    assert advice.startswith(
        "use NumPy's functions, no float(), and fill a Variable, a = Variable("
    )
    assert "np.zeros of dezero_tools.numpy" in advice
    assert isinstance(caught.value.__cause__, VariableTypeError)


def test_the_advice_is_the_last_of_several_notes_on_an_array_that_is_filled():
    def noted(x):
        try:
            return filled(x)
        except ValueError as error:
            error.add_note("in noted")
            raise

    with pytest.raises(ValueError, match=r"^setting an array element") as caught:
        grad(noted)(np.ones(3))
    first, last = caught.value.__notes__
    assert (first, "fill a Variable" in last) == ("in noted", True)


def test_an_error_that_a_function_raises_itself_gets_no_note():
    def fails(x):
        raise ValueError("no luck")

    with pytest.raises(ValueError, match=r"^no luck$"):
        grad(fails)(1.0)
