"""The slow tests, which ``make test`` leaves out and ``make test-all`` runs: `slow.txt` lists them.

The list is the only place that marks a test as slow. A line is the name that pytest prints, of a
file, of a test, of a case or of a check of the conformance kit; ``*`` stands for anything. Cases
and operations after ``except`` remain quick.
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

LIST = Path(__file__).with_suffix(".txt")


class Line(NamedTuple):
    """A line of the list."""

    text: str
    names: re.Pattern
    others: re.Pattern

    @classmethod
    def of(cls, text):
        name, _, rest = text.partition(" except ")
        others = "|".join(re.escape(case) for case in rest[1:-1].split("] ["))
        return cls(
            text,
            re.compile(".*".join(map(re.escape, name.split("*"))) + r"($|\[|::)"),
            re.compile(rf"::({others})::|\[({others})\]$" if rest else "(?!)"),
        )

    @property
    def file(self):
        return self.text.partition("::")[0]

    @property
    def test(self):
        """The name without its case."""
        return self.text.partition("[")[0]

    def has(self, name):
        return bool(self.names.match(name)) and not self.others.search(name)

    def spares(self, name):
        return bool(self.names.match(name)) and bool(self.others.search(name))


def lines():
    """Return the lines of the list that are no comments."""
    texts = LIST.read_text("utf-8").splitlines()
    return [Line.of(text) for text in texts if text and not text.startswith("#")]


class SlowTests:
    """Tells the slow tests of a run, and remembers which lines of the list they are from."""

    def __init__(self):
        self.of_file = defaultdict(list)
        for line in lines():
            self.of_file[line.file].append(line)
        self.due, self.used, self.sparing = set(), set(), set()

    def has(self, name):
        """Return whether a test is slow."""
        of_file = self.of_file.get(name.partition("::")[0], ())
        self.due.update(line.text for line in of_file if name.startswith(line.test))
        self.sparing.update(line.text for line in of_file if line.spares(name))
        used = {line.text for line in of_file if line.has(name)}
        self.used |= used
        return bool(used)

    def assert_that_all_are_used(self):
        """Refuse a line of a test that was collected, if no case of the test is as the line says.

        Raises
        ------
        pytest.UsageError
            If a line has no slow case, or spares none by its ``except``.
        """
        sparing = {text for text in self.used if " except " in text}
        if stale := sorted((self.due - self.used) | (sparing - self.sparing)):
            raise pytest.UsageError(f"{LIST.name} lists cases that do not exist: {stale}")
