"""The book's small helpers: pictures of graphs, and the sizes of images."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from dezero_core import Variable
from dezero_core.extend import sum_to

from .docstrings import described

__all__ = [
    "get_conv_outsize",
    "get_deconv_outsize",
    "get_dot_graph",
    "get_file",
    "pair",
    "plot_dot_graph",
    "sum_to",
]


@described
def get_dot_graph(output: Variable, verbose: bool = True) -> str:
    """Return the graph of a Variable in DOT, the language of Graphviz.

    verbose: as in the book, and without effect: shapes and dtypes are always shown.
    Raises ImportError: if dezero-tools, which draws, is not installed.

    >>> get_dot_graph(Variable(np.array(1.0), name="x")).splitlines()[0]
    'digraph {'
    """
    return _drawing("get_dot_graph").to_dot(output)


@described
def plot_dot_graph(
    output: Variable, verbose: bool = True, to_file: str | os.PathLike[str] = "graph.svg"
) -> Any:
    """Draw the graph of a Variable into a file.

    verbose: as in the book, and without effect: shapes and dtypes are always shown.
    to_file (str or path): ``.svg``, ``.dot`` and ``.mmd`` need no Graphviz; ``.png``, the book's
        default, and ``.pdf`` do.
    Returns (dezero_tools.drawing.Picture): a notebook shows it.
    Raises ImportError: if dezero-tools, which draws, is not installed.
    Raises GraphvizError (RuntimeError): if Graphviz is needed, and is not installed.
    """
    return _drawing("plot_dot_graph").draw(output, to_file)


@described
def get_file(url: str, file_name: str | None = None) -> NoReturn:
    """Raise an error: nothing is downloaded here, where the book's function does.

    Raises RuntimeError: always.
    """
    raise RuntimeError(
        f"get_file downloads nothing: get {url} yourself, and give the path of the file."
    )


@described
def get_conv_outsize(input_size: int, kernel_size: int, stride: int, pad: int) -> int:
    """Return how many windows of a convolution fit along an axis of the image.

    >>> get_conv_outsize(4, 3, 1, 1)
    4
    """
    return (input_size + 2 * pad - kernel_size) // stride + 1


@described
def get_deconv_outsize(size: int, kernel_size: int, stride: int, pad: int) -> int:
    """Return the length of the axis of which a convolution makes `size`, at least.

    >>> get_deconv_outsize(4, 3, 1, 1)
    4
    """
    return stride * (size - 1) + kernel_size - 2 * pad


@described
def pair(x: Any) -> tuple[Any, Any]:
    """Return an int twice, and a pair as it is.

    x (int or tuple of int):
    Returns (tuple):
    Raises ValueError: if `x` is neither.

    >>> pair(3), pair((1, 2))
    ((3, 3), (1, 2))
    """
    if isinstance(x, int):
        return x, x
    if isinstance(x, tuple) and len(x) == 2:
        return x
    raise ValueError(f"pair takes an int or a tuple of two, got {x!r}.")


def tree_functions() -> Any:
    """Return the module of dezero-tools that walks through nested arrays.

    Raises ImportError: if dezero-tools is not installed.
    """
    try:
        from dezero_tools.functional import trees
    except ModuleNotFoundError as error:
        raise ImportError(
            "Nested arrays are walked through by dezero-tools, which is not installed: "
            "pip install dezero-tools."
        ) from error
    return trees


def _drawing(name: str) -> Any:
    try:
        from dezero_tools import drawing
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{name} draws with dezero-tools, which is not installed: pip install dezero-tools."
        ) from error
    return drawing
