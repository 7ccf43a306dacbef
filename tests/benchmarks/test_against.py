"""Two versions, measured by turns.

Promise: CONTRIBUTING.md
"""

import subprocess
import sys
from pathlib import Path

import against
import pytest
import run
import workloads

HERE = Path(sys.executable)


@pytest.fixture
def versions():
    """Return an old and a new version, both of them what is installed here."""
    return tuple(against.Version(name, HERE, against.HERE) for name in ("old", "new"))


@pytest.fixture
def measured(monkeypatch):
    """Return the list of the turns, and a dict of what each version is to give."""
    turns, figures = [], {"old": 1.0, "new": 1.0}

    def measure(workload, library, turn, python, programs, options):
        name = python.name
        turns.append((turn, name))
        if isinstance(figures[name], Exception):
            raise figures[name]
        return {"values": {"a figure": (figures[name] * (turn + 1), "second")}, "absent": {}}

    monkeypatch.setattr(run, "measure", measure)
    return turns, figures


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Let a version be one without an installation."""
    named = lambda name, tree: against.Version(name, Path(name), tree)  # noqa: E731
    monkeypatch.setattr(against, "install", named)
    monkeypatch.setattr(against, "unpack", lambda base, tree: None)
    monkeypatch.setattr(run, "RECORDS", tmp_path)


def both():
    return tuple(against.Version(name, Path(name), Path()) for name in ("old", "new"))


def git(folder, *arguments):
    who = ("-c", "user.name=n", "-c", "user.email=e")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder, *files):
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old", encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "old")


def test_bench_against_measures_both_versions_in_each_turn_and_alternates_the_first(measured):
    turns, _ = measured
    against.by_turns("chain", both(), 3)
    assert turns == [
        *((0, "new"), (0, "old")),
        *((1, "old"), (1, "new")),
        *((2, "new"), (2, "old")),
    ]


def test_bench_against_takes_the_ratio_of_versions_within_a_turn(measured):
    _, figures = measured
    figures["new"] = 0.5
    (row,) = against.rows(against.by_turns("chain", both(), 5))
    assert row == ("chain", "a figure", "s", "3", "1.5", "0.500 (0.500 to 0.500)", "")


@pytest.mark.parametrize(("new", "mark"), [(1.03, ""), (1.031, "above 1.03"), (0.9, "")])
def test_bench_against_marks_a_ratio_above_the_limit(measured, new, mark):
    _, figures = measured
    figures["new"] = new
    (row,) = against.rows(against.by_turns("chain", both(), 3))
    assert row[-1] == mark


def test_bench_against_takes_a_slower_version_as_a_result_and_no_error(measured, installed, capsys):
    _, figures = measured
    figures["new"] = 2.0
    assert against.main(["main", "--only", "chain", "mlp", "--turns", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("2.000 (2.000 to 2.000) | above 1.03") == 2


def test_bench_against_names_a_failing_version_and_measures_other_workloads(
    measured, installed, monkeypatch, capsys
):
    _, figures = measured
    figures["old"] = run.WorkerError("AttributeError: relu", wrong=False)
    assert against.main(["main", "--only", "chain", "mlp", "--turns", "1"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[-2:] == ["chain, old: AttributeError: relu", "mlp, old: AttributeError: relu"]


def test_bench_against_takes_at_least_fifteen_turns_by_default(measured, installed):
    turns, _ = measured
    against.main(["main", "--only", "chain"])
    assert len(turns) == 2 * 15


def test_bench_against_measures_the_library_that_was_asked_for(monkeypatch, installed):
    asked = []
    nothing = {"values": {}, "absent": {}}
    monkeypatch.setattr(run, "measure", lambda w, library, *rest: asked.append(library) or nothing)
    against.main(["main", "--only", "chain", "--turns", "1", "--library", "native"])
    against.main(["main", "--only", "chain", "--turns", "1"])
    assert asked == ["native"] * 2 + ["project"] * 2


def test_bench_against_measures_real_processes(versions):
    found = against.by_turns("imports", versions, 1)
    (first, *_) = against.rows(found)
    assert first[:2] == ("imports", "import")
    assert float(first[5].split()[0]) > 0.0


def test_bench_against_unpacks_a_commit_with_its_adapters_and_todays_workloads(tmp_path):
    old = ("dezero_core/pyproject.toml", "benchmarks/adapters/project.py", "benchmarks/worker.py")
    repository(tmp_path, *old)
    (tmp_path / old[0]).write_text("new")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "left from another commit").touch()
    against.unpack("HEAD", tmp_path / "tree", tmp_path)
    tree = tmp_path / "tree"
    assert (tree / old[0]).read_text() == "old"
    assert (tree / old[1]).read_text() == "old"
    assert (tree / old[2]).read_text() == (against.HERE / "worker.py").read_text()
    assert not (tree / "left from another commit").exists()


def test_bench_against_installs_every_distribution_of_a_version_separately(tmp_path, monkeypatch):
    for name in ("dezero_core", "dezero_ops_basic", "dezero_yet_another"):
        (tmp_path / "tree" / name).mkdir(parents=True)
        (tmp_path / "tree" / name / "pyproject.toml").touch()
    (tmp_path / "tree" / "dezero_notes").mkdir()
    commands = []
    # In earnest it would ask for NumPy on the network.
    monkeypatch.setattr(subprocess, "run", lambda command, check: commands.append(command))
    monkeypatch.setattr(against, "PLACE", tmp_path)
    version = against.install("old", tmp_path / "tree")
    assert commands[0][-1] == tmp_path / "old"
    assert version.python == commands[1][0] == tmp_path / "old" / "bin" / "python"
    assert version.programs == tmp_path / "tree" / "benchmarks"
    assert [path.name for path in commands[1][-3:]] == [
        *("dezero_core", "dezero_ops_basic", "dezero_yet_another"),
    ]
    assert commands[1][-6:-3] == ["numpy", "pyperf", "scipy"]


def test_bench_against_refuses_a_name_that_is_no_commit(tmp_path):
    repository(tmp_path, "a")
    with pytest.raises(SystemExit, match="BASE must be a commit, got 'nothing'"):
        against.unpack("nothing", tmp_path / "tree", tmp_path)


def test_bench_against_refuses_a_commit_without_benchmarks(tmp_path):
    repository(tmp_path, "a")
    with pytest.raises(SystemExit, match=r"HEAD has no benchmarks/adapters/project\.py"):
        against.unpack("HEAD", tmp_path / "tree", tmp_path)


def test_bench_against_does_not_measure_kernels_that_the_environment_chooses(monkeypatch):
    environments = []

    def started(command, *, env, **options):
        environments.append(env)
        return subprocess.CompletedProcess(command, 0, '{"values": {}, "absent": {}}', "")

    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "1")
    monkeypatch.setattr(subprocess, "run", started)
    run.measure("imports", "project", 0)
    assert not {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"} & set(environments[0])
    assert environments[0]["OPENBLAS_NUM_THREADS"] == "1"


def test_a_brief_benchmark_run_changes_only_values_of_existing_constants():
    for workload in workloads.WORKLOADS:
        module = workloads.load(workload)
        assert set(getattr(module, "BRIEF", {})) <= set(vars(module)), workload
