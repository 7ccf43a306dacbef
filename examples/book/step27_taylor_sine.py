"""Step 27: the sine as a Taylor series, differentiated through a loop of Python.

    python examples/book/step27_taylor_sine.py [--out out]

prints the sine of pi / 4 and its derivative for two thresholds, below which the series ends.
Expect 0.7071 twice, off by less than the threshold, or by the 1e-16 of float64. The graph has one
branch for each term; the program draws it into ``step27_taylor_sine.svg``.
"""

import argparse
import math
from pathlib import Path

import numpy as np

from dezero_nn import Variable
from dezero_nn.utils import plot_dot_graph


def taylor_sine(x, threshold):
    y = 0.0
    for i in range(100_000):
        term = (-1) ** i / math.factorial(2 * i + 1) * x ** (2 * i + 1)
        y = y + term
        if abs(term.data) < threshold:
            return y


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    for threshold in (1e-4, 1e-150):
        x = Variable(np.array(math.pi / 4), name="x")
        y = taylor_sine(x, threshold)
        y.name = "y"
        y.backward()
        print(f"threshold {threshold:g}: sine {y.item():.16f}, derivative {x.grad:.16f}")
        if threshold == 1e-4:
            plot_dot_graph(y, verbose=False, to_file=out / "step27_taylor_sine.svg")
    print(f"NumPy: sine {np.sin(x.data):.16f}, derivative {np.cos(x.data):.16f}")


if __name__ == "__main__":
    main()
