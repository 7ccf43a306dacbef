"""Measure two versions of this project by turns, and print the ratios of their figures.

    make bench-against BASE=main                       # each in an environment of its own
    make bench-against BASE=v0.1 BENCHFLAGS="--only chain mlp --turns 31"
    make bench-against BASE=main BENCHFLAGS="--library native"     # by machine code

*Old* is the commit, *new* is this working tree as it is. In a turn each of them measures a workload
in a fresh process, and the ratio is taken within the turn, since two separate runs of one version
differ by 5 %. The workloads are those of the working tree. Each version uses its own `adapters/`,
which call the project.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import figures
import page
import run
import workloads
from results import Results

HERE = Path(__file__).parent
PLACE = HERE.parent / ".bench" / "against"

TURNS = 15
LIMIT = 1.03
"""Up to this ratio two versions are not told apart."""

OURS = ("project", "replayed", "native")
"""The libraries of a comparison that are this project: eager, and two ways to replay."""

HEAD = ("Workload", "Figure", "", "old", "new", "new ÷ old", "")


@dataclass(frozen=True)
class Version:
    """An installed version of this project.

    Attributes
    ----------
    name : str
        ``old`` or ``new``.
    python : Path
        The interpreter of the environment.
    programs : Path
        The folder of the programs that measure.
    """

    name: str
    python: Path
    programs: Path


def unpack(base: str, tree: Path, repository: Path = HERE.parent) -> None:
    """Put the files of a commit into a folder, with the workloads of the working tree.

    Raises
    ------
    SystemExit
        If there is no such commit, or if it has no benchmarks.
    """
    archive = subprocess.run(
        ["git", "archive", "--format=tar", base], cwd=repository, capture_output=True
    )
    if archive.returncode:
        raise SystemExit(f"BASE must be a commit, got {base!r}: {archive.stderr.decode()}")
    shutil.rmtree(tree, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(tree, filter="data")
    programs = tree / "benchmarks"
    if not (programs / "adapters" / "project.py").exists():
        raise SystemExit(f"{base} has no benchmarks/adapters/project.py, and cannot be measured.")
    others = shutil.ignore_patterns("adapters", "results", "__pycache__")
    shutil.copytree(HERE, programs, ignore=others, dirs_exist_ok=True)


def install(name: str, tree: Path) -> Version:
    """Install all distributions of a tree in an environment of their own."""
    environment = PLACE / name
    subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
    python = environment / "bin" / "python"
    pinned = ("--constraint", HERE / "requirements.txt", "numpy", "pyperf", "scipy")
    distributions = sorted(project.parent for project in tree.glob("dezero_*/pyproject.toml"))
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([python, *pip, *pinned, *distributions], check=True)
    return Version(name, python, tree / "benchmarks")


def by_turns(
    workload: str, versions: tuple[Version, Version], turns: int, library: str = "project"
) -> Results:
    """Return the results of a workload: the versions stand in place of libraries.

    Raises
    ------
    WorkerError
        If a version fails, with its name.
    """
    found = Results(workload, {}, {})
    for turn in range(turns):
        start = time.monotonic()
        # The versions take turns to begin: a machine that gets warmer slows the second one.
        for version in versions if turn % 2 else reversed(versions):
            try:
                measured = run.measure(
                    workload, library, turn, version.python, version.programs, ["--brief"]
                )
            except run.WorkerError as failure:
                raise run.WorkerError(f"{version.name}: {failure}", failure.wrong) from None
            for figure, (value, unit) in measured["values"].items():
                found.add(turn, version.name, figure, value, unit)
        print(f"{workload}: turn {turn + 1}, {time.monotonic() - start:.0f} s", flush=True)
    return found


def rows(found: Results) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table under `HEAD`."""
    for figure, unit in found.units.items():
        old, new = found.rounds(figure, "old"), found.rounds(figure, "new")
        ratios = figures.ratios(new, old)
        medians = figures.median(old), figures.median(new)
        factor, name = page.scale(medians, unit)
        cells = [page.number(value, factor) for value in medians]
        above = bool(ratios) and figures.median(ratios) > LIMIT
        mark = f"above {LIMIT}" if above else ""
        yield found.workload, figure, name, *cells, page.spread(ratios, digits=3), mark


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", metavar="COMMIT", help="the version to compare with")
    parser.add_argument("--only", nargs="+", choices=workloads.WORKLOADS, metavar="WORKLOAD")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"default: {TURNS}")
    parser.add_argument("--library", choices=OURS, default=OURS[0], help=f"default: {OURS[0]}")
    options = parser.parse_args(arguments)
    os.environ.pop("PYTHONPATH", None)  # one version would be imported in both environments
    tree = PLACE / "tree"
    unpack(options.base, tree)
    versions = install("old", tree), install("new", HERE.parent)
    run.RECORDS.mkdir(parents=True, exist_ok=True)
    table, failures = [], []
    for workload in options.only or workloads.WORKLOADS:
        try:
            table += rows(by_turns(workload, versions, options.turns, options.library))
        except run.WorkerError as failure:
            failures.append(f"{workload}, {failure}")
    print(*page.table(HEAD, table), *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
