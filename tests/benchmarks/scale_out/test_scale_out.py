"""The benchmarks of dezero-dask: each workload with tiny sizes, the figures to reach, the page.

Promise: docs/performance_dask.md
"""

import numpy as np
import pytest
import results as module
import targets as of_numpy
from scale_out import (
    WORKLOADS,
    __main__,
    logistic_regression,
    one_process,
    out_of_core,
    page,
    problems,
    targets,
    timing,
    variables,
    workers,
)
from scale_out.values import BY_HAND, COMPARED, MAP_REDUCE, REPLAYED, Values, require_equal

FOUND = module.load(page.FOLDER)


@pytest.fixture
def _tiny(monkeypatch):
    for each in (one_process, workers):
        for name, value in {"PARTITIONS": 4, "TINY": 3, "VALUES": 1}.items():
            monkeypatch.setattr(each, name, value)
    monkeypatch.setattr(one_process, "SECONDS", 1e-4)
    monkeypatch.setattr(one_process, "ROWS_TO_CALIBRATE", 20)
    for name, value in {"SECONDS": 1e-4, "ROWS_TO_CALIBRATE": 20, "CHUNKS": 3, "VALUES": 1}.items():
        monkeypatch.setattr(variables, name, value)
    monkeypatch.setattr(logistic_regression, "CASES", {"tiny": (3, 50)})
    monkeypatch.setattr(logistic_regression, "VALUES", 1)
    tiny = {"CHUNK": 2**12, "ROWS": 24, "PARTITIONS": 6, "STEPS": 1}
    tiny["CLUSTERS"] = {"1 worker": (1, 1)}
    for name, value in tiny.items():
        monkeypatch.setattr(out_of_core, name, value)


def positive(found):
    """Whether there are figures, and each is a time or a peak."""
    values = [value for compared in found.values() for value, _ in compared.values()]
    return bool(values) and all(np.isfinite(values)) and min(values) >= 0.0


@pytest.mark.parametrize("workload", [one_process, variables])
@pytest.mark.usefixtures("_tiny")
def test_a_workload_of_threads_has_a_time_for_each_figure(workload):
    assert positive(workload.measure())


# dask-glm uses names of Dask and SciPy that have newer ones.
@pytest.mark.filterwarnings("ignore:Dask configuration key:FutureWarning")
@pytest.mark.filterwarnings("ignore:.*`disp` and `iprint`:DeprecationWarning")
@pytest.mark.usefixtures("_tiny")
def test_dask_glm_and_map_reduce_minimize_the_same_sum():
    assert positive(logistic_regression.measure())
    x, labels = logistic_regression.data_of(3, 50)
    lazy = (out_of_core.da.from_array(each, chunks=(50, *each.shape[1:])) for each in (x, labels))
    lazy = tuple(lazy)
    theirs = logistic_regression.by_dask_glm(*lazy)(100)
    ours = logistic_regression.by_map_reduce(problems.logistic, *lazy)(100)
    gradient = problems.logistic_by_hand(ours, x, labels)[1] + logistic_regression.LAMBDA * ours
    np.testing.assert_allclose(gradient, 0.0, atol=1e-4)
    np.testing.assert_allclose(theirs, ours, atol=1e-5)


@pytest.mark.usefixtures("_tiny")
def test_workers_and_numpy_by_hand_are_measured_on_one_and_on_two():
    found = workers.measure()
    assert positive(found)
    for number in workers.WORKERS:
        assert set(found[workers.name(number)]) == {MAP_REDUCE, BY_HAND, REPLAYED}


@pytest.mark.usefixtures("_tiny")
def test_files_and_zarr_are_read_out_of_core():
    found = out_of_core.measure()
    assert {f"{way}, 1 worker" for way in out_of_core.WAYS} <= set(found)
    assert {f"peak, {way}, 1 worker" for way in out_of_core.WAYS} <= set(found)


