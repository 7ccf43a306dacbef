"""Runs a program of the book in this process, and checks what every picture must have."""

import runpy
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from threadpoolctl import threadpool_limits

BOOK = Path(__file__).parents[3] / "examples" / "book"


class Ran(NamedTuple):
    """The printed text of a program, its names, its figures by file, and the folder of those."""

    printed: str
    names: dict
    figures: dict
    folder: Path


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a program with arguments."""

    def run_program(program, *arguments):
        figures = {}
        save = Figure.savefig

        def save_and_keep(figure, path):
            save(figure, path)
            figures[path.name] = figure

        monkeypatch.setattr(Figure, "savefig", save_and_keep)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [program, *map(str, arguments)])
        state = np.random.get_state()
        with threadpool_limits(1):  # matrices as small as these are slower on many cores
            names = runpy.run_path(str(BOOK / f"{program}.py"), run_name="__main__")
        np.random.set_state(state)
        folder = tmp_path / "out"
        assert [path.name for path in tmp_path.iterdir()] == ["out"] * folder.exists()
        for path in folder.glob("*.svg"):
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        assert {path.name for path in folder.glob("*.png")} == set(figures)
        for name, figure in figures.items():
            assert_readable(figure, imread(folder / name))
        return Ran(capsys.readouterr().out, names, figures, folder)

    return run_program


def assert_readable(figure, pixels):
    """It has a title, labels where there are numbers, and something is drawn."""
    assert figure.get_suptitle() or all(axes.get_title() for axes in figure.axes)
    with_numbers = [axes for axes in figure.axes if axes.axison and len(axes.get_xticks())]
    assert all(axes.get_xlabel() for axes in with_numbers)
    height, width, _ = pixels.shape
    assert width >= 700
    assert height >= 300
    assert 0.01 < np.mean(pixels[..., :3].mean(axis=-1) < 0.95) < 0.99
