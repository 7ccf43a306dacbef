"""The values that make_values.py has stored, and comparisons with them."""

from functools import cache
from pathlib import Path

import numpy as np

from dezero_core import Variable, grad
from dezero_nn import test_mode

FILE = Path(__file__).with_name("values.npz")


@cache
def groups():
    """Return the stored arrays, by group, case, part and name."""
    found = {}
    with np.load(FILE) as arrays:
        for key in arrays.files:
            if "/" in key:
                group, case, part, name = key.split("/", 3)
                of_case = found.setdefault(group, {}).setdefault(case, {})
                of_case.setdefault(part, {})[name] = arrays[key]
    return found


def stored(group, case):
    """Return the parts of a case; each is a dict of arrays by name."""
    return groups()[group][case]


def assert_close(found, wanted, name="the result"):
    """Compare data, to ten digits."""
    found = found.data if isinstance(found, Variable) else found
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10, err_msg=name)


def assert_derivatives(y, variables, case):
    """Compare the value, the gradients, and the gradients of a sum made of them.

    Parameters
    ----------
    y : Variable
    variables : dict of str to Variable
        The inputs that have gradients.
    case : dict
        As of `stored`.
    """
    wanted = list(variables.values())
    assert_close(y, case["y"]["y"])
    first = grad(y, wanted, create_graph=True, grad_outputs=case["weights"]["y"])
    compare(variables, first, case["grads"])
    total = sum((g * x.data).sum() for g, x in zip(first, wanted, strict=True))
    constant = total.creator is None
    second = [np.zeros(x.shape) for x in wanted] if constant else grad(total, wanted)
    compare(variables, second, case["second"], "second derivative of ")


def compare(names, found, wanted, words="gradient of "):
    """Compare arrays of the same names."""
    assert set(names) == set(wanted)
    for name, each in zip(names, found, strict=True):
        assert_close(each, wanted[name], f"{words}{name}")


def fill(layer, arrays):
    """Give the variables of a layer the stored data; each of them must be among the stored ones."""
    variables = dict(layer.variables())
    assert set(variables) == set(arrays)
    for name, array in arrays.items():
        variables[name].data = array.copy()
    return variables


def assert_variables(variables, wanted):
    """Compare the data of Variables with the stored ones of the same names."""
    compare(variables, variables.values(), wanted, "")


def assert_training(step, variables, case, apply):
    """Compare ten losses, what they make of the variables, and the outputs of a test after them.

    Parameters
    ----------
    step : callable
        Trains once, and returns the loss.
    variables : dict of str to Variable
    case : dict
        As of `stored`.
    apply : callable
        Returns the outputs.
    """
    assert_close(np.array([step().data for _ in range(10)]), case["losses"]["y"], "the losses")
    assert_variables(variables, case["trained"])
    with test_mode():
        assert_close(apply(), case["tested"]["y"], "the outputs of a test")
