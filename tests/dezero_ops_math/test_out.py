"""``out=`` is refused by name wherever NumPy has it: an ndarray cannot hold the graph."""

import inspect

import numpy as np
import pytest
from dezero_tools.testing import sample_of
from dezero_tools.testing.subject import Subject

from dezero_core import Variable, VariableTypeError, ops

WITH_OUT = [op for op in ops() if "out" in inspect.signature(op.function).parameters]
UFUNCS = [(op, f) for op in ops() for f in op.numpy if isinstance(f, np.ufunc)]


def arguments(operation):
    """Return the arguments of the first call, with Variables."""
    subject = Subject(operation, sample_of(operation).calls[0])
    args, kwargs = subject.call.filled(iter(map(Variable, subject.xs)))
    return args, kwargs


@pytest.mark.parametrize("operation", WITH_OUT, ids=lambda op: op.name)
def test_functions_of_math_refuse_out_by_name(operation):
    args, kwargs = arguments(operation)
    with pytest.raises(VariableTypeError, match="takes no out=") as caught:
        operation.function(*args, **kwargs | {"out": np.empty(())})
    assert caught.value.got == "out"


@pytest.mark.parametrize(("operation", "ufunc"), UFUNCS, ids=lambda o: getattr(o, "__name__", ""))
def test_ufuncs_of_numpy_on_variables_refuse_out_by_name(operation, ufunc):
    args, kwargs = arguments(operation)
    with pytest.raises(VariableTypeError, match=rf"np\.{ufunc.__name__} .* takes no out="):
        ufunc(*args, **kwargs, out=np.empty(()) if ufunc.nout == 1 else (np.empty(()), None))
