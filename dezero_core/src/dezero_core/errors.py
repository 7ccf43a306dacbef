"""What can go wrong, each error derived from the built-in type a user would catch.

::

    DezeroError
    ├── VariableTypeError (TypeError)         data that a Variable cannot hold
    ├── MissingOperationError (TypeError)     no loaded plugin provides it
    │   └── MissingAttributeError (AttributeError)
    │       └── ContestedOperationError   several plugins provide it, and none is chosen
    ├── GraphError (RuntimeError)             backward() where there is no graph
    ├── GraphCopyError (TypeError)            copying a Variable with its graph
    ├── GradientError (ValueError)            a Function broke the contract of backward
    │   └── MissingBackwardError (NotImplementedError)
    └── PluginError (RuntimeError)
        ├── PluginLoadError                   its import, its hook or a module of it raised
        │   └── PluginApiError                it was written for another plugin API
        ├── PluginConflictError               a name of it is the core's, or another plugin's
        ├── UnknownPluginError (LookupError)
        └── UnknownOperationError (LookupError)
    PluginWarning (RuntimeWarning)            a plugin was left out; the others work
    ApproximateGradientWarning (UserWarning)  a gradient goes through what is not exact

Every message says who, the rule, what was got, and what to do; the same facts
are attributes of the exception.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any


class DezeroError(Exception):
    """Base class of every error; keyword arguments become attributes."""

    def __init__(self, message: str, /, **facts: Any) -> None:
        super().__init__(message)
        self.__dict__.update(facts)
        fold_frames(self)


class VariableTypeError(DezeroError, TypeError):
    """Data, or an operand, of a type that a Variable cannot hold. Fact: ``got``."""


class MissingOperationError(DezeroError, TypeError):
    """No loaded plugin provides an operation. Facts: ``operation``, ``distribution``."""


class MissingAttributeError(MissingOperationError, AttributeError):
    """No loaded plugin provides a method of Variable (so ``hasattr`` is False)."""


class ContestedOperationError(MissingAttributeError):
    """Several plugins provide a thing, and none is chosen. Facts: ``operation``, ``plugins``."""


class GraphError(DezeroError, RuntimeError):
    """There is no graph to go back through. Facts: ``variable``, ``reason``."""


class GraphCopyError(DezeroError, TypeError):
    """A Variable or Function that is part of a graph was copied or pickled."""


class GradientError(DezeroError, ValueError):
    """A Function's ``backward`` broke its contract. Facts: ``function``, ``index``."""

    function: Any = None
    index = 0


class MissingBackwardError(GradientError, NotImplementedError):
    """A Function without ``backward`` was to be differentiated."""


class PluginError(DezeroError, RuntimeError):
    """Something about a plugin. Fact: ``plugin``."""

    plugin: str = ""


class PluginLoadError(PluginError):
    """A plugin, or a later ``module`` of it, could not be loaded. Fact: ``distribution``."""


class PluginApiError(PluginLoadError):
    """A plugin was written for another version of the API. Facts: ``needed``, ``offered``."""


class PluginConflictError(PluginError):
    """A plugin has a name of the core, or another's. Facts: ``what``, ``plugin``, ``other``."""


class UnknownPluginError(PluginError, LookupError):
    """No plugin of that name has been seen. Facts: ``plugin``, ``known``."""


class UnknownOperationError(PluginError, LookupError):
    """No loaded plugin, or not this one, provides an operation. Facts: ``operation``, ``known``."""


class PluginWarning(RuntimeWarning):
    """A plugin or a module of it was left out; or a switch or block names one that is not there."""


class ApproximateGradientWarning(UserWarning):
    """A gradient goes through an operation whose author declares it approximate."""


PACKAGES: dict[str, str] = {"": "dezero_core"}
"""Plugin -> the package of its distribution. A line of such a package is never the user's."""


def user_line(place: tuple[str, int] | None = None) -> str:
    """Return the innermost line on the stack that is the user's, or another: ``"file.py:12"``.

    In a notebook it is ``"Cell In[3], line 12"``.
    """
    file, line = place or user_place()
    shell = "IPython" in sys.modules and attempt(lambda: sys.modules["IPython"].get_ipython())
    cell = shell and attempt(lambda: shell.compile.format_code_name(file))
    return f"{' '.join(cell)}, line {line}" if cell else f"{file}:{line}"


