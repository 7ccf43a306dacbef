"""The table of functions, by their file in ``functions``, which the plugin announces."""

from __future__ import annotations

FAMILIES = {
    "losses": "mean_squared_error",
    "recurrence": "lstm",
}
