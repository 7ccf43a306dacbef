"""Arrays without values, where an operation would have to look at one.

Promise: docs/array_types.md
"""

import numpy as np
import pytest
from dezero_tools.testing.strict import StrictArray

from dezero_core import Variable, VariableTypeError

pytestmark = pytest.mark.usefixtures("strict_arrays")


X = np.array([1.0, 2.0, 3.0])
USES = {
    "iteration": lambda x, i: list(x),
    "unpacking": lambda x, i: [*x],
    "in": lambda x, i: 1.0 in x,
    "an index": lambda x, i: x[i],
    "an index among others": lambda x, i: x[None, i],
    "an index into an ndarray": lambda x, i: Variable(X)[i],
    "a range": lambda x, i: range(i),
    "a plain array of that type as an index": lambda x, i: Variable(X)[i.data],
}


@pytest.mark.parametrize("use", USES)
def test_a_lazy_array_is_refused_where_its_values_are_needed(use):
    x, i = Variable(StrictArray(X)), Variable(StrictArray(1))
    with pytest.raises(VariableTypeError, match=r"needs values.*lazy.*to_numpy\(\)") as caught:
        USES[use](x, i)
    assert caught.value.got is StrictArray


def test_a_lazy_array_is_no_shape():
    x, n = Variable(StrictArray(X)), Variable(StrictArray(3))
    with pytest.raises(VariableTypeError, match=r"needs a constant for 'shape\[1\]'"):
        np.broadcast_to(x, (2, n))
    with pytest.raises(VariableTypeError, match="an index or a shape needs values"):
        np.zeros((2, n))


def test_a_lazy_condition_of_if_is_refused_by_the_array_or_by_the_variable():
    x = Variable(StrictArray(2.0))
    for condition in (x, x > 1.0):
        with pytest.raises(TypeError, match=r"needs values|neither true nor false"):
            bool(condition)


def test_known_positions_of_a_lazy_array_are_taken():
    x = Variable(StrictArray(X))
    y = x[np.array([2, 0, 2])]
    y.backward()
    assert x.grad._values.tolist() == [1.0, 0.0, 2.0]
    assert [len(x), x[1].shape, x[None].shape] == [3, (), (1, 3)]
