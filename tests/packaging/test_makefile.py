"""The Makefile, with an interpreter that installs nothing.

Promise: CONTRIBUTING.md
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Makes an environment whose interpreter does nothing, if that is asked for; says what it runs.
INTERPRETER = """#!/bin/sh
case "$1 $2" in
"-m venv")
    for folder; do :; done
    mkdir -p "$folder/bin"
    cp "$0" "$folder/bin/python"
    ln -s python "$folder/bin/nox"
    ;;
"-m pip") ;;
*) echo "ran $*" ;;
esac
"""


@pytest.fixture
def make(tmp_path):
    """Return a function that makes a target with that interpreter."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for needed in ("tests/requirements-nox.txt", "examples/requirements.txt"):
        (tmp_path / needed).parent.mkdir(parents=True)
        (tmp_path / needed).touch()
    for package in ROOT.glob("dezero_*"):
        (tmp_path / package.name).mkdir()
    python = tmp_path / "python"
    python.write_text(INTERPRETER)
    python.chmod(0o755)

    def make(target):
        done = subprocess.run(
            ["make", "--no-print-directory", target, f"PYTHON={python}"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return make


@pytest.mark.parametrize(("target", "folder"), [("demo", ".venv"), ("test", ".test/nox")])
def test_make_says_what_is_installed_before_and_how_long_it_took_after(target, folder, make):
    before, after, _ = make(target).splitlines()[:3]
    assert re.fullmatch(rf"Installing .* into {folder}: .* minutes?\.", before)
    assert re.fullmatch(r"Installed in \d+ seconds\.", after)
    assert "Install" not in make(target)


#: The programs that write a page, a picture or a stub.
WRITERS = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("d*/make_*.py")}
WRITERS |= {f"benchmarks/{name}.py" for name in ("page", "accuracy", "accuracy_of_scipy")}


def test_make_pages_runs_every_program_that_writes_a_page(make):
    ran = set(re.findall(r"^ran (.+)$", make("pages"), re.MULTILINE))
    assert ran == WRITERS | {"-m scale_out.page"}


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_a_stale_page_fails_a_test_that_says_which_command_writes_it(writer):
    sources = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")]
    says = re.compile(rf'"run python {writer}"|Rows\(.*, "{writer}"\)')
    assert any(says.search(source) for source in sources)


@pytest.mark.parametrize(
    ("target", "sessions"),
    [
        ("test", [""]),
        ("test-more", ["-R --session everything -- slow", "--tags more"]),
        ("test-all", ["", "-R --session everything -- slow", "--tags more"]),
    ],
)
def test_make_test_all_adds_to_make_test_and_repeats_nothing(target, sessions, make, tmp_path):
    ran = re.findall(r"^ran (.*)$", make(target), re.MULTILINE)
    chosen = [call.partition(f"--force-python {tmp_path / 'python'}")[2].strip() for call in ran]
    assert chosen == sessions
