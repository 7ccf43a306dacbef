"""``dezero graph``, as a process.

Promise: docs/how_to/draw_a_graph.md
"""

import json
import os
from xml.etree import ElementTree

import pytest

from ... import interpreters

PROGRAM = """
import numpy as np
from dezero_core import Variable
x = Variable(np.array([1.0, 2.0]), "x")
y = (x * x).sum()
y.name = "y"
pair = [x, y]
number = 1.5
"""


MAIN = "import sys; from _dezero_command import main; sys.exit(main())"


@pytest.fixture
def run(tmp_path):
    """Return a function that runs ``dezero graph`` where there is a program ``model.py``."""
    (tmp_path / "empty").mkdir()

    def run(*arguments, program=PROGRAM, folder="."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "model.py").write_text(program)
        env = os.environ | {"PATH": str(tmp_path / "empty")}
        return interpreters.run("-c", MAIN, "graph", *arguments, cwd=tmp_path, env=env)

    return run


def test_the_command_graph_draws_a_variable_of_a_program_into_a_file(run, tmp_path):
    done = run("model.py:y", "-o", "graph.svg", "--limit", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "graph.svg is written, laid out without Graphviz, whose program dot was not found.\n"
    )
    texts = [e.text for e in ElementTree.parse(tmp_path / "graph.svg").getroot().iter()]
    assert {"y", "Sum", "Drawn are the 3 nodes nearest to the output, of 5."} <= set(texts)


def test_graph_without_a_file_prints_the_text_of_the_picture(run):
    mermaid, dot = run("model.py:y"), run("model.py:pair", "--format", "dot")
    assert mermaid.stdout.startswith("flowchart TD\n")
    assert "x<br/>float64 (2,)" in mermaid.stdout
    assert dot.stdout.startswith("digraph {\n")
    assert dot.stdout.endswith("}\n")


NOISY = (
    PROGRAM
    + """
import os, subprocess, sys
print("from Python")
import warnings; warnings.warn("beware")
os.write(1, b"from C\\n")
subprocess.run([sys.executable, "-c", "print('from a program')"])
if __name__ == "__main__":
    z = y * 2.0
    assert (sys.argv, os.path.basename(__file__)) == (["models/model.py"], "model.py")
    assert sys.modules["__main__"].z is z
    def f(x: "no such name" = 1): ...
    def g(x: int): ...
    assert g.__annotations__ == {"x": int}
    import beside
    sys.exit()
"""
)


def test_graph_runs_a_program_whose_prints_do_not_spoil_the_json(run, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "beside.py").write_text("")
    options = ("--json", "--no-constants")
    done = run("models/model.py:z", *options, program=NOISY, folder="models")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["file"], data["variable"], data["format"]) == ("models/model.py", "z", "mermaid")
    assert data["text"].startswith("flowchart TD")
    for words in ("from Python", "from C", "from a program", "UserWarning: beware"):
        assert words in done.stderr


def test_the_json_of_graph_has_the_path_of_the_picture(run):
    done = run("model.py:y", "-o", "graph.dot", "--json")
    assert json.loads(done.stdout) == {
        "file": "model.py",
        "variable": "y",
        "format": "dot",
        "output": "graph.dot",
        "by_graphviz": False,
    }


@pytest.mark.parametrize(
    ("arguments", "program", "said"),
    [
        (
            ["model.py:yy"],
            PROGRAM,
            "model.py has no 'yy'. Its Variables: x, y. Did you mean 'y'?",
        ),
        (
            ["model.py:number"],
            PROGRAM,
            "'number' in model.py is of type float. Its Variables: x, y.",
        ),
        (["model.py:y"], "", "model.py has no 'y'. Its Variables: none."),
        (["model.py"], PROGRAM, "as train.py:loss, got 'model.py'."),
        (["model.py:y[0]"], PROGRAM, "as train.py:loss, got 'model.py:y[0]'."),
        (["absent.py:y"], PROGRAM, "absent.py cannot be read: "),
        (["model.py:y"], "import sys; sys.exit('stop')", "model.py ended with exit status stop"),
        (["model.py:y", "-o", "no/a.svg"], PROGRAM, "no/a.svg cannot be written: "),
    ],
)
def test_graph_refuses_a_wrong_target_without_a_traceback(run, arguments, program, said):
    done = run(*arguments, program=program)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_graph_shows_the_traceback_of_a_program_that_raises(run):
    done = run("model.py:y", program="def f():\n    return 1 / 0\n\n\nf()\n")
    assert done.returncode == 1
    assert "model.py raised ZeroDivisionError" in done.stderr
    assert 'File "model.py", line 2, in f\n    return 1 / 0' in done.stderr
    assert "dezero_core" not in done.stderr
    syntax = run("model.py:y", "--json", program="x = (\n")
    assert syntax.returncode == 1
    error = json.loads(syntax.stdout)
    assert error["error"] == "DrawingError"
    assert "SyntaxError" in error["message"]
