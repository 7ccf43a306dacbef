"""The template is in the wheel, complete, and in agreement with the tutorial.

Promise: docs/tutorial/your_own_plugin.md
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from dezero_tools.cli.new import new

from dezero_core import PLUGIN_API

TOOLS = Path(__file__).parents[3] / "dezero_tools"
TEMPLATE = TOOLS / "src" / "dezero_tools" / "cli" / "template"


def test_every_file_of_the_template_is_in_the_wheel(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=TOOLS, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = "dezero_tools/cli/template/"
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix(inside) for name in archive.namelist() if inside in name}
        readme = archive.read(f"{inside}README.md.template")
    files = {p.relative_to(TEMPLATE).as_posix() for p in TEMPLATE.rglob("*") if p.is_file()}
    assert packed == files
    assert packed >= {".gitignore.template", ".github/workflows/test.yml"}
    assert readme == (TEMPLATE / "README.md.template").read_bytes()


def test_no_file_of_the_template_is_taken_for_source_or_settings_of_this_repository():
    """Tools look for these by name, in every folder."""
    names = {path.name for path in TEMPLATE.rglob("*") if path.is_file()}
    assert not {".gitignore", "pyproject.toml", "conftest.py"} & names
    assert not [name for name in names if name.endswith(".py")]


def test_a_name_in_the_template_that_the_command_does_not_know_is_an_error(tmp_path, monkeypatch):
    template = tmp_path / "template"
    template.mkdir()
    (template / "README.md.template").write_text("$name $nonsense\n")
    monkeypatch.setattr("dezero_tools.cli.new.TEMPLATE", template)
    with pytest.raises(KeyError, match="nonsense"):
        new("my-ops", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["template"]


def test_the_package_of_the_tutorial_keeps_the_lines_of_the_template_about_the_core():
    line = f"DEZERO_PLUGIN_API = {PLUGIN_API}"
    tutorial = (TOOLS.parent / "docs" / "tutorial" / "your_own_plugin.md").read_text("utf-8")
    (package,) = re.findall(
        r"```python\n# my-ops/src/my_ops/__init__\.py\n(.*?)```", tutorial, re.DOTALL
    )
    assert line in package
