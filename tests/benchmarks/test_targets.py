"""The figures to reach.

Promise: docs/performance.md
"""

import pytest
import results as module
import targets

MIB = 2.0**20


def target(what, unit=""):
    (found,) = (each for each in targets.TARGETS if each.what == what and unit in each.unit)
    return found


def chain(results, ours, theirs):
    return {"chain": results("chain", {"forward, 1": {"project": ours, "torch": theirs}})}


@pytest.mark.parametrize(
    ("ours", "cells"),
    [
        ([0.65, 1.3], ("0.65 (0.65 to 0.65)", "reached")),
        ([0.66, 1.32], ("0.66 (0.66 to 0.66)", "**not reached**")),
    ],
)
def test_a_performance_target_is_reached_up_to_its_limit(results, ours, cells):
    row = target("chain, 1 element, forward").row(chain(results, ours, [1.0, 2.0]))
    assert row == ("chain, 1 element, forward", "0.65 x PyTorch", *cells)


def test_the_median_of_the_rounds_decides_about_a_target(results):
    row = target("chain, 1 element, forward").row(chain(results, [9.0, 0.5, 0.6], [1.0, 1.0, 1.0]))
    assert row[-1] == "reached"


@pytest.mark.parametrize("theirs", [[], [None]])
def test_a_performance_target_without_the_compared_library_is_not_measured(results, theirs):
    row = target("chain, 1 element, forward").row(chain(results, [1.0], theirs))
    assert row[2:] == ("—", "not measured")


def test_a_performance_target_without_its_workload_is_not_measured():
    assert {row[-1] for row in targets.rows({})} == {"not measured"}


def test_the_target_of_growth_is_for_the_whole_graph_and_not_a_node(results):
    nodes = {f"wide, {size} nodes": {"project": [1e-6]} for size in ("1k", "10k", "100k")}
    assert targets.growth(results("fan_out", nodes), "wide") == [pytest.approx(1.0)]


def test_memory_over_the_imports_excludes_the_memory_that_numpy_by_hand_takes(results):
    found = results(
        "step17",
        {
            "peak": {"project": [50 * MIB], "floor": [40 * MIB]},
            "after the imports": {"project": [43 * MIB], "floor": [34 * MIB]},
        },
        "byte",
    )
    rounds = target("step 17, peak over the imports").rounds(found)
    assert rounds == pytest.approx([1.0], abs=1e-3)


def test_the_time_of_a_recording_excludes_four_eager_runs(results):
    figures = {
        "recordings and plan, MLP": {"replayed": [60e-6, 50e-6]},
        "eager run, MLP": {"replayed": [10e-6, 5e-6]},
    }
    found = target("recording and planning, MLP, an instruction").rounds(
        results("recording", figures)
    )
    assert found == pytest.approx([20.0, 30.0])


def test_the_time_of_guards_is_that_of_a_call_beside_its_program(results):
    figures = {"call, 11 arrays": {"replayed": [3e-6]}, "program, 11 arrays": {"replayed": [2e-6]}}
    row = target("guards, 11 arrays").row({"recording": results("recording", figures)})
    assert row == ("guards, 11 arrays", "1.4 µs", "1 (1 to 1)", "reached")


def test_a_target_of_a_replayed_step_is_about_its_own_time(results):
    rounds = {"project": [9.0], "replayed": [1.0], "jax": [2.0]}
    found = {"rosenbrock": results("rosenbrock", {"descent step": rounds})}
    row = target("replayed: Rosenbrock, a descent step", "JAX").row(found)
    assert row[1:] == ("0.4 x JAX, compiled", "0.5 (0.5 to 0.5)", "**not reached**")


def test_a_target_of_machine_code_is_about_its_own_time(results):
    rounds = {"project": [9.0], "replayed": [5.0], "native": [1.0], "jax": [4.0]}
    found = {"logistic": results("logistic", {"step": rounds})}
    row = target("native: logistic regression, a step", "JAX").row(found)
    assert row[1:] == ("0.9 x JAX, compiled", "0.25 (0.25 to 0.25)", "reached")


@pytest.mark.parametrize(
    ("what", "workload", "figure", "library", "limit"),
    [
        ("convolution float32, both", "convolution", f"{targets.BOTH}, float32", "project", 1.85),
        ("convolution float64, both", "convolution", f"{targets.BOTH}, float64", "project", 0.6),
        ("LSTM, both", "lstm", targets.BOTH, "project", 1.2),
        ("MNIST, a tenth of an epoch", "mnist", "a tenth of an epoch", "project", 1.0),
        ("replayed: MNIST, a tenth of an epoch", "mnist", "a tenth of an epoch", "replayed", 0.8),
    ],
)
def test_a_target_of_a_network_is_about_the_time_of_pytorch(
    results, what, workload, figure, library, limit
):
    found = {workload: results(workload, {figure: {library: [limit], "torch": [1.0]}})}
    ratio = f"{limit:g} ({limit:g} to {limit:g})"
    assert target(what).row(found)[1:] == (f"{limit:g} x PyTorch", ratio, "reached")


