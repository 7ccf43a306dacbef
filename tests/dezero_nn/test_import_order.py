"""The package and those that it is made of, imported in any order."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "imports",
    [
        "import dezero_ops_math, dezero_nn",
        "import dezero_ops_basic, dezero_nn.functions",
        "import dezero_nn.functions.losses",
        "import dezero_nn, dezero_core",
        "import dezero_core",
    ],
)
def test_the_plugin_loads_in_any_import_order_without_a_warning(imports):
    """In an interpreter of its own: the core loads the plugins while it is imported."""
    script = f"""{imports}
import dezero_core, sys
early = [name for name in sys.modules if name.startswith("dezero_nn.layers")]
import dezero_nn
assert dezero_nn.layers.Layer is dezero_nn.Layer
print({{record.name: record.state for record in dezero_core.plugins()}}["nn"], bool(early))
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    # A program that only has the distribution installed does not wait for its layers.
    assert run.stdout.split() == ["loaded", "False"]


def test_pytest_takes_no_imported_test_mode_for_a_test(tmp_path):
    program = tmp_path / "test_mine.py"
    program.write_text("from dezero_nn import test_mode\n\ndef test_it():\n    assert test_mode\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "1 passed in" in done.stdout, done.stdout
