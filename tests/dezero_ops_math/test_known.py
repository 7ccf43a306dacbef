"""The core's rule of who has what leads to the distributions that really register it."""

import numpy as np
import pytest

from dezero_core import MissingOperationError, Variable, ops, plugins
from dezero_core.extend import OPERATORS, distribution_of, numpy_name


def provided(distribution):
    """Return all names by which an operation of a distribution may be missed."""
    (plugin,) = [p.name for p in plugins() if p.distribution == distribution]
    names = set()
    for operation in ops():
        if operation.plugin != plugin:
            continue
        names |= {operation.name, *operation.methods}
        names |= {numpy_name(function) for function in operation.numpy}
        for dunder in operation.dunders:
            if dunder in OPERATORS:
                _, ufunc = OPERATORS[dunder]
                names.add(ufunc or dunder.strip("_"))
    return names


#: Operations that NumPy has not got: no rule leads to them.
NOT_OF_NUMPY = {"linear", "log_softmax", "logsumexp", "relu", "sigmoid", "softmax"}
NOT_OF_NUMPY |= {"softmax_cross_entropy"}


@pytest.mark.parametrize("distribution", ["dezero-ops-basic", "dezero-ops-math"])
def test_the_advice_of_the_core_names_the_distribution_of_every_operation(distribution):
    names = provided(distribution) - NOT_OF_NUMPY
    assert {name for name in names if distribution_of(name) != distribution} == set()


@pytest.mark.parametrize(
    "name", ["no such operation", "fft", "linalg", "ndarray", "pi", "nothing.inv", "add.reduce"]
)
def test_the_advice_of_the_core_names_no_distribution_for_unknown_names(name):
    assert distribution_of(name) is None


def test_a_missing_method_of_an_existing_function_advises_no_upgrade():
    """np.sin(x) is there; x.sin() is not, and installing anything would not change that."""
    x = Variable(np.array([1.0]))
    with pytest.raises(AttributeError, match="sin") as caught:
        x.sin()
    assert "pip install" not in str(caught.value)


WRITING = {
    "save": lambda x: np.save("never written", x),
    "savetxt": lambda x: np.savetxt("never written", x),
    "savez": lambda x: np.savez("never written", x),
    "savez_compressed": lambda x: np.savez_compressed("never written", x),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_function_that_writes_advises_data_and_no_approximate_gradient(name):
    with pytest.raises(MissingOperationError, match=rf"np\.{name} .*; x\.data gives") as caught:
        WRITING[name](Variable(np.array([1.0, 2.0])))
    assert "numeric_op" not in str(caught.value)


def test_a_function_without_a_derivative_advises_an_approximate_one():
    with pytest.raises(MissingOperationError, match=r"np\.i0 .*numeric_op\(f\) gives an approx"):
        np.i0(Variable(np.array([1.0, 2.0])))


def test_an_operation_that_no_distribution_has_is_missing_without_a_distribution():
    with pytest.raises(MissingOperationError, match=r"np\.corrcoef.*No plugin known") as caught:
        np.corrcoef(Variable(np.array([1.0])))
    assert caught.value.distribution is None
    with pytest.raises(AttributeError, match=r"'tobytes'.*No plugin known here has it; x\.data"):
        Variable(np.array([1.0])).tobytes()
