"""The modules of benchmarks/ find each other by their names, as in a script that is run there."""

import sys
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)


@pytest.fixture
def results():
    """Return a function that makes results of a workload, from the values of the rounds."""
    from results import Results

    def made(workload, figures, unit="second"):
        found = Results(workload, {"processor": "a processor"}, {"numpy": "2"})
        for figure, libraries in figures.items():
            for library, rounds in libraries.items():
                for round_, value in enumerate(rounds):
                    if value is not None:
                        found.add(round_, library, figure, value, unit)
        return found

    return made