def user_place(*also_skip: str) -> tuple[str, int]:
    """Return file and number of the innermost line on the stack that is the user's.

    Lines of the core, of loaded plugins and of the packages `also_skip` are not.
    """
    skipped = {*PACKAGES.values(), *also_skip}
    frame = sys._getframe(1)
    while frame.f_back and package_of(frame) in skipped:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def package_of(frame: FrameType) -> str:
    """Return the package that a frame runs code of."""
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def is_written_by(frame: FrameType | None) -> bool:
    """Return whether a frame is about to write into an array, as by ``a[0] = x``.

    NumPy calls ``__float__`` of the value `x`, as ``float(x)`` does. The instruction of the caller
    tells the two apart. A thread that runs `float` itself has no frame.
    """
    from opcode import opname  # here, since most never need it

    # STORE_SUBSCR or, from Python 3.12 on, STORE_SLICE.
    return frame is not None and opname[frame.f_code.co_code[frame.f_lasti]].startswith("STORE_S")


def shows_values(frame: FrameType | None) -> bool:
    """Return whether matplotlib or numpy.testing asks for values: no gradient goes on there."""
    while frame is not None and package_of(frame) in ("numpy", "contextlib", "functools"):
        if frame.f_globals["__name__"].startswith("numpy.testing"):
            return True
        frame = frame.f_back
    return frame is not None and package_of(frame) in ("matplotlib", "mpl_toolkits")


def fold_frames(error: BaseException) -> None:
    """Let IPython leave the frames of the core and of plugins out of the traceback.

    IPython looks for a local variable. To set it in each call takes time, even without errors.
    """
    if "IPython" in sys.modules:
        from traceback import walk_stack, walk_tb

        for frame, _ in (*walk_stack(sys._getframe()), *walk_tb(error.__traceback__)):
            # The local variables of a module are its names.
            if package_of(frame) in PACKAGES.values() and frame.f_code.co_flags & CO_OPTIMIZED:
                frame.f_locals["__tracebackhide__"] = True


def attempt(read: Callable[[], Any], otherwise: Any = None) -> Any:
    """Return the result of foreign code; `otherwise` if it raises anything but Ctrl-C."""
    try:
        return read()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return otherwise


def shown(text: str, most: int = 500) -> str:
    """Return a text of others, safe for a terminal, and of at most `most` characters.

    Control characters but ends of lines and tabs are escaped. A longer text loses its middle, as
    an error says at its beginning what went wrong, and at its end where.
    """
    whole = _printable(text[: most + 1])
    if len(whole) <= most:
        return whole
    half = most // 2 - 3
    return f"{_printable(text[:half])[:half]} […] {_printable(text[-half:])[-half:]}"


def _printable(text: str) -> str:
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def cause_of(error: Any, with_place: bool = True) -> str:
    """Return how messages say why something was not loaded: ``KeyError: 'x', at file.py:12.``"""
    is_ours = issubclass(type(error), PluginError)  # isinstance would ask the error itself
    is_syntax = issubclass(type(error), SyntaxError) and isinstance(error.filename, str)
    most = 2000 if is_ours else 500  # our messages quote those of others
    text = attempt(lambda: str(error.msg if is_syntax else error), "(its message cannot be read)")
    if is_ours:
        return shown(text, most)
    name = attempt(lambda: shown(type(error).__name__), "an error")
    where = attempt(lambda: _place_of(error), "") if with_place else ""
    return f"{name}: {shown(text, most)}{where}."


def _place_of(error: Any) -> str:
    """Return ``, at file.py:12``; "" if the error was raised by the import system itself."""
    from traceback import extract_tb

    lines = [(each.filename, each.lineno) for each in extract_tb(error.__traceback__) if each.line]
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        lines = [*lines, (error.filename, error.lineno)]
    return f", at {shown(lines[-1][0])}:{lines[-1][1]}" if len(lines) > 1 else ""
