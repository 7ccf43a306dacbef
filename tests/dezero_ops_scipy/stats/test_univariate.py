"""Distributions of numbers: derivatives to the second order, ends of supports, and bad input.

Promise: docs/how_to/use_scipy.md
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
import scipy.stats
from dezero_ops_scipy.arguments import DerivativeOrderError
from dezero_ops_scipy.families import FOLDERS, methods_of
from dezero_tools.functional import grad, hessian
from mpmath import mp, mpf

from dezero_core import Variable, VariableTypeError
from dezero_ops_scipy import stats

SHAPES = {
    **dict.fromkeys(("chi2", "gamma", "invgamma", "lognorm", "pareto", "t", "vonmises"), (2.5,)),
    "weibull_min": (1.5,),
    "beta": (2.5, 1.5),
    "f": (3.5, 5.0),
    "truncnorm": (-1.0, 2.0),
    "binom": (5, 0.4),
    "nbinom": (2.5, 0.4),
    "bernoulli": (0.4,),
    "geom": (0.4,),
    "poisson": (2.5,),
}
MODULES = [m for m in FOLDERS["stats"] if {"cdf", "logpdf"} <= {*methods_of(m)}]
CONTINUOUS = [name for module in MODULES for name in FOLDERS["stats"][module]]
DISCRETE = FOLDERS["stats"]["discrete"]
METHODS = methods_of("normal")
INSIDE = {"beta": 0.4, "uniform": 0.4, "pareto": 2.0}
inf, nan = math.inf, math.nan


def method_of(name, method):
    return getattr(getattr(stats, name), method)


def by_all(function, *given):
    """Return the value and the gradients of a function by each operand."""
    operands = [Variable(np.asarray(x, dtype=float)) for x in given]
    y = function(*operands)
    y.backward()
    return y.data, [x.grad for x in operands]


# Derivatives against other formulas. Those of first order are on the page of accuracy.

LOGS = {
    "norm": (lambda x, m, s: -(((x - m) / s) ** 2) / 2 - mp.log(s), (0.7, 0.2, 1.3)),
    "gamma": (
        lambda x, a, m, s: (a - 1) * mp.log((x - m) / s) - (x - m) / s - mp.loggamma(a) - mp.log(s),
        (1.5, 2.5, 0.2, 1.3),
    ),
    "t": (
        lambda x, n, m, s: (
            mp.loggamma((n + 1) / 2)
            - mp.loggamma(n / 2)
            - mp.log(n) / 2
            - (n + 1) / 2 * mp.log(1 + ((x - m) / s) ** 2 / n)
            - mp.log(s)
        ),
        (0.7, 4.5, 0.2, 1.3),
    ),
    "logistic": (
        lambda x, m, s: -2 * mp.log(mp.cosh((x - m) / s / 2)) - mp.log(s),
        (0.7, 0.2, 1.3),
    ),
    "vonmises": (
        lambda x, k, m, s: k * mp.cos((x - m) / s) - mp.log(mp.besseli(0, k)) - mp.log(s),
        (0.7, 2.5, 0.2, 1.3),
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_hessians_of_log_densities_agree_with_mpmath(name):
    truth, at = LOGS[name]
    found = hessian(lambda x: method_of(name, "logpdf")(*x))(np.array(at))
    with mp.workdps(40):
        for i, j in itertools.product(range(len(at)), repeat=2):
            orders = [int(n == i) + int(n == j) for n in range(len(at))]
            expected = float(mpmath.diff(truth, tuple(map(mpf, at)), tuple(orders)))
            assert found[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-14), (i, j)


@pytest.mark.parametrize("df", [0.05, 0.7, 3.0, 40.0, 1e6])
@pytest.mark.parametrize("y", [0.01, 1.0, 1.4, -3.0, 30.0])
def test_the_distribution_function_of_t_by_its_degrees_of_freedom_agrees_with_mpmath(y, df):
    """Of the integral of the density from 0, by a step of which no digit is lost."""

    def density(u, n):
        constant = mp.gamma((n + 1) / 2) / mp.gamma(n / 2) / mp.sqrt(mp.pi * n)
        return constant * (1 + u * u / n) ** (-(n + 1) / 2)

    with mp.workdps(60):
        n, h = mpf(df), mpf(df) / 10**20
        change = [mp.quad(lambda u, m=m: density(u, m), [0, y / 4, y]) for m in (n + h, n - h)]
        expected = float((change[0] - change[1]) / (2 * h))
    _, (_, by_df) = by_all(stats.t.cdf, y, df)
    assert by_df == pytest.approx(expected, rel=3e-13, abs=1e-50)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_the_logarithm_of_nearly_all_keeps_the_digits_of_the_rest(name):
    shapes = SHAPES.get(name, ())
    theirs = getattr(scipy.stats, name)
    near_ends = theirs.isf(1e-9, *shapes), theirs.ppf(1e-9, *shapes)
    if name == "vonmises":  # SciPy's quantiles are no better than that
        near_ends = math.pi - 1e-8, 1e-8 - math.pi
    for method, part, x in zip(("logcdf", "logsf"), ("sf", "cdf"), near_ends, strict=True):
        x = Variable(np.array(x))
        rest = method_of(name, part)(x, *shapes).data
        np.testing.assert_allclose(method_of(name, method)(x, *shapes).data, np.log1p(-rest), 1e-13)


TAILS = {
    "gamma.logcdf": (lambda x: mp.log1p(-mp.gammainc(2.5, x, regularized=True)), 60.0, 2.5),
    "halfnorm.logsf": (lambda x: mp.log(mp.erfc(x / mp.sqrt(2))), 50.0),
    "vonmises.cdf": (
        lambda x: mp.quad(lambda t: mp.exp(15 * mp.cos(t)), [-mp.pi, x]) / 2 / mp.pi
        / mp.besseli(0, 15), -2.5, 15.0
    ),
}  # fmt: skip


@pytest.mark.parametrize("method", TAILS)
def test_small_tails_agree_with_mpmath_in_their_values_and_slopes(method):
    truth, x, *shapes = TAILS[method]
    y, (slope, *_) = by_all(method_of(*method.split(".")), x, *shapes)
    with mp.workdps(60):
        assert y == pytest.approx(float(truth(mpf(x))), rel=1e-13, abs=0.0)
        assert slope == pytest.approx(float(mp.diff(truth, mpf(x))), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles_and_distribution_functions_undo_each_other(name):
    """So the derivatives by the parameters of one follow from those of the other."""
    shapes = SHAPES.get(name, ())
    given = [*map(float, shapes), 0.1, 1.2]

    def there_and_back(*parameters):
        q = np.array(0.3)
        x = method_of(name, "ppf")(q, *parameters)
        return method_of(name, "cdf")(x, *parameters)

    value, slopes = by_all(there_and_back, *given)
    assert value == pytest.approx(0.3, rel=1e-12, abs=0.0)
    np.testing.assert_allclose(slopes, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_the_methods_of_a_distribution_agree_with_each_other_and_with_their_derivatives(name):
    x, shapes = INSIDE.get(name, 0.8), SHAPES.get(name, ())
    found = {m: by_all(method_of(name, m), x, *shapes, 0.0, 1.0) for m in METHODS if m != "entropy"
             and m != "ppf"}  # fmt: skip
    value = {m: y for m, (y, _) in found.items()}
    slopes = {m: np.array(each) for m, (_, each) in found.items()}
    assert value["cdf"] + value["sf"] == pytest.approx(1.0, rel=1e-14, abs=0.0)
    assert slopes["cdf"][0] == pytest.approx(value["pdf"], rel=1e-13, abs=0.0)
    np.testing.assert_allclose(slopes["sf"], -slopes["cdf"], 1e-12)
    for log, plain in (("logpdf", "pdf"), ("logcdf", "cdf"), ("logsf", "sf")):
        assert value[log] == pytest.approx(math.log(value[plain]), rel=1e-13, abs=1e-15)
        np.testing.assert_allclose(slopes[log], slopes[plain] / value[plain], 1e-11, 1e-14)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_entropies_are_means_of_minus_the_log_density_also_in_their_derivatives(name):
    """By a quadrature over the distribution function: the mean of f(X) is that of f(ppf(q))."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    # So that the ends, where it is infinite, are far enough: q(t) of a double exponential rule.
    t = 3.2 * nodes
    q = 1.0 / (1.0 + np.exp(-math.pi * np.sinh(t)))
    dq = math.pi * np.cosh(t) * q * (1.0 - q) * 3.2 * weights
    shapes = SHAPES.get(name, ())
    inside = (q > 1e-14) & (q < 1.0 - 1e-14)
    q, dq = q[inside], dq[inside]
    x = getattr(scipy.stats, name).ppf(q, *shapes)

    def mean(*parameters):
        return -np.sum(dq * method_of(name, "logpdf")(x, *parameters))

    # Its derivative by the parameters at constant x is 0 on average: what is left is that of the
    # weights, sum(dq * logpdf * score).
    value, _ = by_all(mean, *map(float, shapes), 0.0, 1.0)
    entropy, slopes = by_all(method_of(name, "entropy"), *map(float, shapes), 0.0, 1.0)
    assert value == pytest.approx(entropy, rel=1e-4, abs=0.0)
    for n in range(len(shapes) if name != "truncnorm" else 0):  # by whose ends the mean moves

        def of_one(shape, n=n):
            return method_of(name, "logpdf")(x, *shapes[:n], shape, *shapes[n + 1 :], 0.0, 1.0)

        log = of_one(float(shapes[n]))
        each = Variable(np.full(x.shape, float(shapes[n])))
        of_one(each).backward()
        assert slopes[n] == pytest.approx(-np.sum(dq * log * each.grad), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("name", "by"), [("t", 1), ("vonmises", 1)])
