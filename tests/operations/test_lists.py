"""A list of numbers is a constant wherever NumPy's function takes one: the code stays NumPy.

Promise: docs/how_to/differences_from_numpy.md
"""

import re
from copy import copy

import numpy as np
import pytest
from dezero_tools.testing import sample_of

from dezero_core import Variable, ops

#: Operation, call and number of the operand that stays a Variable; the others become lists.
CASES = {
    f"{op.name}, call {number}, operand {operand}": (op, call, operand)
    for op in ops()
    if op.numpy and op.function_class
    for number, call in enumerate(sample_of(op).calls)
    # A list has no shape but that of its numbers: (0, 3) would be lost.
    if len(call.draws()) > 1 and all(0 not in draw.shape for draw in call.draws())
    # Into a list nothing can be written.
    for operand in range(1 if sample_of(op).writes else len(call.draws()))
}


def arrays_of(call):
    rng = np.random.default_rng(0)
    for draw in call.draws():
        array = np.asarray(rng.uniform(*draw.between, draw.shape) + draw.plus)
        yield draw.project(array) if draw.project else array


def data_of(results):
    results = results if isinstance(results, (list, tuple)) else [results]
    return [np.asarray(getattr(each, "data", each)) for each in results]


def called(function, call, operands):
    args, kwargs = call.filled(iter(operands))
    results = function(*args, **kwargs)
    if results is None:  # it has written into the first one
        return data_of(args[0])
    # np.diff with n=0 gives back the very list.
    is_given = any(results is operand for operand in operands)
    return data_of(np.asarray(results) if is_given else results)


@pytest.mark.parametrize("case", CASES)
def test_an_operation_takes_lists_of_numbers_where_numpys_function_takes_them(case):
    op, call, operand = CASES[case]
    arrays = list(arrays_of(call))
    lists = [array if i == operand else array.tolist() for i, array in enumerate(arrays)]
    mixed = [Variable(each.copy()) if i == operand else each for i, each in enumerate(lists)]
    try:
        expected = called(op.numpy[0], call, [copy(each) for each in lists])
    except (TypeError, ValueError) as error:  # np.block takes lists for blocks, not for arrays
        with pytest.raises((TypeError, ValueError), match=re.escape(str(error)[:20])):
            called(op.function, call, mixed)
        return
    for ours, theirs in zip(called(op.function, call, mixed), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)


def test_there_are_operations_with_lists_to_look_at():
    """Otherwise the test above would pass by collecting nothing."""
    assert CASES
