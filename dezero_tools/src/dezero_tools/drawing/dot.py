"""A graph as DOT, the language of Graphviz."""

from __future__ import annotations

from .graph import PictureGraph

_HEAD = """\
digraph {
  graph [bgcolor="white", fontname="Helvetica,Arial,sans-serif", fontsize="11", \
labeljust="l", labelloc="b", nodesep="0.3", nslimit="2", pad="0.2", ranksep="0.35"]
  node [color="#444444", fontname="Helvetica,Arial,sans-serif", fontsize="12", height="0.3", \
margin="0.12,0.06", style="filled"]
  edge [arrowsize="0.6", color="#666666", fontcolor="#666666", \
fontname="Helvetica,Arial,sans-serif", fontsize="9"]
"""


def dot_of(graph: PictureGraph) -> str:
    """Return the graph as DOT, for the program ``dot`` and every other reader of DOT."""
    lines = []
    for node in graph.nodes:
        rounded = ",rounded" if node.kind == "variable" else ""
        dashed = ",dashed" if node.approximate else ""
        given = {
            "label": _label(*node.text),
            "shape": '"plaintext"' if node.kind == "constant" else '"box"',
            "style": f'"filled{rounded}{dashed}"',
            "fillcolor": f'"{node.colour}"',
            "tooltip": _label(node.tip) if node.tip else "",
            "penwidth": '"2.5"' if node.output else "",
        }
        attributes = " ".join(f"{name}={value}" for name, value in given.items() if value)
        lines.append(f"  {node.key} [{attributes}]")
    for source, target, label in graph.edges:
        head = f" [headlabel={_label(label)}, labeldistance=1.2]" if label else ""
        lines.append(f"  {source} -> {target}{head}")
    if graph.legend:
        lines.append('  subgraph cluster_legend { color="#cccccc" labelloc="t" label="plugins"')
        for index, (plugin, colour) in enumerate(graph.legend):
            lines.append(f'    l{index} [shape="box" fillcolor="{colour}" label={_label(plugin)}]')
        lines.append("  }")
    if graph.notes:
        lines.append(f"  label={_label(*graph.notes, end='l')}")
    return _HEAD + "\n".join(lines) + "\n}\n"


def _label(*lines: str, end: str = "n") -> str:
    """Return a string of DOT that shows these lines, centred, or aligned left if `end` is ``l``.

    In such strings Graphviz replaces escapes such as ``\\N`` and entities such as ``&amp;``; here
    they are escaped.
    """
    escapes = str.maketrans({"&": "&amp;", "\\": "\\\\", '"': '\\"'})
    separator = f"\\{end}"
    text = separator.join(line.translate(escapes) for line in lines)
    return f'"{text}{separator if end == "l" else ""}"'
