"""What the README promises in sentences; its blocks of code run in tests/docs."""

import re
import subprocess
import sys
from math import exp

import pytest

from ..docs.pages import ROOT, blocks_of

BLOCKS = blocks_of((ROOT / "README.md").read_text("utf-8"))


def test_the_first_program_of_the_readme_prints_the_derivatives_in_its_comments(tmp_path):
    (program, *_) = (block.text for block in BLOCKS if block.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    first, second, *rest = done.stdout.splitlines()
    assert float(first) == pytest.approx(3 * exp(2) + 10, rel=1e-14)
    assert float(second) == pytest.approx(4 * exp(2) + 2, rel=1e-14)
    assert [line.split()[0] for line in rest] == ["basic", "math", "tools"]


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    shell = "".join(block.text for block in BLOCKS if block.language == "sh")
    made = [command.split()[1] for command in shell.splitlines() if command.startswith("make ")]
    assert made == ["demo", "docs", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert set(made) <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