def test_a_gradient_by_hand_of_scale_out_is_that_of_finite_differences():
    params, x, y = problems.network_params(), problems.rows_of(0, 5), problems.labels_of(0, 5)
    _, gradient = problems.network_by_hand(params, x, y)
    for name, at in (("w", (3, 4)), ("b", (7,)), ("v", (9,))):
        up, down = ({**params, name: params[name].copy()} for _ in range(2))
        up[name][at] += 1e-5
        down[name][at] -= 1e-5
        slope = (problems.network(up, x, y) - problems.network(down, x, y)) / 2e-5
        np.testing.assert_allclose(gradient[name][at], slope, rtol=1e-6)


def test_a_wrong_gradient_of_scale_out_ends_the_process(capsys):
    right = np.array(1.0), {"w": np.ones(2)}
    require_equal(right, right)
    with pytest.raises(SystemExit):
        require_equal((np.array(1.0), {"w": np.array([1.0, 1.1])}), right)
    assert "result 1 is off by up to 0.1" in capsys.readouterr().err


def test_steps_of_scale_out_take_turns_and_the_shortest_time_counts(monkeypatch):
    calls, seconds = [], iter([5.0, 1.0, 3.0, 2.0])
    monkeypatch.setattr(timing, "seconds_of", lambda step: step() or next(seconds))
    steps = {name: lambda name=name: calls.append(name) for name in "ab"}
    assert timing.in_turn(2, steps) == {"a": 3.0, "b": 1.0}
    assert calls[-4:] == ["a", "b", "a", "b"]


def test_the_speed_up_that_is_lost_is_compared_with_that_by_hand(results):
    one, two = map(workers.name, workers.WORKERS)
    found = results(
        "workers",
        {one: {MAP_REDUCE: [8.0], BY_HAND: [4.0]}, two: {MAP_REDUCE: [5.0], BY_HAND: [2.0]}},
    )
    assert targets.lost(found) == [pytest.approx(20.0)]


def test_a_step_of_scale_out_may_take_ten_milliseconds_beside_its_work(results):
    found = results("one_process", {"a": {MAP_REDUCE: [0.51], REPLAYED: [0.8]}})
    assert targets.to_work("a")(found) == [pytest.approx(1.25)]


def test_a_task_of_scale_out_takes_what_one_more_costs(results):
    found = results("one_process", {"1": {MAP_REDUCE: [0.01]}, "5": {MAP_REDUCE: [0.03]}})
    assert targets.a_task("1", "5", 5)(found) == [pytest.approx(5.0)]


def test_every_target_of_scale_out_is_measured_and_every_value_has_a_column():
    assert set(FOUND) == set(WORKLOADS)
    assert len(of_numpy.HEAD) == len(targets.rows(FOUND)[0])
    compared = {who for each in FOUND.values() for row in each.figures.values() for who in row}
    assert compared <= set(COMPARED)


def test_the_page_of_scale_out_is_up_to_date():
    assert page.main(["--check"]) == 0, "run python -m scale_out.page in benchmarks"
    assert "<!--" not in page.text(FOUND)


def test_a_stale_page_of_scale_out_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    assert page.main(["--check"]) == 1
    assert "performance_dask.md is stale" in capsys.readouterr().err
    assert page.main([]) == 0
    assert page.main(["--check"]) == 0


@pytest.mark.parametrize(("code", "why"), [(3, "had a wrong result"), (1, "failed")])
def test_a_process_of_scale_out_that_fails_leaves_its_workload_out(monkeypatch, results, code, why):
    done = __main__.subprocess.CompletedProcess([], code, "", "")
    monkeypatch.setattr(__main__.subprocess, "run", lambda *args, **options: done)
    found = results("workers", {"a": {MAP_REDUCE: [1.0]}})
    assert not __main__.measure_all(found, 2)
    assert found.left_out == {MAP_REDUCE: {"": why}}


def test_rounds_of_scale_out_are_stored_by_figure_and_by_who_computed_it(monkeypatch, results):
    values = Values()
    values.add_times("a", {MAP_REDUCE: 2.0})
    printed = f"a line\n{__main__.json.dumps(values)}\n"
    done = __main__.subprocess.CompletedProcess([], 0, printed, "")
    monkeypatch.setattr(__main__.subprocess, "run", lambda *args, **options: done)
    found = results("variables", {})
    assert __main__.measure_all(found, 2)
    assert found.rounds("a", MAP_REDUCE) == [2.0, 2.0]
