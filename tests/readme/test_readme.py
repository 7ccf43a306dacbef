"""Every code block of every README is run."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
READMES = sorted(ROOT.glob("**/README.md"))
READMES = [p for p in READMES if not {".venv", ".test"} & set(p.relative_to(ROOT).parts)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# (\S+\.(?:py|toml))\n")


def blocks(readme: Path, language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(readme.read_text("utf-8")) if found == language]


def run(*arguments: str, cwd: Path | None = None, env: Any = None) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=cwd, env=env, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(text, id=f"{readme.relative_to(ROOT)}-{number}")
        for readme in READMES
        for number, text in enumerate(blocks(readme, "python"))
    ],
)
def test_a_block_of_python_runs_and_prints(program, tmp_path):
    script = tmp_path / "block.py"
    script.write_text(program, "utf-8")
    printed = run(sys.executable, "-W", "error", str(script), cwd=tmp_path)
    assert printed.strip() or FILE_NAME.match(program)


def test_the_first_program_prints_the_derivatives_its_comments_promise(tmp_path):
    from math import exp

    script = tmp_path / "block.py"
    script.write_text(blocks(ROOT / "README.md", "python")[0], "utf-8")
    first, second, *rest = run(sys.executable, str(script)).splitlines()
    assert float(first) == pytest.approx(3 * exp(2) + 10, rel=1e-14)
    assert float(second) == pytest.approx(4 * exp(2) + 2, rel=1e-14)
    assert [line.split()[0] for line in rest] == ["basic", "math"]


def test_the_plugin_of_the_readme_can_be_installed_and_used(tmp_path):
    files = {
        match[1]: text
        for text in (*blocks(ROOT / "README.md", "python"), *blocks(ROOT / "README.md", "toml"))
        if (match := FILE_NAME.match(text))
    }
    assert set(files) == {"my_ops.py", "pyproject.toml"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    target = tmp_path / "site"
    quiet = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "install", *quiet, "--target", str(target), str(tmp_path))
    program = f"""
import sys
sys.path.insert(0, {str(target)!r})
import numpy as np
from dezero_core import Variable, plugins
x = Variable(np.array(0.0))
y = x.softplus()
y.backward()
print(y.item() == np.log(2.0), x.grad, [p.name for p in plugins() if p.distribution == "my-ops"])
"""
    assert run(sys.executable, "-c", program).strip() == "True 0.5 ['my-ops']"
    (checked,) = [text for text in blocks(ROOT / "README.md", "sh") if "--dezero-ops" in text]
    report = run(
        *(sys.executable, "-m", *checked.split(), "-p", "no:cacheprovider"),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(target)},
    )
    assert "1 operations, " in report


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    commands = [line for text in blocks(ROOT / "README.md", "sh") for line in text.splitlines()]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    made = [command.split()[1] for command in commands if command.startswith("make ")]
    assert made == ["demo", "test"]
    assert set(made) <= set(targets)
