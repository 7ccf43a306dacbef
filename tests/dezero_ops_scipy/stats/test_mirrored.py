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


def test_distributions_that_arrays_freeze_are_scipys_and_pickled():
    for ours, theirs, x in (
        (stats.norm(1.0, scale=2.0), scipy.stats.norm(1.0, scale=2.0), 0.5),
        (
            stats.multivariate_normal(np.ones(2)),
            scipy.stats.multivariate_normal(np.ones(2)),
            SAMPLE[:2],
        ),
    ):
        assert isinstance(ours, type(theirs))
        for each in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            assert each.logpdf(x) == theirs.logpdf(x)
            assert each.logpdf(Variable(np.asarray(x))).data == pytest.approx(theirs.logpdf(x))
            assert np.array_equal(each.rvs(random_state=1), theirs.rvs(random_state=1))
    assert stats.norm(1.0, 2.0).interval(0.5) == scipy.stats.norm(1.0, 2.0).interval(0.5)


@pytest.fixture
def seeded():
    """The state of the distribution is that of the whole process."""
    before = scipy.stats.norm.random_state
    yield
    scipy.stats.norm.random_state = before


@pytest.mark.usefixtures("seeded")
def test_the_random_state_of_a_distribution_is_scipys():
    drawn = []
    for norm in (stats.norm, scipy.stats.norm):
        norm.random_state = 3
        drawn.append(stats.norm.rvs(size=2).tolist())
    assert drawn[0] == drawn[1]
    assert stats.norm.random_state is scipy.stats.norm.random_state


def test_random_numbers_take_scipys_arguments_and_no_others():
    loc = Variable(np.array(1.0))
    x = stats.poisson.rvs(2.0, loc, 5, random_state=0)
    assert x.data.tolist() == (scipy.stats.poisson.rvs(2.0, 1, 5, random_state=0)).tolist()
    for wrong in (
        lambda: stats.poisson.rvs(2.0, loc, scale=3.0),
        lambda: stats.norm.rvs(loc, 1.0, 2, 3, 4),
        lambda: stats.norm.rvs(loc, sigma=1.0),
        lambda: stats.gamma.rvs(loc=loc),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_wrong_parameters_are_refused_when_a_distribution_is_frozen():
    loc = Variable(np.array(1.0))
    for frozen, message in (
        (
            lambda: stats.norm(loc, sigma=1.0),
            r"norm\(\) got an unexpected keyword argument 'sigma'",
        ),
        (lambda: stats.norm(loc, 1.0, 2.0), r"norm\(\) too many positional arguments"),
        (lambda: stats.gamma(scale=loc), r"gamma\(\) missing a required argument: 'a'"),
        (lambda: stats.multivariate_normal(loc, sigma=1.0), r"multivariate_normal\(\) got an un"),
    ):
        with pytest.raises(TypeError, match=message):
            frozen()


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
