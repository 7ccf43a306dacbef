"""Pictures of the graph: SVG and PNG, DOT for Graphviz, Mermaid for pages of Markdown.

`graph` turns what is behind a Variable into plain nodes and edges; `dot`, `mermaid` and `svg` write
them. Nothing here is imported by ``import dezero_core``.
"""

from __future__ import annotations

from .picture import Picture, draw, to_dot, to_mermaid

__all__ = ["Picture", "draw", "to_dot", "to_mermaid"]
