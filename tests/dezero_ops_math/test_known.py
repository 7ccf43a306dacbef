"""The core's table of who has what says what the distributions really register."""

import numpy as np
import pytest
from dezero_core.known import DISTRIBUTIONS, distribution_of
from dezero_core.variable import OPERATORS

from dezero_core import MissingOperationError, Variable, ops, plugins


def written(function):
    """Return a NumPy function as users write it, without ``np.``."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{function.__name__}".removeprefix("numpy.")


def provided(distribution):
    """Return all names by which an operation of a distribution may be missed."""
    (plugin,) = [p.name for p in plugins() if p.distribution == distribution]
    names = set()
    for operation in ops():
        if operation.plugin != plugin:
            continue
        names |= {operation.name, *operation.methods}
        names |= {written(function) for function in operation.numpy}
        for dunder in operation.dunders:
            if dunder in OPERATORS:
                _, ufunc = OPERATORS[dunder]
                names.add(ufunc or dunder.strip("_"))
    return names


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_table_names_all_that_is_provided_and_nothing_else(distribution):
    assert sorted(DISTRIBUTIONS[distribution]) == sorted(provided(distribution))


def test_no_name_is_in_two_distributions():
    names = [name for names in DISTRIBUTIONS.values() for name in names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_every_name_leads_to_its_distribution(distribution):
    assert {distribution_of(name) for name in provided(distribution)} == {distribution}
    assert distribution_of("no such operation") is None


def test_what_is_no_method_is_not_said_to_be_one_of_a_newer_version():
    """np.sin(x) is there; x.sin() is not, and installing anything would not change that."""
    x = Variable(np.array([1.0]))
    with pytest.raises(AttributeError, match="sin") as caught:
        x.sin()
    assert "pip install" not in str(caught.value)


def test_what_nobody_has_is_not_said_to_be_anywhere():
    with pytest.raises(MissingOperationError, match=r"np\.histogram") as caught:
        np.histogram(Variable(np.array([1.0])))
    assert caught.value.distribution is None
