"""What `functional` makes of functions: pickled, copied, and looked at.

Promise: docs/reference/functional.rst
"""

import copy
import inspect
import pickle

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, value_and_grad


def cube(x, scale=1.0):
    """The third power."""
    return scale * x * x * x


@pytest.mark.parametrize("make", [grad, value_and_grad, jacobian, hessian, hvp])
@pytest.mark.parametrize("f", [cube, np.sin, grad(cube)])
def test_a_derivative_of_a_function_is_pickled_and_copied(make, f):
    derivative = make(f)
    args = (2.0, 1.5) if make is hvp else (2.0,)
    for twin in (pickle.loads(pickle.dumps(derivative)), copy.deepcopy(derivative)):
        np.testing.assert_array_equal(twin(*args), derivative(*args))
        assert twin.__name__ == f.__name__


def test_a_derivative_of_a_function_looks_and_acts_like_a_function():
    class Model:
        scale = 2.0

        def loss(self, x):
            return self.scale * x * x

        slope = grad(loss, 1)

    assert Model().slope(3.0) == 12.0
    assert Model.slope(Model(), 3.0) == 12.0
    assert str(inspect.signature(grad(cube))) == "(x, scale=1.0)"
    assert grad(cube).__doc__ == "The third power."
    assert repr(grad(np.sin)) == "<grad of <ufunc 'sin'>>"
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(grad(lambda x: x))
