"""Every operation over arrays with nothing but NumPy's protocols."""

import pytest

from dezero_core.extend import operations_of
from tests.array_types import on_the_page, over_strict_arrays

OPERATIONS = {operation.name: operation for operation in operations_of("math")}
ON_THE_PAGE = on_the_page()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_right_over_strict_arrays_or_refuses_them_with_the_reason_on_the_page(name):
    assert over_strict_arrays(OPERATIONS[name]) == ON_THE_PAGE[name]
