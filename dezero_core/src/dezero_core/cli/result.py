"""What a command comes to: the same for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType


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
