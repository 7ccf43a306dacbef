"""The targets: figures to reach, and whether they are reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import figures
from results import Results
from workloads.fan_out import NODES
from workloads.imports import DISTRIBUTIONS


@dataclass(frozen=True)
class Target:
    """One figure to reach.

    Attributes
    ----------
    workload : str
    what : str
    limit : float
    unit : str
        The unit, written after the limit.
    rounds : callable
        Takes the results of the workload; returns the figure of each round.
    """

    workload: str
    what: str
    limit: float
    unit: str
    rounds: Callable[[Results], list[float]]

    def row(self, results: dict[str, Results]) -> tuple[str, str, str, str]:
        """Return the cells of the table."""
        limit = f"{self.limit:g} {self.unit}"
        found = self.rounds(results[self.workload]) if self.workload in results else []
        if not found:
            return self.what, limit, "—", "not measured"
        reached = "reached" if median(found) <= self.limit else "**not reached**"
        lower, upper = figures.quartiles(found)
        return self.what, limit, f"{median(found):.3g} ({lower:.3g} to {upper:.3g})", reached


HEAD = ("Figure", "To reach, at most", "Measured", "")


def rows(results: dict[str, Results]) -> list[tuple[str, ...]]:
    """Return the rows of the table under `HEAD`."""
    return [target.row(results) for target in TARGETS]


def times(workload: str, figure: str, other: str, limit: float, what: str) -> Target:
    """Return the target that this project takes `limit` times as long as another library."""
    return Target(
        workload,
        what,
        limit,
        "x PyTorch" if other == "torch" else "x NumPy by hand",
        lambda found: figures.ratios(found.rounds(figure, "project"), found.rounds(figure, other)),
    )


def growth(found: Results, graph: str, library: str = "project") -> list[float]:
    """Return the exponent of the time by the number of nodes, in each round."""
    sizes = list(NODES.values())
    measured = [found.rounds(f"{graph}, {size} nodes", library) for size in NODES]
    return figures.within_rounds(
        # The figures are times per node.
        lambda *each: figures.exponent(sizes, [n * t for n, t in zip(sizes, each, strict=True)]),
        *measured,
    )


def _over_imports(found: Results) -> list[float]:
    """Return the rise of the experiment's peak over the imports, less that of NumPy, in MiB."""
    return figures.within_rounds(
        lambda peak, imports, peak_by_hand, imports_by_hand: (
            (peak - imports - (peak_by_hand - imports_by_hand)) / 2**20
        ),
        *(
            found.rounds(figure, library)
            for library in ("project", "floor")
            for figure in ("peak", "after the imports")
        ),
    )


def _import(found: Results) -> list[float]:
    """Return the time of the import, less that of NumPy, in milliseconds."""
    measured = (found.rounds("import", library) for library in ("project", "floor"))
    return figures.within_rounds(lambda ours, numpy: (ours - numpy) * 1e3, *measured)


def _distributions(found: Results) -> list[float]:
    """Return the additional time of the import for each distribution, in milliseconds."""
    names = f"import, beside {DISTRIBUTIONS} other distributions", "import"
    return figures.within_rounds(
        lambda beside, alone: (beside - alone) * 1e3 / DISTRIBUTIONS,
        *(found.rounds(name, "project") for name in names),
    )


TARGETS = (
    times("chain", "forward and backward, 0-d", "torch", 0.5, "chain, 0-d, forward and backward"),
    times("chain", "forward and backward, 1", "torch", 0.5, "chain, 1 element, both"),
    times("chain", "forward, 1", "torch", 0.65, "chain, 1 element, forward"),
    times("chain", "forward under no_grad, 1", "torch", 0.65, "chain, 1 element, under no_grad"),
    times("chain", "forward and backward, 1k", "torch", 0.6, "chain, 1k elements, both"),
    times("chain", "forward and backward, 100k", "torch", 1.0, "chain, 100k elements, both"),
    *(
        target
        for graph in ("fan-out", "wide")
        for target in (
            Target(
                "fan_out",
                f"{graph} graph, exponent of growth",
                1.1,
                "",
                lambda found, graph=graph: growth(found, graph),
            ),
            *(
                times("fan_out", f"{graph}, {size} nodes", "torch", 1.0, f"{graph}, {size} nodes")
                for size in NODES
            ),
        )
    ),
    times("deep", "forward and backward", "torch", 0.6, "deep chain, an operation"),
    Target(
        "deep",
        "deep chain, release of an operation",
        0.5,
        "µs",
        lambda found: [seconds * 1e6 for seconds in found.rounds("release", "project") if seconds],
    ),
    times("rosenbrock", "descent step", "torch", 0.45, "Rosenbrock, a descent step"),
    times("mlp", "step, float64", "torch", 0.8, "MLP float64, a step"),
    times("mlp", "step, float64", "floor", 1.3, "MLP float64, a step"),
    times("mlp", "step, float32", "torch", 0.8, "MLP float32, a step"),
    times("mlp", "step, float32", "floor", 1.3, "MLP float32, a step"),
    times("logistic", "step", "torch", 1.0, "logistic regression, a step"),
    times("logistic", "step", "floor", 1.2, "logistic regression, a step"),
    times("elementwise", "forward and backward", "floor", 1.05, "a million elements, elementwise"),
    Target(
        "elementwise",
        "a million elements, peak",
        5.0,
        "x the input",
        lambda found: [x for x in found.rounds("peak over the input", "project") if x is not None],
    ),
    times("step17", "peak", "floor", 1.05, "step 17, peak"),
    Target("step17", "step 17, peak over the imports", 2.0, "MiB more than by hand", _over_imports),
    Target("imports", "import of all three", 25.0, "ms more than NumPy's", _import),
    Target("imports", "import, per unrelated distribution", 0.02, "ms", _distributions),
)
