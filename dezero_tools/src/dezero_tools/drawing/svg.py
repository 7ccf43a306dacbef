"""A graph as SVG with the layout of `layout`, for use without Graphviz.

The standard library serialises a tree, so that no text can become markup. There is no ``id`` and no
style sheet, so that several pictures on one page do not disturb each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from unicodedata import combining, east_asian_width
from xml.etree.ElementTree import Element, SubElement, tostring

from .graph import PictureGraph, PictureNode
from .layout import Point, laid_out

_FONT = "Helvetica, Arial, sans-serif"
_SIZE = 12.0
_SMALL = 10.5
_LINE = 15.0
_MARGIN = 16.0
_GREY = "#666666"
_NARROW = frozenset("ijl.,:;'|!()[]ftrI ")
_WIDE = frozenset("mwMW@%—…")


def svg_of(graph: PictureGraph) -> str:
    """Return the graph as a standalone SVG document, with its notes as lines below it."""
    sizes = {node.key: _size(node) for node in graph.nodes}
    ends = [(source, target) for source, target, _ in graph.edges]
    layout = laid_out(sizes, ends)
    below = [_width(plugin, _SMALL) + 20 for plugin, _ in graph.legend]
    below += [_width(note, _SMALL) for note in graph.notes]
    width = max([layout.width, *below]) + 2 * _MARGIN
    foot = layout.height + 2 * _MARGIN
    height = foot + _LINE * len(below) + (_MARGIN / 2 if below else 0)
    size = {"width": _number(width), "height": _number(height)}
    box = f"0 0 {size['width']} {size['height']}"
    form = {"xmlns": "http://www.w3.org/2000/svg"} | size | {"viewBox": box}
    svg = Element("svg", form | {"font-family": _FONT, "role": "img"})
    SubElement(svg, "title").text = f"Graph of {len(graph.nodes)} nodes"
    # The page may be dark, so the picture has a white background of its own.
    _rectangle(svg, 0, 0, width, height, fill="#ffffff", rx="6")
    shift = (width - layout.width) / 2
    drawing = SubElement(svg, "g", transform=f"translate({_number(shift)} {_number(_MARGIN)})")
    for edge, path in zip(graph.edges, layout.paths, strict=True):
        _edge(drawing, path, edge.label)
    for node in graph.nodes:
        _node(drawing, node, layout.centres[node.key], sizes[node.key])
    for plugin, colour in graph.legend:
        _rectangle(svg, _MARGIN, foot - 9, 12, 10, fill=colour, stroke="#444444")
        _text(svg, plugin, _MARGIN + 20, foot, _SMALL)
        foot += _LINE
    for note in graph.notes:
        _text(svg, note, _MARGIN, foot, _SMALL, fill=_GREY)
        foot += _LINE
    return tostring(svg, encoding="unicode") + "\n"


def _size(node: PictureNode) -> Point:
    widths = [_width(text, size) for text, size in _sized(node)]
    padding = 4.0 if node.kind == "constant" else 20.0
    return max([24.0, *widths]) + padding, _LINE * len(node.text) + (2 if padding < 20 else 10)


def _sized(node: PictureNode) -> Iterable[tuple[str, float]]:
    """Return the lines of a node, each with the size of its font."""
    if node.title:
        yield node.title, _SMALL if node.kind == "constant" else _SIZE
    for line in node.lines:
        yield line, _SMALL


def _node(parent: Element, node: PictureNode, centre: Point, size: Point) -> None:
    x, y = centre
    width, height = size
    group = SubElement(parent, "g")
    if node.tip:
        SubElement(group, "title").text = node.tip
    if node.kind != "constant":
        style = {"fill": node.colour, "stroke": "#444444"}
        style["rx"] = _number(min(height / 2, 13)) if node.kind == "variable" else "2"
        if node.output:
            style["stroke-width"] = "2.5"
        if node.approximate:
            style["stroke-dasharray"] = "5 3"
        _rectangle(group, x - width / 2, y - height / 2, width, height, **style)
    baseline = y - _LINE * len(node.text) / 2 + 11
    for text, font in _sized(node):
        bold = {"font-weight": "bold"} if text is node.title and node.kind == "variable" else {}
        fill = "#000000" if node.kind == "operation" or bold else "#444444"
        _text(group, text, x, baseline, font, fill=fill, **{"text-anchor": "middle"}, **bold)
        baseline += _LINE


def _edge(parent: Element, path: Sequence[Point], label: str) -> None:
    (x, y), *rest = path
    end_x, end_y = path[-1]
    commands = [f"M{_number(x)} {_number(y)}"]
    for place, (next_x, next_y) in enumerate(rest):
        if _number(next_x) == _number(x) and place < len(rest) - 1:
            commands.append(f"L{_number(next_x)} {_number(next_y)}")
        else:
            stop = next_y - 5 if place == len(rest) - 1 else next_y  # 5 is for the arrowhead
            middle = _number((y + stop) / 2)
            commands.append(
                f"C{_number(x)} {middle} {_number(next_x)} {middle} "
                f"{_number(next_x)} {_number(stop)}"
            )
        x, y = next_x, next_y
    SubElement(parent, "path", d=" ".join(commands), fill="none", stroke=_GREY)
    tip = f"M{_number(end_x)} {_number(end_y)}l-3.5 -7h7z"
    SubElement(parent, "path", d=tip, fill=_GREY)
    if label:
        _text(parent, label, end_x + 5, end_y - 3, 9, fill=_GREY)


def _rectangle(
    parent: Element, x: float, y: float, width: float, height: float, **style: str
) -> None:
    places = {"x": x, "y": y, "width": width, "height": height}
    SubElement(parent, "rect", {name: _number(at) for name, at in places.items()} | style)


def _text(parent: Element, text: str, x: float, y: float, size: float, **style: str) -> None:
    given = {"x": _number(x), "y": _number(y), "font-size": _number(size)} | style
    SubElement(parent, "text", given).text = text


def _width(text: str, size: float) -> float:
    """Return an estimate of the width of a text. It is rather too large, since fonts differ."""
    return size * fsum(map(_relative_width, text))


def _relative_width(char: str) -> float:
    if combining(char):
        return 0.0
    if char in _NARROW:
        return 0.36
    if char in _WIDE or char.isupper():
        return 0.88 if char in _WIDE else 0.72
    return 1.0 if east_asian_width(char) in "WF" else 0.6


def _number(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")  # -0.0 + 0.0 is 0.0
