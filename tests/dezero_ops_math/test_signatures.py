"""The signature of a function is that of NumPy's: names, order, and what is by name alone."""

import inspect
from inspect import Parameter

import numpy as np
import pytest

from dezero_core import ops

#: What NumPy has and has no meaning here: refused by name, as Python refuses what is unknown.
WITHOUT_MEANING = {
    ("astype", "device"),
    ("broadcast_to", "subok"),
    # By position alone, as in fact in NumPy.
    ("where", "x"),
    ("where", "y"),
}
BY_POSITION = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.POSITIONAL_ONLY)
FUNCTIONS = [
    (operation, function)
    for operation in ops()
    for function in operation.numpy
    if not isinstance(function, np.ufunc)
]


def parameters(function, kinds):
    found = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in found if parameter.kind in kinds]


@pytest.mark.parametrize(
    ("operation", "function"), FUNCTIONS, ids=[f"np.{f.__name__}" for _, f in FUNCTIONS]
)
def test_operations_of_math_have_the_signatures_of_numpy(operation, function):
    def with_meaning(names):
        return [name for name in names if (function.__name__, name) not in WITHOUT_MEANING]

    theirs = with_meaning(parameters(function, BY_POSITION))
    ours = parameters(operation.function, BY_POSITION)
    assert ours[: len(theirs)] == theirs
    if not parameters(operation.function, (Parameter.VAR_KEYWORD,)):
        by_name = with_meaning(parameters(function, (Parameter.KEYWORD_ONLY,)))
        assert set(by_name) <= set(inspect.signature(operation.function).parameters)
