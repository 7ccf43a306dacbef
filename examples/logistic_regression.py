"""Fit a model to real data with SciPy's optimisers and exact derivatives of plain NumPy.

Logistic regression on the 569 patients of the Wisconsin breast cancer data, which scikit-learn
carries with it. Each has thirty measurements of cell nuclei, and a diagnosis: malignant or not.
The loss below is NumPy, its parameters are a dict of arrays; nothing in it was written for
differentiation. ``as_scipy`` turns it into functions for ``scipy.optimize.minimize``: the function
of a flat vector, its gradient, its Hessian, and the product of the Hessian with a vector.

    python examples/logistic_regression.py

prints, for each method with exact derivatives and with SciPy's own finite differences, how
many evaluations it took, its time, and how far the gradient at its answer is from zero.
"""

import sys
import time

try:
    import numpy as np
    from dezero_tools.functional import as_scipy
    from scipy.optimize import approx_fprime, minimize
    from sklearn.datasets import load_breast_cancer
except ModuleNotFoundError as error:
    needed = "dezero-core dezero-tools dezero-ops-basic dezero-ops-math scipy scikit-learn"
    sys.exit(f"logistic_regression.py: {error}. It needs {needed}.")

PENALTY = 0.01  # keeps the weights of correlated measurements from growing apart


def read():
    """Return standardised measurements, shape (569, 30), and 1.0 for malignant, else -1.0."""
    patients = load_breast_cancer()
    x = patients.data
    return (x - x.mean(axis=0)) / x.std(axis=0), np.where(patients.target == 0, 1.0, -1.0)


def loss_of(x, sign):
    """Return the mean negative log-likelihood as a function of the parameters."""

    def loss(parameters):
        score = x @ parameters["weight"] + parameters["bias"]
        fit = np.mean(np.logaddexp(0.0, -sign * score))
        return fit + PENALTY / 2.0 * np.sum(parameters["weight"] ** 2)

    return loss


def fits(problem):
    """Yield the answer of each method, with the kind of derivatives and the time."""
    exact = {"jac": problem.jac}
    for method, kind, derivatives in (
        ("BFGS", "exact", exact),
        ("BFGS", "differences", {"jac": "2-point"}),
        ("Newton-CG", "exact", exact | {"hessp": problem.hessp}),
        ("Newton-CG", "differences", exact | {"hess": "2-point"}),
        ("trust-exact", "exact", exact | {"hess": problem.hess}),
        ("trust-exact", "differences", exact | {"hess": lambda x: differences(problem.jac, x)}),
    ):
        start = time.perf_counter()
        found = minimize(problem.fun, problem.x0, method=method, tol=1e-6, **derivatives)
        yield method, kind, found, time.perf_counter() - start


def differences(gradient, x):
    """Return the Hessian by finite differences of the gradient."""
    return approx_fprime(x, gradient)


def main():
    """Fit the model with each method, and print the table."""
    x, sign = read()
    problem = as_scipy(loss_of(x, sign), {"weight": np.zeros(x.shape[1]), "bias": 0.0})
    print(f"{x.shape[0]} patients, {len(problem.x0)} parameters")
    print(f"{'method':<12} {'derivatives':<12} {'loss':>15} {'|gradient|':>11} "
          f"{'f':>5} {'grad':>5} {'ms':>7}")  # fmt: skip
    answers = []
    for method, kind, found, seconds in fits(problem):
        rest = np.abs(problem.jac(found.x)).max()
        print(
            f"{method:<12} {kind:<12} {found.fun:>15.12f} {rest:>11.1e} "
            f"{found.nfev:>5} {found.njev:>5} {1e3 * seconds:>7.1f}"
        )
        answers.append(found.x)
    spread = np.ptp(answers, axis=0).max()
    print(f"The answers agree to {spread:.1e}.")
    fitted = problem.unflatten(answers[-2])
    read_right = np.mean((x @ fitted["weight"] + fitted["bias"] > 0.0) == (sign > 0.0))
    print(f"{read_right:.1%} of these patients are on the right side.")


if __name__ == "__main__":
    main()
