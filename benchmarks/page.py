"""Write docs/performance.md, the pages and the plots in docs/performance, from the results.

    python benchmarks/page.py            # run.py does this at its end
    python benchmarks/page.py --check    # exits with 1 if they are stale

The texts are in the folder pages. A line ``<!-- name -->`` in one is replaced by computed text.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import figures
import plots
import results
import targets
import workloads
from plots import NAMES, SHOWN
from results import Results

HERE = Path(__file__).parent
TEXTS = HERE / "pages"
SHARES = HERE / "results" / "shares.csv"
DOCS = HERE.parent / "docs"

All = dict[str, Results]

COMPILED = ("jax", "replayed", "native")

NONE = "—"

OTHERS = tuple(name for name in NAMES if name not in SHOWN)
"""The libraries of a table of their own, in which this project is beside them."""

FRONT = {
    "an operation on a number, forward and backward": ("chain", "forward and backward, 0-d"),
    "a training step of a small network": ("mlp", "step, float64"),
    "a training step of logistic regression": ("logistic", "step"),
    "a descent step on Rosenbrock's function": ("rosenbrock", "descent step"),
    "a tenth of an epoch of MNIST": ("mnist", "a tenth of an epoch"),
    "the import": ("imports", "import"),
}
IN_FRONT = ("project", "replayed", "native", "torch", "jax", "autograd", "floor")

RATIOS = {
    "÷ PyTorch": ("project", "torch"),
    "÷ by hand": ("project", "floor"),
    "replayed ÷ PyTorch": ("replayed", "torch"),
    "replayed ÷ by hand": ("replayed", "floor"),
}
COMPILED_RATIOS = {
    "replayed ÷ JAX": ("replayed", "jax"),
    "native ÷ PyTorch": ("native", "torch"),
    "native ÷ JAX": ("native", "jax"),
}

UNITS = {"s": 1.0, "ms": 1e3, "µs": 1e6}


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table of Markdown, aligned so that it can be read as text."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, tuple("-" * width for width in widths), *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(cells)} |"


def scale(values: Iterable[float | None], unit: str) -> tuple[float, str]:
    """Return the factor for the values of a row, and the name of the unit that it leads to."""
    if unit == "byte":
        return 2.0**-20, "MiB"
    if unit == "1":
        return 1.0, "x"
    smallest = min(value for value in values if value is not None)
    name = next((name for name, factor in UNITS.items() if smallest * factor >= 0.5), "µs")
    return UNITS[name], name


def times_table(
    found: All, libraries: Iterable[str] = SHOWN, beside: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield the lines of a table of the medians of libraries, with those of others beside them."""
    asked = tuple(libraries)
    columns = (*beside, *asked)
    rows = []
    for workload, figure, unit in _figures(found):
        values = {name: figures.median(found[workload].rounds(figure, name)) for name in NAMES}
        if any(values[name] is not None for name in asked):
            rows.append((_where(workload, figure), *_row(values, unit, columns)))
    yield from table(("Figure", "", *(NAMES[name] for name in columns)), rows)


def _row(values: dict[str, float | None], unit: str, libraries: Iterable[str]) -> tuple[str, ...]:
    """Return the name of a unit, and values in it."""
    # Compiled programs are much faster, and must not choose the unit.
    eager = [value for library, value in values.items() if library not in COMPILED]
    ours = eager if any(value is not None for value in eager) else list(values.values())
    factor, name = scale(ours, unit)
    return (name, *(number(values[library], factor) for library in libraries))


