"""A colour for each plugin."""

from __future__ import annotations

from zlib import crc32

#: Paul Tol's scheme "light": colour-blind readers can tell these colours apart, under black text.
#: The order gives the plugins of this project colours that differ.
PALETTE = (
    "#44bb99",
    "#bbcc33",
    "#eedd88",
    "#77aadd",
    "#99ddff",
    "#ee8866",
    "#ffaabb",
    "#aaaa00",
)
NO_PLUGIN = "#dddddd"


def colour_of(plugin: str) -> str:
    """Return the colour of a plugin, which depends on its name alone.

    So a plugin has the same colour in every picture, whatever else is installed or drawn. Plugins
    may share a colour: there are more names than colours that can be told apart.
    """
    return PALETTE[crc32(plugin.encode()) % len(PALETTE)]
