"""Without SciPy, or with one that is too old, one line says so, and other plugins work.

Promise: docs/how_to/use_scipy.md
"""

import subprocess
import sys

import pytest

PROGRAM = """\
import importlib.metadata as metadata
real = metadata.version

def version(name):
    if name == "scipy":
        {says}
    return real(name)

metadata.version = version
import numpy as np
import dezero_core
x = dezero_core.Variable(np.array([0.5]))
y = np.sin(x) * 2.0
y.backward()
(record,) = [each for each in dezero_core.plugins() if each.name == "scipy"]
print(record.state, x.grad)
"""


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        (
            "raise metadata.PackageNotFoundError(name)",
            "dezero-ops-scipy needs SciPy, which is not installed: pip install 'scipy>=1.13'",
        ),
        (
            "return '1.12.0'",
            "dezero-ops-scipy needs another SciPy than 1.12.0: pip install 'scipy>=1.13'",
        ),
        ("return '1.9.3rc1'", "dezero-ops-scipy needs another SciPy than 1.9.3rc1"),
    ],
)
def test_a_scipy_that_is_missing_or_too_old_is_one_line_and_other_plugins_work(says, sentence):
    code = PROGRAM.format(says=says)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "failed [1.75516512]\n"
    (line,) = [line for line in done.stderr.splitlines() if "dezero-ops-scipy" in line]
    assert sentence in line


@pytest.mark.parametrize("release", ["1.13.0", "1.18.0rc1", "2.0.dev0+g1234"])
def test_releases_from_1_13_on_are_taken(release):
    code = PROGRAM.format(says=f"return {release!r}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("loaded [1.75516512]\n", "")
