"""What a command comes to: the same for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text


@dataclass(frozen=True)
class Result:
    """What a command returns.

    Parameters
    ----------
    data : dict or list
        What ``--json`` prints.
    text : str or rich renderable
        What is printed otherwise. A str is printed as it is: its brackets are no markup.
    ok : bool
        Whether the exit status is 0, otherwise 1.
    """

    data: Any
    text: RenderableType
    ok: bool = True


def indented(text: str, style: str = "", by: int = 2) -> RenderableType:
    """Return text with a margin on the left, also on the lines that it is broken into."""
    return Padding(Text(text, style, overflow="fold"), (0, 0, 0, by), expand=False)
