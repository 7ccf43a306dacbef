"""``pytest --dezero-ops=NAME``, in a process of its own, as an author runs it.

Promise: docs/reference/testing.rst
"""

import re
import subprocess
import sys

import pytest

from ... import interpreters
from ...environments import OPERATIONS, environment_with

PLUGIN = """
import numpy as np
from dezero_core import Function, hookimpl, register


class Cube(Function):
    def forward(self, x):
        return x * x * x

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * {factor} * x * x


class Cubes:
    @hookimpl
    def dezero_register_ops(self, register):
        sample = lambda kit: kit.elementwise((-3.0, 3.0), reference=lambda x: x * x * x)
        register("cube", lambda x: Cube()(x), Cube, sample=sample)


register(Cubes(), "cubes")
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Return the interpreter of an environment with basic, math and the tools."""
    folder = tmp_path_factory.mktemp("environment")
    return environment_with(folder, "dezero-tools", *OPERATIONS) / "python"


@pytest.fixture
def run_pytest(tmp_path, python):
    """Return a function that runs pytest in a folder with a plugin and a test of its own."""

    def run(*options, factor=3.0, plugin=PLUGIN):
        (tmp_path / "conftest.py").write_text(plugin.format(factor=factor))
        (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
        arguments = ("-m", "pytest", "-p", "no:cacheprovider", *options)
        return interpreters.run(*arguments, python=python, cwd=tmp_path)

    return run


def test_the_pytest_option_makes_each_check_a_test_and_prints_the_counts(run_pytest):
    done = run_pytest("--dezero-ops=basic", "-q")
    assert done.returncode == 0, done.stdout
    assert "dezero operations" in done.stdout
    assert re.search(r"^\d\d operations, [\d,]+ checks ran, \d+ skipped", done.stdout, re.MULTILINE)
    assert "skipped: it is no ufunc of two operands" in done.stdout
    assert "test_own" not in done.stdout


def test_the_pytest_option_array_adds_a_check_over_arrays_of_that_type(run_pytest):
    done = run_pytest("--dezero-ops=cubes", "--array=strict", ".", "-v")
    assert done.returncode == 0, done.stdout
    assert "cubes::cube::strict arrays PASSED" in done.stdout
    done = run_pytest("--dezero-ops=cubes", "--array=round", ".")
    assert done.returncode == 4
    assert "no loaded plugin registers arrays called 'round'" in done.stderr


def test_the_pytest_plugin_runs_tests_of_given_paths_beside_the_checks(run_pytest):
    done = run_pytest("--dezero-ops=cubes", "test_own.py", "-v")
    assert done.returncode == 0, done.stdout
    assert "test_own.py::test_own PASSED" in done.stdout
    assert "cubes::cube::gradient PASSED" in done.stdout


def test_the_pytest_plugin_finds_a_plugin_registered_by_a_conftest(run_pytest):
    done = run_pytest("--dezero-ops=cubes", ".")
    assert done.returncode == 0, done.stdout
    assert "1 operation, " in done.stdout


def test_the_pytest_plugin_prints_operation_call_and_both_arrays_of_a_failure(run_pytest):
    done = run_pytest("--dezero-ops=cubes", ".", factor=3.01)
    assert done.returncode == 1
    assert "cube: gradient: wrong gradient of input 0, off by 0.0033 relative, " in done.stdout
    assert "gy:       array([[" in done.stdout
    assert "called: cube(Draw((2, 3)))" in done.stdout
    assert "expected: array([[" in done.stdout
    assert "got:      array([[" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_pytest_plugin_lists_the_failures_of_an_operation_the_worst_first(run_pytest):
    """Also of tests that ran in the processes of pytest-xdist."""
    for options in (), ("-n", "1"):
        done = run_pytest("--dezero-ops=cubes", ".", *options, factor=2.0)
        section = done.stdout.split(" dezero operations ")[1].splitlines()[1:]
        assert section[0].startswith("cube: gradient: wrong gradient of input 0, off by 0.33 rel")
        counts = next(n for n, line in enumerate(section) if line.startswith("1 operation, "))
        assert counts > 1
        assert all(line.startswith("cube: ") for line in section[:counts])
        assert section[counts + 1] == "  1 of 1 operation failed: cube"


def test_the_pytest_plugin_counts_its_checks_as_collected(run_pytest):
    done = run_pytest("--dezero-ops=cubes", "test_own.py")
    assert re.search(r"^collected 2\d items$", done.stdout, re.MULTILINE)


def test_the_pytest_option_fails_for_an_operation_without_a_sample_with_the_reason(run_pytest):
    plugin = PLUGIN.replace(", sample=sample)", ")")
    done = run_pytest("--dezero-ops=cubes", "--dezero-ops=tools", ".", plugin=plugin)
    assert (done.returncode, done.stdout.count("passed")) == (4, 0)
    assert "'tools' (dezero-tools " in done.stderr
    assert "is loaded and registers none." in done.stderr
    done = run_pytest("--dezero-ops=cubes", "conftest.py", plugin=plugin)
    assert done.returncode == 1
    assert "collected 1 item" in done.stdout
    reason = "cube: nothing was checked: it was registered without a sample. Say how to call it: "
    assert f"{reason}sample=lambda kit: kit.elementwise((0.5, 3.0))" in done.stdout
    assert "1 failed" in done.stdout


def test_the_pytest_option_allows_that_there_is_nothing_to_check_if_asked(run_pytest):
    plugin = PLUGIN.replace(", sample=sample)", ")")
    options = ("--dezero-ops=cubes", "--dezero-allow-empty", "conftest.py")
    done = run_pytest(*options, plugin=plugin)
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout
    assert "1 skipped: cube was registered without a sample" in done.stdout
    assert run_pytest("--dezero-ops=tools", "--dezero-allow-empty").returncode == 0
    assert run_pytest(*options, factor=2.0).returncode == 1
    assert run_pytest("--dezero-allow-empty", "conftest.py").returncode == 5  # of pytest itself


def test_the_pytest_option_with_an_unknown_plugin_is_a_usage_error_with_known_names(run_pytest):
    done = run_pytest("--dezero-ops=nobody")
    assert done.returncode == 4
    assert "loaded are basic, math" in done.stderr


def test_the_pytest_option_with_a_broken_module_is_a_usage_error_with_the_cause(
    tmp_path, run_pytest
):
    (tmp_path / "late.py").write_text(
        "from dezero_core import hookimpl, register\n"
        "class Late:\n"
        "    @hookimpl\n"
        "    def dezero_register_ops(self, register):\n"
        "        register.later('surely_not_there', operations='lately')\n"
        "register(Late(), 'late')\n"
    )
    done = run_pytest("-p", "late", "--dezero-ops=late")
    assert done.returncode == 4
    assert "ERROR: plugin 'late'" in done.stderr
    assert "'surely_not_there' cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_option_pytest_collects_no_checks_and_does_not_import_the_core(tmp_path):
    (tmp_path / "test_own.py").write_text(
        "import sys\ndef test_own(): assert 'dezero_core' not in sys.modules\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "dezero operations" not in done.stdout
