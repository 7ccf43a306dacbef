"""pandas says that it wants x.data; the assertions of NumPy compare Variables.

Promise: docs/how_to/differences_from_numpy.md
"""

import operator

import numpy as np
import pandas as pd
import pytest

from dezero_core import Variable, VariableTypeError


@pytest.fixture
def y():
    return np.exp(Variable(np.array([0.0, 1.0])))


@pytest.mark.parametrize(
    ("call", "asks"),
    [
        (lambda y: pd.Series(y), "pandas.core.series.Series"),
        (lambda y: pd.DataFrame({"y": y}), "pandas.core.frame.DataFrame"),
    ],
    ids=["Series", "DataFrame"],
)
def test_what_asks_for_the_array_of_a_result_is_named_with_x_data(y, call, asks):
    with pytest.raises(VariableTypeError) as caught:
        call(y)
    assert str(caught.value).startswith(f"{asks} takes arrays: give it x.data. ")
    call(y.data)


@pytest.mark.parametrize(
    "check", [np.testing.assert_allclose, np.testing.assert_array_equal], ids=lambda f: f.__name__
)
def test_the_assertions_of_numpy_compare_variables(y, check):
    check(y, y.data)
    check(y.data, y)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
        check(y, y.data + np.array([0.0, 1.0]))


ADVICE = r"take the array of the table, as in df\.to_numpy\(\) \* x\."
TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


def test_a_calculation_with_a_table_is_advised_to_turn_the_table_into_an_array(y):
    with pytest.raises(VariableTypeError, match=ADVICE):
        TABLE @ y
    with pytest.raises(VariableTypeError, match=r"an ndarray or a number\. Write its \.to_numpy"):
        y - TABLE["a"]
    np.testing.assert_array_equal((TABLE.to_numpy() @ y).data, TABLE.to_numpy() @ y.data)


@pytest.mark.parametrize("operator", [operator.mul, operator.add, operator.pow, operator.eq])
@pytest.mark.parametrize("of", [TABLE, TABLE["a"], TABLE.index], ids=["table", "column", "index"])
def test_a_calculation_with_a_single_number_says_what_to_write(of, operator):
    number = np.exp(Variable(np.array(2.0)))
    with pytest.raises(
        TypeError, match=rf"^pandas\.\S+ takes arrays: give it x\.data\. .*{ADVICE}"
    ):
        operator(of, number)
    operator(of, number.data)
    assert type(of.to_numpy() * number) is Variable


@pytest.mark.parametrize("function", [np.mean, np.sum, np.max], ids=lambda f: f.__name__)
def test_a_function_of_numpy_of_a_list_of_variables_names_the_namespace_that_takes_lists(
    y, function
):
    advice = rf"numpy\.{function.__name__} takes arrays: .*a list.*import dezero_tools"
    with pytest.raises(VariableTypeError, match=advice):
        function([y, y])


def test_a_series_is_made_of_a_variable_of_integers():
    assert pd.Series(Variable(np.array([1, 2]))).tolist() == [1, 2]