def test_second_derivatives_by_a_shape_without_a_closed_form_are_refused_by_name(name, by):
    given = [np.float64(INSIDE.get(name, 0.8)), *SHAPES[name]]
    first = grad(method_of(name, "cdf"), by)
    assert np.isfinite(first(*given))
    with pytest.raises(NotImplementedError, match=f"stats.{name} has a first derivative") as caught:
        grad(first, by)(*given)
    assert type(caught.value) is DerivativeOrderError
    assert caught.value.distribution == f"scipy.stats.{name}"
    mixed = grad(grad(method_of(name, "cdf"), 0), by)(*given)
    assert mixed == pytest.approx(grad(method_of(name, "pdf"), by)(*given), rel=1e-12, abs=0.0)
    second = grad(grad(method_of(name, "cdf"), 0), 0)(*given)
    assert second == pytest.approx(grad(method_of(name, "pdf"), 0)(*given), rel=1e-13, abs=0.0)


# Discrete


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_of_integers_add_up_to_1_and_their_derivatives_to_0(name):
    shapes = [Variable(np.array(float(s))) if s != 5 else s for s in SHAPES[name]]
    k = np.arange(0.0, 120.0)
    total = method_of(name, "pmf")(k, *shapes).sum()
    total.backward()
    assert total.data == pytest.approx(1.0, rel=1e-14, abs=0.0)
    for shape in shapes:
        if isinstance(shape, Variable):
            assert abs(shape.grad) < 1e-13


