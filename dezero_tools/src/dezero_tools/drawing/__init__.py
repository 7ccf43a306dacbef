"""Pictures of the graph: SVG and PNG, DOT for Graphviz, Mermaid for pages of Markdown.

`graph` turns the graph behind a Variable into plain nodes and edges; `dot`, `mermaid` and `svg`
write them. ``import dezero_core`` imports none of these modules.
"""

from .picture import Picture, draw, to_dot, to_mermaid

__all__ = ["Picture", "draw", "to_dot", "to_mermaid"]
