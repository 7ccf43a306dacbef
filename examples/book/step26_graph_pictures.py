"""Steps 25 and 26: pictures of computational graphs.

    python examples/book/step26_graph_pictures.py [--out out]

prints a small graph in the language of Graphviz, and draws that of the Goldstein-Price function
into ``step26_goldstein_price.svg``: expect 2 inputs, many operations, and 1 result, ``z``. Graphviz
is used if it is installed; without it the package draws on its own.
"""

import argparse
from pathlib import Path

import numpy as np

from dezero_nn import Variable
from dezero_nn.utils import get_dot_graph, plot_dot_graph


def goldstein_price(x, y):
    left = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    right = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * left) * (30 + (2 * x - 3 * y) ** 2 * right)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    x0 = Variable(np.array(1.0), name="x0")
    x1 = Variable(np.array(1.0), name="x1")
    y = x0 + x1
    y.name = "y"
    print(get_dot_graph(y, verbose=False))

    x = Variable(np.array(1.0), name="x")
    y = Variable(np.array(1.0), name="y")
    z = goldstein_price(x, y)
    z.name = "z"
    z.backward()
    plot_dot_graph(z, verbose=False, to_file=out / "step26_goldstein_price.svg")


if __name__ == "__main__":
    main()