@pytest.mark.parametrize("name", DISCRETE)
def test_distribution_functions_of_integers_are_sums_of_probabilities_in_their_derivatives(name):
    k = np.arange(5.0)
    parts, sums, logs, rests = (
        [Variable(np.array(float(s))) if s != 5 else s for s in SHAPES[name]] for _ in range(4)
    )
    np.cumsum(method_of(name, "pmf")(k, *parts)).sum().backward()
    method_of(name, "cdf")(k, *sums).sum().backward()
    np.exp(method_of(name, "logcdf")(k, *logs)).sum().backward()
    (1.0 - method_of(name, "sf")(k, *rests)).sum().backward()
    for a, *others in zip(parts, sums, logs, rests, strict=True):
        for b in others:
            if isinstance(a, Variable):
                assert a.grad == pytest.approx(b.grad, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("name", DISCRETE)
def test_integers_and_their_place_are_constants(name):
    p = SHAPES[name]
    for method in ("pmf", "logpmf", "cdf"):
        with pytest.raises(VariableTypeError, match=f"{name}.{method} has no derivative by k"):
            method_of(name, method)(Variable(np.array(1.0)), *p)
        with pytest.raises(VariableTypeError, match=f"{name}.{method} has no derivative by loc"):
            method_of(name, method)(1, *p, loc=Variable(np.array(1.0)))
    with pytest.raises(VariableTypeError, match=r"binom\.pmf has no derivative by n"):
        stats.binom.pmf(1, Variable(np.array(5.0)), 0.4)


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_of_what_is_no_integer_or_outside_are_0_without_a_derivative(name):
    *rest, p = SHAPES[name]
    p = Variable(np.array(p))
    k = np.array([-1.0, 0.5, 1.0, 7.5, 1000.0])
    theirs = getattr(scipy.stats, name)
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf"):
        y = method_of(name, method)(k, *rest, p)
        np.testing.assert_allclose(y.data, getattr(theirs, method)(k, *rest, p.data), 1e-11, 1e-99)
    y = method_of(name, "pmf")(k[[0, 1, 3]], *rest, p)
    y.backward()
    assert p.grad == 0.0


# Edges

PARTS = [-inf, -1.0, 0.0, 0.5, 1.0, 2.0, 1e3, inf, nan]


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("entropy", "ppf")])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_values_at_and_beyond_the_ends_are_scipys_and_gradients_outside_are_0(name, method):
    shapes = SHAPES.get(name, ())
    x = Variable(np.array(PARTS))
    with np.errstate(all="ignore"):
        y = method_of(name, method)(x, *shapes)
        expected = getattr(getattr(scipy.stats, name), method)(x.data, *shapes)
        # Of a density that underflows, SciPy's logarithm is -inf; at inf, some are nan.
        expected = np.where((x.data == 1e3) & np.isneginf(expected), y.data, expected)
        expected = np.where(np.isinf(x.data) & np.isnan(expected), y.data, expected)
        np.testing.assert_allclose(y.data, expected, 1e-12, 1e-16)
        y.backward()
    lower, upper = getattr(scipy.stats, name).support(*shapes)
    outside = (x.data < lower) | (x.data > upper)
    assert not x.grad[outside].any()


