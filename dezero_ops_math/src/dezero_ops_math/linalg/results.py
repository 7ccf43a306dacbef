"""Results of functions that return several: NumPy's tuples, of Variables."""

from __future__ import annotations

from typing import NamedTuple

from dezero_core import Variable


class EigResult(NamedTuple):
    """Result of ``eig``."""

    eigenvalues: Variable
    eigenvectors: Variable


class EighResult(NamedTuple):
    """Result of ``eigh``."""

    eigenvalues: Variable
    eigenvectors: Variable


class QRResult(NamedTuple):
    """Result of ``qr``."""

    Q: Variable
    R: Variable


class SlogdetResult(NamedTuple):
    """Result of ``slogdet``."""

    sign: Variable
    logabsdet: Variable


class SVDResult(NamedTuple):
    """Result of ``svd``."""

    U: Variable
    S: Variable
    Vh: Variable
