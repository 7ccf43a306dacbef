"""The plots, drawn. They need matplotlib, as the examples do.

Promise: docs/performance.md
"""

import plots
import pytest
import results as module
from matplotlib.figure import Figure

FOUND = module.load()


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Return a function that draws one of them anew."""
    monkeypatch.setattr(plots, "FOLDER", tmp_path)

    def draw(name):
        monkeypatch.setattr(plots, "drawable", lambda found: [name])
        plots.write(FOUND)
        return (tmp_path / f"{name}.svg").read_text(encoding="utf-8")

    return draw


@pytest.mark.parametrize("name", plots.PLOTS)
def test_a_plot_that_was_just_drawn_is_not_stale(drawn, name):
    assert drawn(name).startswith("<?xml")
    assert plots.stale(FOUND) == []


def test_a_plot_drawn_twice_from_equal_results_is_an_equal_file(drawn):
    assert drawn("protocols") == drawn("protocols")


def test_a_plot_of_multiples_has_a_row_for_each_figure_and_a_point_for_each_library(results):
    axes = Figure().subplots()
    found = {"mnist": results("mnist", {"an epoch": {"project": [1.0, 3.0], "torch": [2.0, 2.0]}})}
    found["lstm"] = results("lstm", {"step": {"project": [3.0], "torch": [1.0]}})
    rows = {"MNIST": ("mnist", "an epoch"), "LSTM": ("lstm", "step")}
    plots.multiples(axes, found, rows, "torch")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["MNIST", "LSTM"]
    points = [
        (line.get_label(), float(*line.get_xdata()), int(*line.get_ydata())) for line in axes.lines
    ]
    assert sorted(points) == [
        *(("PyTorch", 1.0, 0), ("PyTorch", 1.0, 1)),
        *(("this project", 1.0, 0), ("this project", 3.0, 1)),
    ]


def test_no_two_libraries_look_alike_in_a_plot():
    assert set(plots.STYLES) == set(plots.NAMES)
    assert len({color for color, _ in plots.STYLES.values()}) == len(plots.NAMES)
    assert len({marker for _, marker in plots.STYLES.values()}) == len(plots.NAMES)
