"""The Japanese slides, STEP 17, どのくらいメモリが削減できるか?: how much memory is saved.

The slides measure 10,000 iterations over 100,000 elements, with a parenthesis too many in
`y = square(square(square(x)))` and one square missing: 647.406 MiB before weak references,
78.156 MiB with them. The script benchmarks/workloads/step17.py repeats that. Here a few
iterations suffice: the peak must not grow with their number.
"""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "benchmarks" / "workloads" / "step17.py"
ELEMENTS = 200_000
ARRAY = ELEMENTS * 8 / 2**20  # MiB


def run(*arguments):
    # Through a small process in between: where a peak is that of getrusage, it begins with that of
    # the process that started it, and this one may have held the graphs of other tests.
    between = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    command = [sys.executable, "-c", between, sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def taken(library, iterations, elements=ELEMENTS):
    """Return the peak, what was there after the imports (MiB), and seconds per iteration."""
    process = run(library, "--iterations", iterations, "--elements", elements)
    assert process.returncode == 0, process.stderr
    values = json.loads(process.stdout)["values"]
    (peak, byte), (imports, _), (seconds, _) = values.values()
    assert byte == "byte"
    return peak / 2**20, imports / 2**20, seconds


@pytest.mark.parametrize("library", ["project", "floor"])
def test_step_17_the_script_prints_the_memory_that_a_process_has_taken(library):
    peak, imports, seconds = taken(library, 3, elements=1000)
    # An interpreter with NumPy needs more than 10 MiB, and not a gigabyte.
    assert 10 < imports <= peak < 1000
    assert 0 < seconds < 1


def test_step_17_the_peak_does_not_grow_with_the_number_of_iterations():
    """A graph keeps 4 arrays; two of them overlap while y is replaced. 300 would be 1.8 GiB."""
    growth = taken("project", 300)[0] - taken("project", 1)[0]
    assert growth < 8 * ARRAY


@pytest.mark.parametrize("library", ["project", "floor"])
def test_step_17_the_measured_process_counts_its_arrays(library):
    """Otherwise the peak would not grow whatever was kept: one x and its squares must show."""
    big = taken(library, 1, elements=5_000_000)[0]
    # x and three squares of 5,000,000 elements, beside those that the small run has; three is
    # enough to tell, and leaves room for memory that the interpreter had free.
    assert big - taken(library, 1)[0] > 3 * (5_000_000 * 8 / 2**20 - ARRAY)


@pytest.mark.parametrize("option", ["--iterations", "--elements"])
def test_step_17_the_script_refuses_numbers_that_are_not_positive(option):
    process = run("project", option, 0)
    assert process.returncode == 2
    assert "0 is not positive" in process.stderr
