"""The site, built once for all tests, in whichever process they run."""

import fcntl
import os
import subprocess
import sys

import pytest

from .pages import ROOT


def build(source, target):
    """Build a site strictly, and return the finished process."""
    quiet = ("-W", "--keep-going", "-n", "-q", "-d", f"{target}.doctrees")
    # Sphinx is no test of the packages that it imports: what it runs is not measured.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *quiet, source, target],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return the folder of the site, and what the strict build of it said."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    said = folder / "site.txt"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            done = build(ROOT / "docs", folder / "site")
            said.write_text(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return folder / "site", said.read_text()


@pytest.fixture(scope="session")
def site(built):
    """Return the folder of the site."""
    return built[0]
