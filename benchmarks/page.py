"""Write docs/performance.md and its plots from the results.

    python benchmarks/page.py            # run.py does this at its end
    python benchmarks/page.py --check    # exits with 1 if they are stale

The text is in page.md. A line ``<!-- name -->`` in it is replaced by computed text.
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
from plots import NAMES
from results import Results

HERE = Path(__file__).parent
TEXT = HERE / "page.md"
PAGE = HERE.parent / "docs" / "performance.md"

All = dict[str, Results]

COMPILED = ("jax", "replayed", "native")

RATIOS = {
    "÷ PyTorch": ("project", "torch"),
    "÷ by hand": ("project", "floor"),
    "replayed ÷ PyTorch": ("replayed", "torch"),
    "replayed ÷ by hand": ("replayed", "floor"),
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


def figures_table(found: All) -> Iterator[str]:
    """Yield the lines of the table of all figures."""
    head = ("Workload", "Figure", "", *NAMES.values(), *RATIOS)
    yield from table(head, _figures(found))


def _figures(found: All) -> Iterator[tuple[str, ...]]:
    for workload in _in_order(found):
        for figure, unit in found[workload].units.items():
            rounds = {library: found[workload].rounds(figure, library) for library in NAMES}
            values = {library: figures.median(each) for library, each in rounds.items()}
            # Compiled programs are much faster, and must not choose the unit.
            eager = [value for library, value in values.items() if library not in COMPILED]
            ours = eager if any(value is not None for value in eager) else list(values.values())
            factor, name = scale(ours, unit)
            cells = [number(value, factor) for value in values.values()]
            ratios = [
                spread(figures.ratios(rounds[library], rounds[other]))
                for library, other in RATIOS.values()
            ]
            yield (_title(workload), figure, name, *cells, *ratios)


def number(value: float | None, factor: float) -> str:
    """Return a value with three digits."""
    if value is None:
        return "—"
    scaled = value * factor
    return f"{scaled:.3g}" if scaled < 999.5 else f"{scaled:,.0f}"


def spread(values: list[float], digits: int = 2) -> str:
    """Return the median and the quartiles."""
    if not values:
        return "—"
    lower, upper = figures.quartiles(values)
    return f"{figures.median(values):.{digits}f} ({lower:.{digits}f} to {upper:.{digits}f})"


def left_out(found: All) -> Iterator[str]:
    """Yield the lines of the table of missing figures, with the reasons."""
    libraries: dict[tuple[str, str], list[str]] = {}
    for workload in _in_order(found):
        for library, reasons in found[workload].left_out.items():
            for figure, why in reasons.items():
                where = ", ".join(filter(None, (_title(workload), figure)))
                libraries.setdefault((where, why), []).append(NAMES[library])
    rows = [(where, ", ".join(names), why) for (where, why), names in libraries.items()]
    yield from table(("Figure", "Library", "Why"), rows)


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


def text(found: All) -> str:
    """Return the whole page."""
    parts = {
        "machine": machines(found),
        "targets": table(targets.HEAD, targets.rows(found)),
        "figures": figures_table(found),
        "left out": left_out(found),
    }
    drawn = plots.drawable(found)
    for name, (*_, title) in plots.PLOTS.items():
        parts[f"plot {name}"] = [f"![{title}](performance/{name}.svg)"] * (name in drawn)

    def computed(marker: re.Match[str]) -> str:
        return "\n".join(parts[marker[1]]).rstrip()

    written = re.sub(r"^<!-- ([^>]*) -->$", computed, TEXT.read_text(encoding="utf-8"), flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", written)


def write(found: All) -> None:
    """Write the page and draw the plots."""
    PAGE.write_text(text(found), encoding="utf-8")
    plots.write(found)


def main(arguments: list[str]) -> int:
    """Write or check the page and the plots, and return the exit code."""
    parser = argparse.ArgumentParser(description="Write docs/performance.md, or check it.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is stale")
    check = parser.parse_args(arguments).check
    found = results.load()
    if not check:
        write(found)
        return 0
    stale = [f"docs/performance/{name}.svg" for name in plots.stale(found)]
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text(found):
        stale.append("docs/performance.md")
    for name in stale:
        print(f"{name} is stale: run python benchmarks/page.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