@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles_outside_of_0_to_1_are_nan_without_a_gradient(name):
    shapes, q = SHAPES.get(name, ()), Variable(np.array([-0.1, 0.0, 0.5, 1.0, 1.1, nan]))
    with np.errstate(all="ignore"):
        y = method_of(name, "ppf")(q, *shapes)
        expected = getattr(scipy.stats, name).ppf(q.data, *shapes)
        y.backward()
    np.testing.assert_allclose(y.data, expected, 1e-12)
    assert q.grad[[0, 4]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_parameters_out_of_their_domain_give_nan_and_leave_the_others_right(name, method):
    x, shapes = INSIDE.get(name, 0.8), SHAPES.get(name, ())
    at = {"entropy": [], "ppf": [0.4]}.get(method, [x])
    scale = Variable(np.array([1.0, 0.0, -1.0, nan]))
    alone = Variable(np.array(1.0))
    y, expected = (method_of(name, method)(*at, *shapes, scale=s) for s in (scale, alone))
    assert np.isnan(y.data).tolist() == [False, True, True, True]
    assert y.data[0] == expected.data
    y.backward()
    expected.backward()
    assert scale.grad.tolist() == [alone.grad, 0.0, 0.0, 0.0]
    if shapes and name != "vonmises":
        first = Variable(np.array([shapes[0], -1.0 if name != "truncnorm" else 3.0, nan]))
        y = method_of(name, method)(*at, first, *shapes[1:])
        assert np.isnan(y.data).tolist() == [False, True, True]
        y.backward()
        assert first.grad[1:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_float32_stays_in_values_and_gradients(name, method):
    x, shapes = INSIDE.get(name, 0.8), SHAPES.get(name, ())
    at = {"entropy": [], "ppf": [0.4]}.get(method, [x])
    given = [Variable(np.array([v, v], np.float32)) for v in (*at, *shapes, 0.0, 1.0)]
    y = method_of(name, method)(*given)
    y.backward()
    assert y.dtype == np.float32
    assert {v.grad.dtype for v in given if v.grad is not None} == {np.dtype("float32")}
    first = Variable(given[0].data)
    assert method_of(name, method)(first, *map(float, [*at, *shapes][1:])).dtype == np.float32


@pytest.mark.parametrize(
    ("name", "shapes", "slope"),
    [
        ("beta", (2.0, 3.0), 12.0),
        ("beta", (3.0, 3.0), 0.0),
        ("f", (4.0, 5.0), 5.6),
        ("f", (2.0, 3.0), -5.0 / 3.0),
        ("f", (1.0, 3.0), -inf),
        ("f", (3.0, 3.0), inf),
        ("gamma", (2.0,), 1.0),
        ("weibull_min", (2.0,), 2.0),
        ("weibull_min", (2.5,), 0.0),
        ("weibull_min", (1.5,), inf),
    ],
)
def test_slopes_of_densities_at_the_lower_end_are_the_limits(name, shapes, slope):
    x = Variable(np.array(0.0))
    with np.errstate(divide="ignore"):
        method_of(name, "pdf")(x, *shapes).backward()
    assert x.grad == pytest.approx(slope, rel=1e-15, abs=0.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_float32_stays_where_numbers_are_outside_or_parameters_wrong(name, method):
    shapes, x = SHAPES.get(name, ()), np.array([-1e3, 0.0, 0.8, 1e3, nan], np.float32)
    at = [] if method == "entropy" else [x]
    single = [np.float32(s) for s in shapes]
    with np.errstate(all="ignore"):
        for parameters in (shapes, single, [Variable(np.full(5, s)) for s in single]):
            for scale in (1, 2.0, -1.0, np.float32(2.0)):
                given = [Variable(np.asarray(v)) if v is x else v for v in (*at, *parameters)]
                if any(isinstance(v, Variable) for v in given):
                    y = method_of(name, method)(*given, scale=scale)
                    assert y.dtype == np.float32


@pytest.mark.parametrize("name", ["lognorm", "invgamma"])
@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("entropy", "ppf")])
def test_an_open_end_is_outside_in_every_precision(name, method):
    (shape,) = SHAPES[name]
    for dtype in (np.float32, np.float64):
        x = Variable(np.array([0.0, 1.0], dtype))
        y = method_of(name, method)(x, shape)
        y.backward()
        with np.errstate(divide="ignore"):
            assert y.data[0] == getattr(getattr(scipy.stats, name), method)(0.0, shape)
        assert x.grad[0] == 0.0
        assert np.isfinite(x.grad[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gumbel_number_far_below_leaves_the_gradients_of_others_right(dtype):
    for method in ("pdf", "cdf", "sf"):
        loc, alone = (Variable(np.array(0.0, dtype)) for _ in range(2))
        method_of("gumbel_r", method)(np.array([-800.0, -90.0, 0.5], dtype), loc).backward()
        method_of("gumbel_r", method)(np.array([0.5], dtype), alone).backward()
        assert loc.grad == alone.grad != 0.0


def test_results_are_of_the_floats_beside_integers_and_at_least_single():
    single = np.ones(2, np.float32)
    for x, loc in (
        (Variable(np.array([1, 2])), single),
        (Variable(single.astype(np.float16)), single.astype(np.float16)),
        (Variable(single), 2),
    ):
        assert stats.norm.logpdf(x, loc).dtype == np.float32
        assert stats.gamma.cdf(x, loc).dtype == np.float32
    assert stats.norm.logpdf(Variable(single), np.ones(2)).dtype == np.float64


def test_integers_lists_and_empty_arrays_are_taken():
    x = Variable(np.array([1, 2]))
    y = stats.norm.logpdf(x, 0, 2)
    np.testing.assert_allclose(y.data, scipy.stats.norm.logpdf([1, 2], 0, 2), 1e-15)
    assert y.creator is None
    loc = Variable(np.array(0.5))
    np.testing.assert_allclose(
        stats.norm.logpdf([1, 2], loc).data, scipy.stats.norm.logpdf([1, 2], 0.5), 1e-15
    )
    assert stats.gamma.cdf(Variable(np.empty((0, 3))), 2.0).shape == (0, 3)
    assert stats.gamma.cdf(np.ones((2, 1)), Variable(np.ones(3))).shape == (2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        stats.gamma.cdf(np.ones(2), Variable(np.ones(3)))


def test_complex_numbers_and_wrong_arguments_are_refused():
    with pytest.raises(
        VariableTypeError,
        match=r"scipy\.stats\.norm\.logpdf of a Variable takes real numbers, got complex128",
    ):
        stats.norm.logpdf(Variable(np.array(1.0 + 1.0j)))
    for wrong, got in ((None, "object: array"), ("a", "<U1: 'a'"), ([1, None], "object: array")):
        with pytest.raises(VariableTypeError, match=rf"norm\.cdf of a .* real numbers, got {got}"):
            stats.norm.cdf(Variable(np.array(1.0)), wrong)
    with pytest.raises(TypeError, match=r"logpdf\(\) missing 1 required positional argument: 'a'"):
        stats.gamma.logpdf(Variable(np.array(1.0)))
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigma'"):
        stats.norm.logpdf(Variable(np.array(1.0)), sigma=2.0)


def test_t_with_infinite_degrees_of_freedom_is_normal():
    x = Variable(np.array([0.5, -1.0]))
    for method in ("logpdf", "cdf", "sf", "ppf"):
        at = Variable(np.array([0.3, 0.6])) if method == "ppf" else x
        y = getattr(stats.t, method)(at, np.inf)
        expected = getattr(stats.norm, method)(at)
        np.testing.assert_allclose(y.data, expected.data, 1e-14)
        single = getattr(stats.t, method)(at.astype(np.float32), np.inf)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single.data, expected.data, 1e-6)


# Random numbers


def test_random_numbers_have_gradients_by_place_and_width():
    loc, scale = Variable(np.array([0.5, 1.5])), Variable(np.array(2.0))
    z = scipy.stats.gamma.rvs(3.0, size=(4, 2), random_state=0)
    x = stats.gamma.rvs(3.0, loc, scale, size=(4, 2), random_state=0)
    np.testing.assert_allclose(x.data, z * 2.0 + loc.data, 1e-15)
    x.backward()
    np.testing.assert_allclose(loc.grad, [4.0, 4.0])
    np.testing.assert_allclose(scale.grad, z.sum(), 1e-15)
    assert stats.norm(loc, scale).rvs(random_state=1).shape == (2,)
    assert stats.norm.rvs(loc=loc, random_state=1).shape == (2,)


def test_random_numbers_of_arrays_are_scipys_and_shapes_are_constants():
    assert stats.t.rvs(3.0, size=2, random_state=0).tolist() == (
        scipy.stats.t.rvs(3.0, size=2, random_state=0).tolist()
    )
    with pytest.raises(VariableTypeError, match=r"gamma\.rvs has no derivative by a"):
        stats.gamma.rvs(Variable(np.array(3.0)))


def test_a_tail_of_bernoulli_has_the_shape_of_integers_and_probabilities_together():
    p, k = np.array([0.25, 0.5, 0.75]), np.zeros((2, 3))
    for method in ("cdf", "sf", "logcdf", "logsf"):
        theirs = getattr(scipy.stats.bernoulli, method)(k, p)
        np.testing.assert_allclose(getattr(stats.bernoulli, method)(k, Variable(p)).data, theirs)


@pytest.mark.parametrize("name", ["norm", "t", "cauchy", "logistic"])
def test_an_infinite_number_is_beyond_the_ends_where_derivatives_are_0(name):
    shapes = [Variable(np.array(s)) for s in SHAPES.get(name, ())]
    loc, scale = Variable(np.array(0.5)), Variable(np.array(2.0))
    getattr(stats, name).cdf(np.array([-inf, inf]), *shapes, loc, scale).backward()
    assert [each.grad for each in (*shapes, loc, scale)] == [0.0] * (2 + len(shapes))
