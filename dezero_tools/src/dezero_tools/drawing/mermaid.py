"""A graph as Mermaid, a language that Markdown viewers draw without a picture file."""

from __future__ import annotations

import re

from .graph import PictureGraph

MOST_EDGES = 500
MOST_CHARACTERS = 50_000
"""By default Mermaid refuses more (its settings ``maxEdges`` and ``maxTextSize``)."""

_JOINER = "#8288;"  # U+2060 WORD JOINER

_BRACKETS = {"variable": ("([", "])"), "constant": ("[", "]"), "operation": ("[", "]")}


def mermaid_of(graph: PictureGraph) -> str:
    """Return the graph as a flowchart of Mermaid."""
    classes = {colour: f"p{index}" for index, (_, colour) in enumerate(graph.legend)}
    lines = ["flowchart TD"]
    for node in graph.nodes:
        start, end = _BRACKETS[node.kind]
        style = classes.get(node.colour, node.kind)
        lines.append(f"  {node.key}{start}{_label(node.text)}{end}:::{style}")
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


def _label(lines: tuple[str, ...]) -> str:
    return '"' + "<br/>".join(map(escaped, lines)) + '"'


def escaped(text: str) -> str:
    """Return a text with escapes, so that Mermaid shows it as it is.

    Most characters become entity codes (``#34;``), so that nothing is syntax, HTML or Markdown.
    Mermaid decodes them, and then looks for line breaks (``\\n``), formulas (``$$``) and icons
    (``fa:fa-car``): an invisible character after ``\\``, ``$`` and ``:`` prevents that.
    """
    codes = {char: f"#{ord(char)};" + (_JOINER if char in "\\$:" else "") for char in set(text)}
    return re.sub("[^ (),0-9A-Za-z]", lambda found: codes[found[0]], text)
