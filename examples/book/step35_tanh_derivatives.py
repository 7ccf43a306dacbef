"""Step 35: derivatives of tanh of any order, and the graphs that they are computed with.

    python examples/book/step35_tanh_derivatives.py [--order 5] [--out out]

prints the derivatives of tanh at x = 1. Expect 0.41997 for the first and -0.63970 for the second.
The graph of each derivative is larger than the one before; the program draws those of the first and
the second into ``step35_tanh_1.svg`` and ``step35_tanh_2.svg``.
"""

import argparse
from pathlib import Path

import numpy as np

import dezero_nn.functions as F
from dezero_nn import Variable
from dezero_nn.utils import plot_dot_graph


def tanh_derivatives(value, order):
    """Yield the derivatives as Variables."""
    x = Variable(np.array(value), name="x")
    y = F.tanh(x)
    y.name = "y"
    y.backward(create_graph=True)
    for i in range(1, order + 1):
        gx = x.grad
        gx.name = f"gx{i}"
        yield gx
        x.cleargrad()
        gx.backward(create_graph=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    for i, gx in enumerate(tanh_derivatives(1.0, options.order), start=1):
        print(f"derivative {i}: {gx.item():.10f}")
        if i <= 2:
            plot_dot_graph(gx, verbose=False, to_file=options.out / f"step35_tanh_{i}.svg")


if __name__ == "__main__":
    main()
