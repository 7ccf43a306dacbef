"""Measure all workloads with all libraries, and write docs/performance.md.

    make bench                                        # in an environment of its own
    python benchmarks/run.py                          # in this one
    python benchmarks/run.py --quick --only chain mlp --libraries project torch floor

Every library measures a workload in a fresh process. In a round each library has its turn, and
ratios are taken within a round. A gradient that differs from the one derived by hand is an error; a
target that is not reached is no error. With ``--quick``, which takes one round, or with
``--libraries``, the figures are printed, and nothing is written.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import adapters
import machine
import page
import targets
import workloads
from comparison import WRONG
from results import FOLDER, Results, load

HERE = Path(__file__).parent
RECORDS = HERE.parent / ".bench" / "pyperf"
"""The records of pyperf for each process. ``python -m pyperf`` shows them."""

COMPARED = ("project", "replayed", "native", "floor", "torch", "jax")
ROUNDS, ROUNDS_OF_OTHERS = 5, 2
"""The libraries of the targets take part in more rounds than the others."""

TIMEOUT = 600.0

MACHINE_CODE = HERE.parent / ".bench" / "machine_code"
"""The code that is kept for other processes. A run begins with none: other sources may have made
that of the run before."""

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}

CHOOSE_KERNELS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Taken away: figures would be those of kernels that users of this machine do not get."""

OURS = ("project", "replayed", "native", "floor")


class WorkerError(Exception):
    """A process that measures has failed."""

    def __init__(self, why: str, wrong: bool) -> None:
        super().__init__(why)
        self.wrong = wrong


def measure(
    workload: str,
    library: str,
    round_: int,
    python: str | Path = sys.executable,
    programs: Path = HERE,
    options: Sequence[str] = (),
) -> dict:
    """Return the results of a fresh process of `python`. `options` are options of worker.py.

    Raises
    ------
    WorkerError
        If the process found a wrong gradient, failed otherwise, or took too long.
    """
    if hasattr(workloads.load(workload), "cases"):
        record = RECORDS / f"{workload}.{library}.{round_}.json"
        command = [python, programs / "worker.py", workload, library, record, *options]
    else:
        command = [python, programs / "workloads" / f"{workload}.py", library]
    try:
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        raise WorkerError(f"took more than {TIMEOUT / 60:.0f} minutes", False) from None
    if done.returncode:
        raise WorkerError((done.stderr.splitlines() or ["failed"])[-1], done.returncode == WRONG)
    return json.loads(done.stdout.splitlines()[-1])


def environment() -> dict[str, str]:
    """Return the environment of the processes that measure."""
    kept = {name: os.environ[name] for name in os.environ if name not in CHOOSE_KERNELS}
    return kept | ONE_THREAD | {"DEZERO_REPLAY_CACHE": str(MACHINE_CODE)}


def measure_all(workload: str, libraries: list[str], rounds: int | None) -> tuple[Results, bool]:
    """Return the results of a workload, and whether all of them are right."""
    results = Results(workload, machine.machine(environment()), machine.versions())
    module, right = workloads.load(workload), True
    taking_part = {
        library: rounds
        or module.ROUNDS.get(library, ROUNDS if library in COMPARED else ROUNDS_OF_OTHERS)
        for library in libraries
    }
    for library in libraries:
        absent = module.LEFT_OUT.get(library) or missing(library)
        if absent:
            results.leave_out(library, "", absent)
            del taking_part[library]
    for round_ in range(max(taking_part.values(), default=0)):
        start = time.monotonic()
        for library in [each for each, number in taking_part.items() if round_ < number]:
            try:
                found = measure(workload, library, round_)
            except WorkerError as failure:
                print(f"{workload}, {library}: {failure}", file=sys.stderr)
                results.discard(library, str(failure))
                right = right and not failure.wrong and library not in OURS
                del taking_part[library]
                continue
            for figure, (value, unit) in found["values"].items():
                results.add(round_, library, figure, value, unit)
            for figure, why in found["absent"].items():
                results.leave_out(library, figure, why)
        print(f"{workload}: round {round_ + 1}, {time.monotonic() - start:.0f} s", flush=True)
    return results, right


def missing(library: str) -> str | None:
    """Return whether a library is missing, and note that it is left out."""
    try:
        importlib.metadata.version(adapters.LIBRARIES[library])
    except importlib.metadata.PackageNotFoundError:
        return "is not installed"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one round, nothing is written")
    parser.add_argument("--only", nargs="+", choices=workloads.WORKLOADS, metavar="WORKLOAD")
    parser.add_argument("--libraries", nargs="+", choices=adapters.LIBRARIES, metavar="LIBRARY")
    options = parser.parse_args()
    libraries = [x for x in adapters.LIBRARIES if x in (options.libraries or adapters.LIBRARIES)]
    keep = not options.quick and not options.libraries
    RECORDS.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(MACHINE_CODE, ignore_errors=True)
    print(f"BLAS of NumPy: {machine.blas(environment())}", flush=True)
    right, measured = True, {}
    for workload in options.only or workloads.WORKLOADS:
        measured[workload], fine = measure_all(workload, libraries, 1 if options.quick else None)
        right = right and fine
        if keep:
            measured[workload].save()
    if keep:
        measured = load(FOLDER)
        subprocess.run([sys.executable, HERE / "shares.py"], env=environment(), check=True)
        page.write(measured)
    else:
        ratios = page.RATIOS | page.COMPILED_RATIOS
        tables = page.times_table(measured, page.NAMES), page.ratios_table(measured, ratios)
        for lines in (*tables, page.left_out(measured)):
            print(*lines, "", sep="\n")
    print(*page.table(targets.HEAD, targets.rows(measured)), sep="\n")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
