"""``draw``, ``to_dot`` and ``to_mermaid``."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from dezero_core.registry.discovery import did_you_mean

from ..errors import DrawingError
from . import dot as dot_language
from . import graphviz, mermaid, svg
from .graph import LIMIT, Graph, graph_of

SUFFIXES = (".svg", ".png", ".dot", ".mmd")

_WITHOUT_DOT = "Laid out without Graphviz, whose program dot was not found."


class Picture:
    """The graph of Variables as it was when it was drawn; see `draw`.

    A notebook shows it. What happens to the Variables later does not change it.

    Attributes
    ----------
    dot : str
        In DOT, the language of Graphviz.
    svg : str
        As SVG.
    by_graphviz : bool
        Whether SVG is made by Graphviz' program ``dot``, otherwise by a layout of our own.

    Raises
    ------
    GraphvizError (RuntimeError)
        When ``dot`` is asked for a picture, and fails.
    """

    def __init__(self, graph: Graph, dot: bool | None = None) -> None:
        self._graph = graph
        self._wanted = dot
        self.by_graphviz = graphviz.is_installed() if dot is None else dot

    @cached_property
    def dot(self) -> str:
        """In DOT."""
        return dot_language.written(self._graph)

    @cached_property
    def svg(self) -> str:
        """As SVG."""
        if self.by_graphviz:
            return graphviz.rendered(self.dot, "svg").decode()
        return svg.written(self._graph, *([_WITHOUT_DOT] if self._wanted is None else []))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        count = len(self._graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        how = "by Graphviz" if self.by_graphviz else "laid out without Graphviz"
        return f"<picture of {nodes}, {how}; to keep it: draw(y, 'graph.svg')>"


def draw(
    y: Any,
    file: str | os.PathLike[str] | None = None,
    *,
    limit: int = LIMIT,
    constants: bool = True,
    dot: bool | None = None,
) -> Picture:
    """Draw the graph of a Variable: what it was computed from, by which operations.

    Variables are round, with name, dtype and shape; operations are boxes in the colour of the
    plugin that provides them, with dashed outlines where the gradient is approximate. Where an
    operation has several inputs or outputs, numbers at the arrows say which is which.

    Parameters
    ----------
    y : Variable, or list or tuple of Variable
    file : str or path, optional
        Where to save it: ``.svg``, ``.png``, ``.dot`` or ``.mmd`` (Mermaid). A file that is there
        is overwritten.
    limit : int
        How many nodes are drawn at most, those nearest to `y`; 200, if nothing is said. What is
        left out is counted below the picture.
    constants : bool
        Whether to draw operands that no gradient flows to, such as the 2.0 of ``x * 2.0``.
    dot : bool, optional
        Whether Graphviz' program ``dot`` makes the SVG, otherwise a layout of our own. By
        default ``dot`` does if it is installed; if not, the picture says so.

    Returns
    -------
    Picture
        Which a notebook shows.

    Raises
    ------
    VariableTypeError (TypeError)
        If `y` is something else.
    DrawingError (ValueError)
        If `file` has another suffix, or `limit` is not a positive int.
    GraphvizError (RuntimeError)
        If ``dot`` is needed, as for PNG, and is not installed or fails.

    Examples
    --------
    >>> from dezero_tools import draw
    >>> x = Variable(np.array([1.0, 2.0]), name="x")
    >>> draw(x, dot=False)
    <picture of 1 node, laid out without Graphviz; to keep it: draw(y, 'graph.svg')>
    """
    suffix = None if file is None else _suffix_of(file)
    picture = Picture(graph_of(y, limit, constants), dot)
    if file is None:
        return picture
    if suffix == ".png":
        if dot is False:
            raise DrawingError("PNG is made by Graphviz alone, got dot=False.", file=str(file))
        content = graphviz.rendered(picture.dot, "png")
    elif suffix == ".svg":
        content = picture.svg.encode()
    elif suffix == ".dot":
        content = picture.dot.encode()
    else:
        content = to_mermaid(y, limit=limit, constants=constants).encode()
    Path(file).write_bytes(content)
    return picture


def to_dot(y: Any, *, limit: int = LIMIT, constants: bool = True) -> str:
    """Return the graph of a Variable in DOT, the language of Graphviz.

    Parameters
    ----------
    y : Variable, or list or tuple of Variable
    limit, constants
        As for `draw`, and so are the errors.

    Returns
    -------
    str

    Examples
    --------
    >>> from dezero_tools import to_dot
    >>> "float64 (2,)" in to_dot(Variable(np.array([1.0, 2.0])))
    True
    """
    return dot_language.written(graph_of(y, limit, constants))


def to_mermaid(y: Any, *, limit: int = LIMIT, constants: bool = True) -> str:
    """Return the graph of a Variable as Mermaid, which Markdown shows in a block of that name.

    Parameters
    ----------
    y : Variable, or list or tuple of Variable
    limit, constants
        As for `draw`, and so are the errors. There are fewer nodes than `limit` where Mermaid
        would refuse to draw so many edges or so long a text.

    Returns
    -------
    str

    Examples
    --------
    >>> from dezero_tools import to_mermaid
    >>> print(to_mermaid(Variable(np.array(1.0), name="x")).partition("classDef")[0])
    flowchart TD
      n1(["x<br/>float64 ()"]):::variable
      class n1 output
    <BLANKLINE>
    """
    while True:
        graph = graph_of(y, limit, constants)
        text = mermaid.written(graph)
        if mermaid.fits(graph, text):
            return text
        limit = min(len(graph.nodes), mermaid.MOST_EDGES) * 2 // 3


def _suffix_of(file: str | os.PathLike[str]) -> str:
    suffix = Path(file).suffix.lower()
    if suffix not in SUFFIXES:
        got = f"{suffix!r}" if suffix else "none"
        raise DrawingError(
            f"the suffix of a picture's file is one of {', '.join(SUFFIXES)}, got {got} in "
            f"{os.fspath(file)!r}. {did_you_mean(suffix, SUFFIXES)}".rstrip(),
            file=os.fspath(file),
            known=SUFFIXES,
        )
    return suffix
