"""What mypy and pyright find in a program, in environments with different plugins.

Promise: docs/how_to/type_checking.md
"""

import ast
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

THIRD_PARTY = Path(__file__).with_name("third_party.py").read_text()

PROGRAM = """
from typing import reveal_type
import numpy as np
import dezero_core
from dezero_core import Parameter, Variable, as_variable, grad
from dezero_tools import functional
a = np.zeros(3)
x = Variable(a)
x.backward(create_graph=True)
"""

#: Which plugin it takes -> an expression -> its type.
EXPRESSIONS = {
    "core": {
        "x": "Variable",
        "x.shape": "tuple[int, ...]",
        "x.grad": "Any",
        "x.name": "str | None",
        "x.generation": "int",
        "x.__float__()": "float",
        "{x}": "set[Variable]",
        "Parameter(a)": "Parameter",
        "as_variable(a)": "Variable",
        # NumPy's stubs know ndarrays alone; what the help of the command says of it.
        "np.sin(x)": "ndarray[tuple[Any, ...], dtype[Any]]",
        "np.sum(x)": "Any",
        "np.mean(x)": "floating[Any]",
        "as_variable(np.sin(x))": "Variable",
        "a + x": "ndarray[tuple[Any, ...], dtype[float64]]",
        "grad(x, x)": "ndarray[Any, Any]",
        "dezero_core.grad(np.sum(x), x)": "ndarray[Any, Any]",
        "grad(x, x, create_graph=True)": "Variable",
        "grad(x, x, bool(x))": "ndarray[Any, Any] | Variable",
        "grad([x], [x, x], grad_outputs=a)": "list[ndarray[Any, Any]]",
        "grad(x, (Parameter(a),), True)": "list[Variable]",
        "grad(x, [x], bool(x))": "list[ndarray[Any, Any]] | list[Variable]",
        "functional.value_and_grad(np.sin)(a)": "tuple[Any, Any]",
        "functional.value_and_grad(lambda x: (x, 1), has_aux=True)(a)": "tuple[Any, Any]",
        "functional.elementwise_grad(np.tanh)(a)": "Any",
        "functional.flatten({'w': a})[1](a)": "Any",
        "functional.as_scipy(np.sum, a, args=(0,)).fun(a)": "Any",
    },
    "basic": {
        "x + 1": "Variable",
        "(x + a).generation": "int",  # without plugins, NumPy takes it for an array
        "(x * np.exp(x)).generation": "int",
        "1 + x": "Variable",
        "2.0 ** x": "Variable",
        "np.float64(2.0) * x": "Variable",
        "x @ x": "Variable",
        "-x": "Variable",
        "abs(x)": "Variable",
        "divmod(x, 2)": "tuple[Variable, Variable]",
        "x[0]": "Variable",
        "x[..., None]": "Variable",
        "next(iter(x))": "Variable",
        "1.0 in x": "bool",
        "x < 1": "ndarray[Any, Any]",
        "1 < x": "ndarray[Any, Any]",
        "x.real": "Variable",
        "x.astype(np.float32)": "Variable",
        "Parameter(a) * 2": "Variable",
    },
    "math": {
        "x.sum(axis=0)": "Variable",
        "x.sum(axis=(0, 1), keepdims=True)": "Variable",
        "x.T": "Variable",
        "x.reshape(2, 3)": "Variable",
        "x.reshape((2, 3))": "Variable",
        "x.transpose(1, 0)": "Variable",
        "x.clip(0, 1)": "Variable",
        "x.argsort()": "ndarray[Any, Any]",
        "x.all()": "Any",
        "(2 * x.mean() - 1).sum()": "Variable",
    },
    "third_party": {
        "x.tripled()": "Variable",
        "x.three_times(2, name='y')": "Variable",
        "x.signs()": "ndarray[Any, Any]",
        "x.pieces('columns', lambda n: n / 2, 1, 2, limit=3, other=4)": "list[Variable]",
        "x.unknown(a)": "Any",
        "x.evaluated(1)": "dict[str, list[Variable]]",
        "x.float(digits=2)": "float",
        "x.numpy()": "ndarray[Any, dtype[float64]]",
        "x.local()": "Any",
        "x.settings": "Settings",
        "x.settings(3)": "str",
        "x.half": "Any",
        "x.third": "Variable",
        "x.helper(1)": "Any",
    },
    "nobody": {
        "x.sun()": "",
        "x.gard": "",
        "x.sum(axes=0)": "",
        "x.T()": "",
        "x.tripled(1, 2)": "",
        "x.pieces('diagonals')": "",
        "x.pieces(limit='one')": "",
        "x.float(digits='two')": "",
        "x.backward(keep_graph=True)": "",
        "Variable()": "",
        "np.sin(x).backward()": "",
        "dezero_core.Varaible": "",
        "grad(x, a)": "",
        "grad(x, x, retain_graph=True)": "",
        "functional.grad(np.sin, argnum=1)": "",
        "functional.grad(x, x)": "",
    },
}

