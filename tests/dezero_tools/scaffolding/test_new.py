"""The command itself: what it says, what it refuses, and that nothing else is touched.

Promise: docs/tutorial/your_own_plugin.md
"""

import json
import os
import shlex

import pytest
from dezero_tools.cli.new import new
from dezero_tools.errors import ProjectError, ProjectFolderError

from dezero_core import DezeroError

from .commands import dezero, python

FILES = [
    ".github/workflows/test.yml",
    ".gitignore",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "src/my_ops/__init__.py",
    "src/my_ops/py.typed",
    "tests/test_conformance.py",
    "tests/test_docstrings.py",
]

#: Runs the command under conditions that are set up in the process itself.
DRIVER = """
import runpy, sys
{conditions}
sys.argv = ["dezero", "new", "my-ops"]
try:
    runpy.run_module("dezero_tools", run_name="__main__")
finally:
    {at_the_end}
"""


def driven(cwd, conditions, at_the_end="pass", **environment):
    code = DRIVER.format(conditions=conditions, at_the_end=at_the_end)
    return python("-c", code, cwd=cwd, **environment)


def tree(folder):
    """Return everything below a folder, with contents."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_new_prints_the_next_steps(tmp_path):
    done = dezero("new", "my-ops", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "my-ops is a plugin with one operation, my_ops_gauss. Next:"
    assert [line.strip() for line in lines if line.startswith("    ")] == [
        "cd my-ops",
        'pip install -e ".[dev]"',
        "dezero check my-ops",
        "pytest",
    ]
    assert "src/my_ops/__init__.py" in lines[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["my-ops"]


def test_the_json_of_new_has_the_folder_and_the_files(tmp_path):
    into = tmp_path / "a folder"
    into.mkdir()
    done = dezero("new", "My_Ops", "--into", "a folder", "--json", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert facts == {
        "name": "my-ops",
        "package": "my_ops",
        "operation": "my_ops_gauss",
        "folder": "a folder/my-ops",
        "files": FILES,
        "next": facts["next"],
    }
    assert shlex.split(facts["next"][0]) == ["cd", "a folder/my-ops"]
    written = {name for name, content in tree(into / "my-ops").items() if content is not None}
    assert written == set(FILES)


def test_the_help_of_new_describes_its_options(tmp_path):
    done = dezero("new", "--help", cwd=tmp_path)
    for option in ("--into", "--description", "--author", "--json"):
        assert option in done.stdout
    assert "Raises" not in done.stdout


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "ASCII letters, digits"),
        ("my ops", "ASCII letters, digits"),
        ("-my-ops", "ASCII letters, digits"),
        ("my-ops.", "ASCII letters, digits"),
        ("../my-ops", "ASCII letters, digits"),
        ("my/ops", "ASCII letters, digits"),
        ("my-ops\n", "ASCII letters, digits"),
        ("opérations", "ASCII letters, digits"),
        ("my-ops[dev]", "ASCII letters, digits"),
        ("3d-ops", "'3d_ops', and no identifier begins with a digit"),
        ("class", "'class', which is a keyword of Python"),
        ("Lambda", "'lambda', which is a keyword of Python"),
        ("json", "would hide the module 'json' of the standard library"),
        ("Math", "would hide the module 'math' of the standard library"),
        ("basic", "plugin 'basic' (dezero-ops-basic "),
        ("dezero_ops.math", "plugin 'math' (dezero-ops-math "),
        ("dezero-core", "the distribution dezero-core is installed"),
        ("NumPy", "the distribution numpy is installed"),
        ("_pytest", "ASCII letters, digits"),
        ("yaml", "would hide 'yaml', which is imported from "),
        ("dezero", "the package of the book has that name"),
        ("Conftest", "pytest uses a module of that name"),
        ("tests", "the name of the folder of tests"),
        ("setup", "build tools use a module of that name"),
        *((name, "Windows has no folder") for name in ("con", "NUL", "Aux", "prn", "com1", "lpt9")),
    ],
)
def test_new_refuses_a_wrong_name_with_the_rule(tmp_path, name, rule):
    with pytest.raises(ProjectError) as caught:
        new(name, tmp_path)
    error = caught.value
    assert isinstance(error, DezeroError)
    assert isinstance(error, ValueError)
    assert (error.argument, error.got) == ("name", name)
    assert rule in error.rule
    message = f"no plugin can be called {name!r}: {error.rule}. Nothing was written. Choose another"
    assert str(error).startswith(message)
    assert tree(tmp_path) == {}


def test_new_refuses_a_long_name_and_shortens_the_name_in_the_message(tmp_path):
    new("a" * 64, tmp_path)
    for name in ("a" * 65, "b" * 300, " " * 300):
        with pytest.raises(ProjectError) as caught:
            new(name, tmp_path)
        assert len(str(caught.value)) < 240
        assert caught.value.got == name
    with pytest.raises(ProjectError, match="it has 300 characters, and at most 64 are"):
        new("b" * 300, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a" * 64]


@pytest.mark.parametrize("path", ["loose_ops", "loose_ops.py", "loose_ops/__init__.py"])
def test_new_refuses_the_name_of_any_package_that_python_can_import(tmp_path, monkeypatch, path):
    place = tmp_path / path
    if place.suffix:
        place.parent.mkdir(exist_ok=True)
        place.touch()
    else:
        place.mkdir()
    before = tree(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ProjectError) as caught:
        new("loose-ops", tmp_path)
    assert caught.value.rule.endswith(f"'loose_ops', which is imported from {place}")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("argument", ["description", "author"])
@pytest.mark.parametrize("text", ["two\nlines", "a bell\a", "del\x7f", "\udcff"])
def test_new_refuses_a_description_of_several_lines(tmp_path, argument, text):
    with pytest.raises(ProjectError, match=f"--{argument} must be one line") as caught:
        new("my-ops", tmp_path, **{argument: text})
    assert (caught.value.argument, caught.value.got) == (argument, text)
    assert tree(tmp_path) == {}


def test_new_fails_with_the_message_and_with_the_facts(tmp_path):
    done = dezero("new", "class", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dezero: no plugin can be called 'class': its package would be")
    done = dezero("new", "class", "--json", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["error"], facts["got"]) == (1, "ProjectError", "class")


def folder_with_a_file(path):
    path.mkdir()
    (path / "README.md").write_text("mine")


@pytest.mark.parametrize(
    "made",
    [
        folder_with_a_file,
        lambda path: path.write_text("mine"),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("nowhere"),
    ],
    ids=["folder", "file", "empty folder", "dangling link"],
)
def test_new_overwrites_no_folder_that_exists(tmp_path, made):
    made(tmp_path / "my-ops")
    before = tree(tmp_path)
    with pytest.raises(
        ProjectFolderError, match="my-ops exists, and dezero new overwrites"
    ) as caught:
        new("my-ops", tmp_path)
    assert isinstance(caught.value, OSError)
    assert caught.value.folder == str(tmp_path / "my-ops")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("into", ["nowhere", "file"])
def test_new_refuses_a_parent_folder_that_does_not_exist(tmp_path, into):
    (tmp_path / "file").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(ProjectFolderError, match="Choose a parent folder that exists"):
        new("my-ops", tmp_path / into)
    assert tree(tmp_path) == before


def test_a_failure_of_new_leaves_no_files_behind(tmp_path):
    limit = "import resource; f = resource.RLIMIT_FSIZE; most = resource.getrlimit(f)[1]"
    limit += "\nresource.setrlimit(f, (2000, most))"  # the README is longer
    done = driven(tmp_path, limit, "resource.setrlimit(f, (most, most))")
    assert done.returncode == 1
    assert "my-ops cannot be made: [Errno 27] File too large" in done.stderr
    assert "Nothing was written." in done.stderr
    assert tree(tmp_path) == {}


def test_files_that_appear_in_the_folder_while_new_runs_stay(tmp_path):
    hook = """
import pathlib
def other(event, arguments):
    if event == "os.rename" and str(arguments[1]) == "my-ops":
        pathlib.Path("my-ops").mkdir()
        pathlib.Path("my-ops", "README.md").write_text("theirs")
sys.addaudithook(other)
"""
    done = driven(tmp_path, hook)
    assert done.returncode == 1
    assert "my-ops cannot be made" in done.stderr
    assert tree(tmp_path) == {"my-ops": None, "my-ops/README.md": b"theirs"}


def test_new_needs_no_network(tmp_path):
    hook = """
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise RuntimeError(event)
sys.addaudithook(refuse)
"""
    done = driven(tmp_path, hook)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "my-ops" / "pyproject.toml").exists()


def test_new_runs_no_git(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\necho >> git-was-run\nexit 128\n")
    (programs / "git").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    for made, search in ("a", path), ("b", ""):
        (tmp_path / made).mkdir()
        done = dezero("new", "my-ops", cwd=tmp_path / made, PATH=search)
        assert (done.returncode, done.stderr) == (0, "")
        assert [found.name for found in (tmp_path / made).iterdir()] == ["my-ops"]
