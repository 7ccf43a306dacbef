"""`compiled`: a function that records itself, and replays the NumPy calls that it made."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any

from dezero_tools.guessing import did_you_mean

from dezero_core import UnknownOperationError
from dezero_core.extend import parts_of

from .compilation import Compiled


def _require_options(options: dict[str, Any]) -> None:
    """Raise for an option that no call could use."""
    for name in ("max_programs", "max_bytes", "threads"):
        if not (isinstance(options[name], int) and options[name] >= 1):
            raise ValueError(
                f"compiled({name}=) must be a whole number from 1 on, got {options[name]!r}."
            )
    audit = options["audit"]
    if not (audit in (None, "geometric") or (type(audit) is int and audit >= 1)):
        raise ValueError(
            f"compiled(audit=) must be 'geometric', None, or a number of calls, got {audit!r}."
        )
    known = parts_of("executor")
    if options["executor"] not in known:
        guess = did_you_mean(options["executor"], known)
        if options["executor"] == "llvm":
            guess = "It is in dezero-replay-llvm: pip install dezero-replay-llvm"
        raise UnknownOperationError(
            f"no loaded plugin registers the executor {options['executor']!r}. "
            f"{guess or f'Loaded plugins register {chr(44).join(sorted(known))}.'}",
            operation=options["executor"],
            known=tuple(sorted(known)),
        )


def compiled(
    function: Any = None,
    *,
    executor: str | None = None,
    max_programs: int = 8,
    max_bytes: int = 2**30,
    audit: str | int | None = "geometric",
    strict: bool = False,
    threads: int = 1,
    wait: bool = False,
    quiet: bool = False,
) -> Any:
    """Return a function that replays the NumPy calls of `function`.

    The first two calls run a copy of `function` in which each step is seen, and are recorded. From
    the third call on, the NumPy calls that were recorded are made, without Variables, graph and
    engine. Results and effects are the same to the bit. A call that reads another number or object
    than the recorded ones, or arrays of another shape, is eager, and is recorded beside.

    It is a decorator too, of functions and of methods: ``@compiled`` or ``@compiled(strict=True)``.

    Parameters
    ----------
    function : callable
        Takes any objects, and returns nested tuples, lists, dicts and dataclasses of arrays and
        numbers. It may compute gradients by ``backward()`` or `dezero_tools.functional`, draw
        random numbers, and set ``.data`` and ``.grad`` of Variables, attributes, items and arrays.
    executor : str, optional
        The name under which a plugin has registered an executor, which runs the programs. By
        default that of the environment's ``DEZERO_REPLAY_EXECUTOR``, and ``"numpy"`` without one.
    max_programs : int
        How many programs are kept.
    max_bytes : int
        How many bytes all programs may hold together between calls.
    audit : "geometric", int or None
        When a call runs `function` and the program beside it on copies, and compares the two. By
        default this is call 4, and each next one comes after four times as many. A number says
        after how many calls, and None never.
    strict : bool
        Whether to raise a `ReplayError` if a call cannot be replayed, whatever the reason is, and
        none was recorded before.
    threads : int
        How many threads an executor may use. That of NumPy uses those of NumPy.
    wait : bool
        Whether a call waits for an executor that compiles in the background; NumPy's does not.
    quiet : bool
        Whether no `ReplayWarning` is given, for libraries that compile functions of their users.

    Returns
    -------
    Compiled
        Is called like `function`. A result has the type that `function` gives; if that is a
        Variable, it has no graph.

    Raises
    ------
    TypeError
        If `function` cannot be called, is a generator, or is a coroutine.
    ValueError
        If an option has a value that no call could use.
    UnknownOperationError (LookupError)
        If no loaded plugin registers the executor.
    ReplayError (RuntimeError)
        When called: if an audit finds that a program came to another result, after the effects of
        eager code; under `strict`, if the function cannot be replayed. Also when a gradient arrives
        at a result.

    Warns
    -----
    ReplayWarning
        When called, once, if a call stays eager and `quiet` is False: the line, what was found
        there, and what to write.

    Notes
    -----
    A call is eager where an argument is a Variable with a graph, or the result has a graph that
    leads to an argument; inside of `dezero_tools.functional`, of another compiled function, and of
    ``observe``, ``checked`` and ``use_ops`` blocks; under a profiler; and with ``DEZERO_REPLAY=0``
    in the environment. Code without a source file is eager.

    Examples
    --------
    >>> import numpy as np
    >>> from dezero_tools.functional import grad
    >>> slope = compiled(grad(lambda x: np.sum(x**3)))
    >>> for n in range(3):
    ...     print(slope(np.array([1.0, n])))
    [3. 0.]
    [3. 3.]
    [ 3. 12.]
    >>> slope.stats["recorded"], slope.stats["replayed"]
    (2, 1)
    """
    options: dict[str, Any] = {
        "executor": executor or os.environ.get("DEZERO_REPLAY_EXECUTOR") or "numpy",
        "max_programs": max_programs,
        "max_bytes": max_bytes,
        "audit": audit,
        "strict": strict,
        "threads": threads,
        "wait": wait,
        "quiet": quiet,
    }
    _require_options(options)
    if function is None:
        return functools.partial(compiled, **options)
    if not callable(function):
        raise TypeError(f"compiled() takes a function, got {type(function)}.")
    is_coroutine = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    if is_coroutine or inspect.isgeneratorfunction(function):
        raise TypeError(
            f"compiled() takes a function that returns its result, and {function!r} is a "
            "generator or a coroutine. Compile the functions that it calls."
        )
    return Compiled(function, options)
