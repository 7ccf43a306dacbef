"""Errors of the tools, each derived from `DezeroError` and a built-in type that users catch.

::

    DezeroError
    ├── WrittenArrayError (RuntimeError)      checked(): an array that backward reads was written to
    ├── NotFiniteError (FloatingPointError)   observe("nan"): a value is nan or infinite
    ├── UnknownObserverError (LookupError)
    ├── DrawingError (ValueError)             a picture that cannot be made as asked
    ├── GraphvizError (RuntimeError)          the program dot is missing, or fails
    ├── ProjectError (ValueError)             dezero new: an argument of which no project is made
    ├── ProjectFolderError (OSError)          dezero new: its folder cannot be made
    ├── StubPackageError (OSError)            dezero stubs: they cannot be written
    ├── MissingToolError (ImportError)        a library that a command needs is not installed
    └── ComparisonError (ValueError)          two providers that cannot be compared
"""

from __future__ import annotations

from dezero_core import DezeroError


class WrittenArrayError(DezeroError, RuntimeError):
    """What ``backward`` reads was written to. Facts: ``function``, ``what``, ``where``."""


class NotFiniteError(DezeroError, FloatingPointError):
    """A value is nan or infinite.

    Facts: ``function``, ``method``, ``index`` of the output or of the input that the gradient is
    of, ``position``, ``value``, ``where``.
    """


class UnknownObserverError(DezeroError, LookupError):
    """No observer has that name. Facts: ``observer``, ``known``."""


class DrawingError(DezeroError, ValueError):
    """A picture cannot be made as it was asked for.

    Facts, as far as they matter: ``file``, ``known``, ``limit``, ``target``, ``variable``.
    """


class GraphvizError(DezeroError, RuntimeError):
    """Graphviz' program ``dot`` is needed and not installed, or fails. Fact: ``program``."""


class ProjectError(DezeroError, ValueError):
    """No project can be made of an argument. Facts: ``argument``, ``got``, ``rule``."""


class ProjectFolderError(DezeroError, OSError):
    """The folder of a project cannot be made. Facts: ``folder``, ``cause``."""


class MissingToolError(DezeroError, ImportError):
    """A library that a command needs is not installed. Fact: ``tool``."""


class StubPackageError(DezeroError, OSError):
    """The type stubs cannot be written where they are to be. Fact: ``path``."""


class ComparisonError(DezeroError, ValueError):
    """Providers of an operation cannot be compared. Facts: ``operation``, ``plugins``."""
