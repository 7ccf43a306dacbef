"""The result of a command, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text


@dataclass(frozen=True)
class Result:
    """The result of a command.

    Parameters
    ----------
    data : dict or list
        The output with ``--json``.
    text : str or rich renderable
        The output without ``--json``. The brackets of a str are printed, not read as markup.
    ok : bool
        Whether the exit status is 0, otherwise 1.
    """

    data: Any
    text: RenderableType
    ok: bool = True


def indented(text: str, style: str = "", by: int = 2) -> RenderableType:
    """Return text with a margin on the left of every line, also of lines that are broken."""
    return Padding(Text(text, style, overflow="fold"), (0, 0, 0, by), expand=False)
