"""The Japanese slides, STEP 17, どのくらいメモリが削減できるか?: how much memory is saved.

The slides measure 10,000 iterations over 100,000 elements, with a parenthesis too many in
`y = square(square(square(x)))` and one square missing: 647.406 MiB before weak references,
78.156 MiB with them. The script benchmarks/step17_memory.py repeats that. Here a few
iterations suffice: the peak must not grow with their number.
"""

import pathlib
import re
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "benchmarks" / "step17_memory.py"
ELEMENTS = 200_000
ARRAY = ELEMENTS * 8 / 2**20  # MiB


def run(*arguments):
    # Through a small process in between: on Linux a peak begins with that of the process that
    # started it, and this one may have held the graphs of other tests.
    between = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    command = [sys.executable, "-c", between, sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def peak(what, iterations):
    process = run("--only", what, "--iterations", iterations, "--elements", ELEMENTS)
    assert process.returncode == 0, process.stderr
    return float(process.stdout)


def test_step_17_the_script_prints_both_peaks_and_their_ratio():
    process = run("--iterations", 3, "--elements", 1000)
    assert process.returncode == 0, process.stderr
    pattern = (
        r"3 times square\(square\(square\(x\)\)\) over 1,000 elements, peak resident set\n"
        r"this project +(\d+\.\d) MiB\n"
        r"NumPy alone +(\d+\.\d) MiB\n"
        r"ratio +(\d+\.\d\d)\n"
    )
    found = re.fullmatch(pattern, process.stdout)
    assert found, process.stdout
    project, numpy, ratio = map(float, found.groups())
    # An interpreter with NumPy needs more than 10 MiB, and not a gigabyte.
    assert 10 < numpy <= project < 1000
    assert ratio == pytest.approx(project / numpy, abs=0.01)


def test_step_17_the_peak_does_not_grow_with_the_number_of_iterations():
    """A graph keeps 4 arrays; two of them overlap while y is replaced. 300 would be 1.8 GiB."""
    growth = peak("project", 300) - peak("project", 1)
    assert growth < 8 * ARRAY


def test_step_17_the_measured_process_counts_the_arrays_it_holds():
    """Otherwise the peak would not grow whatever was kept: one x and its squares must show."""
    big = run("--only", "project", "--iterations", 1, "--elements", 5_000_000)
    # x and three squares of 5,000,000 elements, beside those that peak() has; three is enough
    # to tell, and leaves room for memory that the interpreter had free.
    assert float(big.stdout) - peak("project", 1) > 3 * (5_000_000 * 8 / 2**20 - ARRAY)


@pytest.mark.parametrize("option", ["--iterations", "--elements"])
def test_step_17_the_script_refuses_what_is_not_positive(option):
    process = run(option, 0)
    assert process.returncode == 2
    assert "0 is not positive" in process.stderr
