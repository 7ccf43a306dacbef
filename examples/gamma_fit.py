"""Fit a gamma distribution to real rainfall, with standard errors of the fit.

A gamma distribution usually describes the rain of a rainy day well. Here it is fitted to the rain
of Seattle, 2012 to 2015, by maximum likelihood. The likelihood below is that of
``scipy.stats.gamma``, by its mirror in dezero-ops-scipy: SciPy's optimiser gets the exact gradient
and Hessian, the Hessian at the answer gives the standard errors of shape and scale, and the
gradient of the survival function carries them on to the probability of a day with heavy rain.

    python gamma_fit.py [--plot gamma_fit.png]

prints the parameters with their standard errors, and those of ``scipy.stats.gamma.fit``. The
standard errors take the days as independent; rain comes in spells, so they are somewhat small.
"""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    from dezero_tools.functional import as_scipy, grad, hessian
    from scipy.optimize import minimize

    from dezero_ops_scipy import stats
except ModuleNotFoundError as error:
    sys.exit(f"gamma_fit.py: {error}. It needs dezero-ops-scipy: pip install it.")

DATA = Path(__file__).with_name("seattle_rainfall.csv")
HEAVY = 25.0  # millimetres in a day


def read():
    """Return the millimetres of rain on each rainy day."""
    return np.loadtxt(DATA, delimiter=",", skiprows=5, usecols=1)


def negative_log_likelihood(rain):
    """Return the negative log-likelihood as a function of an array: shape and scale."""

    def of(parameters):
        shape, scale = parameters
        return -np.sum(stats.gamma.logpdf(rain, shape, scale=scale))

    return of


def fit(rain):
    """Return shape and scale, their covariance, and the result of the optimiser."""
    loss = negative_log_likelihood(rain)
    # Optimise the logarithms of the parameters, so that both stay positive. Start with an
    # exponential distribution.
    start = np.array([0.0, np.log(np.mean(rain))])
    problem = as_scipy(lambda logs: loss(np.exp(logs)) / len(rain), start)
    found = minimize(
        problem.fun, problem.x0, jac=problem.jac, hess=problem.hess, method="trust-exact", tol=1e-10
    )
    parameters = np.exp(found.x)
    return parameters, np.linalg.inv(hessian(loss)(parameters)), found


def heavy_rain(parameters):
    """Return the probability of more than `HEAVY` millimetres, on a day with rain."""
    shape, scale = parameters
    return stats.gamma.sf(HEAVY, shape, scale=scale)


def plot(rain, parameters, path):
    """Draw the data and the distribution that was fitted."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    shape, scale = parameters
    x = np.linspace(0.2, rain.max(), 400)
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    axes.hist(rain, bins=40, density=True, color="0.8", label=f"{len(rain)} days with rain")
    density = stats.gamma.pdf(x, shape, scale=scale)
    axes.plot(x, density, "C3", label=f"gamma({shape:.3f}, scale {scale:.2f})")
    axes.set(xlabel="rain in a day (mm)", ylabel="density", title="Seattle, 2012 to 2015")
    axes.set_ylim(0.0, 0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
    print(f"Drawn into {path}.")


def main():
    """Fit the distribution, and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--plot", metavar="FILE", help="draw data and fit; needs matplotlib")
    options = arguments.parse_args()

    rain = read()
    parameters, covariance, found = fit(rain)
    peer_shape, _, peer_scale = stats.gamma.fit(rain, floc=0)
    errors = np.sqrt(np.diag(covariance))
    print(f"{len(rain)} days with rain, {np.mean(rain):.2f} mm on average")
    print(f"trust-exact: {found.nit} steps, {found.nfev} evaluations, gradient "
          f"{np.abs(found.jac).max():.0e}\n")  # fmt: skip
    print(f"{'':<12} {'estimate':>12} {'std. error':>12} {'scipy.stats':>14}")
    for name, value, error, peer in zip(
        ("shape", "scale (mm)"), parameters, errors, (peer_shape, peer_scale), strict=True
    ):
        print(f"{name:<12} {value:>12.6f} {error:>12.6f} {peer:>14.6f}")
    print(f"correlation of the two: {covariance[0, 1] / np.prod(errors):.3f}\n")

    slope = grad(heavy_rain)(parameters)
    probability, error = heavy_rain(parameters), np.sqrt(slope @ covariance @ slope)
    print(f"more than {HEAVY:g} mm: {probability:.2%} of these days, standard error {error:.2%}; "
          f"seen on {np.mean(rain > HEAVY):.2%}")  # fmt: skip
    if options.plot:
        plot(rain, parameters, options.plot)


if __name__ == "__main__":
    main()
