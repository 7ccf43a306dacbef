"""Rewritten copies of functions, made once for each code object."""

from __future__ import annotations

from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE
from types import CodeType, FunctionType

from ..tape.stop import Stop
from .nodes import RECORDER, RewritingError
from .rewriting import rewritten
from .sources import NoSourceError, codes_in, compiled, definition_of

#: File and code of a function -> the code of its rewritten copy; or the end of a recording, if
#: there is none. Codes of two files are equal, if the functions are.
_copies: dict[tuple[str, CodeType], CodeType | Stop] = {}
#: All code that was rewritten.
_rewritten: set[CodeType] = set()


def copy_of(function: FunctionType) -> CodeType | Stop:
    """Return the code of the rewritten copy of a function; a `Stop` if there is none."""
    key = function.__code__.co_filename, function.__code__
    if key not in _copies:
        _copies[key] = _copied(function)
    return _copies[key]


def is_copy(code: CodeType) -> bool:
    """Return whether code was rewritten."""
    return code in _rewritten


def _copied(function: FunctionType) -> CodeType | Stop:
    code = function.__code__
    if code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        return Stop(f"calls {function.__qualname__}, which is a coroutine: call it outside")
    try:
        definition = definition_of(code, function.__globals__)
        node = rewritten(definition.node, definition.owner, code.co_freevars)
        made = compiled(definition, node, code, RECORDER)
    except NoSourceError as error:
        return Stop(f"calls {function.__qualname__}, and {error}")
    except RewritingError as error:
        where = f"{code.co_filename}:{error.line}"
        return Stop(
            f"{error.construct}, which a recording cannot follow: write it outside", where=where
        )
    except (SyntaxError, RecursionError) as error:
        return Stop(f"calls {function.__qualname__}, which cannot be rewritten: {error}")
    _rewritten.update(codes_in(made))
    return made
