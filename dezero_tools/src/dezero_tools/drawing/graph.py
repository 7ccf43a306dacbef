"""The graph behind Variables, as plain nodes and edges, from which every picture is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple
from zlib import crc32

import numpy as np

from dezero_core import Function, Variable, VariableTypeError
from dezero_core.extend import FREED, UNCHAINED, Port, Unsaved, index_of, provider_of, variable_at

from ..errors import DrawingError

#: Paul Tol's scheme "light": colour-blind readers can tell these colours apart, under black text.
#: The order gives the plugins of this project colours that differ.
PALETTE = ("#44bb99", "#bbcc33", "#eedd88", "#77aadd", "#99ddff", "#ee8866", "#ffaabb", "#aaaa00")
NO_PLUGIN = "#dddddd"

LIMIT = 200
"""The default limit of nodes in a picture: about as many as fit on a page."""

_LONGEST = 40
_COUNTED = 8


class PictureNode(NamedTuple):
    """A Variable, a constant operand, or an operation (one call of a Function)."""

    #: Of letters and digits.
    key: str
    kind: Literal["variable", "constant", "operation"]
    #: The name of the Variable or operation; empty if a Variable has none.
    title: str
    #: The text below the title. If plugins of the picture share a colour, the first is the plugin.
    lines: tuple[str, ...] = ()
    #: The text that a viewer may show while the pointer rests on the node.
    tip: str = ""
    #: That of the plugin, ``"#rrggbb"``; white if the node is no operation.
    colour: str = "#ffffff"
    #: Whether the operation computes its gradient approximately.
    approximate: bool = False
    #: Whether the node is a Variable that the caller passed.
    output: bool = False

    @property
    def text(self) -> tuple[str, ...]:
        return (self.title, *self.lines) if self.title else self.lines


class PictureEdge(NamedTuple):
    """Leads from a Variable to an operation that reads it, or from an operation to its output."""

    source: str
    target: str
    #: Which of several inputs or outputs of the operation it is; else empty.
    label: str


class PictureGraph(NamedTuple):
    """The content of a picture. All its texts are short, and have no control characters."""

    #: The outputs first, then the other nodes by their distance from the outputs.
    nodes: tuple[PictureNode, ...]
    #: At most one edge from one node to another.
    edges: tuple[PictureEdge, ...]
    #: Plugin and colour.
    legend: tuple[tuple[str, str], ...]
    #: Lines about the nodes that are not drawn.
    notes: tuple[str, ...]


def graph_of(y: Any, limit: int = LIMIT, constants: bool = False) -> PictureGraph:
    """Return the graph of one or several Variables; the errors are those of `draw`."""
    outputs = y if isinstance(y, (list, tuple)) else [y]
    for output in outputs:
        if not isinstance(output, Variable):
            got = type(output) if y is output else f"a {type(y).__name__} with {type(output)} in it"
            raise VariableTypeError(
                f"a picture needs a Variable, or a list or tuple of Variables, got {got}. "
                "Pass the Variable that an operation has returned.",
                got=type(output),
            )
    if not outputs:
        raise VariableTypeError(
            f"a picture needs at least one Variable, got an empty {type(y).__name__}.", got=type(y)
        )
    if not isinstance(limit, int) or limit < 1:
        raise DrawingError(
            f"limit must be the number of nodes to draw, 1 or more, got {limit!r}.", limit=limit
        )
    return _Walk(limit, constants).graph(outputs)


def shown(text: Any, longest: int = _LONGEST) -> str:
    """Return a text for a picture: short, and with invisible characters written as escapes.

    These are line breaks, null characters, which XML forbids, and marks that turn the direction.
    """
    characters = (
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in str(text)[: longest + 1]
    )
    text = "".join(characters)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def colour_of(plugin: str) -> str:
    """Return the colour of a plugin: the same in every picture, whatever else is installed.

    Plugins may share a colour: there are more names than colours that can be told apart.
    """
    return PALETTE[crc32(plugin.encode()) % len(PALETTE)]


class _Walk:
    """Walks back from the outputs, breadth first. Draws nodes up to the limit, then only counts."""

    def __init__(self, limit: int, constants: bool) -> None:
        self.limit, self.constants = limit, constants
        self.nodes: list[PictureNode] = []
        self.labels: dict[tuple[str, str], list[str]] = {}
        self.legend: dict[str, str] = {}
        self.plugins: dict[str, str] = {}  # key of an operation -> its plugin, as in the legend
        self.total = 0
        self.hidden: Counter[str] = Counter()
        self.counts: Counter[type[Function]] = Counter()
        # Identity of an object -> key of its node, None if the node is not drawn. The lists keep
        # the objects alive: the identity of a dead object may become that of another one.
        self.seen: dict[Any, str | None] = {}
        self.alive: list[Any] = []
        self.functions: list[Function] = []

    def graph(self, outputs: Iterable[Variable]) -> PictureGraph:
        for output in outputs:
            self._variable(output, output._edge, is_output=True)
        for function in self.functions:  # to which this adds: the graph may have any depth
            self._inputs(function)
        return PictureGraph(
            tuple(map(self._finished, self.nodes)),
            tuple(PictureEdge(*ends, ", ".join(names)) for ends, names in self.labels.items()),
            tuple(sorted(self.legend.items(), key=lambda entry: (entry[1] == NO_PLUGIN, entry))),
            tuple(self._notes()),
        )

    def _variable(self, variable: Any, edge: Any, is_output: bool = False) -> str | None:
        """Add the Variable at `edge`, which is None if it is dead, and the Function behind it."""
        dead = variable is None
        identity = (id(edge.creator or edge), index_of(edge)) if dead else id(variable)
        if identity in self.seen:
            return self.seen[identity]
        self.alive.append(variable)
        key = self.seen[identity] = self._new()
        if key is not None:
            # An output is drawn with its data of now. An inner Variable is drawn with the shape
            # that the graph computed with: the user may have replaced its data since then.
            spec = _spec_of(variable.data) if is_output else _spec_at(edge)
            name = "" if dead else _name_of(variable)
            tip = shown(name, 5 * _LONGEST)
            node = PictureNode(key, "variable", shown(name), (spec,), tip, output=is_output)
            self.nodes.append(node)
        creator = _creator(edge)
        if creator is not None:
            several = len(getattr(creator, "outputs", ())) > 1
            self._link(self._operation(creator), key, str(index_of(edge)) if several else "")
        return key

    def _operation(self, function: Function) -> str | None:
        if id(function) in self.seen:
            return self.seen[id(function)]
        cls = type(function)
        self.functions.append(function)
        self.counts[cls] += 1
        key = self.seen[id(function)] = self._new()
        if key is None:
            return None
        provider = provider_of(cls)
        name = getattr(provider, "name", None)
        colour = NO_PLUGIN if name is None else colour_of(name)
        self.plugins[key] = _plugin(provider)
        self.legend[self.plugins[key]] = colour
        how, where = getattr(cls, "approximate", ""), getattr(function, "_where", None)
        lines = [f"approximate: {shown(how)}"] if how else []
        if getattr(function, "_edges", None) is FREED:
            lines.append("graph freed")
        title = _title_of(cls)
        tip = f"{title} of {provider}" + (f", called at {where}" if where else "")
        tip = shown(tip, 5 * _LONGEST)
        node = PictureNode(key, "operation", title, tuple(lines), tip, colour, bool(how))
        self.nodes.append(node)
        return key

    def _inputs(self, function: Function) -> None:
        edges = getattr(function, "_edges", ())
        if type(edges) is not tuple:
            return
        key = self.seen[id(function)]
        operands = function.inputs if self.constants and None in edges else ()
        for index, edge in enumerate(edges):
            if edge is not None:
                # `set_creator` may name a Function without results, whose edge has no dtype.
                alive = variable_at(edge) if hasattr(edge, "_edge_dtype") else None
                source = self._variable(alive, edge)
            elif self.constants:
                source = self._constant(operands[index])
            else:
                continue
            self._link(source, key, str(index) if len(edges) > 1 else "")

    def _constant(self, operand: Any) -> str | None:
        """Add an operand that no gradient flows to: a number, an array, an integer Variable."""
        is_variable = isinstance(operand, Variable)  # other operations may have the same operand
        if is_variable and id(operand) in self.seen:
            return self.seen[id(operand)]
        key = self._new()
        if is_variable:
            self.alive.append(operand)
            self.seen[id(operand)] = key
        if key is not None:
            name = _name_of(operand) if is_variable else ""
            title, *lines = filter(None, (shown(name), *_constant_lines(operand)))
            self.nodes.append(PictureNode(key, "constant", title, tuple(lines)))
        return key

    def _new(self) -> str | None:
        """Return the key of one more node, None if the limit is reached."""
        self.total += 1
        return f"n{self.total}" if self.total <= self.limit else None

    def _link(self, source: str | None, target: str | None, label: str) -> None:
        if target and source:
            self.labels.setdefault((source, target), []).append(label)
        elif target:
            self.hidden[target] += 1

    def _finished(self, node: PictureNode) -> PictureNode:
        """Add the plugin of a node, if others share its colour, and what before it is not drawn."""
        if list(self.legend.values()).count(node.colour) > 1:
            node = node._replace(lines=(self.plugins[node.key], *node.lines))
        hidden = self.hidden[node.key]
        if not hidden:
            return node
        what = "… computed"
        if node.kind == "operation":
            what = f"… {hidden} more input{'s' if hidden > 1 else ''}"
        return node._replace(lines=(*node.lines, what))

    def _notes(self) -> Iterable[str]:
        if self.total <= self.limit:
            return
        yield f"Drawn are the {self.limit:,} nodes nearest to the output, of {self.total:,}."
        for cls, count in self.counts.most_common(_COUNTED):
            yield f"{count:,} {_title_of(cls)} of {_plugin(provider_of(cls))}"
        others = len(self.counts) - _COUNTED
        if others > 0:
            rest = self.counts.total() - sum(n for _, n in self.counts.most_common(_COUNTED))
            yield f"{rest:,} of {others:,} other kinds"


def _creator(edge: Any) -> Any:
    """Return the Function that computed the Variable at `edge`, None for an input."""
    creator: Any = None if edge is None else edge.creator
    unchained = getattr(creator, "_edges", None) is UNCHAINED
    return None if unchained or (type(edge) is Port and edge.index in creator._cuts) else creator


def _title_of(cls: type) -> str:
    """Return the name of an operation; that it is private in its module is of no use here."""
    return shown(cls.__name__.lstrip("_") or cls.__name__)


def _plugin(provider: Any) -> str:
    """Return the name of a provider for the legend."""
    return shown(str(provider).removeprefix("plugin ").replace("'", ""), 2 * _LONGEST)


def _name_of(variable: Variable) -> str:
    return "" if variable.name is None else str(variable.name)


def _spec_at(edge: Any) -> str:
    dtype = getattr(edge, "_edge_dtype", None)
    return "unknown shape" if dtype is None else f"{dtype} {edge._edge_shape}"


def _spec_of(data: Any) -> str:
    if hasattr(data, "dtype"):
        return f"{data.dtype} {data.shape}"
    return "no data" if data is None else shown(type(data).__name__)


def _constant_lines(operand: Any) -> tuple[str, ...]:
    """Return the value, dtype and shape of a constant, where they are known and short."""
    if isinstance(operand, Unsaved):
        return ("a number" if operand.dtype is None else _spec_of(operand),)
    data = operand.data
    if np.ndim(data):
        return (_spec_of(data),)
    value = str(data)
    if len(value) > 10:
        value = f"{data:.4g}"
    return (value, str(data.dtype)) if hasattr(data, "dtype") else (value,)
