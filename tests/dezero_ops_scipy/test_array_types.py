"""Elementwise functions are right over arrays of other types, where elements take two formulas.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_scipy import special

pytestmark = pytest.mark.usefixtures("strict_arrays")


def test_elements_of_strict_arrays_get_the_formula_of_their_own_place():
    from dezero_tools.testing.strict import StrictArray

    values = np.array([0.1, 0.9, -0.999])  # next to 0, and next to the poles
    x, strict = Variable(values), Variable(StrictArray(values.copy()))
    special.erfinv(x).sum().backward()
    special.erfinv(strict).sum().backward()
    assert isinstance(strict.grad, StrictArray)
    np.testing.assert_allclose(strict.grad._values, x.grad, 1e-14)
