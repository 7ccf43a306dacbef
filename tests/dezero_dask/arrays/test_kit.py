"""The conformance kit over Dask's arrays.

Promise: docs/how_to/use_another_array_type.md
"""

import dask
import numpy as np
import pytest
from dezero_tools.testing import check_plugin, elementwise

from dezero_core import Function, hookimpl, register, unregister


class Eager(Function):
    """Computes early, where a lazy type does not allow it."""

    def forward(self, x):
        return x * float(dask.compute(np.sum(x.array))[0] * 0 + 1) if hasattr(x, "array") else x

    def backward(self, gy):
        return gy


class eager:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        sample = elementwise((0.5, 3.0), reference=np.positive)
        register("eager", lambda x: Eager()(x), Eager, sample=lambda kit: sample)


def test_an_operation_is_checked_over_dasks_arrays():
    report = check_plugin("basic", ["mul", "matmul"], array="dask")
    assert report.operations == 2
    assert not [why for why in report.counts.skipped if "dask" in why]


def test_an_operation_that_computes_early_is_found():
    register(eager, "eager")
    try:
        with pytest.raises(ExceptionGroup) as caught:
            check_plugin("eager", array="dask")
    finally:
        unregister("eager")
    assert any("must stay lazy" in str(error) for error in caught.value.exceptions)
