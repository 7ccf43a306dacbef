"""What ``dezero new`` writes works at once: by itself, and beside others from the template.

Promise: docs/tutorial/your_own_plugin.md
"""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
from dezero_tools.stubs.package import write

from ...docs.pages import ROOT
from .commands import AUTHOR, DESCRIPTION, EDITED, NAMES, run

typed = pytest.mark.parametrize("typed", NAMES)


@typed
def test_a_new_project_passes_its_own_tests_and_the_conformance_kit(projects, typed):
    project = projects[typed]
    done = project.run("-m", "pytest", "-v", "-p", "no:cacheprovider", "-W", "error")
    assert done.returncode == 0, done.stdout + done.stderr
    for check in ("values", "gradient", "complex", "third order", "integers", "bindings"):
        assert f"[{project.operation}: {check}] PASSED" in done.stdout
    assert re.search(r"test_docstrings\.py::\w+\[\w+\] PASSED", done.stdout)


@typed
def test_a_new_project_passes_ruff(projects, typed):
    for command in (("check", "--no-cache", "."), ("format", "--no-cache", "--check", ".")):
        done = run([sys.executable, "-m", "ruff", *command], projects[typed].folder)
        assert done.returncode == 0, done.stdout + done.stderr


@typed
def test_a_new_project_passes_mypy_and_pyright(projects, typed, tmp_path_factory):
    project = projects[typed]
    cache = tmp_path_factory.getbasetemp() / "mypy"
    mypy = ("mypy", "--python-executable", project.python, "--cache-dir", cache)
    for command in (
        (*mypy, "--strict", "."),
        mypy,
        ("pyright", "--pythonpath", project.python),
    ):
        done = run([sys.executable, "-m", *command], project.folder)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_project_passes_mypy_beside_stubs_without_its_operation(projects, tmp_path):
    project = next(iter(projects.values()))
    write(tmp_path / "stubs")
    command = ("-m", "mypy", "--python-executable", project.python, "--cache-dir", tmp_path)
    done = subprocess.run(
        [sys.executable, *command, "src", "tests"],
        cwd=project.folder,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "stubs")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_new_projects_of_one_environment_load_and_compute_together(projects):
    as_written = [projects[typed] for typed in NAMES]  # another test edits one that is not of these
    names = {project.name for project in as_written}
    methods = [project.operation for project in as_written]
    script = f"""
import json, numpy as np
from dezero_core import Variable, grad, plugins
x = Variable(np.array([0.5, -1.0]))
y = np.sum(2.0 * sum(np.sqrt(getattr(x, name)()) for name in {methods!r}) ** 2)
gx = grad(y, x, create_graph=True)
states = {{record.name: [record.distribution, record.state] for record in plugins()}}
print(json.dumps([states, y.data.item(), gx.data.tolist(), grad(gx, x).tolist()]))
"""
    done = as_written[0].run("-W", "error", "-c", script)
    assert done.returncode == 0, done.stderr
    states, y, first, second = json.loads(done.stdout)
    assert {name for name, state in states.items() if state == [name, "loaded"]} >= names
    # (n exp(-x**2 / 2)) ** 2 of n plugins, twice
    bell = {x: 2.0 * len(names) ** 2 * 2.718281828459045 ** -(x * x) for x in (0.5, -1.0)}
    assert y == pytest.approx(sum(bell.values()))
    assert first == pytest.approx([-2.0 * x * value for x, value in bell.items()])
    assert second == pytest.approx([(4.0 * x * x - 2.0) * value for x, value in bell.items()])


