"""The memory experiment of the book's step 17: many graphs, one after another.

A loop makes x from 100,000 random numbers, and squares it three times::

    for i in range(10000):
        x = Variable(np.random.randn(100000))
        y = square(square(square(x)))

As long as Variable and Function referred to each other in a cycle, the arrays stayed until the
garbage collector came round. With weak references to the outputs, each graph is gone as soon as y
is replaced, and the peak does not depend on the number of iterations: 2,000 are enough here.

    python benchmarks/workloads/step17.py project
    python benchmarks/workloads/step17.py floor --iterations 100 --elements 1000000

The program prints, as JSON, the peak of the resident set, the resident set after the imports, and
the time of an iteration without the random numbers. By hand, NumPy computes the same, and keeps the
arrays that a gradient would need as long: x and the squares.
"""

# Import nothing heavy here: the measured memory includes the interpreter and all imports.
from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LEFT_OUT = {
    **dict.fromkeys(("replayed", "native"), "keeps no graph that could be released"),
    "torch": "its functions in Python do not compute with NumPy",
    "autograd": "it has no functions in the book's form",
    "mygrad": "it has no functions in the book's form",
    "jax": "its functions in Python do not compute with NumPy",
}
ROUNDS = {"project": 3, "floor": 3, "dezero_book": 1}


def project() -> Callable[[Any], Any]:
    """Return an iteration with a Function of this project, written as in the book."""
    from dezero_core import Function, Variable

    return _iteration(Function, Variable)


def dezero_book() -> Callable[[Any], Any]:
    """Return an iteration with a Function of the book's package."""
    import numpy as np

    np.int = int  # the package still uses a name that NumPy removed
    from dezero import Function, Variable

    return _iteration(Function, Variable)


def floor() -> Callable[[Any], Any]:
    """Return an iteration with NumPy alone."""
    import numpy as np  # noqa: F401 - its import is part of what is measured

    def iteration(x):
        y1 = x**2
        y2 = y1**2
        y3 = y2**2
        return x, y1, y2, y3

    return iteration


def _iteration(function: Any, variable: Any) -> Callable[[Any], Any]:
    class Square(function):
        def forward(self, x):
            return x**2

        def backward(self, gy):
            return 2 * self.inputs[0].data * gy

    def square(x):
        return Square()(x)

    return lambda x: square(square(square(variable(x))))


LIBRARIES = {"project": project, "floor": floor, "dezero_book": dezero_book}


def run(library: str, iterations: int, elements: int) -> dict[str, tuple[float, str]]:
    """Run the iterations in this process, and return its memory and time."""
    iteration = LIBRARIES[library]()
    import numpy as np

    sys.path.insert(0, str(Path(__file__).parents[1]))
    import memory

    random = np.random.default_rng(17)
    imported, seconds = memory.resident(), 0.0
    for _ in range(iterations):
        x = random.standard_normal(elements)
        start = time.perf_counter()
        y = iteration(x)  # noqa: F841 - y must live until the next one replaces it
        seconds += time.perf_counter() - start
    return {
        "peak": (memory.peak(), "byte"),
        "after the imports": (imported, "byte"),
        "iteration": (seconds / iterations, "second"),
    }


def positive(text: str) -> int:
    """Read a positive integer from the command line."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment of one library, and print its memory and time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--iterations", type=positive, default=2_000, help="default: 2000")
    parser.add_argument("--elements", type=positive, default=100_000, help="default: 100000")
    options = parser.parse_args(arguments)
    values = run(options.library, options.iterations, options.elements)
    print(json.dumps({"values": values, "absent": {}}))


if __name__ == "__main__":
    main()
