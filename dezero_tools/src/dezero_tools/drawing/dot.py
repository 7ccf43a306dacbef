"""A graph as DOT, the language of Graphviz."""

from __future__ import annotations

from .graph import PictureGraph, PictureNode

_HEAD = """\
digraph {
  graph [bgcolor="white", fontname="Helvetica,Arial,sans-serif", fontsize="11", \
labeljust="l", labelloc="b", nodesep="0.3", nslimit="2", pad="0.2", ranksep="0.35"]
  node [color="#444444", fontname="Helvetica,Arial,sans-serif", fontsize="12", height="0.3", \
margin="0.12,0.06", style="filled"]
  edge [arrowsize="0.6", color="#666666", fontcolor="#666666", \
fontname="Helvetica,Arial,sans-serif", fontsize="9"]
"""

_SHAPES = {"variable": "box", "constant": "plaintext", "operation": "box"}
_STYLES = {"variable": "filled,rounded", "constant": "filled", "operation": "filled"}


def dot_of(graph: PictureGraph) -> str:
    """Return the graph as DOT, for the program ``dot`` and every other reader of DOT."""
    lines = [f"  {node.key} [{_attributes(node)}]" for node in graph.nodes]
    for source, target, label in graph.edges:
        given = f" [headlabel={quoted(label)}, labeldistance=1.2]" if label else ""
        lines.append(f"  {source} -> {target}{given}")
    if graph.legend:
        lines.append('  subgraph cluster_legend { color="#cccccc" labelloc="t" label="plugins"')
        for index, (plugin, colour) in enumerate(graph.legend):
            lines.append(f'    l{index} [shape="box" fillcolor="{colour}" label={quoted(plugin)}]')
        lines.append("  }")
    if graph.notes:
        lines.append(f"  label={_label(graph.notes, end='l')}")
    return _HEAD + "\n".join(lines) + "\n}\n"


def _attributes(node: PictureNode) -> str:
    style = _STYLES[node.kind] + (",dashed" if node.approximate else "")
    given = {
        "label": _label(node.text),
        "shape": f'"{_SHAPES[node.kind]}"',
        "style": f'"{style}"',
        "fillcolor": f'"{node.colour}"',
    }
    if node.tip:
        given["tooltip"] = quoted(node.tip)
    if node.output:
        given["penwidth"] = '"2.5"'
    return " ".join(f"{name}={value}" for name, value in given.items())


def quoted(text: str) -> str:
    """Return a string of DOT that shows exactly this text.

    In such strings Graphviz replaces escapes such as ``\\N`` and entities such as ``&amp;``; here
    they are escaped.
    """
    return '"' + _escaped(text) + '"'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _label(texts: tuple[str, ...], end: str = "n") -> str:
    """Return several lines as one string; `end` is ``n`` to centre them, ``l`` to align left."""
    separator = f"\\{end}"
    return '"' + separator.join(map(_escaped, texts)) + (separator if end == "l" else "") + '"'
