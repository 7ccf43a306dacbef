"""The template is in the wheel, and only the command that needs it loads what renders it."""

import subprocess
import sys
import zipfile
from pathlib import Path

TOOLS = Path(__file__).parents[3] / "dezero_tools"
TEMPLATE = TOOLS / "src" / "dezero_tools" / "cli" / "template"


def test_every_file_of_the_template_is_in_the_wheel(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=TOOLS, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = "dezero_tools/cli/template/"
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix(inside) for name in archive.namelist() if inside in name}
        readme = archive.read(f"{inside}project/README.md.jinja")
    files = {p.relative_to(TEMPLATE).as_posix() for p in TEMPLATE.rglob("*") if p.is_file()}
    assert packed == files
    assert packed >= {"project/.gitignore.jinja", "project/.github/workflows/test.yml"}
    assert readme == (TEMPLATE / "project" / "README.md.jinja").read_bytes()


def test_no_file_of_the_template_is_taken_for_source_or_settings_of_this_repository():
    """Tools look for these by name, in every folder."""
    names = {path.name for path in TEMPLATE.rglob("*") if path.is_file()}
    assert not {".gitignore", "pyproject.toml", "conftest.py"} & names
    assert not [name for name in names if name.endswith(".py")]


def test_only_the_command_new_imports_copier():
    script = "import sys, dezero_tools.cli.app; print('copier' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
