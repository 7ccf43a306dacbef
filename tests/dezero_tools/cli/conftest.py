"""The command as it is installed, run in a process of its own."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def script():
    """Return the path of the command, as installers write it."""
    return Path(sysconfig.get_path("scripts")) / "dezero"


@pytest.fixture
def environment(fake_distribution):
    """Return a function that gives the environment of a process that finds `fake_distribution`."""

    def environment(**more):
        left_out = ("DEZERO_", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        paths = [*map(str, fake_distribution.sites), kept.get("PYTHONPATH")]
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        return kept | {"COLUMNS": "80", "PYTHONUNBUFFERED": ""} | more

    return environment


@pytest.fixture
def dezero(script, tmp_path, environment):
    """Return a function that runs ``dezero``; keyword arguments are environment variables."""

    def run(*arguments, **more):
        return subprocess.run(
            [script, *arguments],
            env=environment(**more),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def site_without_extra(tmp_path):
    """Return a site-packages folder like that of the tests, without what the extra installs."""
    folder = tmp_path / "site_without_extra"
    folder.mkdir()
    for source in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for item in Path(source).iterdir():
            if item.name not in ("rich", "typer", "__pycache__"):
                (folder / item.name).symlink_to(item)
    return folder


@pytest.fixture
def without_extra(tmp_path, environment, site_without_extra):
    """Return a function that runs a line of Python where neither typer nor rich is installed."""

    def run(line, *arguments):
        program = f"import site, sys; site.addsitedir(sys.argv.pop(1)); {line}"
        return subprocess.run(
            [sys.executable, "-S", "-c", program, site_without_extra, *arguments],
            env=environment(),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run
