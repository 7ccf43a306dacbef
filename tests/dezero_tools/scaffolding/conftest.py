"""Projects that ``dezero new`` wrote, installed as their authors install them."""

import sys

import pytest

from ...environments import OPERATIONS, environment_with
from .commands import AUTHOR, DESCRIPTION, EDITED, NAMES, Project, dezero, run


@pytest.fixture(scope="session")
def projects(tmp_path_factory):
    """Return the projects by what was typed, all in one environment."""
    root = tmp_path_factory.mktemp("projects")
    python = environment_with(root / "environment", "dezero-tools", *OPERATIONS) / "python"
    found = {}
    for typed, (name, package) in (NAMES | {EDITED: (EDITED, EDITED)}).items():
        options = ["--description", DESCRIPTION, "--author", AUTHOR] if typed == "match" else []
        done = dezero("new", typed, *options, cwd=root)
        assert (done.returncode, done.stderr) == (0, "")
        found[typed] = Project(root / name, name, package, python)
    editable = [part for project in found.values() for part in ("-e", project.folder)]
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    done = run([*pip, "install", "--quiet", *offline, *editable], root)
    assert done.returncode == 0, done.stderr
    return found