#: The first program of a newcomer.
FIRST_PROGRAM = """
from typing import reveal_type
import numpy as np
from dezero_core import Parameter, Variable, no_grad

x = Variable(np.array([1.0, 2.0, 3.0]))
w = Parameter(np.ones(3), name="w")
y = 2.0 * x**2 - x / 3 + (w @ x) % 2
for row in y[1:]:
    y = y + row
loss = np.sum(y * y) + abs(-w).max(axis=0) + y.reshape(3, 1).T.mean()
loss.backward()
mask = x < 1.0
with no_grad():
    print(loss, x.grad, y.real.sum().item(), mask, 1.0 in x, len(x), {x: "x"}, x == y)
reveal_type(y)
"""

#: Those with stubs that the command has written, each with some of the distributions under test.
ENVIRONMENTS = {
    "core": (),
    "basic": ("dezero-ops-basic",),
    "math": ("dezero-ops-basic", "dezero-ops-math"),
    "third_party": ("dezero-ops-basic", "dezero-ops-math"),
}


@pytest.fixture(scope="module")
def environment_of(new_environment):
    """Return a function that returns an environment of the table above, with stubs in it."""

    @functools.cache
    def make(name, editable=False):
        made = new_environment(*ENVIRONMENTS[name], editable=editable)
        if name == "third_party":
            made.install("third-party", THIRD_PARTY, version="2.1")
        made.dezero()
        return made

    return make


@pytest.fixture(scope="module")
def everything(environment_of):
    """Return the environment with all plugins."""
    return environment_of("third_party")


@pytest.fixture(scope="session")
def mypy(tmp_path_factory):
    """Return a function that returns what mypy says: line, severity and message of each."""
    cache = tmp_path_factory.mktemp("mypy")

    def check(environment, folder, **variables):
        options = ["--strict", "--output=json", f"--cache-dir={cache}"]
        options += [f"--python-executable={environment.python}"]
        command = (sys.executable, "-m", "mypy", *options, "program.py")
        said = checked(*command, cwd=folder, **variables)
        found = map(json.loads, said.splitlines())
        return [(each["line"], each["severity"], each["message"]) for each in found]

    return check


def pyright(environment, folder):
    """Return what pyright says, in the same form."""
    options = ("--outputjson", "--pythonpath", str(environment.python))
    said = checked(sys.executable, "-m", "pyright", *options, cwd=folder)
    found = json.loads(said)["generalDiagnostics"]
    assert {Path(each["file"]).name for each in found} == {"program.py"}  # and not the stub
    return [
        (each["range"]["start"]["line"] + 1, each["severity"], each["message"]) for each in found
    ]


def checked(*command, cwd, **variables):
    """Return what a type checker prints, of which the coverage is not measured: that takes long."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COVERAGE", "PYTHON"))}
    done = subprocess.run(
        command,
        env=kept | variables,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def types(said, program):
    """Return the type of each line that reveals one, ``"error"`` if the line has an error."""
    lines = program.splitlines()
    found = {}
    for line, severity, message in said:
        revealed = re.search(r'(?:Revealed type is|Type of .* is) "(.*)"$', message, re.DOTALL)
        if severity == "error":
            found[lines[line - 1]] = "error"
        elif revealed:
            short = re.sub(r"(?:\w+\.)+(?=\w)", "", revealed[1])
            found.setdefault(lines[line - 1], short)
    return found


@pytest.fixture(scope="session", params=["mypy", "pyright"])
def type_checker(request, mypy):
    """Return each type checker in turn."""
    return mypy if request.param == "mypy" else pyright


def assert_types(type_checker, environment, folder, plugins):
    """Assert that the expressions that these plugins give have their types, and no others have."""
    expected = {
        f"reveal_type({expression})": type_ if plugin in plugins else "error"
        for plugin, expressions in EXPRESSIONS.items()
        for expression, type_ in expressions.items()
    }
    program = PROGRAM + "\n".join(expected)
    (folder / "program.py").write_text(program)
    assert types(type_checker(environment, folder), program) == expected


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_type_checkers_see_the_types_that_plugins_give_to_expressions(
    name, environment_of, type_checker, tmp_path
):
    plugins = {"core", name, *(each.removeprefix("dezero-ops-") for each in ENVIRONMENTS[name])}
    assert_types(type_checker, environment_of(name), tmp_path, plugins)


@pytest.fixture(scope="module")
def as_installed(new_environment):
    """Return a function that returns an environment in which nobody has run the command."""

    @functools.cache
    def make(*names, editable=False):
        made = new_environment(*names, editable=editable)
        made.install("third-party", THIRD_PARTY)
        return made

    return make


def test_the_first_program_for_type_checkers_runs():
    namespace = {}
    exec(FIRST_PROGRAM, namespace)
    assert namespace["x"].grad.shape == (3,)


def test_type_checkers_accept_a_first_program_as_installed(as_installed, type_checker, tmp_path):
    (tmp_path / "program.py").write_text(FIRST_PROGRAM)
    (said,) = type_checker(as_installed("dezero-ops-basic"), tmp_path)
    assert said[2].endswith('Variable"')


@pytest.mark.parametrize("editable", [False, True], ids=["wheels", "editable"])
def test_type_checkers_know_both_packages_of_operations_as_installed(
    editable, as_installed, type_checker, tmp_path
):
    environment = as_installed("dezero-ops-basic", editable=editable)
    assert_types(type_checker, environment, tmp_path, {"core", "basic", "math"})


def test_type_checkers_know_the_core_alone_as_installed(as_installed, type_checker, tmp_path):
    assert_types(type_checker, as_installed(), tmp_path, {"core"})


def test_the_stub_has_the_members_that_variable_has_at_run_time(everything, tmp_path):
    """Held against Variable itself, by stubtest, which begins with the stub's own errors."""
    script = """
import dezero_core
from dezero_core.bound import Bound
from mypy.stubtest import main

for operation in dezero_core.ops():
    for name in (*operation.dunders, *operation.methods):
        setattr(Bound, name, vars(dezero_core.Variable)[name])
main()
"""
    command = (everything.python, "-c", script, "--concise", "dezero_core.bound")
    said = checked(*command, cwd=tmp_path)
    of_self = 'stub parameter "self" differs from runtime parameter'
    assert [line for line in said.splitlines() if of_self not in line] == []


