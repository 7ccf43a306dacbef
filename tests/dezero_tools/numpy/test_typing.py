"""mypy and pyright know the types of a program that uses `dezero_tools.numpy`.

Promise: docs/how_to/type_checking.md
"""

import json
import os
import re
import subprocess
import sys

import pytest

START = """
from typing import reveal_type
import numpy
import dezero_tools.numpy as np
from dezero_core import Variable
a = numpy.zeros(3)
x = Variable(a)
"""

TYPES = {
    "np.exp(x)": "Variable",
    "np.exp([x, x])": "Variable",
    "np.exp(a)": "ndarray[tuple[Any, ...], dtype[Any]]",
    "np.sum(x, axis=0)": "Variable",
    "np.maximum(0.0, x)": "Variable",
    "np.maximum(a, 0.0)": "ndarray[tuple[Any, ...], dtype[Any]]",
    "np.dot(a, x)": "Variable",
    "np.array([x, x])": "Variable",
    "np.array([[x, x], [x, x]])": "Variable",
    "np.array([1.0, 2.0])": "ndarray[tuple[Any, ...], dtype[Any]]",
    "np.array(a)": "ndarray[tuple[Any, ...], dtype[Any]]",
    "np.array([x, 1.0])": "Any",
    "np.full(3, x)": "Variable",
    "np.concatenate((x, x))": "Variable",
    "np.split(x, 3)": "list[Variable]",
    "np.linalg.inv(x)": "Variable",
    "np.fft.fft(x)": "Variable",
    "np.pi": "float",
    "np.random.default_rng(0)": "Generator",
    "np.zeros(3)": "Any",
    "np.r_[x, 1.0]": "Any",
    "np.exxp(x)": "error",
    "np.linalg.innv(x)": "error",
}
PROGRAM = START + "".join(f"reveal_type({expression})\n" for expression in TYPES)
PROGRAM += "np.exp(x).backward()\n"


def mypy(folder):
    """Return the line and the message of each thing that mypy says."""
    said = checked("mypy", "--strict", "--output=json", f"--cache-dir={folder}", folder=folder)
    found = [json.loads(line) for line in said.splitlines()]
    return [(each["line"], each["severity"], each["message"]) for each in found]


def pyright(folder):
    """Return the same of pyright."""
    found = json.loads(checked("pyright", "--outputjson", folder=folder))["generalDiagnostics"]
    return [
        (each["range"]["start"]["line"] + 1, each["severity"], each["message"]) for each in found
    ]


def checked(tool, *options, folder):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COVERAGE", "PYTHON"))}
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", tool, *options, "program.py"]
    if tool == "pyright":
        command += ["--pythonpath", sys.executable]
    done = subprocess.run(
        command, env=kept, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("type_checker", [mypy, pyright])
def test_type_checkers_know_what_functions_of_the_namespace_give(type_checker, tmp_path):
    lines, found = PROGRAM.splitlines(), {}
    for line, severity, message in type_checker(tmp_path):
        revealed = re.search(r'(?:Revealed type is|Type of .* is) "(.*)"$', message, re.DOTALL)
        expression = lines[line - 1].removeprefix("reveal_type(").removesuffix(")")
        if severity == "error":
            found[expression] = "error"
        elif revealed:
            found.setdefault(expression, re.sub(r"(?:\w+\.)+(?=\w)", "", revealed[1]))
    assert found == TYPES
