"""Every wheel carries the licence, in its metadata and as a file.

Promise: README.md
"""

import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LICENCE = (ROOT / "LICENSE").read_bytes()
PROJECTS = [
    path.parent.relative_to(ROOT).as_posix()
    for pattern in ("dezero_*", "examples/*", "tests/third_party/*")
    for path in sorted(ROOT.glob(f"{pattern}/pyproject.toml"))
]


def built(project, folder):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_licences_of_all_distributions_are_checked():
    assert {"dezero_core", "dezero_ops_basic", "dezero_ops_math", "dezero_ops_scipy"} < set(
        PROJECTS
    )
    assert "tests/third_party/dezero-ops-softplus" in PROJECTS


@pytest.mark.parametrize("project", PROJECTS)
def test_a_wheel_carries_the_licence_of_the_repository(project, tmp_path):
    with zipfile.ZipFile(built(ROOT / project, tmp_path)) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        headers = message_from_bytes(wheel.read(metadata))
        assert headers["License-Expression"] == "MIT"
        assert headers.get_all("License-File") == ["LICENSE"]
        assert wheel.read(metadata.replace("METADATA", "licenses/LICENSE")) == LICENCE


def test_a_project_of_dezero_new_carries_its_own_licence(tmp_path):
    new = [sys.executable, "-m", "dezero_tools", "new", "my-ops", "--author", "A. U. Thor"]
    subprocess.run(new, cwd=tmp_path, check=True, capture_output=True)
    with zipfile.ZipFile(built(tmp_path / "my-ops", tmp_path)) as wheel:
        (licence,) = (name for name in wheel.namelist() if name.endswith("/licenses/LICENSE"))
        assert b"Copyright (c) A. U. Thor" in wheel.read(licence)
