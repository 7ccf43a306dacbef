"""The table of functions, by file: what the plugin announces, and what the mirror has.

Each is an operation of its own, under SciPy's full name: ``scipy.special.erf``. The names of a
distribution's methods are ``scipy.stats.norm.logpdf``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

OLDEST = (1, 13)
"""The oldest release of SciPy whose functions are these."""

#: Folder -> module -> its functions: first the ufuncs, then, after a bar, the others.
_ROWS = {
    "special": {
        "bessel": "j0 j1 jv y0 y1 yn yv",
        "beta_functions": "beta betaln",
        "box_cox": "boxcox inv_boxcox",
        "elementary": "expit huber log_expit logit pseudo_huber",
        "elliptic": "ellipe ellipk",
        "entropy": "entr kl_div rel_entr xlog1py xlogy",
        "error_functions": "dawsn erf erfc erfcinv erfcx erfinv fresnel wofz",
        "exponential_integrals": "exp1 expi expn shichi sici spence",
        "exponentials": "| log_softmax logsumexp softmax",
        "gamma_functions": "gamma gammaln loggamma poch rgamma | multigammaln",
        "harmonics": "| sph_harm_y",
        "hypergeometric": "hyp1f1 hyp2f1",
        "incomplete_beta": "betainc betaincc betainccinv betaincinv",
        "incomplete_gamma": "gammainc gammaincc gammainccinv gammaincinv",
        "lambert": "| lambertw",
        "modified_bessel": "i0 i1 iv k0 k1 kv",
        "normal_distribution": "log_ndtr ndtr ndtri",
        "scaled_bessel": "i0e i1e ive k0e k1e kve",
        "polygamma_functions": "psi | polygamma zeta",
    },
    "linalg": {
        "banded": "| solve_banded solveh_banded",
        "cholesky_factors": "| cho_factor cho_solve cholesky",
        "decompositions": "| lu_factor lu_solve polar",
        "eigenvalues": "| eigh",
        "equations": (
            "| solve_continuous_lyapunov solve_discrete_lyapunov solve_sylvester solve_triangular"
        ),
        "matrix_functions": "| expm logm sqrtm",
        "structured": "| block_diag circulant toeplitz",
    },
    "stats": {
        "circular": "| vonmises",
        "descriptive": "| kurtosis skew zscore",
        "discrete": "| bernoulli binom geom nbinom poisson",
        "kernel_density": "| gaussian_kde",
        "multivariate": "| multivariate_normal",
        "normal": "| halfnorm lognorm norm truncnorm",
        "of_beta": "| beta f",
        "of_gamma": "| chi2 gamma invgamma",
        "on_a_half_line": "| expon pareto weibull_min",
        "on_a_line": "| cauchy gumbel_r laplace logistic uniform",
        "proportions": "| dirichlet",
        "student": "| t",
    },
}

FOLDERS = {
    folder: {module: tuple(row.replace("|", " ").split()) for module, row in rows.items()}
    for folder, rows in _ROWS.items()
}
"""Folder -> module -> the functions in it."""

UFUNCS = frozenset(" ".join(row.partition("|")[0] for row in _ROWS["special"].values()).split())
"""The functions of ``scipy.special`` that are ufuncs, and so take Variables under SciPy's name."""

ALIASES = {"digamma": "psi", "jn": "jv"}
"""Second name of a function -> its first, which is that of the ufunc."""

SINCE = {"sph_harm_y": (1, 15)}
"""Function that came later -> the release that brought it."""


#: Module of stats -> the methods of its distributions that are operations. Others have functions.
_METHODS = dict.fromkeys(
    ("circular", "normal", "of_beta", "of_gamma", "on_a_half_line", "on_a_line", "student"),
    "cdf entropy logcdf logpdf logsf pdf ppf sf",
) | {
    "discrete": "cdf entropy logcdf logpmf logsf pmf sf",
    "kernel_density": "evaluate logpdf",
    "multivariate": "entropy logpdf pdf",
    "proportions": "entropy logpdf pdf",
}


def methods_of(module: str) -> list[str]:
    """Return the methods of the distributions in a module of `stats`; none, if it has functions."""
    return _METHODS.get(module, "").split()


def names_in(folder: str, module: str) -> list[tuple[str, list[str], list[str]]]:
    """Return for each operation of a module its name, those of ufuncs, and those of methods."""
    found: list[tuple[str, list[str], list[str]]] = []
    for name in FOLDERS[folder][module]:
        full = f"scipy.{folder}.{name}"
        methods = methods_of(module) if folder == "stats" else []
        ufuncs = [full] if folder == "special" and name in UFUNCS else []
        found += [(f"{full}.{method}", [], []) for method in methods] or [(full, ufuncs, [])]
    return found


def announcements(release: tuple[int, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every module, with the names that ``register.later`` announces for a SciPy."""
    for folder, modules in FOLDERS.items():
        for module in modules:
            later = [f"scipy.{folder}.{name}" for name, first in SINCE.items() if first > release]
            names = [row for row in names_in(folder, module) if row[0] not in later]
            if names:
                ufuncs = [name.rpartition(".")[2] for _, each, _ in names for name in each]
                operations = [name for name, *_ in names]
                yield f"{folder}.{module}", {"operations": operations, "numpy": ufuncs}
