"""The plugin of the README, made by what the README says.

Promise: README.md
"""

import subprocess
import sys

import pytest

from ..docs.pages import ROOT, Reader
from ..docs.test_pages import LEFT_OUT


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Return a reader who has done everything that the README says."""
    reader = Reader(tmp_path_factory.mktemp("readme"), ROOT / "README.md", LEFT_OUT)
    reader.read()
    return reader


@pytest.mark.parametrize("command", ["pytest", "mypy", "ruff check", "pyright"])
def test_the_project_with_the_file_of_the_readme_passes_its_tests_and_checks(reader, command):
    name, *options = command.split()
    python = reader.environment / "bin" / "python"
    runs = python if name == "pytest" else sys.executable
    sees = {"mypy": ["--python-executable", python], "pyright": ["--pythonpath", python]}
    done = subprocess.run(
        [runs, "-m", name, *options, *sees.get(name, [])],
        cwd=reader.folder / "my-ops",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
