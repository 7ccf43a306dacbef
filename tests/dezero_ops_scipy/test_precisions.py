"""Numbers of more bits than float64 are what SciPy makes of them: values, or its refusal.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

from dezero_core import Variable
from dezero_ops_scipy import linalg, special, stats

X = np.array([0.3, 0.6], np.longdouble)


@pytest.mark.parametrize("name", ["erf", "gamma", "gammaln", "j0", "ndtr", "betaln"])
def test_longdouble_is_refused_where_scipy_refuses_it(name):
    args = [X] * getattr(scipy.special, name).nin
    with pytest.raises(TypeError) as theirs:
        getattr(scipy.special, name)(*args)
    with pytest.raises(TypeError) as ours:
        getattr(special, name)(*map(Variable, args))
    assert str(theirs.value) in str(ours.value)


@pytest.mark.parametrize("name", ["expit", "logsumexp", "softmax"])
def test_longdouble_stays_where_scipy_keeps_it(name):
    x = Variable(X)
    y = getattr(special, name)(x)
    y.sum().backward()
    np.testing.assert_array_equal(y.data, getattr(scipy.special, name)(X))
    assert y.dtype == x.grad.dtype == np.longdouble


def test_distributions_and_matrices_of_longdouble_have_the_values_and_types_of_scipy():
    x, matrix = Variable(X), np.diag(X)
    for found, theirs in (
        (stats.expon.logpdf(x), scipy.stats.expon.logpdf(X)),
        (stats.zscore(x), scipy.stats.zscore(X)),
        (linalg.cholesky(Variable(matrix)), scipy.linalg.cholesky(matrix)),
        (linalg.expm(Variable(matrix)), scipy.linalg.expm(matrix)),
    ):
        np.testing.assert_allclose(found.data, theirs, 1e-15)
        assert found.dtype == theirs.dtype
