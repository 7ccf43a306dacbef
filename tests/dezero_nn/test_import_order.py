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
