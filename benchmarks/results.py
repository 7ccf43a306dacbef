"""The files of results: one JSON file for each workload."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import figures

FOLDER = Path(__file__).parent / "results"


@dataclass
class Results:
    """The results of one workload.

    Attributes
    ----------
    workload : str
    machine, versions : dict of str
    units : dict of str
        ``second`` or ``byte`` or ``1``, by figure.
    figures : dict of dicts of lists
        The value of each round, by figure and library, in the unit of the figure.
    left_out : dict of dicts of str
        The reason, by library and figure. An empty name of a figure stands for all figures.
    """

    workload: str
    machine: dict[str, str]
    versions: dict[str, str]
    units: dict[str, str] = field(default_factory=dict)
    figures: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    left_out: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, round_: int, library: str, figure: str, value: float, unit: str) -> None:
        """Store the value of a round. Rounds without a value stay None."""
        self.units[figure] = unit
        rounds = self.figures.setdefault(figure, {}).setdefault(library, [])
        rounds += [None] * (round_ + 1 - len(rounds))
        rounds[round_] = float(f"{value:.5g}")

    def leave_out(self, library: str, figure: str, why: str) -> None:
        """Note the reason why there is no value."""
        self.left_out.setdefault(library, {})[figure] = why

    def discard(self, library: str, why: str) -> None:
        """Remove all values of a library that failed, and note the reason."""
        for rounds in self.figures.values():
            rounds.pop(library, None)
        self.left_out[library] = {"": why}

    def rounds(self, figure: str, library: str) -> figures.Rounds:
        """Return the values of the rounds; none if there is no such figure or library."""
        return self.figures.get(figure, {}).get(library, [])

    def save(self, folder: Path = FOLDER) -> None:
        """Write the file."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.workload}.json").write_text(text(self), encoding="utf-8")


def text(found: Results) -> str:
    """Return the JSON, with each list of numbers on one line."""
    lines = json.dumps(asdict(found), indent=1, ensure_ascii=False)
    return re.sub(r"\[\n[^][]*\]", lambda numbers: " ".join(numbers[0].split()), lines) + "\n"


def load(folder: Path = FOLDER) -> dict[str, Results]:
    """Return all stored results, by workload."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        found[path.stem] = Results(**json.loads(path.read_text(encoding="utf-8")))
    return found
