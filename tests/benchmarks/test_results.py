"""The results as they are kept.

Promise: docs/performance.md
"""

import json

import results as module


def test_a_benchmark_value_is_stored_at_the_index_of_its_round(results):
    found = results("chain", {"forward": {"project": [None, 2.0]}})
    assert found.rounds("forward", "project") == [None, 2.0]


def test_a_figure_that_was_not_measured_has_no_rounds(results):
    found = results("chain", {"forward": {"project": [1.0]}})
    assert found.rounds("forward", "torch") == []
    assert found.rounds("backward", "project") == []


def test_benchmark_values_are_kept_with_five_digits(results):
    found = results("chain", {"forward": {"project": [1.23456789e-6]}})
    assert found.rounds("forward", "project") == [1.2346e-6]


def test_a_library_that_failed_loses_all_its_benchmark_values(results):
    found = results("chain", {"forward": {"project": [1.0], "torch": [2.0]}})
    found.discard("torch", "a wrong gradient")
    assert found.rounds("forward", "torch") == []
    assert found.rounds("forward", "project") == [1.0]
    assert found.left_out == {"torch": {"": "a wrong gradient"}}


def test_saved_benchmark_results_are_loaded_unchanged(results, tmp_path):
    found = results("chain", {"forward": {"project": [1.0, None, 2.0]}})
    found.leave_out("jax", "forward", "why not")
    found.save(tmp_path)
    assert module.load(tmp_path) == {"chain": found}


def test_the_numbers_of_a_saved_figure_are_on_a_single_line(results):
    text = module.text(results("chain", {"forward": {"project": [1.0, 2.0]}}))
    assert '"project": [ 1.0, 2.0 ]' in text
    assert json.loads(text)["figures"] == {"forward": {"project": [1.0, 2.0]}}
