"""The table that a notebook shows for a Variable."""

from __future__ import annotations

from html import escape
from typing import Any

from dezero_core import Variable

from .graph import shown

_CELL = "text-align:left;vertical-align:top"
#: Pages have styles of their own for this element: other fonts, and a colour behind it.
_ARRAY = "margin:0;font-family:monospace;background:none"


def variable_html(variable: Variable) -> str:
    """Return a table of name, value, shape, dtype and gradient; no colours: pages may be dark."""
    data, gradient = variable.data, variable.grad
    rows = [] if variable.name is None else [("name", escape(shown(variable.name)))]
    rows.append(("value", _printed(data)))
    if hasattr(data, "dtype"):
        rows += [("shape", escape(str(data.shape))), ("dtype", escape(str(data.dtype)))]
    gradient = gradient.data if isinstance(gradient, Variable) else gradient
    rows.append(("gradient", _printed(gradient)))
    cells = (
        f'<tr><th style="{_CELL}">{title}</th><td style="{_CELL}">{cell}</td></tr>'
        for title, cell in rows
    )
    return f"<table>{''.join(cells)}</table>"


def _printed(data: Any) -> str:
    return f'<pre style="{_ARRAY}">{escape(str(data))}</pre>'
