"""Distributions of vectors, statistics of samples, and densities that are estimated from them.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.stats
from dezero_tools.functional import grad, hessian, value_and_grad

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import stats

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 3))
COV = A @ A.T + np.eye(3)
MEAN, X = RNG.normal(size=3), RNG.normal(size=(5, 3))


def test_the_normal_density_of_vectors_has_the_gradients_of_the_formulas():
    inverse = np.linalg.inv(COV)
    d = X - MEAN
    by_x, by_mean, by_cov = grad(lambda x, m, c: stats.multivariate_normal.logpdf(x, m, c).sum(),
                                 (0, 1, 2))(X, MEAN, COV)  # fmt: skip
    np.testing.assert_allclose(by_x, -d @ inverse, 1e-12)
    np.testing.assert_allclose(by_mean, (d @ inverse).sum(0), 1e-12)
    outer = inverse @ d.T @ d @ inverse
    np.testing.assert_allclose(by_cov, 0.5 * (outer - 5 * inverse), 1e-11)


def test_second_derivatives_of_the_normal_density_by_the_covariance_are_right():
    """Along symmetric steps, against the formula for a matrix with one entry."""

    def of_variance(v):
        return stats.multivariate_normal.logpdf(np.array([1.5]), 0.0, np.reshape(v, (1, 1)))

    second = hessian(lambda v: of_variance(v[0]))(np.array([2.0]))
    assert second[0, 0] == pytest.approx(0.5 / 4.0 - 1.5**2 / 8.0, rel=1e-13, abs=0.0)


def test_a_singular_covariance_gives_the_density_on_its_range():
    plane = np.array([[1.0, 0.0], [0.5, 1.0], [1.0, 2.0]])
    cov = plane @ np.diag([1.0, 2.0]) @ plane.T
    inside = plane @ np.array([0.3, -0.2])
    points = np.stack([inside, inside + np.cross(plane[:, 0], plane[:, 1])])
    expected = scipy.stats.multivariate_normal.logpdf(points, cov=cov, allow_singular=True)
    x = Variable(points)
    y = stats.multivariate_normal.logpdf(x, cov=Variable(cov), allow_singular=True)
    np.testing.assert_allclose(y.data, expected, 1e-12)
    assert y.data[1] == -np.inf
    y.backward()
    np.testing.assert_allclose(x.grad[0], -np.linalg.pinv(cov, hermitian=True) @ inside, 1e-10)
    assert not x.grad[1].any()
    pdf = stats.multivariate_normal.pdf(x, cov=cov, allow_singular=True)
    np.testing.assert_allclose(pdf.data, np.exp(expected), 1e-12)

    # Along the range, the gradient by the covariance is that of the two coordinates.
    def by_scale(s):
        return stats.multivariate_normal.logpdf(inside, cov=s * cov, allow_singular=True)

    value, slope = value_and_grad(by_scale)(1.0)
    square = inside @ np.linalg.pinv(cov, hermitian=True) @ inside
    assert slope == pytest.approx(-1.0 + 0.5 * square, rel=1e-10, abs=0.0)
    assert value == pytest.approx(expected[0], rel=1e-12, abs=0.0)


def test_covariances_that_are_no_covariances_raise_scipys_errors():
    x = Variable(np.zeros(2))
    with pytest.raises(np.linalg.LinAlgError, match="must be symmetric positive definite"):
        stats.multivariate_normal.logpdf(x, cov=np.ones((2, 2)))
    with pytest.raises(ValueError, match="must be symmetric positive semidefinite"):
        stats.multivariate_normal.logpdf(x, cov=np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"shape|broadcast|mismatch"):
        stats.multivariate_normal.logpdf(x, np.zeros(3), np.eye(3))
    with pytest.raises(VariableTypeError, match="takes real numbers"):
        stats.multivariate_normal.logpdf(Variable(np.array([1.0j])))


@pytest.mark.parametrize(
    ("x", "mean", "cov"),
    [
        (0.5, None, 1),
        (0.5, 1.0, 2.0),
        (np.array([0.5, 1.0]), None, 2.0),
        (np.array([0.5, 1.0]), np.zeros(2), 2.0),
        (np.array([[0.5, 1.0]]), np.zeros(2), np.array([1.0, 2.0])),
        (np.ones((4, 3, 2)), np.zeros(2), np.eye(2)),
        ([1, 2], [0, 0], [[2, 0], [0, 1]]),
    ],
)
def test_points_means_and_covariances_of_every_form_are_read_as_by_scipy(x, mean, cov):
    for of in (0, 1, 2):
        given = [x, mean, cov]
        if given[of] is None:
            continue
        given[of] = Variable(np.asarray(given[of], float))
        expected = scipy.stats.multivariate_normal.logpdf(x, mean, cov)
        found = stats.multivariate_normal.logpdf(*given)
        assert isinstance(found, Variable)
        np.testing.assert_allclose(found.data, expected, 1e-13)


def test_the_entropy_of_normal_vectors_has_half_the_inverse_as_gradient():
    by_cov = grad(lambda c: stats.multivariate_normal.entropy(cov=c))(COV)
    np.testing.assert_allclose(by_cov, 0.5 * np.linalg.inv(COV), 1e-12)
    frozen = stats.multivariate_normal(MEAN, Variable(COV))
    assert frozen.entropy().data == pytest.approx(
        scipy.stats.multivariate_normal(MEAN, COV).entropy(), rel=1e-13
    )


def test_the_dirichlet_density_has_the_gradients_of_the_formulas():
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.5, 0.7, 2.0])
    psi = scipy.special.psi
    by_x, by_alpha = grad(stats.dirichlet.logpdf, (0, 1))(x, alpha)
    np.testing.assert_allclose(by_x, (alpha - 1.0) / x, 1e-14)
    np.testing.assert_allclose(by_alpha, np.log(x) - psi(alpha) + psi(alpha.sum()), 1e-13)
    short = grad(stats.dirichlet.logpdf)(x[:2], alpha)  # the last part follows from the others
    np.testing.assert_allclose(short, by_x[:2] - by_x[2], 1e-13)
    with pytest.raises(ValueError, match="must lie within the normal simplex"):
        stats.dirichlet.logpdf(Variable(np.array([0.5, 0.6])), np.ones(2))
    with pytest.raises(ValueError, match="must be greater than 0"):
        stats.dirichlet.logpdf(np.array([0.5, 0.5]), Variable(np.array([1.0, -1.0])))


# Samples

SAMPLE = np.array([[1.0, 2.0, 4.0, 8.0, 3.0], [0.5, 0.1, -3.0, 1.0, 0.2]])


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("name", ["skew", "kurtosis"])
def test_moments_along_every_axis_are_scipys(name, axis, keepdims):
    for bias in (True, False):
        how = {"axis": axis, "bias": bias, "keepdims": keepdims}
        with np.errstate(all="ignore"):
            expected = getattr(scipy.stats, name)(SAMPLE.T, **how)
            found = getattr(stats, name)(Variable(SAMPLE.T), **how)
        np.testing.assert_allclose(found.data, expected, 1e-13, 1e-15)
        assert found.shape == np.shape(expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["skew", "kurtosis"])
def test_the_corrections_of_moments_of_short_samples_are_scipys(name, n):
    sample = SAMPLE[0, :n]
    with np.errstate(all="ignore"):
        expected = getattr(scipy.stats, name)(sample, bias=False)
        found = getattr(stats, name)(Variable(sample), bias=False)
    np.testing.assert_allclose(found.data, expected, 1e-13, 1e-15)
    with pytest.raises(VariableTypeError, match=f"{name} has no derivative by bias"):
        getattr(stats, name)(Variable(sample), bias=Variable(np.array(1.0)))


def test_gradients_of_standard_scores_and_moments_are_those_of_the_formulas():
    a = SAMPLE[0]
    n, z = a.size, (a - a.mean()) / a.std()
    by_a = grad(lambda v: stats.zscore(v)[2])(a)
    expected = (np.eye(n)[2] - (1.0 + z[2] * z) / n) / a.std()
    np.testing.assert_allclose(by_a, expected, 1e-13)
    skew = np.mean(z**3)
    np.testing.assert_allclose(
        grad(stats.skew)(a), 3.0 * (z**2 - 1.0 - skew * z) / (n * a.std()), 1e-12
    )
    moment = np.mean(z**4)
    np.testing.assert_allclose(
        grad(stats.kurtosis)(a), 4.0 * (z**3 - skew - moment * z) / (n * a.std()), 1e-12
    )


def test_samples_that_are_constant_give_nan_and_other_policies_are_refused():
    x = Variable(np.ones(4))
    with np.errstate(all="ignore"):
        assert np.isnan(stats.skew(x).data)
        assert np.isnan(stats.zscore(x).data).all()
    with pytest.raises(VariableTypeError, match="takes nan_policy='propagate' alone, got 'omit'"):
        stats.zscore(x, nan_policy="omit")
    with pytest.raises(np.exceptions.AxisError):
        stats.skew(x, axis=3)


def test_an_estimated_density_is_differentiable_where_it_is_asked():
    kde = stats.gaussian_kde(SAMPLE, weights=np.arange(1.0, 6.0))
    assert isinstance(kde, scipy.stats.gaussian_kde)
    theirs = scipy.stats.gaussian_kde(SAMPLE, weights=np.arange(1.0, 6.0))
    points = np.array([[0.5, 3.0, 2.0], [0.0, 0.1, -1.0]])
    assert kde(points).tolist() == theirs(points).tolist()
    assert kde.logpdf(points).tolist() == theirs.logpdf(points).tolist()
    for function in (kde, kde.evaluate, kde.pdf):
        np.testing.assert_allclose(function(Variable(points)).data, theirs(points), 1e-12)
    inverse = np.linalg.inv(kde.covariance)
    apart = kde.dataset[:, :, None] - points[:, None, :]
    kernels = kde.weights[:, None] * np.exp(
        -0.5 * np.einsum("inm,ij,jnm->nm", apart, inverse, apart)
    )
    expected = np.einsum("ij,jnm,nm->im", inverse, apart, kernels / kernels.sum(0))
    x = Variable(points)
    kde.logpdf(x).backward()
    np.testing.assert_allclose(x.grad, expected, 1e-12)
    with pytest.raises(
        ValueError, match="points have dimension 3, and the dataset has dimension 2"
    ):
        kde(Variable(np.zeros((3, 2))))
    assert stats.gaussian_kde(SAMPLE[0])(Variable(np.array([0.5]))).shape == (1,)
    for place in (SAMPLE[:, 0], SAMPLE[:, :1]):  # one point
        np.testing.assert_allclose(kde(Variable(place)).data, theirs(place), 1e-13)


def test_results_for_vectors_have_no_axes_of_length_1_as_scipys():
    x, cov = np.ones((1, 2)), 2.0 * np.eye(2)
    for given in (x, x[0], np.ones((3, 1, 2)), np.ones((1, 1, 2))):
        y = stats.multivariate_normal.logpdf(Variable(given), np.zeros(2), cov)
        theirs = scipy.stats.multivariate_normal.logpdf(given, np.zeros(2), cov)
        np.testing.assert_allclose(y.data, theirs, 1e-14)
        assert y.shape == np.shape(theirs)
