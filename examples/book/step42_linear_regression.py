"""Step 42: a line through points, found by gradient descent.

    python examples/book/step42_linear_regression.py [--iters 1000] [--out out]

prints slope and intercept, and those of NumPy's least squares. Expect the same four digits, near
2 and 5.5: the points are 5 + 2 x, and noise between 0 and 1. The picture is
``step42_linear_regression.png``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn.functions as F
from dezero_nn import Variable


def predict(x, W, b):
    return F.matmul(x, W) + b


def fit(x, y, iters, lr=0.1):
    W = Variable(np.zeros((1, 1)))
    b = Variable(np.zeros(1))
    for _ in range(iters):
        loss = F.mean_squared_error(y, predict(x, W, b))
        W.cleargrad()
        b.cleargrad()
        loss.backward()
        W.data -= lr * W.grad
        b.data -= lr * b.grad
    return W.item(), b.item()


def draw(x, y, slope, intercept, path):
    figure = Figure(figsize=(6, 4), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.scatter(x, y, s=12, color="#9ca3af", label="points")
    ends = np.array([0.0, 1.0])
    axes.plot(ends, slope * ends + intercept, color="#c81e1e", label="line")
    axes.set(xlabel="x", ylabel="y", title=f"y = {slope:.2f} x + {intercept:.2f}")
    axes.legend(frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iters", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    random = np.random.default_rng(0)
    x = random.random((100, 1))
    y = 5 + 2 * x + random.random((100, 1))
    slope, intercept = fit(x, y, options.iters)
    exact_slope, exact_intercept = np.polyfit(x[:, 0], y[:, 0], 1)
    print(f"gradient descent: slope {slope:.4f}, intercept {intercept:.4f}")
    print(f"least squares:    slope {exact_slope:.4f}, intercept {exact_intercept:.4f}")
    draw(x, y, slope, intercept, options.out / "step42_linear_regression.png")


if __name__ == "__main__":
    main()