def test_a_new_project_has_the_given_description_and_author(projects):
    project = projects["match"]
    metadata = tomllib.loads((project.folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert metadata["description"] == DESCRIPTION
    assert metadata["authors"] == [{"name": AUTHOR}]
    assert DESCRIPTION in (project.folder / "README.md").read_text("utf-8")
    assert f"Copyright (c) {AUTHOR}\n" in (project.folder / "LICENSE").read_text("utf-8")
    script = "from importlib.metadata import metadata; print(ascii(metadata('match')['Summary']))"
    assert project.run("-c", script).stdout.strip() == ascii(DESCRIPTION)


def test_a_new_project_has_a_default_description_and_author(projects):
    project = projects["my-ops"]
    metadata = tomllib.loads((project.folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert metadata["description"] == "Differentiable operations for dezero_core"
    assert metadata["authors"] == [{"name": "the my-ops authors"}]


@typed
def test_a_new_project_has_no_placeholders_of_the_template(projects, typed):
    project = projects[typed]
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    own = [path for path in files if not {"__pycache__", ".git"} & {*path.parts}]
    assert len(own) == 9
    for path in own:
        assert "$" not in str(path.relative_to(project.folder))
        # The description that one of them was given looks like placeholders.
        given = r"\$\{\{ matrix.python \}\}|\{\{ 6 \* 7 \}\} & \$name"
        text = re.sub(given, "", path.read_text("utf-8"))
        assert "{{" not in text, path
        assert "$" not in text, path
        assert ".template" not in path.name
        assert path.name == "py.typed" or text.endswith("\n"), path


def test_the_readme_of_a_new_project_names_existing_files_and_runs(projects):
    project = projects["my-ops"]
    text = (project.folder / "README.md").read_text("utf-8")
    named = re.findall(r"`(\.?\w[\w./]*(?:/|\.(?:py|toml|yml)))`", text)
    assert "src/my_ops/__init__.py" in named
    for path in named:
        assert (project.folder / path).exists(), path
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = project.run("-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr
    # 2 (exp(-1/4) + exp(-1)), and its derivatives -4 x exp(-x**2)
    assert done.stdout.startswith("variable(2.2933604484")
    assert done.stdout.endswith("[-1.55760157 -1.47151776]\n")


def test_every_step_of_a_new_projects_workflow_is_a_command_of_its_readme(projects):
    folder = projects["my-ops"].folder
    workflow = (folder / ".github" / "workflows" / "test.yml").read_text("utf-8")
    readme = (folder / "README.md").read_text("utf-8").splitlines()
    commands = re.findall(r"- run: (.*)", workflow)
    assert len(commands) == 5
    assert set(commands) <= set(readme)


def test_the_workflow_of_a_new_project_tests_it_with_the_pythons_that_test_the_core(projects):
    workflows = (ROOT, projects["my-ops"].folder)
    texts = [(f / ".github" / "workflows" / "test.yml").read_text("utf-8") for f in workflows]
    of_the_core, of_the_project = (set(re.findall(r"python: (\[.*\])", text)) for text in texts)
    assert of_the_project == of_the_core
    readme = (projects["my-ops"].folder / "README.md").read_text("utf-8")
    assert "It installs DeZero from PyPI." in readme


def test_an_edited_operation_is_checked_and_its_numpy_function_works(projects):
    """What the README says under "Make it yours", done."""
    project = projects[EDITED]
    module = project.folder / "src" / project.package / "__init__.py"
    text = module.read_text("utf-8")

    def edit(before, after):
        nonlocal text
        assert before in text
        text = text.replace(before, after)
        module.write_text(text, "utf-8")

    def check():
        tests = ("tests/test_conformance.py", "-p", "no:cacheprovider")
        return project.run("-m", "pytest", "-q", *tests)

    edit("return np.exp(-(x**2.0))", "return np.ldexp(x, self.n)")
    edit(
        "    def forward",
        "    def __init__(self, n: int) -> None:\n        self.n = n\n\n    def forward",
    )
    edit("def newcomer_gauss(x: Operand) ->", "def newcomer_gauss(x: Operand, n: int) ->")
    edit("NewcomerGauss()(x)", "NewcomerGauss(n)(x)")
    start = text.index("        sample=")
    end = text.index("        ),\n", start)
    calls = "kit.Call(kit.Draw((2, 3)), 3), kit.Call(kit.Draw(()), -1)"
    edit(text[start:end], f"        sample=lambda kit: kit.Sample({calls}\n")
    edit('methods="newcomer_gauss",', 'methods="newcomer_gauss",\n        numpy=np.ldexp,')
    wrong = check()
    assert wrong.returncode == 1
    assert re.findall("^newcomer_gauss: (.*), off by", wrong.stdout, re.MULTILINE) == [
        "gradient: wrong gradient of input 0",
        "second order: wrong derivative of the gradient by gy",
    ]
    assert "Traceback" not in wrong.stdout

    edit("gy * (-2.0 * x * np.exp(-(x**2.0)))", "gy * 2.0**self.n")
    right = check()
    assert right.returncode == 0, right.stdout
    script = """
import numpy as np
from dezero_core import Variable
x = Variable(np.array([1.0, 2.0]))
y = np.ldexp(x, 3) * x + x.newcomer_gauss(3)
y.backward()
print(y.data.tolist(), x.grad.tolist())
"""
    done = project.run("-W", "error", "-c", script)
    assert done.stdout.strip() == "[16.0, 48.0] [24.0, 40.0]", done.stderr


def test_an_operation_without_a_sample_does_not_pass_in_silence(projects):
    """Registered without one it cannot be checked, and its test fails and says so."""
    project = projects[EDITED]
    script = """
import dezero_core, numpy, pytest, sys
from dezero_core.registry import registrar
plain = registrar.Registrar.__call__
registrar.Registrar.__call__ = lambda *a, sample=None, **k: plain(*a, **k)
dezero_core.unregister("newcomer")
dezero_core.register("newcomer")
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "tests/test_conformance.py"]))
"""
    done = project.run("-c", script)
    assert done.returncode == 1
    reason = "newcomer_gauss: nothing was checked: it was registered without a sample. "
    advice = "Say how to call it: sample=lambda kit: kit.elementwise((0.5, 3.0))"
    assert f"{reason}{advice}" in done.stdout
    assert "passed" not in done.stdout
