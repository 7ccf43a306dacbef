"""Results of functions that return several: NumPy's tuples, of Variables."""

from __future__ import annotations

from typing import NamedTuple

from dezero_core import Variable


class EigResult(NamedTuple):
    eigenvalues: Variable
    eigenvectors: Variable


class EighResult(NamedTuple):
    eigenvalues: Variable
    eigenvectors: Variable


class QRResult(NamedTuple):
    Q: Variable
    R: Variable


class SlogdetResult(NamedTuple):
    sign: Variable
    logabsdet: Variable


class SVDResult(NamedTuple):
    U: Variable
    S: Variable
    Vh: Variable
