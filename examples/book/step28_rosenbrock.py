"""Step 28: gradient descent on the Rosenbrock function, along its curved valley.

    python examples/book/step28_rosenbrock.py [--iters 10000] [--out out]

prints the point after some of the iterations, and draws the way into ``step28_rosenbrock.png``.
The minimum is at (1, 1): expect (0.68, 0.47) after 1,000 iterations, and (0.99, 0.99) after 10,000.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dezero_nn import Variable


def rosenbrock(x0, x1):
    return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2


def descend(iters, lr=0.001):
    """Return the points of the way, the first included."""
    x0 = Variable(np.array(0.0))
    x1 = Variable(np.array(2.0))
    points = [(x0.item(), x1.item())]
    for _ in range(iters):
        y = rosenbrock(x0, x1)
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        x0.data -= lr * x0.grad
        x1.data -= lr * x1.grad
        points.append((x0.item(), x1.item()))
    return np.array(points)


def draw(points, path):
    figure = Figure(figsize=(6, 5), dpi=120, layout="constrained")
    axes = figure.subplots()
    a, b = np.meshgrid(np.linspace(-2.0, 2.0, 200), np.linspace(-1.0, 3.0, 200))
    axes.contour(
        a, b, rosenbrock(a, b), levels=np.logspace(-1, 3.5, 12), colors="#9ca3af", linewidths=0.8
    )
    axes.plot(*points.T, ".-", color="#c81e1e", markersize=4, linewidth=1, label="way")
    axes.plot(1.0, 1.0, "*", color="#1f2937", markersize=12, label="minimum")
    axes.set(xlabel="x0", ylabel="x1", title=f"Gradient descent, {len(points) - 1} iterations")
    axes.legend(frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iters", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    points = descend(options.iters)
    for i in (0, options.iters // 10, options.iters):
        print(f"iteration {i}: ({points[i, 0]:.4f}, {points[i, 1]:.4f})")
    draw(points, options.out / "step28_rosenbrock.png")


if __name__ == "__main__":
    main()
