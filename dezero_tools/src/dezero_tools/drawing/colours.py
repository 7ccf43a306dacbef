"""A colour for each plugin."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

#: Paul Tol's scheme "light": made to stay apart for the colour-blind, under black text.
PALETTE = (
    "#44bb99",
    "#bbcc33",
    "#eedd88",
    "#ffaabb",
    "#99ddff",
    "#77aadd",
    "#ee8866",
    "#aaaa00",
)
NO_PLUGIN = "#dddddd"


def colours_of(plugins: Iterable[str]) -> dict[str, str]:
    """Return a colour for each plugin, by its name.

    By the name, and not by what else is in the picture, so that a plugin looks the same in each.
    Only where two would have one colour the later name gets the next one that is free.
    """
    taken: dict[str, int] = {}
    for name in sorted(set(plugins)):
        slots = [(crc32(name.encode()) + step) % len(PALETTE) for step in range(len(PALETTE))]
        free = [slot for slot in slots if slot not in taken.values()]
        taken[name] = (free or slots)[0]
    return {name: PALETTE[slot] for name, slot in taken.items()}
