"""The true functions of SciPy, in mpmath, and the intervals of the points to compare at.

Each is a definition: an integral, a series or a formula of a handbook, and not the code of SciPy or
of ours. Derivatives are taken of these, by central differences in hundreds of bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scipy.special as sc
import scipy.stats
from mpmath import mp

Number = Any
Interval = tuple[float, float]


@dataclass(frozen=True)
class Truth:
    """A function and where it is asked.

    Attributes
    ----------
    value : callable
    between : tuple of pairs
        For each operand the interval of its points: if both ends are positive, and far apart, the
        points are spread by their logarithms. An operand that is an integer has a range of it.
    by : tuple of int
        The operands by which there is a derivative; by default all.
    bits : int
    """

    value: Callable[..., Number]
    between: tuple[Interval | range, ...]
    by: tuple[int, ...] = ()
    bits: int = 320

    @property
    def operands(self) -> tuple[int, ...]:
        """The operands by which there is a derivative."""
        return self.by or tuple(range(len(self.between)))


def half(x: Number) -> Number:
    return mp.mpf(x) / 2


# Distributions in standard form: logarithm of the density and distribution function.


@dataclass(frozen=True)
class Distribution:
    """A distribution for ``loc = 0`` and ``scale = 1``.

    Attributes
    ----------
    log_density, below : callable
        Of `y` and the shapes.
    entropy : callable
        Of the shapes.
    y : pair
    shapes : tuple of pairs
    """

    log_density: Callable[..., Number]
    below: Callable[..., Number]
    entropy: Callable[..., Number]
    y: Interval
    shapes: tuple[Interval, ...] = ()
    bits: int = 320
    above: Callable[..., Number] | None = None

    @property
    def survival(self) -> Callable[..., Number]:
        """The probability of what is above `y`."""
        return self.above or (lambda *x: 1 - self.below(*x))


def regularised_gamma(a: Number, x: Number) -> Number:
    return mp.gammainc(a, 0, x, regularized=True)


def regularised_beta(a: Number, b: Number, x: Number) -> Number:
    return mp.betainc(a, b, 0, x, regularized=True)


def log_normal(y: Number) -> Number:
    return -y * y / 2 - mp.log(2 * mp.pi) / 2


def normal(y: Number) -> Number:
    return mp.erfc(-y / mp.sqrt(2)) / 2


def log_t(y: Number, df: Number) -> Number:
    constant = mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(mp.pi * df) / 2
    return constant - (df + 1) / 2 * mp.log(1 + y * y / df)


def below_t(y: Number, df: Number) -> Number:
    tail = regularised_beta(df / 2, half(1), df / (df + y * y)) / 2
    return tail if y < 0 else 1 - tail


def log_gamma_density(y: Number, a: Number) -> Number:
    return (a - 1) * mp.log(y) - y - mp.loggamma(a)


def log_beta(a: Number, b: Number) -> Number:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def log_f(y: Number, n: Number, d: Number) -> Number:
    a, b = n / 2, d / 2
    powers = a * mp.log(n) + b * mp.log(d) + (a - 1) * mp.log(y) - (a + b) * mp.log(d + n * y)
    return powers - log_beta(a, b)


def truncated(y: Number, a: Number, b: Number) -> Number:
    return (normal(y) - normal(a)) / (normal(b) - normal(a))


def below_angle(y: Number, kappa: Number) -> Number:
    terms = (mp.besseli(j, kappa) / mp.besseli(0, kappa) * mp.sin(j * y) / j for j in range(1, 80))
    return half(1) + y / (2 * mp.pi) + sum(terms) / mp.pi


def entropy_of_gamma(a: Number) -> Number:
    return a + mp.loggamma(a) + (1 - a) * mp.psi(0, a)


def entropy_of_beta(a: Number, b: Number) -> Number:
    both = (a + b - 2) * mp.psi(0, a + b)
    return log_beta(a, b) - (a - 1) * mp.psi(0, a) - (b - 1) * mp.psi(0, b) + both


def entropy_of_f(n: Number, d: Number) -> Number:
    a, b = n / 2, d / 2
    psis = (1 - a) * mp.psi(0, a) - (1 + b) * mp.psi(0, b) + (a + b) * mp.psi(0, a + b)
    return mp.log(d / n) + log_beta(a, b) + psis


def entropy_of_t(df: Number) -> Number:
    rise = mp.psi(0, (df + 1) / 2) - mp.psi(0, df / 2)
    return (df + 1) / 2 * rise - log_t(mp.mpf(0), df)


def entropy_of_truncated(a: Number, b: Number) -> Number:
    mass = normal(b) - normal(a)
    ends = a * mp.exp(log_normal(a)) - b * mp.exp(log_normal(b))
    return mp.log(2 * mp.pi * mp.e) / 2 + mp.log(mass) + ends / (2 * mass)


POSITIVE = (0.05, 20.0)
SHAPE = (0.3, 30.0)

DISTRIBUTIONS = {
    "beta": Distribution(
        lambda y, a, b: (a - 1) * mp.log(y) + (b - 1) * mp.log(1 - y) - log_beta(a, b),
        lambda y, a, b: regularised_beta(a, b, y),
        entropy_of_beta,
        (0.04, 0.9),
        (SHAPE, SHAPE),
    ),
    "cauchy": Distribution(
        lambda y: -mp.log(mp.pi * (1 + y * y)),
        lambda y: half(1) + mp.atan(y) / mp.pi,
        lambda: mp.log(4 * mp.pi),
        (-50.0, 50.0),
    ),
    "chi2": Distribution(
        lambda y, df: log_gamma_density(y / 2, df / 2) - mp.ln2,
        lambda y, df: regularised_gamma(df / 2, y / 2),
        lambda df: entropy_of_gamma(df / 2) + mp.ln2,
        POSITIVE,
        (SHAPE,),
    ),
    "expon": Distribution(lambda y: -y, lambda y: 1 - mp.exp(-y), lambda: mp.mpf(1), POSITIVE),
    "f": Distribution(
        log_f,
        lambda y, n, d: regularised_beta(n / 2, d / 2, n * y / (d + n * y)),
        entropy_of_f,
        POSITIVE,
        (SHAPE, SHAPE),
    ),
    "gamma": Distribution(
        log_gamma_density,
        lambda y, a: regularised_gamma(a, y),
        entropy_of_gamma,
        POSITIVE,
        (SHAPE,),
    ),
    "gumbel_r": Distribution(
        lambda y: -y - mp.exp(-y),
        lambda y: mp.exp(-mp.exp(-y)),
        lambda: 1 + mp.euler,
        (-3.0, 20.0),
    ),
    "halfnorm": Distribution(
        lambda y: log_normal(y) + mp.ln2,
        lambda y: mp.erf(y / mp.sqrt(2)),
        lambda: mp.log(mp.pi / 2) / 2 + half(1),
        (0.05, 8.0),
    ),
    "invgamma": Distribution(
        lambda y, a: -(a + 1) * mp.log(y) - 1 / y - mp.loggamma(a),
        lambda y, a: mp.gammainc(a, 1 / y, mp.inf, regularized=True),
        lambda a: a + mp.loggamma(a) - (a + 1) * mp.psi(0, a),
        POSITIVE,
        (SHAPE,),
        above=lambda y, a: regularised_gamma(a, 1 / y),
    ),
    "laplace": Distribution(
        lambda y: -abs(y) - mp.ln2,
        lambda y: mp.exp(y) / 2 if y < 0 else 1 - mp.exp(-y) / 2,
        lambda: 1 + mp.ln2,
        (-30.0, 30.0),
    ),
    "logistic": Distribution(
        lambda y: -y - 2 * mp.log(1 + mp.exp(-y)),
        lambda y: 1 / (1 + mp.exp(-y)),
        lambda: mp.mpf(2),
        (-40.0, 40.0),
    ),
    "lognorm": Distribution(
        lambda y, s: log_normal(mp.log(y) / s) - mp.log(s * y),
        lambda y, s: normal(mp.log(y) / s),
        lambda s: mp.log(2 * mp.pi * mp.e) / 2 + mp.log(s),
        POSITIVE,
        ((0.3, 3.0),),
    ),
    "norm": Distribution(log_normal, normal, lambda: mp.log(2 * mp.pi * mp.e) / 2, (-12.0, 12.0)),
    "pareto": Distribution(
        lambda y, b: mp.log(b) - (b + 1) * mp.log(y),
        lambda y, b: 1 - y**-b,
        lambda b: 1 + 1 / b - mp.log(b),
        (1.3, 50.0),
        (SHAPE,),
    ),
    "t": Distribution(log_t, below_t, entropy_of_t, (-20.0, 20.0), ((0.3, 300.0),)),
    "truncnorm": Distribution(
        lambda y, a, b: log_normal(y) - mp.log(normal(b) - normal(a)),
        truncated,
        entropy_of_truncated,
        (-0.9, 0.9),
        ((-6.0, -1.5), (1.5, 6.0)),
    ),
    "uniform": Distribution(lambda y: 0 * y, lambda y: y, lambda: mp.mpf(0), (0.2, 0.6)),
    "vonmises": Distribution(
        lambda y, kappa: kappa * mp.cos(y) - mp.log(2 * mp.pi * mp.besseli(0, kappa)),
        below_angle,
        lambda kappa: (
            mp.log(2 * mp.pi * mp.besseli(0, kappa))
            - kappa * mp.besseli(1, kappa) / mp.besseli(0, kappa)
        ),
        (-3.0, 3.0),
        ((0.2, 20.0),),
        160,
    ),
    "weibull_min": Distribution(
        lambda y, c: mp.log(c) + (c - 1) * mp.log(y) - y**c,
        lambda y, c: 1 - mp.exp(-(y**c)),
        lambda c: 1 + mp.euler * (1 - 1 / c) - mp.log(c),
        (0.05, 4.0),
        ((0.3, 5.0),),
        above=lambda y, c: mp.exp(-(y**c)),
    ),
}
PLACE, WIDTH = (-0.02, 0.02), (0.95, 1.05)


def methods_of(name: str) -> dict[str, Truth]:
    """Return the methods of a distribution; ``ppf`` is measured by its inverse."""
    known = DISTRIBUTIONS[name]
    density = known.log_density

    def standard(formula: Callable[..., Number]) -> Callable[..., Number]:
        return lambda x, *rest: formula((x - rest[-2]) / rest[-1], *rest[:-2])

    formulas = {
        "logpdf": lambda x, *rest: standard(density)(x, *rest) - mp.log(rest[-1]),
        "pdf": lambda x, *rest: mp.exp(standard(density)(x, *rest)) / rest[-1],
        "cdf": standard(known.below),
        "sf": standard(known.survival),
        "logcdf": lambda *x: mp.log(standard(known.below)(*x)),
        "logsf": lambda *x: mp.log(standard(known.survival)(*x)),
    }
    between = (known.y, *known.shapes, PLACE, WIDTH)
    found = {
        f"scipy.stats.{name}.{method}": Truth(value, between, bits=known.bits)
        for method, value in formulas.items()
    }
    found[f"scipy.stats.{name}.entropy"] = Truth(
        lambda *rest: known.entropy(*rest[:-2]) + mp.log(rest[-1]),
        (*known.shapes, PLACE, WIDTH),
        bits=known.bits,
    )
    if name == "vonmises":  # whose series takes minutes
        return found
    found[f"scipy.stats.{name}.ppf"] = Truth(
        lambda q, *rest: rest[-2] + rest[-1] * quantile(name, q, *rest[:-2]),
        ((0.01, 0.99), *known.shapes, PLACE, WIDTH),
        bits=known.bits,
    )
    return found


def quantile(name: str, q: Number, *shapes: Number) -> Number:
    """Return the quantile by Newton's method, of which each step doubles the digits of SciPy's."""
    known = DISTRIBUTIONS[name]
    y = mp.mpf(float(getattr(scipy.stats, name).ppf(float(q), *map(float, shapes))))
    for _ in range(5):
        y -= (known.below(y, *shapes) - q) / mp.exp(known.log_density(y, *shapes))
    return y


def log_mass_of_binom(k: Number, n: Number, p: Number) -> Number:
    return mp.log(mp.binomial(n, k)) + k * mp.log(p) + (n - k) * mp.log(1 - p)


def log_mass_of_nbinom(k: Number, n: Number, p: Number) -> Number:
    ways = mp.loggamma(n + k) - mp.loggamma(n) - mp.loggamma(k + 1)
    return ways + n * mp.log(p) + k * mp.log(1 - p)


@dataclass(frozen=True)
class Discrete:
    """A distribution of integers: the logarithm of the probability, of `k` and the parameters."""

    log_mass: Callable[..., Number]
    parameters: tuple[Interval | range, ...]
    k: range
    last: Callable[..., int]
    first: int = 0


P = (0.05, 0.95)
DISCRETE = {
    "bernoulli": Discrete(lambda k, p: mp.log(p if k else 1 - p), (P,), range(2), lambda p: 1),
    "binom": Discrete(log_mass_of_binom, (range(6, 9), P), range(6), lambda n, p: int(n)),
    "geom": Discrete(
        lambda k, p: (k - 1) * mp.log(1 - p) + mp.log(p),
        (P,),
        range(1, 9),
        lambda p: int(-250 / mp.log(1 - p)),
        1,
    ),
    "nbinom": Discrete(
        log_mass_of_nbinom,
        ((0.3, 30.0), (0.3, 0.95)),
        range(9),
        lambda n, p: int(60 + 20 * n + 250 / -mp.log(1 - p)),
    ),
    "poisson": Discrete(
        lambda k, mu: k * mp.log(mu) - mu - mp.loggamma(k + 1),
        ((0.05, 30.0),),
        range(15),
        lambda mu: 250,
    ),
}


def methods_of_discrete(name: str) -> dict[str, Truth]:
    """Return the methods of a distribution of integers."""
    known = DISCRETE[name]
    mass = known.log_mass
    between = (known.k, *known.parameters)
    by = tuple(n for n, each in enumerate(between) if not isinstance(each, range))

    def entropy(*parameters: Number) -> Number:
        last = known.last(*parameters)
        logs = [mass(k, *parameters) for k in range(known.first, last + 1)]
        return -sum(each * mp.exp(each) for each in logs)

    def below(k: Number, *parameters: Number) -> Number:
        return sum(mp.exp(mass(j, *parameters)) for j in range(known.first, int(k) + 1))

    def above(*x: Number) -> Number:
        return 1 - below(*x)

    prefix = f"scipy.stats.{name}"
    inner = (known.k[:-1], *known.parameters)  # nothing is above the last of Bernoulli's
    return {
        f"{prefix}.sf": Truth(above, inner, by, bits=250),
        f"{prefix}.logsf": Truth(lambda *x: mp.log(above(*x)), inner, by, bits=250),
        f"{prefix}.logcdf": Truth(lambda *x: mp.log(below(*x)), between, by, bits=250),
        f"{prefix}.logpmf": Truth(mass, between, by),
        f"{prefix}.pmf": Truth(lambda *x: mp.exp(mass(*x)), between, by),
        f"{prefix}.cdf": Truth(below, between, by),
        f"{prefix}.entropy": Truth(entropy, between[1:], tuple(n - 1 for n in by), bits=120),
    }


# Special functions


def bessel(function: Callable[..., Number]) -> Callable[..., Number]:
    return lambda v, x: function(v, x)


def scaled_i(v: Number, x: Number) -> Number:
    return mp.besseli(v, x) * mp.exp(-abs(x))


def scaled_k(v: Number, x: Number) -> Number:
    return mp.besselk(v, x) * mp.exp(x)


def box_cox(x: Number, lmbda: Number) -> Number:
    return (x**lmbda - 1) / lmbda


def inverse_box_cox(y: Number, lmbda: Number) -> Number:
    return (1 + lmbda * y) ** (1 / lmbda)


def relative_entropy(x: Number, y: Number) -> Number:
    return x * mp.log(x / y)


def spence(x: Number) -> Number:
    return mp.polylog(2, 1 - x).real


def inverse_of(
    forward: Callable[..., Number], guess: Callable[..., float], slope: Callable[..., Number]
) -> Callable[..., Number]:
    """Return the inverse by the last operand, by Newton's method from a double."""

    def inverse(*x: Number) -> Number:
        *rest, y = x
        found = mp.mpf(float(guess(*map(float, x))))
        for _ in range(5):
            found -= (forward(*rest, found) - y) / slope(*rest, found)
        return found

    return inverse


