"""Arguments that no function can be differentiated by are named with their path.

Promise: docs/reference/functional.rst
"""

import re

import numpy as np
import pytest
from dezero_tools.functional import as_scipy, grad, hessian, hvp, jacobian, value_and_grad, vjp

from dezero_core import Variable, VariableTypeError

BAD = {
    "text": ("abc", "argument 0['w'][1], got 'abc'."),
    "objects": (np.array([1.0, None]), "argument 0['w'][1], got object[2]."),
    "a mask": (np.ma.array([1.0, 2.0]), "argument 0['w'][1], got float64[2]."),
    "an integer": (3, "argument 0['w'][1], which is of int64 data, a constant."),
    "integers": (np.arange(3), "argument 0['w'][1], which is of int64 data, a constant."),
    "a Variable of integers": (
        Variable(np.arange(3)),
        "argument 0['w'][1], which is of int64 data, a constant.",
    ),
}


def first(p, q=1.0):
    return p["w"][0] * q


@pytest.mark.parametrize("make", [grad, value_and_grad, jacobian, hessian])
@pytest.mark.parametrize(("leaf", "said"), BAD.values(), ids=BAD)
def test_a_leaf_that_is_no_array_of_floating_point_numbers_is_named_by_its_path(make, leaf, said):
    with pytest.raises(VariableTypeError, match=re.escape(f"first is differentiated by {said}")):
        make(first)({"w": [1.0, leaf]})


def test_a_bad_leaf_is_named_by_the_position_of_its_argument():
    by_its_position = r"differentiated by argument 1\['q'\], which is of int64 data"
    with pytest.raises(VariableTypeError, match=by_its_position):
        hvp(first, 1)({"w": [1.0]}, {"q": 3}, {"q": 1.0})
    with pytest.raises(VariableTypeError, match=by_its_position):
        vjp(first, {"w": [1.0]}, {"q": 3})


def test_a_complex_leaf_of_a_hessian_is_named_by_its_path():
    with pytest.raises(VariableTypeError, match=r"complex argument, argument 0\['w'\]\[1\], but"):
        hessian(first)({"w": [1.0, 1j]})


@pytest.mark.parametrize(
    ("leaf", "said"),
    [
        ("abc", "takes numbers, and x0['w'][1] is of <U3 data: 'abc'."),
        (np.array([1.0, None]), "takes numbers, and x0['w'][1] is of object data: [1.0, None]."),
        (1j, "takes real arguments, but x0['w'][1] has complex numbers."),
    ],
    ids=["text", "objects", "complex"],
)
def test_a_bad_leaf_of_a_first_guess_for_scipy_is_named_by_its_path(leaf, said):
    with pytest.raises(VariableTypeError, match=re.escape(said)):
        as_scipy(first, {"w": [1.0, leaf]})


def loss(a, b):
    return a * b


@pytest.mark.parametrize("make", [grad, value_and_grad, jacobian, hessian, hvp])
@pytest.mark.parametrize(
    ("argnums", "hint"),
    [
        ("b", "got 'b'. 'b' is argument 1 of loss."),
        (("a", "b"), "got ('a', 'b'). 'a' is argument 0 of loss."),
        ("c", "got 'c'."),
        (1.0, "got 1.0."),
        (None, "got None."),
    ],
    ids=repr,
)
def test_argnums_that_are_no_positions_are_refused_with_the_position_of_a_name(make, argnums, hint):
    with pytest.raises(TypeError) as caught:
        make(loss, argnums=argnums)(1.0, 2.0, 1.0)
    rule = "argnums must be the position of an argument, or a sequence of these, "
    assert str(caught.value) == rule + hint


def test_a_name_as_argnums_is_refused_for_a_function_without_a_signature():
    with pytest.raises(TypeError, match=r"a sequence of these, got 'b'\.$"):
        grad(max, argnums="b")(1.0, 2.0)
