"""A colour for each plugin."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

#: Paul Tol's scheme "light": colour-blind readers can tell these colours apart, under black text.
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
    """Return a colour for each plugin.

    The colour depends on the name of the plugin, and not on the other plugins in the picture, so
    that a plugin has the same colour in each picture. Only if two names lead to the same colour,
    the name that is later in the alphabet gets the next free colour; and a plugin that a program
    registers takes no colour from an installed one, which has "of" its distribution in the name.
    """
    taken: dict[str, int] = {}
    for name in sorted(set(plugins), key=lambda name: (" of " not in name, name)):
        slots = [(crc32(name.encode()) + step) % len(PALETTE) for step in range(len(PALETTE))]
        free = [slot for slot in slots if slot not in taken.values()]
        taken[name] = (free or slots)[0]
    return {name: PALETTE[slot] for name, slot in taken.items()}
