"""What runs the tests, on this machine and on GitHub: which interpreters, and which sessions.

Promise: CONTRIBUTING.md
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
SCRIPT = (ROOT / ".ci" / "run").read_text("utf-8")
SUPPORTED = ["3.11", "3.12", "3.13"]


def test_measuring_coverage_does_not_warn_of_packages_that_an_environment_does_not_have(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import dezero_core\n")
    settings = f"--rcfile={ROOT / 'pyproject.toml'}"
    done = subprocess.run(
        [sys.executable, "-m", "coverage", "run", settings, program],
        cwd=tmp_path,
        env=os.environ | {"COVERAGE_FILE": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


@pytest.fixture
def program(tmp_path):
    """Return a function that puts a script on PATH, into a folder where there is nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for needed in ("bash", "env"):
        (folder / needed).symlink_to(shutil.which(needed))

    def program(path, source):
        path = folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{shutil.which('sh')}\n{source}\n")
        path.chmod(0o755)
        return path

    return program


def works(name):
    return f'[ "$2" = pass ] || echo {name}'


def interpreters(tmp_path):
    run = subprocess.run(
        [ROOT / ".ci" / "interpreters"],
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout.split()


def test_continuous_integration_uses_an_interpreter_that_runs(tmp_path, program):
    program("python3.11", works("one"))
    program("python3.13", works("other"))
    assert interpreters(tmp_path) == ["one", "other"]


def test_continuous_integration_works_on_a_machine_without_an_interpreter(tmp_path, program):
    assert interpreters(tmp_path) == []


def test_continuous_integration_does_not_use_an_interpreter_that_does_not_run(tmp_path, program):
    program("python3.12", "exit 127")
    program("python3.13", works("other"))
    assert interpreters(tmp_path) == ["other"]


def test_continuous_integration_asks_pyenv_where_its_shim_does_not_run(tmp_path, program):
    program("python3.12", "exit 127")
    python = program("versions/3.12/bin/python", works("of-pyenv"))
    folder = python.parents[1]
    program("pyenv", f"[ \"$1 $2\" = 'prefix 3.12' ] && echo {folder}")
    assert interpreters(tmp_path) == ["of-pyenv"]


def test_continuous_integration_finds_the_running_interpreter_by_name(tmp_path, program):
    version = "{}.{}".format(*sys.version_info)
    (tmp_path / "bin" / f"python{version}").symlink_to(sys.executable)
    (found,) = interpreters(tmp_path)
    assert os.path.realpath(found) == os.path.realpath(sys.executable)


def test_every_supported_version_of_python_is_tested():
    assert (
        re.findall(r"python: \[(.*)\]", WORKFLOW)
        == [", ".join(f'"{version}"' for version in SUPPORTED)] * 2
    )
    script = (ROOT / ".ci" / "interpreters").read_text("utf-8")
    assert f"for version in {' '.join(SUPPORTED)};" in script


@pytest.mark.parametrize("text", [WORKFLOW, SCRIPT], ids=["workflow", "run"])
def test_the_commands_in_the_workflows_exist(text):
    noxfile = (ROOT / "noxfile.py").read_text("utf-8")
    targets = re.findall(r"\bmake (test[\w-]*)", re.sub(r"^#.*", "", text, flags=re.MULTILINE))
    assert targets in (["test-all"], ["test", "test-more"])
    for target in targets:
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    (sessions,) = re.findall(r' --session ([^$"\n].*)', text) or [""]
    names = [*shlex.split(sessions), *re.findall(r'session="(.*?)"', text)]
    assert names
    for name in names:
        session, _, parameter = name.rstrip(")").partition("(")
        assert f"\ndef {session}(" in noxfile
        assert f'\n    "{parameter}": (' in noxfile or not parameter


def table(name):
    """Return a table of the noxfile."""
    noxfile = (ROOT / "noxfile.py").read_text("utf-8")
    found = re.search(rf"^{name} = ([{{(].*?^[}})])", noxfile, re.MULTILINE | re.DOTALL)
    return eval(found[1])


def elsewhere(what):
    """Return the folders and files of tests/ that are run where not everything is."""
    return {*table("ELSEWHERE")[what][1]}


def test_what_depends_on_the_interpreter_is_tested_with_the_newest_and_the_engine_with_each():
    of_each = {"dezero_replay", "seeds"}
    assert of_each | {"dezero_core/engine"} <= elsewhere("engine")
    assert of_each | {"dezero_core", "dezero_replay_llvm"} <= elsewhere("interpreter")


def test_the_test_folders_that_other_platforms_run_exist():
    paths = {*table("THE_SAME_ELSEWHERE")}.union(*map(elsewhere, table("ELSEWHERE")))
    assert {"dezero_core", "dezero_ops_basic", "dezero_ops_math"} <= paths
    assert [path for path in sorted(paths) if not (ROOT / "tests" / path).exists()] == []


def test_each_folder_of_tests_whose_coverage_counts_is_run_in_an_environment():
    measured = {folder for _, _, folders in table("ENVIRONMENTS").values() for folder in folders}
    packages = {path.parent.name for path in ROOT.glob("dezero_*/pyproject.toml")}
    assert packages <= measured


@pytest.fixture
def run(tmp_path, program):
    """Return a function that runs the script where make and nox only say what they are to do."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    version = 'case "$2" in pass) ;; *executable*) echo "$0" ;; *) echo {} ;; esac'
    for name in ("3.11", "3.12", "3.13"):
        program(f"python{name}", version.format(name))
    (tmp_path / ".test" / "nox").mkdir(parents=True)
    (tmp_path / ".test" / "nox" / "bin").symlink_to(tmp_path / "bin")
    program("python", version.format("3.11"))
    for needed in ("cat", "dirname"):
        (tmp_path / "bin" / needed).symlink_to(shutil.which(needed))
    program("make", 'echo "make $*"; exit ${FAILS_IN_MAKE:-0}')
    program("nox", 'echo "nox $*"; exit ${FAILS_IN_NOX:-0}')

    def run(**environment):
        environment["PATH"] = str(tmp_path / "bin")
        return subprocess.run(
            [tmp_path / ".ci" / "run"], env=environment, capture_output=True, text=True
        )

    return run


def test_each_other_interpreter_is_tested_beside_what_make_test_all_adds(run, tmp_path):
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    lines = ["make test", "make test-more"]
    for version, session in (("3.12", "elsewhere(engine)"), ("3.13", "elsewhere(interpreter)")):
        python = tmp_path / "bin" / f"python{version}"
        folder = f".test/environments/{version}"
        lines.append(f"nox --force-python {python} --envdir {folder} --session {session}")
        lines.append(f"Tested: {session} with Python {version} ({python}).")
    assert done.stdout.splitlines() == [*lines, "Tested: everything with Python 3.11."]


@pytest.mark.parametrize("where", ["MAKE", "NOX"])
def test_a_failure_anywhere_fails_continuous_integration(where, run):
    done = run(**{f"FAILS_IN_{where}": "3"})
    assert done.returncode == 3
    assert "Tested: everything" not in done.stdout
