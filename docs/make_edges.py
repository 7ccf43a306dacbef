"""Write docs/edges.md, and docs/edges: gradients where there is no ordinary derivative.

    python docs/make_edges.py            # writes them
    python docs/make_edges.py --check    # exits with 1 if one is stale, or wrong

The cases are in docs/edge_cases, with the gradients that are expected. The values are computed;
so are the gradients, and compared. The columns of PyTorch and JAX are filled in by
`benchmarks/edges.py`, which asks them.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from edge_cases import FAMILIES, INTRODUCTION, Case, Family, written

from dezero_core import Variable
from dezero_ops_math import log_softmax, logsumexp, relu, sigmoid, softmax

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

OURS = (logsumexp, log_softmax, relu, sigmoid, softmax)
NAMES = {"np": np, **{function.__name__: function for function in OURS}}
HEAD = ("Where", "Value", "Gradient here", "PyTorch", "JAX", "Why")


def value(case: Case) -> str:
    """Return the value as the page has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return written(result(case, variables(case)).data)
        except Exception as error:
            return f"raises {type(error).__name__}"


def gradient(case: Case) -> str:
    """Return the gradients as the page has them."""
    xs = variables(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            y = result(case, xs)
        except Exception:
            return "—"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            differentiate(y, xs, case.twice)
        except Exception as error:
            return f"raises {type(error).__name__}"
    return ", ".join(written(x.grad) for x in xs.values()) + "*" * bool(caught)


def variables(case: Case) -> dict[str, Variable]:
    """Return the inputs as new Variables."""
    return {name: Variable(array) for name, array in case.inputs().items()}


def result(case: Case, xs: dict[str, Variable]) -> Any:
    """Return what the call gives for inputs, which need not be those of the case."""
    return eval(case.code, NAMES | xs)


def differentiate(y: Variable, xs: dict[str, Variable], twice: bool) -> None:
    """Leave the gradients in ``.grad``."""
    y.backward(create_graph=twice)
    if twice:
        gradients = [x.grad for x in xs.values()]
        for x in xs.values():
            x.cleargrad()
        for each in gradients:
            each.backward()


def mistakes() -> list[str]:
    """Return where the cases say something else than what happens, in sentences."""
    found = []
    for family in FAMILIES:
        for case in family.cases:
            got = gradient(case)
            if got != case.gradient:
                found.append(f"The gradient of {case} is {got}, and not {case.gradient}.")
            for peer, theirs in (("PyTorch", case.torch), ("JAX", case.jax)):
                if theirs == case.gradient:
                    found.append(f"{peer} is said to differ in {case}, and does not.")
    return found


def rows(family: Family) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table."""
    for case in family.cases:
        where = f"`{case.code}`, twice" if case.twice else f"`{case.code}`"
        peers = (
            theirs if theirs == "same" else marked(theirs) for theirs in (case.torch, case.jax)
        )
        yield (
            f"{where}<br>`{case.at}`",
            marked(value(case)),
            marked(case.gradient),
            *peers,
            case.why,
        )


def marked(text: str) -> str:
    """Return a cell in which Markdown leaves the stars and brackets alone."""
    return text.replace("*", r"\*")


def table(head: tuple[str, ...], body: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one."""
    for row in (head, ("---",) * len(head), *body):
        yield f"| {' | '.join(row)} |"
    yield ""


def path_of(family: Family) -> str:
    """Return the path of the page of a family, in docs."""
    return f"edges/{re.sub('[^a-z]+', '_', family.title.lower())}.md"


def families() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of families."""
    for family in FAMILIES:
        peers = ([getattr(case, peer) for case in family.cases] for peer in ("torch", "jax"))
        agree = (str(theirs.count("same")) for theirs in peers)
        yield f"[{family.title}]({path_of(family)})", str(len(family.cases)), *agree


def pages() -> dict[str, str]:
    """Return the texts by their paths in docs."""
    head = ("Family", "Cases", "PyTorch has the same", "JAX has the same")
    contents = [path_of(family).removesuffix(".md") for family in FAMILIES]
    listed = "\n".join(table(head, families()))
    summary = [
        INTRODUCTION.strip().replace("<!-- families -->\n", listed),
        "",
        *("```{toctree}", ":hidden:", "", *contents, "```"),
    ]
    found = {"edges.md": summary}
    for family in FAMILIES:
        found[path_of(family)] = [
            f"# Edge cases: {family.title}",
            "",
            family.introduction.strip(),
            "",
            *table(HEAD, rows(family)),
            "[How to read the table](../edges.md#how-to-read-the-tables)",
        ]
    return {path: "\n".join(lines).rstrip() + "\n" for path, lines in found.items()}


def main(arguments: list[str]) -> int:
    """Write the pages, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the pages of edges, or check them.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if one is stale")
    check = parser.parse_args(arguments).check
    problems = mistakes()
    for name, text in pages().items():
        path = DOCS / name
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            problems.append(f"docs/{name} is stale: run python docs/make_edges.py")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
