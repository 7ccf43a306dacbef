"""Functions on each element say so: NumPy's ufuncs without a signature are such.

Promise: docs/how_to/write_an_operation.md
"""

import numpy as np
import pytest

from dezero_core import ops

UFUNCS = {
    op.name: op.function_class
    for op in ops()
    if op.function_class and any(isinstance(f, np.ufunc) and not f.signature for f in op.numpy)
}


@pytest.mark.parametrize("name", UFUNCS)
def test_an_operation_that_is_a_ufunc_declares_that_it_works_on_each_element(name):
    assert UFUNCS[name].elementwise is True


def test_there_are_ufuncs_to_look_at():
    """Otherwise the test above would pass by collecting nothing."""
    assert UFUNCS
