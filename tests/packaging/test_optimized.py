"""``python -OO`` takes docstrings and ``assert`` away, and nothing else.

Promise: docs/architecture.md
"""

import ast
import subprocess
import sys

import pytest

from dezero_core import ops

LOADED = """
import dezero_core
print([(op.name, op.plugin, bool(op.function.__doc__)) for op in dezero_core.ops()])
"""

CALLED = """
import numpy as np
from dezero_core import Variable
from dezero_tools import functional

x = Variable(np.array([1.0, -2.0, 3.0]))
y = np.sum(x * x, where=np.isfinite(x) & (x > 0.0))
y.backward()
out = [float(y.data), x.grad.tolist(), np.argmax(x).item(), np.all(x > -2.5).item()]
out += [np.logical_not(x).tolist(), np.allclose(x, x), np.searchsorted(x.data, 2.0).item()]
out += [functional.grad(np.tanh)(0.0).item(), np.maximum(x, 2.0).data.tolist()]
print(out)
"""

TOOLS = [
    ("ops", "isnan"),
    ("check", "basic", "--op", "less"),
    ("graph", "model.py:y", "--format", "mermaid"),
    ("--help",),
]


def optimized(*arguments, cwd=None):
    run = subprocess.run(
        [sys.executable, "-OO", "-W", "error", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_every_operation_is_loaded_without_docstrings():
    found = ast.literal_eval(optimized("-c", LOADED))
    assert [entry[:2] for entry in found] == [(op.name, op.plugin) for op in ops()]
    documented = {name for name, _, has in found if has}
    assert "less" in documented, "a docstring that the program composes stays"
    assert not documented & {"isnan", "argmax", "exp"}


def test_operations_give_the_same_results_without_docstrings():
    found = ast.literal_eval(optimized("-c", CALLED))
    assert found == [
        *(10.0, [2.0, 0.0, 6.0], 2, True),
        *([False] * 3, True, 2),
        *(1.0, [2.0, 2.0, 3.0]),
    ]


@pytest.mark.parametrize("arguments", TOOLS, ids=lambda arguments: " ".join(arguments))
def test_the_command_works_without_docstrings(tmp_path, arguments):
    source = (
        "import numpy as np\nimport dezero_core\ny = np.exp(dezero_core.Variable(np.ones(2)))\n"
    )
    (tmp_path / "model.py").write_text(source)
    assert optimized("-m", "dezero_tools", *arguments, cwd=tmp_path)
