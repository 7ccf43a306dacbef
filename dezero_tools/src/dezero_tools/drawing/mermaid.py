"""A graph as Mermaid, a language that Markdown viewers draw without a picture file."""

from __future__ import annotations

from .graph import PictureGraph, PictureNode

MOST_EDGES = 500
MOST_CHARACTERS = 50_000
"""By default Mermaid refuses more (its settings ``maxEdges`` and ``maxTextSize``)."""

_JOINER = "#8288;"  # U+2060 WORD JOINER

_BRACKETS = {"variable": ("([", "])"), "constant": ("[", "]"), "operation": ("[", "]")}


def fits(graph: PictureGraph, text: str) -> bool:
    """Return whether the graph is small enough for Mermaid."""
    return len(graph.edges) <= MOST_EDGES and len(text) < MOST_CHARACTERS


def mermaid_of(graph: PictureGraph) -> str:
    """Return the graph as a flowchart of Mermaid."""
    classes = {colour: f"p{index}" for index, (_, colour) in enumerate(graph.legend)}
    lines = ["flowchart TD"]
    lines += [_node(node, classes.get(node.colour, node.kind)) for node in graph.nodes]
    for source, target, label in graph.edges:
        lines.append(f"  {source} -->{f'|{_label((label,))}|' if label else ''} {target}")
    lines += [f"  class {node.key} output" for node in graph.nodes if node.output]
    lines += [f"  class {node.key} approximate" for node in graph.nodes if node.approximate]
    if graph.legend or graph.notes:
        lines.append('  subgraph legend ["plugins"]')
        for index, (plugin, colour) in enumerate(graph.legend):
            lines.append(f"    l{index}[{_label((plugin,))}]:::{classes[colour]}")
        if graph.notes:
            lines.append(f"    note[{_label(graph.notes)}]:::constant")
        lines.append("  end")
    for colour, name in classes.items():
        lines.append(f"  classDef {name} fill:{colour},stroke:#444,color:#000")
    lines += [
        "  classDef variable fill:#fff,stroke:#444,color:#000",
        "  classDef constant fill:#f4f4f4,stroke:#f4f4f4,color:#000",
        "  classDef output stroke-width:3px",
        "  classDef approximate stroke-dasharray:5 4",
    ]
    return "\n".join(lines) + "\n"


def _node(node: PictureNode, style: str) -> str:
    start, end = _BRACKETS[node.kind]
    return f"  {node.key}{start}{_label(node.text)}{end}:::{style}"


def _label(lines: tuple[str, ...]) -> str:
    return '"' + "<br/>".join(map(escaped, lines)) + '"'


def escaped(text: str) -> str:
    """Return a text with escapes, so that Mermaid shows it as it is.

    Every character but letters, digits and a few marks becomes an entity code (``#34;``), so that
    nothing in the text is syntax, HTML or Markdown. Mermaid decodes the codes, and then looks for
    line breaks (``\\n``), formulas (``$$``) and icons (``fa:fa-car``). An invisible character
    after ``\\``, ``$`` and ``:`` keeps Mermaid from finding these.
    """
    return "".join(map(_code, text))


def _code(char: str) -> str:
    if char in " ()," or (char.isalnum() and char.isascii()):
        return char
    return f"#{ord(char)};" + (_JOINER if char in "\\$:" else "")
