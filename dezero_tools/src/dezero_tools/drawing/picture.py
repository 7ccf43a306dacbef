"""The functions ``draw``, ``to_dot`` and ``to_mermaid``."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from dezero_tools.guessing import did_you_mean

from ..errors import DrawingError
from . import graphviz, mermaid
from .dot import dot_of
from .graph import LIMIT, PictureGraph, graph_of
from .svg import svg_of

SUFFIXES = (".svg", ".pdf", ".png", ".dot", ".mmd")


class Picture:
    """A picture of the graph of Variables; `draw` returns it.

    A notebook shows the picture. Later changes of the Variables do not change it.

    Attributes
    ----------
    dot : str
        The graph in DOT, the language of Graphviz.
    svg : str
        The graph as SVG. Reading it raises GraphvizError (RuntimeError) if ``dot`` fails.
    by_graphviz : bool
        Whether Graphviz' program ``dot`` makes the SVG. Otherwise the layout of this package does.
    file : str or None
        The file that it was saved to.
    """

    def __init__(self, graph: PictureGraph, dot: bool | None = None) -> None:
        self._graph = graph
        self.file: str | None = None
        self.by_graphviz = graphviz.is_installed() if dot is None else dot

    @cached_property
    def dot(self) -> str:
        return dot_of(self._graph)

    @cached_property
    def svg(self) -> str:
        if self.by_graphviz:
            return graphviz.rendered(self.dot, "svg").decode()
        return svg_of(self._graph)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        count = len(self._graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        how = "by Graphviz" if self.by_graphviz else "laid out without Graphviz"
        kept = "; to keep it: draw(y, 'graph.svg')" if self.file is None else f", in {self.file!r}"
        return f"<picture of {nodes}, {how}{kept}>"


def draw(
    y: Any,
    file: str | os.PathLike[str] | None = None,
    *,
    limit: int = LIMIT,
    constants: bool = False,
    dot: bool | None = None,
) -> Picture:
    """Draw the graph of a Variable: the Variables and operations that it was computed from.

    Variables are round, and show name, dtype and shape. Operations are boxes in the colour of the
    plugin that provides them, which depends on its name alone; plugins that share a colour are
    named. A dashed outline means that the gradient is approximate. Numbers at arrows say which of
    several inputs or outputs it is.

    Parameters
    ----------
    y : Variable, or list or tuple of Variable
    file : str or path, optional
        The ``.svg``, ``.pdf``, ``.png``, ``.dot`` or ``.mmd`` (Mermaid) to write, or overwrite.
    limit : int
        The largest number of nodes to draw, the nearest to `y`. The text below counts the others.
    constants : bool
        Whether to draw operands that no gradient flows to, too, such as the 2.0 of ``x * 2.0``. A
        number whose value the graph does not keep, as that of ``x + 2.0``, is drawn as "a number".
    dot : bool, optional
        True for an SVG by Graphviz' program ``dot``, False for the layout of this package. By
        default ``dot`` is used if it is installed; ``print(picture)`` says which it was.

    Returns
    -------
    Picture
        A notebook shows it.

    Raises
    ------
    VariableTypeError (TypeError)
        If `y` is not a Variable, and not a list or tuple of Variables.
    DrawingError (ValueError)
        If `file` has another suffix, or `limit` is not a positive int.
    GraphvizError (RuntimeError)
        If ``dot`` is needed, as for PDF and PNG, and is not installed or fails.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0]), name="x")
    >>> draw(x, dot=False)
    <picture of 1 node, laid out without Graphviz; to keep it: draw(y, 'graph.svg')>
    """
    suffix = "" if file is None else Path(file).suffix.lower()
    if file is not None and suffix not in SUFFIXES:
        raise DrawingError(
            f"the suffix of a picture's file must be one of {', '.join(SUFFIXES)}, got "
            f"{repr(suffix) if suffix else 'none'} in {os.fspath(file)!r}. "
            f"{did_you_mean(suffix, SUFFIXES)}".rstrip(),
            file=os.fspath(file),
            known=SUFFIXES,
        )
    picture = Picture(graph_of(y, limit, constants), dot)
    if file is None:
        return picture
    if suffix in (".pdf", ".png"):
        kind = suffix[1:]
        if dot is False:
            raise DrawingError(
                f"only Graphviz can make {kind.upper()}, got dot=False. Leave dot=False out, or "
                "save .svg.",
                file=str(file),
            )
        content = graphviz.rendered(picture.dot, kind)
    elif suffix == ".svg":
        content = picture.svg.encode()
    elif suffix == ".dot":
        content = picture.dot.encode()
    else:
        content = to_mermaid(y, limit=limit, constants=constants).encode()
    Path(file).write_bytes(content)
    picture.file = os.fspath(file)
    return picture


def to_dot(y: Any, *, limit: int = LIMIT, constants: bool = False) -> str:
    """Return the graph of a Variable in DOT, the language of Graphviz.

    Parameters
    ----------
    y, limit, constants
        As of `draw`, with its errors.

    Returns
    -------
    str

    Examples
    --------
    >>> "float64 (2,)" in to_dot(Variable(np.array([1.0, 2.0])))
    True
    """
    return dot_of(graph_of(y, limit, constants))


def to_mermaid(y: Any, *, limit: int = LIMIT, constants: bool = False) -> str:
    """Return the graph of a Variable as Mermaid, for a block ``mermaid`` of a Markdown page.

    Parameters
    ----------
    y, limit, constants
        As of `draw`, with its errors. Fewer nodes are drawn if Mermaid would refuse the number of
        edges or the length of the text.

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_mermaid(Variable(np.array(1.0), name="x")).partition("classDef")[0])
    flowchart TD
      n1(["x<br/>float64 ()"]):::variable
      class n1 output
    <BLANKLINE>
    """
    while True:
        graph = graph_of(y, limit, constants)
        text = mermaid.mermaid_of(graph)
        if len(graph.edges) <= mermaid.MOST_EDGES and len(text) < mermaid.MOST_CHARACTERS:
            return text
        limit = min(len(graph.nodes), mermaid.MOST_EDGES) * 2 // 3
