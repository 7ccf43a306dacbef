"""IPython shows errors of the framework as errors of a cell, and records in a line.

Promise: docs/how_to/read_an_error.md
"""

import subprocess
import sys

import pytest

RUN = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "nocolor")
for cell in sys.stdin.read().split("#%%\\n"):
    shell.run_cell(cell, store_history=True)
"""

START = """\
import numpy as np
from dezero_core import Variable, plugins
from dezero_tools import observe
from dezero_tools.functional import grad
x = Variable(np.array([1.0, 0.0]))
"""


@pytest.fixture
def show(tmp_path):
    """Return a function that runs cells in IPython and returns what it shows of the last one."""

    def show(*cells):
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            input="#%%\n".join([START, *(f"{cell}\n" for cell in (*cells[:-1], "print('=='*9)"))])
            + f"#%%\n{cells[-1]}\n",
            cwd=tmp_path,
            env={"IPYTHONDIR": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.partition("==" * 9 + "\n")[2] + done.stderr

    return show


def test_a_notebook_folds_the_frames_of_the_framework_and_names_the_cell(show):
    said = show("y = np.exp(x)\ny * np.ones(3)")
    assert "Cell In[3], line 2" in said
    assert "[... skipping hidden " in said
    assert said.count("\nFile ") == 1  # of the operation that failed
    assert "Mul.forward(self, x0, x1)" in said
    assert said.rstrip().endswith("given float64[2], float64[3], called at Cell In[3], line 2")


def test_a_notebook_shows_a_loss_in_a_cell_between_folded_frames(show):
    said = show("def loss(p):\n    return np.sum(p * np.ones(3))", "grad(loss)(np.ones(2))")
    assert said.count("[... skipping hidden ") == 2
    assert said.count("\nFile ") == 1
    assert "Cell In[2], line 2, in loss(p)" in said


def test_the_error_of_the_observer_nan_names_the_cell_once(show):
    said = show("with np.errstate(all='ignore'), observe('nan'):\n    np.log(x)")
    error = said.rpartition("NotFiniteError: ")[2]
    assert error.count("Cell In[3], line 2") == 1


def test_a_notebook_shows_each_plugin_in_one_line(show):
    said = show("plugins()")
    assert "PluginRecord('math' " in said
    assert len(said.splitlines()) < 10


def test_completion_in_ipython_offers_what_a_variable_has_and_nothing_that_raises(show):
    said = show("print(sorted({c for c in get_ipython().Completer.all_completions('x.')}))")
    for name in ("x.cleargrad", "x.sum", "x.T", "x.to_numpy"):
        assert f"'{name}'" in said or f"'{name[2:]}'" in said
    for name in ("x.exp", "x.detach", "x.numpy", "x.tolist", "x.tobytes"):
        assert f"'{name}'" not in said
        assert f"'{name[2:]}'" not in said