def test_every_member_in_the_stub_of_variable_names_its_plugin(everything):
    script = """
import dezero_core, json
records = {record.name: record for record in dezero_core.plugins()}
print(json.dumps({
    attribute: f"Provided by {records[operation.plugin]}."
    for operation in dezero_core.ops()
    for attribute in (*operation.dunders, *operation.methods)
}))
"""
    bound = json.loads(everything.run("-c", script).stdout)
    said = documented(everything.stubs / "bound.pyi")
    assert {name: mark for name, mark in bound.items() if mark not in said[name]} == {}
    assert {name for name in said if "Provided by" in said[name]} == set(bound)


def documented(stub):
    """Return the text below the name of each member of Variable."""
    (cls,) = [
        node
        for node in ast.parse(stub.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "Bound"
    ]
    found = {}
    for node, below in zip(cls.body, [*cls.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.get_docstring(node) or ""
        elif isinstance(node, ast.AnnAssign) and isinstance(below, ast.Expr):
            found[node.target.id] = below.value.value
    return found


def test_a_docstring_in_the_stub_of_variable_begins_with_that_of_the_method(everything):
    said = documented(everything.stubs / "bound.pyi")
    mark = "Provided by plugin 'third_party' (third-party 2.1)."
    assert said["tripled"] == f"Multiply by three.\n\n{mark}\n\nAs often as `times` says."
    assert said["half"] == f"Half of it.\n\n{mark}"
    assert said["signs"] == mark
    assert said["helper"].startswith("Multiply by three.")  # it has none of its own


def test_signatures_in_the_stub_of_variable_use_only_names_in_the_stub(everything):
    text = (everything.stubs / "bound.pyi").read_text()
    for signature in (
        "tripled(self, times: Any=1, *, name: Any=None, initial: Any=...) -> Variable",
        "pieces(self, mode: _typing.Literal['rows', 'columns', _third_party.Side.LEFT]='rows', "
        "key: _collections_abc.Callable[[int], float] | None=None, /, *more: int, "
        "limit: int=1, weight: float | None=..., **options: Any) -> list[Variable]",
        "numpy(self) -> _numpy.ndarray[Any, _numpy.dtype[_numpy.float64]]",
    ):
        # A method of Variable is called float, so that the type needs another name.
        signature = signature.replace(" float", " _builtins.float")
        assert f"    def {signature}:\n" in text


@pytest.mark.parametrize("editable", [False, True], ids=["wheels", "editable"])
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_find_stubs_in_a_folder_of_the_project(
    checker, editable, mypy, new_environment, tmp_path
):
    """They prefer them to those of the wheel, which know members of math, which is not there."""
    made = new_environment("dezero-ops-basic", editable=editable)
    made.install("third-party", THIRD_PARTY)
    made.dezero("--output", tmp_path / "typings")
    made.dezero("--output", tmp_path / "typings", "--check")
    program = PROGRAM + "reveal_type(grad(x, x))\nreveal_type(1 + x.tripled())\n"
    program += "reveal_type(x.sum())"
    (tmp_path / "program.py").write_text(program)
    typings = str(tmp_path / "typings")
    said = (
        mypy(made, tmp_path, PYTHONPATH=typings) if checker == "mypy" else pyright(made, tmp_path)
    )
    assert list(types(said, program).values()) == ["ndarray[Any, Any]", "Variable", "error"]
