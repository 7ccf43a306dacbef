"""Solve a differential equation with a network whose loss contains the network's derivatives.

A damped oscillator, u'' + 2 d u' + u = 0 with u(0) = 1 and u'(0) = 0. The network has never seen
the solution: its loss is the error in the equation at 60 times. So the
gradient of the loss by the parameters goes through the first and the second derivative of the
network by t. (Raissi, Perdikaris and Karniadakis, 2019, call that a physics-informed network.)

    python examples/oscillator.py [--plot picture.png]

prints the loss and the largest error while SciPy's optimiser trains the network, and draws the
solution of the network beside the formula of the textbook.
"""

import argparse
import sys
from itertools import pairwise
from pathlib import Path

try:
    import matplotlib
    import numpy as np
    from dezero_tools.functional import grad
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    from dezero_core import Parameter
except ModuleNotFoundError as error:
    needed = (
        "dezero-core dezero-tools dezero-ops-basic dezero-ops-math scipy matplotlib threadpoolctl"
    )
    sys.exit(f"oscillator.py: {error}. It needs {needed}.")

DAMPING = 0.2
END = 10.0


class Network:
    """u(t), a network of two hidden layers. Its form makes u(0) = 1 and u'(0) = 0."""

    def __init__(self, hidden=16):
        random = np.random.default_rng(0)
        sizes = (1, hidden, hidden, 1)
        self.layers = [
            (Parameter(random.normal(0.0, np.sqrt(1.0 / n), (n, m))), Parameter(np.zeros(m)))
            for n, m in pairwise(sizes)
        ]

    @property
    def parameters(self):
        return [p for layer in self.layers for p in layer]

    def __call__(self, t):
        *hidden, (last_weight, last_bias) = self.layers
        y = np.reshape(t / END * 2.0, (-1, 1))
        for weight, bias in hidden:
            y = np.tanh(y @ weight + bias)
        return 1.0 + t**2 / (1.0 + t**2) * np.reshape(y @ last_weight + last_bias, t.shape)


def derivative(u):
    """Return u', for a function u that is applied to each t alone."""
    return grad(lambda t: np.sum(u(t)))


def loss_of(u, t):
    """Return the error of u in the equation at the times t."""
    residual = derivative(derivative(u))(t) + 2.0 * DAMPING * derivative(u)(t) + u(t)
    return np.mean(residual**2)


def solution(t):
    """Return the formula of the textbook."""
    w = np.sqrt(1.0 - DAMPING**2)
    return np.exp(-DAMPING * t) * (np.cos(w * t) + DAMPING / w * np.sin(w * t))


def train(u, t):
    """Train the parameters of u by BFGS, and print the progress."""
    shapes = [p.shape for p in u.parameters]
    ends = np.cumsum([p.size for p in u.parameters])

    def take(x):
        for p, part, shape in zip(u.parameters, np.split(x, ends[:-1]), shapes, strict=True):
            p.data = part.reshape(shape)

    def loss_and_gradient(x):
        take(x)
        loss = loss_of(u, t)
        for p in u.parameters:
            p.cleargrad()
        loss.backward(free_graph=True)
        return loss.item(), np.concatenate([np.ravel(p.grad) for p in u.parameters])

    steps = 0

    def report(x):
        nonlocal steps
        steps += 1
        if steps % 100 == 0:
            take(x)
            error = np.max(np.abs(u(t).data - solution(t)))
            print(f"{steps:>5} steps: loss {loss_of(u, t).item():.1e}, largest error {error:.1e}")

    start = np.concatenate([np.ravel(p.data) for p in u.parameters])
    options = {"maxiter": 400, "gtol": 1e-6}
    found = minimize(
        loss_and_gradient, start, jac=True, method="BFGS", callback=report, options=options
    )
    take(found.x)


def draw(u, path):
    """Draw the learned solution, the formula, and their difference."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    t = np.linspace(0.0, END, 400)
    learned = u(t).data
    figure, (above, below) = plt.subplots(
        2, 1, sharex=True, figsize=(7.2, 4.4), height_ratios=(3, 1), layout="constrained"
    )
    above.plot(t, solution(t), color="#c0c0c0", linewidth=5.0, label="formula")
    above.plot(t, learned, color="#1f4e79", label="network")
    above.plot(t, derivative(u)(t).data, color="#c1553b", linestyle="--", label="its derivative")
    above.set_ylabel("u(t)")
    above.legend(frameon=False)
    below.plot(t, learned - solution(t), color="#1f4e79")
    below.set(xlabel="t", ylabel="error")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="file for the picture")
    options = parser.parse_args()
    threadpool_limits(1)  # matrices as small as these are slower on many cores
    u, t = Network(), np.linspace(0.0, END, 60)
    train(u, t)
    between = np.linspace(0.0, END, 1001)
    error = np.max(np.abs(u(between).data - solution(between)))
    print(f"Largest error at 1001 times: {error:.1e}")
    if options.plot:
        draw(u, options.plot)
        print("Wrote", options.plot)


if __name__ == "__main__":
    main()
