"""Errors of the tools, each derived from `DezeroError` and from a built-in type that users catch.

::

    DezeroError
    ├── WrittenArrayError (RuntimeError)      checked(): an array that backward reads was changed
    ├── NotFiniteError (FloatingPointError)   observe("nan"): a value is nan or infinite
    ├── UnknownObserverError (LookupError)
    ├── DrawingError (ValueError)             a picture cannot be drawn as asked
    ├── GraphvizError (RuntimeError)          the program dot is missing, or fails
    ├── ProjectError (ValueError)             dezero new: an argument is not allowed
    ├── ProjectFolderError (OSError)          dezero new: the folder cannot be made
    ├── StubPackageError (OSError)            dezero stubs: the stubs cannot be written
    └── ComparisonError (ValueError)          dezero compare: two providers cannot be compared
"""

from __future__ import annotations

from dezero_core import DezeroError


class WrittenArrayError(DezeroError, RuntimeError):
    """An array that ``backward`` reads was changed. Facts: ``function``, ``what``, ``where``."""


class NotFiniteError(DezeroError, FloatingPointError):
    """A value is nan or infinite.

    Facts: ``function``, ``method``, ``position``, ``value``, ``where``, and ``index``: the index of
    the output, or of the input whose gradient has the value.
    """


class UnknownObserverError(DezeroError, LookupError):
    """No observer has that name. Facts: ``observer``, ``known``."""


class DrawingError(DezeroError, ValueError):
    """A picture cannot be drawn as asked.

    Facts, where they matter: ``file``, ``known``, ``limit``, ``target``, ``variable``.
    """


class GraphvizError(DezeroError, RuntimeError):
    """Graphviz' program ``dot`` is needed, but it is missing or fails. Fact: ``program``."""


class ProjectError(DezeroError, ValueError):
    """An argument of ``dezero new`` is not allowed. Facts: ``argument``, ``got``, ``rule``."""


class ProjectFolderError(DezeroError, OSError):
    """The folder of a new project cannot be made. Facts: ``folder``, ``cause``."""


class StubPackageError(DezeroError, OSError):
    """The type stubs cannot be written to their folder. Fact: ``path``."""


class ComparisonError(DezeroError, ValueError):
    """Providers of an operation cannot be compared. Facts: ``operation``, ``plugins``."""
