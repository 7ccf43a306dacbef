"""Weights that somebody has trained before: files that the user has."""

from __future__ import annotations

import os

from ..layers import Layer

Weights = str | os.PathLike[str] | None


def load_pretrained(model: Layer, weights: Weights, pretrained: bool, file: str) -> None:
    """Load the file of weights, if one is given.

    pretrained: as in the book, where True downloads a file.
    file: the usual name of the file.
    Raises FileNotFoundError: if there is no such file, or `pretrained` is True and no file is
        given.
    Raises ValueError: if the file does not fit.
    """
    if weights is None and not pretrained:
        return
    if weights is None or isinstance(weights, bool):
        raise FileNotFoundError(
            f"{type(model).__name__}: pretrained weights are not downloaded. Give the path of a "
            f"file that you have, {type(model).__name__}(weights='{file}'); the book's is called "
            f"{file}."
        )
    try:
        model.load_weights(weights)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{type(model).__name__}: there is no file {error.filename!r} of weights, and none is "
            f"downloaded. It is a file of save_weights; the book's is called {file}."
        ) from error
