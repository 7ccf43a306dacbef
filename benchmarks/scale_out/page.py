"""Write docs/performance_dask.md from the results.

    cd benchmarks && python -m scale_out.page            # python -m scale_out does this at its end
    cd benchmarks && python -m scale_out.page --check    # exits with 1 if it is stale

The text is in page.md. A line ``<!-- name -->`` in it is replaced by computed text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import figures
import results
import targets as of_numpy
from page import machines, number, scale, table
from results import Results

from . import WORKLOADS, targets
from .values import COMPARED

HERE = Path(__file__).parent
FOLDER = HERE / "results"
TEXT = HERE / "page.md"
PAGE = HERE.parents[1] / "docs" / "performance_dask.md"

All = dict[str, Results]


def figures_table(found: All) -> Iterator[str]:
    """Yield the lines of the table of all figures."""
    rows = []
    for workload in in_order(found):
        for figure, unit in found[workload].units.items():
            values = [figures.median(found[workload].rounds(figure, who)) for who in COMPARED]
            factor, name = scale(values, unit)
            cells = [number(value, factor) for value in values]
            rows.append((f"{workload.replace('_', ' ')}, {figure}", name, *cells))
    yield from table(("Figure", "", *COMPARED), rows)


def left_out(found: All) -> Iterator[str]:
    """Yield the lines about what failed."""
    for workload in in_order(found):
        for reasons in found[workload].left_out.values():
            for figure, why in reasons.items():
                where = ", ".join(filter(None, (workload.replace("_", " "), figure)))
                yield f"Left out: {where}, which {why}."


def in_order(found: All) -> list[str]:
    """Return the names of the workloads that were measured."""
    return [workload for workload in WORKLOADS if workload in found]


def text(found: All) -> str:
    """Return the whole page."""
    parts = {
        "machine": machines(found),
        "targets": table(of_numpy.HEAD, targets.rows(found)),
        "figures": figures_table(found),
        "left out": left_out(found),
    }

    def computed(marker: re.Match[str]) -> str:
        return "\n".join(parts[marker[1]]).rstrip()

    written = re.sub(r"^<!-- ([^>]*) -->$", computed, TEXT.read_text(encoding="utf-8"), flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", written)


def write() -> None:
    """Write the page from the stored results."""
    PAGE.write_text(text(results.load(FOLDER)), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write or check the page, and return the exit code."""
    if arguments != ["--check"]:
        write()
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text(results.load(FOLDER)):
        return 0
    print("docs/performance_dask.md is stale: run python -m scale_out.page", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
