"""The output of the command: results, tables, and the console that draws them.

A table of rich has no room for the lines that most commands print below a row, and cuts columns
where the terminal is narrow: so all is text in lines, which the terminal breaks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from dezero_core.extend import shown

results: TextIO = sys.stdout
"""The file for results, which `begin` replaces."""

load_warnings: list[str] = []
"""The warnings that plugins caused when they were loaded."""


@dataclass(frozen=True)
class Result:
    #: The output with ``--json``.
    data: Any
    #: The output without it. The brackets of a str are printed, not read as markup.
    text: RenderableType
    #: Whether the exit status is 0, otherwise 1.
    ok: bool = True


def begin(file: TextIO, warnings: Iterable[str] = ()) -> None:
    """Print results to this file from now on, and keep the warnings about plugins for `doctor`."""
    global results
    results = file
    load_warnings[:] = warnings


def print_result(text: str) -> None:
    """Print a result and flush it, so that a closed pipe raises BrokenPipeError here."""
    try:
        print(text, file=results, flush=True)
    except BrokenPipeError:
        # Close the file now: otherwise Python flushes it at exit, and prints the error once more.
        with suppress(BrokenPipeError):
            results.close()
        raise


def drawn(text: RenderableType) -> str:
    """Return the text for people. On a terminal it has colours and fits the width."""
    # Output that is not a terminal is read by a program, so its lines are not broken.
    width = os.get_terminal_size(results.fileno()).columns if results.isatty() else 200
    console = _Console(
        file=results, width=None if os.environ.get("COLUMNS") else width or None, highlight=False
    )
    text = Text(text) if isinstance(text, str) else text
    with console.capture() as captured:
        console.print(text, soft_wrap=isinstance(text, Text))
    # rich fills lines with blanks up to the width of a block.
    return "\n".join(map(str.rstrip, captured.get().removesuffix("\n").split("\n")))


class _Console(Console):
    """Writes control characters, which texts of plugins may have, as escapes."""

    def render(self, *args: Any) -> Iterator[Segment]:
        for text, style, control in super().render(*args):
            yield Segment(text if control else shown(text, sys.maxsize), style, control)


def table(
    columns: Mapping[str, Sequence[str | Text]], to_the_right: Container[str] = ()
) -> list[Text]:
    """Return the lines of a table: the header, and one for each row.

    `columns` has the cells of each column by its title. Long cells are best in the last column: a
    line ends where its last cell does.
    """
    aligned = []
    for title, cells in columns.items():
        texts = [Text(title, "bold"), *map(Text.assemble, cells)]
        width = max(map(len, texts))
        for text in texts:
            text.align("right" if title in to_the_right else "left", width)
        aligned.append(texts)
    lines = [Text("  ").join(row) for row in zip(*aligned, strict=True)]
    for line in lines:
        line.rstrip()
    return lines


def indented(text: str, style: str = "", by: int = 2) -> RenderableType:
    """Return text with a margin on the left of every line, also of lines that are broken."""
    return Padding(Text(text, style, overflow="fold"), (0, 0, 0, by), expand=False)