PROGRAM_IN_ROUNDS = {
    "call, slices": {"native": [3.0, 4.0], "replayed": [8.0, 9.0], "jax": [2.0, 4.0]},
    "first three calls, slices": {"native": [1.2, None], "replayed": [9.0, 9.0]},
    "peak of four calls, slices": {"native": [3e8, 9e8], "project": [1e8, 1e8]},
}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("native: stencil by slices, a call", [1.5, 1.0]),
        ("replayed: stencil by slices, a call", [4.0, 2.25]),
        ("native: stencil by slices, first three calls", [1.2]),
        ("native: stencil by slices, memory", [3.0, 9.0]),
        ("replayed: stencil by slices, memory", []),
        ("native: stencil by np.roll, a call", []),
    ],
)
def test_the_targets_of_a_program_are_a_call_the_first_calls_and_the_memory(
    results, what, expected
):
    found = target(what).rounds(results("stencil", PROGRAM_IN_ROUNDS))
    assert found == pytest.approx(expected)


def test_memory_beside_less_than_a_mebibyte_is_that_beside_one(results):
    found = results(
        "hmc", {"peak of four calls": {"native": [3 * MIB], "project": [MIB / 100]}}, "byte"
    )
    row = target("native: HMC, 10 leapfrog steps, memory").row({"hmc": found})
    assert row[1:] == ("3 x eager, or x 1 MiB if that is more", "3 (3 to 3)", "reached")


def test_first_calls_may_take_as_long_as_those_of_jax_or_one_and_a_half_seconds(results):
    figure = {"first three calls": {"native": [3.0, 3.0], "jax": [2.0, 0.5]}}
    found = target("native: Kalman filter, first three calls").rounds(results("kalman", figure))
    assert found == pytest.approx([1.5, 2.0])


def test_the_time_of_compilation_excludes_that_of_the_plan_for_numpy(results):
    figures = {
        "compiled, MLP": {"native": [0.405, 0.3]},
        "from disk, MLP": {"native": [0.007, 0.008]},
        "by NumPy, MLP": {"native": [0.003, 0.002]},
    }
    found = results("compilation", figures)
    assert target("machine code, compiled, MLP").rounds(found) == pytest.approx([402.0, 298.0])
    assert target("machine code, from disk, MLP").rounds(found) == pytest.approx([4.0, 6.0])


@pytest.mark.parametrize(
    ("workload", "what", "unit", "figure", "other", "library"),
    [
        (
            *("functional", "sin, gradient", targets.BY_BACKWARD),
            *("sin, gradient", "sin, by backward", "project"),
        ),
        (
            *("functional", "Rosenbrock by x[0] and x[1], gradient", "x PyTorch"),
            *("Rosenbrock, gradient", "Rosenbrock, by backward", "torch"),
        ),
        (
            *("jacobians", targets.FIT, "x SciPy's differences"),
            *(targets.FIT, f"{targets.FIT}, by differences", "floor"),
        ),
        (
            *("recomputed", "100 layers recomputed, peak", targets.KEPT),
            *("peak", "peak, graph kept", "project"),
        ),
    ],
)
def test_a_target_beside_another_figure_is_a_ratio_within_a_round(
    results, workload, what, unit, figure, other, library
):
    found = results(workload, {figure: {"project": [2.0, 6.0]}, other: {library: [10.0, 20.0]}})
    assert target(what, unit).rounds(found) == pytest.approx([0.2, 0.3])


def test_the_target_of_a_bundle_adjustment_is_in_milliseconds(results):
    found = results("jacobians", {targets.BUNDLE: {"project": [0.019, 0.021, 0.02]}})
    row = target(targets.BUNDLE, "ms").row({"jacobians": found})
    assert row[1:] == ("20 ms", "20 (19.5 to 20.5)", "reached")


def test_the_best_round_decides_about_two_threads(results):
    figures = {
        "forward and backward": {"native": [4.0, 4.0, 4.0]},
        "forward and backward, two threads": {"native": [3.6, 2.4, 4.4]},
    }
    what = "native: a million elements, two threads, the best round"
    row = target(what).row({"elementwise": results("elementwise", figures)})
    assert row[1:] == ("0.65 x one thread", "0.6 (0.6 to 0.6)", "reached")


def test_the_time_of_an_import_excludes_that_of_numpy(results):
    found = results("imports", {"import": {"project": [0.06, 0.07], "floor": [0.04, 0.04]}})
    assert target("import of all three").rounds(found) == pytest.approx([20.0, 30.0])


def test_the_time_of_an_unrelated_distribution_is_that_of_300_by_300(results):
    found = results(
        "imports",
        {
            "import": {"project": [0.06]},
            "import, beside 300 other distributions": {"project": [0.066]},
        },
    )
    assert target("import, per unrelated distribution").rounds(found) == pytest.approx([0.02])


def test_every_figure_with_a_target_is_in_the_results():
    missing = [row[0] for row in targets.rows(module.load()) if row[-1] == "not measured"]
    assert not missing
