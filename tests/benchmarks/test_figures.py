"""What is computed of the values.

Promise: docs/performance.md
"""

import figures
import pytest


def test_a_ratio_of_benchmarks_is_taken_within_a_round():
    assert figures.ratios([1.0, 20.0, 3.0], [2.0, 40.0, 3.0]) == [0.5, 0.5, 1.0]


def test_a_benchmark_round_with_a_missing_value_has_no_ratio():
    assert figures.ratios([1.0, None, 3.0], [2.0, 4.0, 3.0]) == [0.5, 1.0]


def test_a_library_that_took_part_in_fewer_rounds_is_compared_within_its_rounds():
    assert figures.ratios([1.0, 2.0, 3.0], [2.0]) == [0.5]
    assert figures.ratios([], [2.0]) == []


@pytest.mark.parametrize("power", [0.0, 1.0, 1.7])
def test_the_exponent_of_growth_is_that_of_the_power(power):
    sizes = [1e3, 1e4, 1e5]
    assert figures.exponent(sizes, [3.0 * n**power for n in sizes]) == pytest.approx(power)


def test_the_exponent_of_growth_is_the_best_fit_of_the_logarithms():
    assert figures.exponent([1.0, 10.0, 100.0], [1.0, 1.0, 100.0]) == pytest.approx(1.0)


def test_the_median_of_a_figure_passes_over_rounds_without_a_value():
    assert figures.median([3.0, None, 1.0, 2.0]) == 2.0


def test_the_median_of_no_values_is_none():
    assert figures.median([]) is None
    assert figures.median([None]) is None


def test_half_of_the_values_of_a_figure_lie_between_the_quartiles():
    assert figures.quartiles([5.0, 1.0, 2.0, 100.0, 3.0]) == (2.0, 5.0)


def test_the_quartiles_of_a_single_value_are_that_value():
    assert figures.quartiles([2.0]) == (2.0, 2.0)