def ratios_table(found: All, ratios: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of a table of ratios, without rows that have none."""
    rows = []
    for workload, figure, _ in _figures(found):
        rounds = {library: found[workload].rounds(figure, library) for library in NAMES}
        cells = [spread(figures.ratios(rounds[a], rounds[b])) for a, b in ratios.values()]
        if set(cells) != {NONE}:
            rows.append((_where(workload, figure), *cells))
    yield from table(("Figure", *ratios), rows)


def front_table(found: All) -> Iterator[str]:
    """Yield the lines of the table of what the front page tells."""
    rows = []
    for title, (workload, figure) in FRONT.items():
        values = {k: figures.median(found[workload].rounds(figure, k)) for k in NAMES}
        unit, *cells = _row(values, found[workload].units[figure], IN_FRONT)
        rows.append((f"{title}, {unit}", *cells))
    yield from table(("Time of", *(NAMES[name] for name in IN_FRONT)), rows)


def _figures(found: All) -> Iterator[tuple[str, str, str]]:
    """Yield workload, figure and unit of all figures."""
    for workload in _in_order(found):
        for figure, unit in found[workload].units.items():
            yield workload, figure, unit


def _where(workload: str, figure: str) -> str:
    return ", ".join(filter(None, (_title(workload), figure)))


def number(value: float | None, factor: float) -> str:
    """Return a value with three digits."""
    if value is None:
        return NONE
    scaled = value * factor
    return f"{scaled:.3g}" if scaled < 999.5 else f"{scaled:,.0f}"


def spread(values: list[float], digits: int = 2) -> str:
    """Return the median and the quartiles."""
    if not values:
        return NONE
    lower, upper = figures.quartiles(values)
    return f"{figures.median(values):.{digits}f} ({lower:.{digits}f} to {upper:.{digits}f})"


def left_out(found: All) -> Iterator[str]:
    """Yield the lines of the table of missing figures, with the reasons."""
    libraries: dict[tuple[str, str], list[str]] = {}
    for workload in _in_order(found):
        for library, reasons in found[workload].left_out.items():
            for figure, why in reasons.items():
                where = _where(workload, figure)
                libraries.setdefault((where, why), []).append(NAMES[library])
    rows = [(where, ", ".join(names), why) for (where, why), names in libraries.items()]
    yield from table(("Figure", "Library", "Why"), rows)


def shares_table() -> Iterator[str]:
    """Yield the lines of the table of what is recorded, and what is machine code: see shares.py."""
    names, counts = SHARES.read_text(encoding="utf-8").splitlines()
    found = dict(zip(names.split(","), map(int, counts.split(",")), strict=True))
    rest = found["NumPy's"], found["opaque"], found["NumPy's"] + found["alone"]
    whats = (
        "machine code, or one call that is left to NumPy because it is alone",
        "recorded call by call",
        "machine code",
    )
    rows = [
        (what, f"{100 * (1 - left / found['instructions']):.2f}")
        for what, left in sorted(zip(whats, rest, strict=True))
    ]
    yield from table((f"Of {found['instructions']:,} instructions", "%"), rows)


def machines(found: All) -> Iterator[str]:
    """Yield the machine and the versions; more than one only if results were mixed."""
    described = {}
    for result in found.values():
        rows = [*result.machine.items(), *result.versions.items()]
        described[tuple(rows)] = None
    for rows in described:
        yield from table(("", ""), rows)
        yield ""


def _title(workload: str) -> str:
    return workload.replace("_", " ")


def _in_order(found: All) -> list[str]:
    return [workload for workload in workloads.WORKLOADS if workload in found]


def texts(found: All) -> dict[str, str]:
    """Return the pages by their paths in docs."""
    parts = {
        "front page": lambda: front_table(found),
        "machine": lambda: machines(found),
        "targets": lambda: table(targets.HEAD, targets.rows(found)),
        "times": lambda: times_table(found),
        "other times": lambda: times_table(found, OTHERS, beside=("project",)),
        "ratios": lambda: ratios_table(found, RATIOS),
        "compiled ratios": lambda: ratios_table(found, COMPILED_RATIOS),
        "left out": lambda: left_out(found),
        "shares": shares_table,
    }
    drawn = plots.drawable(found)
    for name, (*_, title) in plots.PLOTS.items():
        shown = [f"![{title}](performance/{name}.svg)"] * (name in drawn)
        parts[f"plot {name}"] = shown.copy

    def computed(marker: re.Match[str]) -> str:
        return "\n".join(parts[marker[1]]()).rstrip()

    def page(text: str) -> str:
        written = re.sub(r"^<!-- ([^>]*) -->$", computed, text, flags=re.M)
        return re.sub(r"\n{3,}", "\n\n", written)

    paths = sorted(TEXTS.rglob("*.md"))
    return {p.relative_to(TEXTS).as_posix(): page(p.read_text(encoding="utf-8")) for p in paths}


def write(found: All) -> None:
    """Write the pages and draw the plots."""
    for name, text in texts(found).items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    plots.write(found)


def main(arguments: list[str]) -> int:
    """Write or check the pages and the plots, and return the exit code."""
    parser = argparse.ArgumentParser(description="Write the pages of performance, or check them.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if one is stale")
    check = parser.parse_args(arguments).check
    found = results.load()
    if not check:
        write(found)
        return 0
    stale = [f"docs/performance/{name}.svg" for name in plots.stale(found)]
    for name, text in texts(found).items():
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text:
            stale.append(f"docs/{name}")
    for name in stale:
        print(f"{name} is stale: run python benchmarks/page.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
