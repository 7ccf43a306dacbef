"""Step 34: the sine and its first three derivatives.

    python examples/book/step34_sine_derivatives.py [--out out]

draws the four curves into ``step34_sine_derivatives.png``, and prints how far the derivatives are
from cos(x), -sin(x) and -cos(x). Expect 0.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn.functions as F
from dezero_nn import Variable


def sine_and_derivatives(points, order):
    """Return an array with a row for the sine, and one for each derivative."""
    x = Variable(points)
    y = F.sin(x)
    y.backward(create_graph=True)
    rows = [y.data]
    for _ in range(order):
        rows.append(x.grad.data)
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)
    return np.array(rows)


def draw(points, rows, path):
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    axes = figure.subplots()
    for row, label in zip(
        rows, ("sin(x)", "1st derivative", "2nd derivative", "3rd derivative"), strict=True
    ):
        axes.plot(points, row, label=label)
    axes.set(xlabel="x", title="The sine and its derivatives")
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    points = np.linspace(-7.0, 7.0, 200)
    rows = sine_and_derivatives(points, 3)
    truth = np.array([np.cos(points), -np.sin(points), -np.cos(points)])
    print(f"largest error of the derivatives: {np.abs(rows[1:] - truth).max():g}")
    draw(points, rows, out / "step34_sine_derivatives.png")


if __name__ == "__main__":
    main()
