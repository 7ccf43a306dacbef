"""Objects of scipy.stats that take Variables as well: SciPy's own methods, copies and pickles.

Promise: docs/how_to/use_scipy.md
"""

import copy
import pickle

import numpy as np
import pytest
import scipy.stats
from dezero_ops_scipy.families import FOLDERS, methods_of

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import linalg, special, stats

SAMPLE = np.array([0.1, 0.2, 0.4, 0.6, 0.7])
CONTINUOUS = [
    name
    for module in FOLDERS["stats"]
    if {"cdf", "logpdf"} <= {*methods_of(module)}
    for name in FOLDERS["stats"][module]
]


def outcome(function, *args, **kwargs):
    """Return the result of a function, or the type of its error."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_distribution_is_fitted_as_scipys_is(name):
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    censored = stats.CensoredData.right_censored(SAMPLE, [0, 0, 0, 0, 1])
    calls = [(SAMPLE, {})]
    if name not in ("vonmises", "truncnorm"):  # whose moments take SciPy minutes and seconds
        calls.append((SAMPLE, {"method": "MM"}))
    if name in ("norm", "expon"):
        calls.append((censored, {}))
    with np.errstate(all="ignore"):
        for sample, options in calls:
            assert outcome(ours.fit, sample, **options) == outcome(theirs.fit, sample, **options)


def test_mirrors_are_pickled_by_their_names():
    mirrors = [special.erf, special.digamma, special.logsumexp, linalg.cholesky, linalg.cho_solve]
    mirrors += [stats.zscore, stats.norm, stats.binom, stats.dirichlet, stats.gaussian_kde]
    mirrors += [stats.norm.logpdf, stats.multivariate_normal.logpdf]
    for each in mirrors:
        assert pickle.loads(pickle.dumps(each)) is each


def test_frozen_distributions_are_copied_pickled_and_shown():
    loc = Variable(np.array(1.0))
    frozen = stats.norm(loc, scale=2.0)
    assert repr(frozen) == "norm(variable(1.0), scale=2.0)"
    for each in (copy.copy(frozen), copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):
        assert each.cdf(1.0).data == 0.5
    copy.copy(frozen).logpdf(3.0).backward()
    assert loc.grad == pytest.approx(0.5)
    with pytest.raises(AttributeError):
        frozen.logpmf  # noqa: B018
    constant = pickle.loads(pickle.dumps(scipy.stats.norm(1.0, 2.0)))
    assert constant.cdf(1.0) == 0.5


def test_random_numbers_of_a_negative_width_are_scipys_error():
    loc = Variable(np.array([0.0, 1.0]))
    for scale in (-1.0, np.array([1.0, -1.0]), Variable(np.array(-1.0))):
        with pytest.raises(ValueError, match=r"Domain error.*scale"):
            stats.norm.rvs(loc, scale, random_state=0)
    assert stats.norm.rvs(loc, 0.0, random_state=0).data.tolist() == [0.0, 1.0]


def test_random_numbers_differ_for_each_place():
    x = stats.norm.rvs(Variable(np.zeros(3)), np.ones((2, 1)), random_state=0)
    assert x.shape == (2, 3)
    assert len({*x.data.ravel()}) == 6


@pytest.mark.parametrize("name", ["dataset", "bw_method", "weights"])
def test_an_estimate_of_a_density_refuses_variables_but_for_its_points(name):
    given = {"dataset": SAMPLE, "bw_method": 0.5, "weights": np.ones(5)}
    given[name] = Variable(np.asarray(given[name]))
    with pytest.raises(VariableTypeError, match=rf"gaussian_kde has no derivative by {name}"):
        stats.gaussian_kde(**given)
