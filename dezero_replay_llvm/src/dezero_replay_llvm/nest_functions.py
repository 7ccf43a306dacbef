"""Nests as functions of a table of addresses: who calls one needs nothing but the table.

Short nests of one form, such as the products of a recorded loop, share a function: it gets the
addresses of the arrays as parameters, too.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

from .bodies import Piece
from .factorizations import FactorizationWriter
from .ir import I32, I64, Function, Module, V, i64, literal
from .loop_plans import CHUNKS, LONG, LoopPlan, accesses
from .loops import Loops
from .machine import RAISED
from .memory import Bases, Memory
from .nest import Nest
from .nests import Schedule
from .position_writer import IndexedWriter
from .products import ProductWriter
from .round_writer import RoundsWriter
from .sort_writer import SortWriter
from .steps import Array, Factorization, Indexed, Product, Rounds, Sort, digits, text_of

Call = Callable[..., None]
"""Writes a call into the function that is given first, with the other arguments."""

_WRITERS: dict[Any, Any] = {
    Product: ProductWriter,
    Factorization: FactorizationWriter,
    Indexed: IndexedWriter,
    Sort: SortWriter,
}
"""Steps that have loops of their own -> what writes them."""

_RAISED = literal(RAISED, I32)

_MOST_SHARED = 16
"""The most steps, and arrays, of a function that several nests share."""

_MOST_CALLS = 50
"""The most calls of one function: the time of compilation grows faster than they do."""


class NestFunctions:
    """Writes functions into a module; their names begin with `name`."""

    def __init__(
        self, module: Module, name: str, memory: Memory, stored: set[Any], threads: int
    ) -> None:
        self._module, self._name, self._memory, self._stored = module, name, memory, stored
        self._threads = threads
        #: By the form of the nest.
        self._shared: dict[str, Call] = {}

    def call_of_all(self, nests: list[Nest]) -> Call:
        """Write nests; return what writes a call of all, with the table as its argument."""
        calls = [self._nest(f"{self._name}_{n}", nest) for n, nest in enumerate(nests)]
        groups = [calls[n : n + _MOST_CALLS] for n in range(0, len(calls), _MOST_CALLS)]
        if len(groups) > 1:
            groups = [[self._group(n, group) for n, group in enumerate(groups)]]

        def call(f: Function, table: V) -> None:
            for each in (each for group in groups for each in group):
                each(f, table)

        return call

    def _group(self, n: int, calls: list[Call]) -> Call:
        def write(f: Function, bases: Bases) -> None:
            for call in calls:
                call(f, f.parameters[0])

        return self._function(f"{self._name}_group_{n}", write)

    def _nest(self, name: str, nest: Nest) -> Call:
        """Write a nest as functions; return what writes calls of them."""
        if isinstance(step := nest.steps[0], Rounds):
            return self._rounds(name, step)
        arrays = list(accesses(nest, self._stored))
        is_short = max(len(nest.steps), len(arrays)) <= _MOST_SHARED
        if not is_short or prod(nest.shape) >= LONG:
            return self._written(name, nest, [])
        form = _form(nest, arrays)
        if form not in self._shared:
            self._shared[form] = self._written(name, nest, arrays)
        shared = self._shared[form]

        def call(f: Function, table: V) -> None:
            bases = Bases(self._memory, f, table)
            shared(f, table, *map(bases.of, arrays))

        return call

    def _rounds(self, name: str, step: Rounds) -> Call:
        """Write a loop with the functions of its body."""
        schedule = Schedule(step.body, step.wanted)
        memory = Memory([*step.inputs, *step.wanted], [], schedule)
        counters = [*self._memory.counters, step.loop.counter]
        memory.counters = {each: memory.scratch + 1 + n for n, each in enumerate(counters)}
        if self._memory.signals is not None:
            memory.signals_slot = memory.signals = memory.scratch + 1 + len(counters)
        functions = NestFunctions(self._module, name, memory, schedule.stored, self._threads)
        body = functions.call_of_all(schedule.nests)
        return self._function(name, lambda *to: RoundsWriter(step, memory, body, *to).write())

    def _written(self, name: str, nest: Nest, arrays: list[Array]) -> Call:
        """Write a function of the table, and of the addresses of some arrays."""
        step, count = nest.steps[0], 1 + len(arrays)
        writer = _WRITERS.get(type(step))
        if writer is not None:
            return self._function(name, lambda *to: writer(step, *to).write(), count, arrays)
        plan = LoopPlan(nest, self._module.machine, self._stored, self._memory)
        pieces = [
            self._function(
                f"{name}_{n}",
                lambda *to, n=n: Piece(plan, n, *to).write(),
                Piece.parameters(plan),
            )
            for n in range(len(plan.pieces))
        ]
        if not plan.chunk:
            return self._function(name, lambda *to: Loops(plan, pieces, *to).write(), count, arrays)
        calls = [
            self._function(f"{name}_first", lambda *to: Loops(plan, pieces, *to).write_first()),
            self._chunks(f"{name}_chunks", lambda *to: Loops(plan, pieces, *to).write_chunks()),
            self._function(f"{name}_last", lambda *to: Loops(plan, pieces, *to).write_last()),
        ]

        def call(f: Function, table: V) -> None:
            for each in calls:
                each(f, table)

        return call

    def _function(
        self,
        name: str,
        write: Callable[[Function, Bases], None],
        parameters: int = 1,
        arrays: list[Array] | None = None,
    ) -> Call:
        """Write a function of the table, and of other whole numbers; return what writes a call.

        These numbers are the addresses of `arrays`, if it has some.
        """
        f = Function(self._module, name, [I64] * parameters)
        given = dict(zip(arrays or (), f.parameters[1:], strict=False))
        write(f, Bases(self._memory, f, f.parameters[0], given))
        f.back()
        self._module.add(f)
        return lambda caller, *arguments: caller.call_void(name, *arguments, declare=False)

    # Threads.

    def _chunks(self, name: str, write: Callable[[Function, Bases], None]) -> Call:
        """Let threads share the chunks: each runs some of them, the one that calls the first."""
        run = self._function(name, write, parameters=3)
        if self._threads > 1:
            self._thread(name, run)
        cuts = [CHUNKS * part // self._threads for part in range(self._threads + 1)]
        (_, own), *others = [(i64(a), i64(b)) for a, b in pairwise(cuts) if a != b]

        def call(f: Function, table: V) -> None:
            threads = []
            for first, last in others:
                thread, given = f.space(1), f.space(4)
                for place, value in enumerate((table, first, last)):
                    f.store(value, f.add(given, 8 * place))
                begin = f.address_of(f"{name}_thread", [I64], I64)
                status = f.call("pthread_create", I32, thread, i64(0), begin, given)
                runs = f.compare("icmp eq", status, literal(0, I32))
                threads.append((thread, given, runs))
            run(f, table, i64(0), own)
            for (first, last), (thread, given, runs) in zip(others, threads, strict=True):
                with f.when(runs):
                    f.call("pthread_join", I32, f.load(thread, I64), i64(0))
                    f.call("feraiseexcept", I32, f.load(f.add(given, 24), I32))
                with f.when(f.negation(runs)):  # there is no thread to be had
                    run(f, table, first, last)

        return call

    def _thread(self, name: str, run: Call) -> None:
        """Write the function that a thread begins with; its state of errors is its own."""
        f = Function(self._module, f"{name}_thread", [I64], I64)
        (given,) = f.parameters
        f.call("feclearexcept", I32, _RAISED)
        table, first, last = (f.load(f.add(given, 8 * place), I64) for place in range(3))
        run(f, table, first, last)
        f.store(f.call("fetestexcept", I32, _RAISED), f.add(given, 24))
        f.back(i64(0))
        self._module.add(f)


def _form(nest: Nest, arrays: list[Array]) -> str:
    """Return all that the function of a nest depends on, but for where the arrays are."""
    numbers = {x: f"@{n}" for n, x in enumerate(arrays)}
    made: dict[Array, str] = {}

    def operand(x: Any) -> str:
        if not isinstance(x, Array):
            return digits(x)
        name = numbers.get(x, "")
        if nest.has(x):
            name += made.setdefault(x, f"%{len(made)}")
        return f"{name}{x.shape}{x.strides}{x.dtype.str}"

    return "\n".join([f"{nest.shape} {nest.inner}", *(text_of(x, operand) for x in nest.steps)])
