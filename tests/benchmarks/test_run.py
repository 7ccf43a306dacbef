"""The driver: whose turn it is, and what becomes of failures.

Promise: docs/performance.md
"""

import os

import machine
import pytest
import run


@pytest.fixture
def processes(monkeypatch):
    """Return the list of what was measured, and a dict for what is to fail."""
    turns, failing = [], {}

    def measure(workload, library, round_):
        turns.append((round_, library))
        if library in failing:
            raise failing[library]
        return {"values": {"a figure": (1.0, "second")}, "absent": {"another": "has it not"}}

    monkeypatch.setattr(run, "measure", measure)
    monkeypatch.setattr(run, "missing", lambda library: None)
    return turns, failing


def test_the_benchmark_runs_libraries_in_turn_within_a_round(processes):
    turns, _ = processes
    run.measure_all("chain", ["project", "torch"], 2)
    assert turns == [(0, "project"), (0, "torch"), (1, "project"), (1, "torch")]


def test_a_library_may_take_part_in_fewer_benchmark_rounds(processes):
    found, _ = run.measure_all("chain", ["project", "mygrad"], None)
    assert len(found.rounds("a figure", "project")) == run.ROUNDS
    assert len(found.rounds("a figure", "mygrad")) == run.ROUNDS_OF_OTHERS


def test_a_workload_that_a_library_lacks_is_left_out_by_name(processes):
    found, right = run.measure_all("chain", ["project"], 1)
    assert right
    assert found.left_out == {"project": {"another": "has it not"}}


def test_a_library_that_is_not_installed_is_left_out_by_name(monkeypatch):
    monkeypatch.setitem(run.adapters.LIBRARIES, "torch", "no-such-distribution")
    found, right = run.measure_all("chain", ["torch"], 1)
    assert right
    assert found.left_out == {"torch": {"": "is not installed"}}


def test_a_library_that_does_not_take_part_in_a_benchmark_is_not_started(processes):
    turns, _ = processes
    found, right = run.measure_all("deep", ["jax"], 1)
    assert right
    assert "" in found.left_out["jax"]
    assert not turns


def test_a_benchmarked_peer_that_fails_is_left_out_and_not_started_again(processes):
    turns, failing = processes
    failing["torch"] = run.WorkerError("RecursionError: too deep", wrong=False)
    found, right = run.measure_all("chain", ["project", "torch"], 2)
    assert right
    assert found.left_out["torch"] == {"": "RecursionError: too deep"}
    assert turns.count((1, "torch")) == 0
    assert len(found.rounds("a figure", "project")) == 2


@pytest.mark.parametrize(("library", "wrong"), [("torch", True), ("project", False)])
def test_a_wrong_gradient_or_a_failure_of_our_library_fails_the_benchmark(
    processes, library, wrong
):
    _, failing = processes
    failing[library] = run.WorkerError("forward: result 0 is off", wrong)
    found, right = run.measure_all("chain", ["project", "torch"], 1)
    assert not right
    assert found.rounds("a figure", library) == []


def test_the_benchmark_names_the_kernels_of_its_processes_and_not_those_that_are_chosen(
    processes, monkeypatch, tmp_path, capsys
):
    for name in run.CHOOSE_KERNELS:
        monkeypatch.delenv(name, raising=False)
    expected = machine.blas(os.environ)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setattr(run, "RECORDS", tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["run.py", "--quick", "--only", "chain", "--libraries", "project"]
    )
    assert run.main() == 0
    assert capsys.readouterr().out.startswith(f"BLAS of NumPy: {expected}\n")
    found, _ = run.measure_all("chain", [], 1)
    assert found.machine["blas"] == expected


@pytest.mark.parametrize(
    ("libraries", "named"),
    [
        ([{"architecture": "Zen", "user_api": "blas"}, {"user_api": "openmp"}], "kernels for Zen"),
        ([{"user_api": "blas", "internal_api": "mkl"}], "unknown kernels"),
        ([], "unknown kernels"),
    ],
)
def test_the_kernels_of_a_blas_that_does_not_name_them_are_unknown(libraries, named, monkeypatch):
    monkeypatch.setattr(machine.threadpoolctl, "threadpool_info", lambda: libraries)
    assert machine.kernels() == named
