"""One row of a page of docs/edges: a call at a point, and the gradients of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Case:
    """A call, where it is made, and what comes out.

    Parameters
    ----------
    code : str
        An expression of ``np`` and of the inputs.
    at : str
        The inputs, ``x = 0; c = [1, nan]``: floats, or complex numbers.
    gradient : str
        That of the sum of all elements, as `written`, one for each input; with ``*`` where
        NumPy warns. Or ``raises``, and the name of the exception.
    why : str
        The reason.
    torch, jax : str
        The same of PyTorch and of JAX: ``same``, ``—`` where they have no such function.
    twice : bool
        Whether `gradient` is that of the sum of all elements of the gradients.
    """

    code: str
    at: str
    gradient: str
    why: str
    torch: str = "same"
    jax: str = "same"
    twice: bool = False

    def inputs(self) -> dict[str, Array]:
        """Return the inputs as new arrays."""
        arrays = {}
        for part in self.at.split("; "):
            name, value = part.split(" = ")
            array = np.array(eval(value, {"nan": math.nan, "inf": math.inf}))
            arrays[name] = array if array.dtype.kind == "c" else array.astype(float)
        return arrays

    def __str__(self) -> str:
        return f"`{self.code}`, `{self.at}`{' (twice)' if self.twice else ''}"


@dataclass(frozen=True)
class Family:
    """The cases of one table, with what is said before it."""

    title: str
    introduction: str
    cases: tuple[Case, ...]


def written(x: Array) -> str:
    """Return an array as the page has it: four digits, and 0 for what is only rounded to it."""
    x = np.asarray(x)
    if x.ndim:
        return f"[{', '.join(map(written, x))}]"
    if x.dtype.kind == "c":
        real, imag = written(x.real), written(x.imag)
        return real if imag == "0" else f"{real}{'' if imag.startswith('-') else '+'}{imag}j"
    return f"{0.0 if abs(x) < 1e-14 else x:.4g}"
