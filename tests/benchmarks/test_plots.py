"""The plots, drawn. They need matplotlib, as the examples do."""

import plots
import pytest
import results as module

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


def test_no_two_libraries_look_alike_in_a_plot():
    assert set(plots.STYLES) == set(plots.NAMES)
    assert len({color for color, _ in plots.STYLES.values()}) == len(plots.NAMES)
    assert len({marker for _, marker in plots.STYLES.values()}) == len(plots.NAMES)
