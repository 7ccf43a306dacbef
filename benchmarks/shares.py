"""Count how much of the operations is recorded by ``compiled``, and how much is machine code.

    python benchmarks/shares.py                  # prints the shares, and writes them for page.py
    python benchmarks/shares.py --reasons 30     # prints the most frequent reasons alone

Each call of the sample of each operation is recorded with its gradients. The instructions of its
programs are counted: opaque bodies, calls that stay with NumPy, and calls that would become machine
code if they were not alone.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from dezero_replay.passes.passes import simplified, without_dead
from dezero_replay.passes.placing import joined
from dezero_replay.tape.instructions import Guard
from dezero_replay.tape.notes import name_of
from dezero_replay.tape.opaque import OpaqueBackward, OpaqueForward
from dezero_replay_llvm.machine import this_machine
from dezero_replay_llvm.partition import ALONE, Partition
from dezero_tools.functional.tracing import data_of
from dezero_tools.testing import sample_of
from dezero_tools.testing.oracles import direction
from dezero_tools.testing.subject import Subject

from dezero_core import Variable, grad
from dezero_core.extend import operations_of
from dezero_replay import compiled

FILE = Path(__file__).parent / "results" / "shares.csv"
COUNTED = ("instructions", "opaque", "NumPy's", "alone")


def operations() -> Iterator[Any]:
    """Yield the operations with samples of the two packages of NumPy's functions."""
    for plugin in ("basic", "math"):
        yield from (operation for operation in operations_of(plugin) if operation.sample)


def count(of: Iterable[Any]) -> tuple[Counter[str], Counter[str]]:
    """Return how many instructions of operations there are of each kind, and the reasons."""
    found, reasons = Counter(dict.fromkeys(COUNTED, 0)), Counter[str]()
    for operation in of:
        for call in sample_of(operation).calls:
            for program in _programs(Subject(operation, call)):
                _count(program, found, reasons)
    return found, reasons


def _programs(subject: Subject) -> Iterator[Any]:
    step = compiled(_values_and_gradients(subject), audit=None)
    for _ in range(2 if subject.xs else 0):
        step(*[x.copy() for x in subject.xs])
    yield from step.programs


def _values_and_gradients(subject: Subject) -> Callable[..., Any]:
    def function(*xs: Any) -> Any:
        variables = [Variable(x) for x in xs]
        ys = subject.outputs(variables)
        roots = [y for y in ys if isinstance(y, Variable) and y.creator is not None]
        if not roots or not subject.operation.differentiable:
            return [data_of(y) for y in ys]
        weights = [direction(y, 1, index) for index, y in enumerate(roots)]
        return [*map(data_of, ys), *grad(roots, variables, grad_outputs=weights)]

    return function


def _count(program: Any, found: Counter[str], reasons: Counter[str]) -> None:
    graph = without_dead(joined(simplified(program.usual), meeting=True))
    found["instructions"] += sum(type(each) is not Guard for each in graph.instructions)
    for each, why in Partition(graph, this_machine(), {}).reasons:
        if type(each) is Guard:
            continue
        if isinstance(each.call, (OpaqueForward, OpaqueBackward)):
            found["opaque"] += 1
            why = f"opaque: {each.region.why}"
        found["alone" if why == ALONE else "NumPy's"] += 1
        reasons[f"{why}: {name_of(each)}"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--reasons", type=int, default=0, help="so many reasons, nothing is written"
    )
    options = parser.parse_args()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found, reasons = count(operations())
    for why, times in reasons.most_common(options.reasons):
        print(f"{times:6} {why}")
    print(", ".join(f"{what}: {found[what]}" for what in COUNTED))
    if not options.reasons:
        rows = (",".join(COUNTED), ",".join(str(found[what]) for what in COUNTED))
        FILE.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
