"""Errors of the tools, each derived from `DezeroError` and a built-in type that users catch."""

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
