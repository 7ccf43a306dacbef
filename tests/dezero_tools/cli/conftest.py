"""The command as it is installed, run in a process of its own."""

import os

import pytest

from ... import interpreters
from ...environments import OPERATIONS, environment_with, site_with


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """Return the path of the command, as installers write it, beside basic, math and the tools."""
    folder = tmp_path_factory.mktemp("environment")
    return environment_with(folder, "dezero-tools", *OPERATIONS) / "dezero"


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
        where = {"python": script.with_name("python"), "cwd": tmp_path}
        return interpreters.run(script, *arguments, env=environment(**more), **where)

    return run


@pytest.fixture
def site_without_extra(tmp_path):
    """Return a site-packages folder like that of the tests, without what the extra installs."""
    folder = site_with(tmp_path / "site_without_extra", "dezero-tools", *OPERATIONS)
    for name in ("rich", "typer"):
        (folder / name).unlink()
    return folder


@pytest.fixture
def without_extra(tmp_path, environment, site_without_extra):
    """Return a function that runs a line of Python where neither typer nor rich is installed."""

    def run(line, *arguments):
        program = f"import site, sys; site.addsitedir(sys.argv.pop(1)); {line}"
        arguments = ("-c", program, site_without_extra, *arguments)
        where = {"site": site_without_extra, "env": environment(), "cwd": tmp_path}
        return interpreters.run(*arguments, **where, fresh=True)

    return run
