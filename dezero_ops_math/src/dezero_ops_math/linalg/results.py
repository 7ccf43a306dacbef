"""What the functions with several results return: NumPy's tuples, of Variables."""

from __future__ import annotations

from typing import NamedTuple

from dezero_core import Variable


class EigResult(NamedTuple):
    """What ``eig`` returns."""

    eigenvalues: Variable
    eigenvectors: Variable


class EighResult(NamedTuple):
    """What ``eigh`` returns."""

    eigenvalues: Variable
    eigenvectors: Variable


class QRResult(NamedTuple):
    """What ``qr`` returns."""

    Q: Variable
    R: Variable


class SlogdetResult(NamedTuple):
    """What ``slogdet`` returns."""

    sign: Variable
    logabsdet: Variable


class SVDResult(NamedTuple):
    """What ``svd`` returns."""

    U: Variable
    S: Variable
    Vh: Variable
