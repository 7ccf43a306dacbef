"""Every workload's gradient by hand is the one that this project finds.

Promise: docs/performance.md
"""

import importlib
import os
from pathlib import Path

import adapters
import comparison
import numpy as np
import pytest
import workloads
from adapters import native, project, replayed

from dezero_core import Variable
from dezero_replay import ReplayError

MEASURED_IN_CASES = [
    workload for workload in workloads.WORKLOADS if hasattr(workloads.load(workload), "cases")
]


SMALL_PROGRAMS = {
    "kalman": {"STEPS": 5, "FEW": 1},
    "runge_kutta": {"STEPS": 3, "FEW": 1, "HIDDEN": 4},
    "stencil": {"STEPS": 3, "FEW": 1, "GRID": 9},
    "n_body": {"STEPS": 3, "FEW": 1, "BODIES": 5},
    "gaussian_process": {"POINTS": 12},
    "deconvolution": {"SIZE": 18},
    "indices": {"PARAMETERS": 4},
    "writes": {"WRITES": 5, "FEW": 1, "SIZE": 20},
    "hmc": {"STEPS": 3, "FEW": 1, "ROWS": 30},
    "cnn": {"IMAGES": 3, "FEW": 1, "SIZE": 8, "KERNELS": (2, 3), "HIDDEN": 5},
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(workloads.load("chain"), "SIZES", {"0-d": (), "1k": (1_000,)})
    monkeypatch.setattr(workloads.load("fan_out"), "NODES", {"1k": 1_000})
    monkeypatch.setattr(workloads.load("deep"), "OPERATIONS", 2_000)
    monkeypatch.setattr(workloads.load("elementwise"), "ELEMENTS", 1_000)
    monkeypatch.setattr(workloads.load("recording"), "OPERATIONS", {"chain": 10, "long chain": 20})
    monkeypatch.setattr(workloads.load("compilation"), "OPERATIONS", 10)
    for name, small in (("LAYERS", 2), ("ROWS", 20), ("SIZE", 8)):
        monkeypatch.setattr(workloads.load("recomputed"), name, small)
    monkeypatch.setattr(workloads.load("per_example"), "EXAMPLES", 5)
    monkeypatch.setattr(workloads.load("convolution"), "CHANNELS", 3)
    monkeypatch.setattr(workloads.load("convolution"), "SIZE", 6)
    monkeypatch.setattr(workloads.load("lstm"), "SIZE", 5)
    monkeypatch.setattr(workloads.load("mnist"), "SIZES", (30, 20, 20, 10))
    monkeypatch.setattr(workloads.load("mnist"), "ROWS", 300)
    for workload, constants in SMALL_PROGRAMS.items():
        for name, small in constants.items():
            monkeypatch.setattr(workloads.load(workload), name, small)


@pytest.mark.parametrize("library", ["project", "replayed", "native", "floor"])
@pytest.mark.parametrize("workload", MEASURED_IN_CASES)
def test_the_result_of_a_benchmarked_step_agrees_with_the_one_by_hand(workload, library):
    module = workloads.load(workload)
    if library in module.LEFT_OUT:
        return
    lib, compared = adapters.load(library), 0
    items = list(module.cases(lib))
    for item in items:
        if isinstance(item, workloads.Peak):
            item.first()
            item.prepare()()
        if isinstance(item, workloads.Check):
            result = item.step()
            if item.expected:
                assert comparison.difference(lib.arrays(result), item.expected) is None
                compared += 1
    assert compared or all(isinstance(item, workloads.Absent) for item in items)


@pytest.mark.parametrize("adapter", [replayed, native])
def test_a_replayed_step_of_a_benchmark_is_never_an_eager_run(adapter, monkeypatch):
    steps, compiled = [], replayed.compiled

    def noted(*args, **options):
        steps.append(compiled(*args, **options))
        return steps[-1]

    monkeypatch.setattr(replayed, "compiled", noted)
    for workload in ("goldstein_price", "logistic", "mlp"):
        for item in workloads.load(workload).cases(adapter):
            item.step()
    for step in steps:
        assert step.stats["replayed"] >= 1
        assert (step.stats["recorded"], step.stats["eager"]) == (2, 0)
    assert len(steps) == 7


@pytest.mark.parametrize("adapter", [replayed, native])
def test_a_replayed_epoch_of_a_benchmark_records_nothing_after_its_start(adapter, monkeypatch):
    module, steps, compiled = workloads.load("mnist"), [], replayed.compiled

    def noted(*args, **options):
        steps.append(compiled(*args, **options))
        return steps[-1]

    monkeypatch.setattr(replayed, "compiled", noted)
    *_, case = module.cases(adapter)
    case.step()
    stats = steps[-1].stats
    assert (stats["recorded"], stats["eager"]) == (2, 0)
    assert (
        stats["replayed"] + stats["audits"] == 1 + module.ROWS // module.BATCH
    )  # one to start with


def test_an_epoch_of_a_benchmark_takes_each_row_once_in_random_order():
    seen = []

    def step(x, t):
        seen.extend(zip(x.tolist(), t.tolist(), strict=True))
        return Variable(np.array(len(seen), np.float32))

    rows = np.arange(40.0, dtype=np.float32)
    epoch = project.epoch_of(step, rows, np.arange(40), 10, shuffle=True)
    assert epoch() == np.mean([10, 20, 30, 40])
    assert seen != sorted(seen) == [(row, row) for row in range(40)]


@pytest.mark.parametrize("adapter", [replayed, native])
def test_a_step_that_cannot_be_replayed_is_no_figure_of_a_benchmark(adapter):
    with pytest.raises(ReplayError, match="takes a value out of an array"):
        adapter.gradient(lambda x: x * x.data.tolist(), np.array(1.0), by_hand=None)


def test_a_native_step_of_a_benchmark_is_machine_code_when_it_is_timed():
    x = np.linspace(-1.0, 1.0, 9)
    for steps in (native, native.Steps(threads=2, **native.OPTIONS)):
        step = steps.recorded(native.gradients_of(lambda x: np.sum(np.sin(x) * x)), x)
        assert "native: " in step.explain()
        assert comparison.difference(step(x), [np.cos(x) * x + np.sin(x)]) is None


def test_the_workload_of_compilation_finds_no_code_or_that_of_the_run_before(monkeypatch):
    kept, cache = [], importlib.import_module("dezero_replay_llvm.cache")
    read = cache.read

    def noted(key):
        found = read(key)
        kept.append(found is not None)
        return found

    module = workloads.load("compilation")
    items = {item.name: item for item in module.cases(native)}
    monkeypatch.setattr(cache, "read", noted)
    before = dict(os.environ)
    for item in module.cases(native):
        del kept[:]
        if isinstance(item, workloads.Case):
            item.step()
            kind = item.name.partition(",")[0]
            expected = {"compiled": {False}, "from disk": {True}, "by NumPy": set()}
            assert set(kept) == expected[kind]
    assert dict(os.environ) == before
    assert set(items) >= {f"{kind}, MLP" for kind in expected}


@pytest.mark.parametrize("workload", workloads.WORKLOADS)
def test_a_workload_has_a_description_and_names_its_libraries(workload):
    module = workloads.load(workload)
    assert module.__doc__.split(".")[0]
    libraries = set(adapters.LIBRARIES)
    assert libraries >= set(module.LEFT_OUT)
    assert libraries >= set(module.ROUNDS)
    assert "project" not in module.LEFT_OUT


def test_every_file_of_workloads_is_a_workload():
    names = {path.stem for path in Path(workloads.__file__).parent.glob("*.py")}
    assert names - {"__init__"} == set(workloads.WORKLOADS)


@pytest.mark.parametrize(
    ("got", "wrong"),
    [
        ([np.array([1.0, 2.0])], None),
        ([np.array([1.0, 2.0 + 1e-10])], None),
        ([np.array([1.0, 2.0 + 1e-7])], "result 0 is off by up to 1e-07, of 2"),
        ([np.array([1.0, np.nan])], "result 0 is off by up to nan, of 2"),
        ([np.array([1.0])], "result 0 is float64(1,), not float64(2,)"),
        ([np.array([1.0, 2.0], np.float32)], "result 0 is float32(2,), not float64(2,)"),
        ([], "there are 0 results, not 1"),
    ],
)
def test_a_workload_result_that_differs_by_more_than_rounding_is_wrong(got, wrong):
    assert comparison.difference(got, [np.array([1.0, 2.0])]) == wrong
