"""Projects that ``dezero new`` wrote, installed as their authors install them."""

import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from .commands import AUTHOR, DESCRIPTION, EDITED, NAMES, Project, dezero, run


def environment(folder):
    """Make an environment that has what this one has; return its interpreter."""
    venv.EnvBuilder(symlinks=True).create(folder)
    site = Path(next(folder.glob("lib/python*/site-packages")))
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    lines = [f"import site; site.addsitedir({path!r})\n" for path in here]
    (site / "_the_tests.pth").write_text("".join(lines))
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def projects(tmp_path_factory):
    """Return the projects by what was typed, all in one environment."""
    root = tmp_path_factory.mktemp("projects")
    python = environment(root / "environment")
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
