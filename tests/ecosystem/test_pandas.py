"""pandas, and the assertions of NumPy's, say that they want x.data, and take it."""

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
        (lambda y: np.testing.assert_allclose(y, y), "numpy.testing.assert_allclose"),
        (lambda y: np.testing.assert_array_equal(y, y), "numpy.testing.assert_array_equal"),
    ],
    ids=["Series", "DataFrame", "assert_allclose", "assert_array_equal"],
)
def test_what_asks_for_the_array_of_a_result_is_named_with_x_data(y, call, asks):
    with pytest.raises(VariableTypeError) as caught:
        call(y)
    assert str(caught.value).endswith(f"{asks} takes arrays: give it x.data.")
    call(y.data)


def test_a_series_is_made_of_a_variable_of_integers():
    assert pd.Series(Variable(np.array([1, 2]))).tolist() == [1, 2]
