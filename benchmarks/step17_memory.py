"""Peak memory of the experiment of step 17, beside that of NumPy alone.

Each of many times, x is made anew, of 100,000 random numbers, and squared three times::

    for i in range(10000):
        x = Variable(np.random.randn(100000))
        y = square(square(square(x)))

As long as Variable and Function referred to each other in a cycle, the arrays stayed until
the garbage collector came round. With weak references to the outputs, each graph is gone as
soon as y is replaced, and the peak does not depend on the number of iterations.

    python benchmarks/step17_memory.py
    python benchmarks/step17_memory.py --iterations 100 --elements 1000000

It prints the peak resident set, in MiB, of this project and of NumPy doing the same three
squarings, and their ratio. Each is measured in a process of its own, and includes the
interpreter and all imports; ``--only project`` or ``--only numpy`` is such a process.
"""

# Nothing heavy is imported here: on Linux a new process starts with the peak of the one that
# started it, so the process that only starts the others has to stay small.
from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence


def run_numpy(iterations: int, elements: int) -> None:
    """Square three times with NumPy alone."""
    import numpy as np

    random = np.random.default_rng(17)
    for _ in range(iterations):
        x = random.standard_normal(elements)
        y = ((x**2) ** 2) ** 2  # noqa: F841 - it has to live until the next one replaces it


def run_project(iterations: int, elements: int) -> None:
    """Square three times with a Function, recording the graph."""
    import numpy as np

    from dezero_core import Function, Variable

    class Square(Function):
        def forward(self, x):
            return x**2

        def backward(self, gy):
            return 2 * self.inputs[0].data * gy

    def square(x):
        return Square()(x)

    random = np.random.default_rng(17)
    for _ in range(iterations):
        x = Variable(random.standard_normal(elements))
        y = square(square(square(x)))  # noqa: F841 - as above


RUNS = {"project": run_project, "numpy": run_numpy}


def peak_mib() -> float:
    """Return the peak resident set of this process so far, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def measure(what: str, iterations: int, elements: int) -> float:
    """Return the peak resident set, in MiB, of a new process that does nothing else."""
    command = [sys.executable, __file__, "--only", what]
    command += ["--iterations", str(iterations), "--elements", str(elements)]
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if process.returncode:
        sys.exit(f"measuring {what!r} failed, see above")
    return float(process.stdout)


def positive(text: str) -> int:
    """Read a positive integer from the command line."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both and print a table, or run one of them and print its peak."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=positive, default=10_000, help="default: 10000")
    parser.add_argument("--elements", type=positive, default=100_000, help="default: 100000")
    parser.add_argument("--only", choices=RUNS, help="run one here, and print its peak in MiB")
    options = parser.parse_args(arguments)
    if options.only:
        RUNS[options.only](options.iterations, options.elements)
        print(f"{peak_mib():.1f}")
        return
    print(
        f"{options.iterations:,} times square(square(square(x))) over {options.elements:,} "
        "elements, peak resident set"
    )
    project, numpy = (measure(what, options.iterations, options.elements) for what in RUNS)
    print(f"this project  {project:8.1f} MiB")
    print(f"NumPy alone   {numpy:8.1f} MiB")
    print(f"ratio         {project / numpy:8.2f}")


if __name__ == "__main__":
    main()