def normal_density(x: Number) -> Number:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def gamma_density(a: Number, x: Number) -> Number:
    return mp.exp(log_gamma_density(x, a))


def beta_density(a: Number, b: Number, x: Number) -> Number:
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.exp(log_beta(a, b))


def upper_gamma(a: Number, x: Number) -> Number:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def upper_beta(a: Number, b: Number, x: Number) -> Number:
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


inverse_normal = inverse_of(normal, sc.ndtri, normal_density)
ORDERS = range(6)
LARGE = (0.05, 100.0)
HALF = (0.01, 0.99)
SPECIAL = {
    "betainc": Truth(regularised_beta, (SHAPE, SHAPE, HALF)),
    "betaincc": Truth(upper_beta, (SHAPE, SHAPE, HALF)),
    "betaincinv": Truth(
        inverse_of(regularised_beta, sc.betaincinv, beta_density), (SHAPE, SHAPE, HALF)
    ),
    "betainccinv": Truth(
        inverse_of(upper_beta, sc.betainccinv, lambda *x: -beta_density(*x)), (SHAPE, SHAPE, HALF)
    ),
    "beta": Truth(mp.beta, (LARGE, LARGE)),
    "betaln": Truth(log_beta, (LARGE, LARGE)),
    "boxcox": Truth(box_cox, (LARGE, (-2.0, 2.0))),
    "dawsn": Truth(
        lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), ((-10.0, 10.0),), bits=320
    ),
    "ellipe": Truth(mp.ellipe, ((-5.0, 0.99),)),
    "ellipk": Truth(mp.ellipk, ((-5.0, 0.99),)),
    "entr": Truth(lambda x: -x * mp.log(x), (LARGE,)),
    "erf": Truth(mp.erf, ((-6.0, 6.0),)),
    "erfc": Truth(mp.erfc, ((-6.0, 20.0),)),
    "erfcinv": Truth(
        inverse_of(mp.erfc, sc.erfcinv, lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)), (HALF,)
    ),
    "erfcx": Truth(lambda x: mp.exp(x * x) * mp.erfc(x), ((-5.0, 20.0),), bits=700),
    "erfinv": Truth(
        inverse_of(mp.erf, sc.erfinv, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
        ((-0.99, 0.99),),
    ),
    "exp1": Truth(mp.e1, ((0.05, 50.0),)),
    "expi": Truth(mp.ei, ((0.05, 50.0),)),
    "expit": Truth(lambda x: 1 / (1 + mp.exp(-x)), ((-40.0, 40.0),)),
    "expn": Truth(mp.expint, (range(1, 6), (0.05, 50.0)), (1,)),
    "fresnel[0]": Truth(mp.fresnels, ((-5.0, 5.0),)),
    "fresnel[1]": Truth(mp.fresnelc, ((-5.0, 5.0),)),
    "gamma": Truth(mp.gamma, (LARGE,)),
    "gammainc": Truth(regularised_gamma, (SHAPE, POSITIVE)),
    "gammaincc": Truth(upper_gamma, (SHAPE, POSITIVE)),
    "gammaincinv": Truth(
        inverse_of(regularised_gamma, sc.gammaincinv, gamma_density), (SHAPE, HALF)
    ),
    "gammainccinv": Truth(
        inverse_of(upper_gamma, sc.gammainccinv, lambda *x: -gamma_density(*x)), (SHAPE, HALF)
    ),
    "gammaln": Truth(mp.loggamma, (LARGE,)),
    "loggamma": Truth(mp.loggamma, (LARGE,)),
    "hyp1f1": Truth(mp.hyp1f1, ((0.5, 3.0), (0.5, 3.0), (-5.0, 5.0)), (2,)),
    "hyp2f1": Truth(mp.hyp2f1, ((0.5, 3.0), (0.5, 3.0), (0.5, 3.0), (-0.9, 0.9)), (3,)),
    "i0": Truth(lambda x: mp.besseli(0, x), ((-50.0, 50.0),)),
    "i0e": Truth(lambda x: scaled_i(0, x), ((0.05, 100.0),)),
    "i1": Truth(lambda x: mp.besseli(1, x), ((-50.0, 50.0),)),
    "i1e": Truth(lambda x: scaled_i(1, x), ((0.05, 100.0),)),
    "inv_boxcox": Truth(inverse_box_cox, ((0.1, 5.0), (0.1, 2.0))),
    "iv": Truth(bessel(mp.besseli), (ORDERS, (0.05, 50.0)), (1,)),
    "ive": Truth(scaled_i, (ORDERS, (0.05, 100.0)), (1,)),
    "j0": Truth(lambda x: mp.besselj(0, x), ((0.05, 100.0),)),
    "j1": Truth(lambda x: mp.besselj(1, x), ((0.05, 100.0),)),
    "jv": Truth(bessel(mp.besselj), (ORDERS, (0.05, 100.0)), (1,)),
    "k0": Truth(lambda x: mp.besselk(0, x), ((0.05, 100.0),)),
    "k0e": Truth(lambda x: scaled_k(0, x), ((0.05, 20.0),)),
    "k1": Truth(lambda x: mp.besselk(1, x), ((0.05, 100.0),)),
    "k1e": Truth(lambda x: scaled_k(1, x), ((0.05, 20.0),)),
    "kl_div": Truth(lambda x, y: relative_entropy(x, y) - x + y, (LARGE, LARGE)),
    "kv": Truth(bessel(mp.besselk), (ORDERS, (0.05, 100.0)), (1,)),
    "kve": Truth(scaled_k, (ORDERS, (0.05, 20.0)), (1,)),
    "lambertw": Truth(mp.lambertw, ((-0.3, 100.0),)),
    "log_expit": Truth(lambda x: -mp.log(1 + mp.exp(-x)), ((-40.0, 40.0),)),
    "log_ndtr": Truth(lambda x: mp.log(normal(x)), ((-40.0, 8.0),), bits=700),
    "logit": Truth(lambda x: mp.log(x / (1 - x)), (HALF,)),
    "multigammaln": Truth(
        lambda a, d: (
            sum(mp.loggamma(a - half(j)) for j in range(int(d))) + d * (d - 1) / 4 * mp.log(mp.pi)
        ),
        ((2.0, 100.0), range(3, 4)),
        (0,),
    ),
    "ndtr": Truth(normal, ((-30.0, 8.0),), bits=700),
    "ndtri": Truth(inverse_normal, (HALF,)),
    "poch": Truth(lambda z, m: mp.gamma(z + m) / mp.gamma(z), ((0.3, 30.0), (0.3, 30.0))),
    "polygamma": Truth(lambda n, x: mp.psi(int(n), x), (range(1, 4), LARGE), (1,)),
    "pseudo_huber": Truth(
        lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1), (LARGE, (-20.0, 20.0))
    ),
    "psi": Truth(mp.digamma, (LARGE,)),
    "rel_entr": Truth(relative_entropy, (LARGE, LARGE)),
    "rgamma": Truth(mp.rgamma, (LARGE,)),
    "shichi[0]": Truth(mp.shi, ((-30.0, 30.0),)),
    "shichi[1]": Truth(mp.chi, ((0.05, 30.0),)),
    "sici[0]": Truth(mp.si, ((-50.0, 50.0),)),
    "sici[1]": Truth(mp.ci, ((0.05, 50.0),)),
    "spence": Truth(spence, ((0.05, 20.0),)),
    "xlog1py": Truth(lambda x, y: x * mp.log(1 + y), ((-3.0, 3.0), (-0.9, 20.0))),
    "xlogy": Truth(lambda x, y: x * mp.log(y), ((-3.0, 3.0), LARGE)),
    "y0": Truth(lambda x: mp.bessely(0, x), ((0.05, 100.0),)),
    "y1": Truth(lambda x: mp.bessely(1, x), ((0.05, 100.0),)),
    "yn": Truth(bessel(mp.bessely), (ORDERS, (0.05, 100.0)), (1,)),
    "yv": Truth(bessel(mp.bessely), (ORDERS, (0.05, 100.0)), (1,)),
    "zeta": Truth(mp.zeta, ((1.2, 8.0), (0.3, 30.0)), (1,)),
}

TRUTHS = {f"scipy.special.{name}": truth for name, truth in SPECIAL.items()}
for _name in DISTRIBUTIONS:
    TRUTHS |= methods_of(_name)
for _name in DISCRETE:
    TRUTHS |= methods_of_discrete(_name)
