"""NumPy's warnings name the line of the program, also in each of several lines.

Promise: docs/how_to/find_a_nan.md
"""

from pathlib import Path

import pytest

from .. import interpreters

START = """\
import warnings
import numpy as np
import dezero_core
from dezero_core import Variable
x, a = Variable(np.array([0.0, 1.0])), np.array([0.0, 1.0])
"""


@pytest.fixture
def warnings_of(tmp_path):
    """Return a function that runs a program and returns line and text of each warning."""

    def warnings_of(program, *options):
        file = tmp_path / "program.py"
        file.write_text(START + program)
        done = interpreters.run(*options, file)
        assert done.returncode == 0, done.stderr
        found = []
        for line in done.stderr.splitlines():
            place, _, text = line.partition(": RuntimeWarning: ")
            if text:
                path, _, number = place.rpartition(":")
                name = int(number) - START.count("\n") if path == str(file) else Path(path).name
                found.append((name, text))
        return found

    return warnings_of


ZERO = "divide by zero encountered in log"


def test_a_warning_of_numpy_names_each_line_of_the_program_once(warnings_of):
    program = "for _ in range(3):\n    np.log(x)\nnp.log(x)\n"
    assert warnings_of(program) == [(2, ZERO), (3, ZERO)]


def test_a_warning_of_numpy_in_backward_names_the_call_of_backward(warnings_of):
    assert warnings_of("y = np.sqrt(x)\nnp.sum(y).backward()\n") == [
        (2, "divide by zero encountered in divide")
    ]


def test_a_warning_from_inside_a_function_of_numpy_that_an_operation_calls_names_the_line(
    warnings_of,
):
    infinite = "y = Variable(np.array([np.inf, 1.0]))\n"
    assert warnings_of(f"{infinite}np.var(y)\n") == [(2, "invalid value encountered in subtract")]


def test_warnings_of_calculations_with_arrays_stay_where_they_are(warnings_of):
    program = "np.log(a)\nnp.var(np.array([np.inf, 1.0]))\n"
    assert warnings_of(program) == [
        (1, ZERO),
        ("_methods.py", "invalid value encountered in subtract"),
    ]


def test_another_warning_of_an_operation_stays_where_it_is(warnings_of):
    program = (
        "class Warns(dezero_core.Function):\n    def forward(self, x):\n"
        "        warnings.warn('mine', RuntimeWarning)\n        return x + 1.0\nWarns()(x)\n"
    )
    assert warnings_of(program) == [(3, "mine")]


def test_a_warning_of_the_framework_itself_is_not_given_anew(warnings_of):
    program = (
        "from dezero_tools import numeric_op\nwarnings.simplefilter('error', RuntimeWarning)\n"
        "warnings.filters.append(warnings.filters.pop(0))\nnumeric_op(np.i0)(x).sum().backward()\n"
    )
    assert warnings_of(program) == []


@pytest.mark.parametrize("ignored", ["ignore", "ignore::RuntimeWarning"])
def test_a_warning_that_is_ignored_is_not_given_anew(warnings_of, ignored):
    assert warnings_of("np.log(x)\n", "-W", ignored) == []
    assert warnings_of(f"warnings.simplefilter({ignored[:6]!r})\nnp.log(x)\n") == []


@pytest.mark.parametrize(
    ("options", "first"), [(["-W", "error"], ""), ([], "warnings.simplefilter('error')\n")]
)
def test_a_warning_that_is_an_error_has_the_line_of_the_program_in_its_note(
    warnings_of, options, first
):
    program = (
        "try:\n    np.log(x)\nexcept RuntimeWarning as error:\n"
        "    assert 'Log.forward' in error.__notes__[0]\n"
        f"    assert error.__notes__[0].endswith('program.py:{7 + len(first[:1])}')\n"
        "else:\n    assert False\n"
    )
    assert warnings_of(first + program, *options) == []


def test_warnings_name_the_plugin_while_the_tools_are_unloaded_and_the_filter_is_there_once(
    warnings_of,
):
    program = (
        "dezero_core.unregister('tools')\nnp.log10(x)\ndezero_core.register('tools')\nnp.log(x)\n"
        "kinds = [type(message).__name__ for _, message, *_ in warnings.filters]\n"
        "assert kinds.count('FromOperation') == 1\n"
    )
    assert warnings_of(program) == [("logarithms.py", f"{ZERO}10"), (4, ZERO)]
