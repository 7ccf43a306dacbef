"""The targets of dezero-dask: figures to reach, and whether they are reached."""

from __future__ import annotations

from collections.abc import Callable

import figures
from results import Results
from targets import Target

from . import logistic_regression, one_process, out_of_core, variables, workers
from .values import BY_HAND, DASK_GLM, MAP_REDUCE, PLAIN, REPLAYED, VARIABLES

CORES = 2
"""Of the threads and worker processes that take part."""

A_STEP = 0.01
"""Seconds that a step may take beside its partitions."""

Pick = Callable[[Results], list[float]]


def ratio(figure: str, who: str, other: str) -> Pick:
    """Return a function that finds the ratio of two times in each round."""
    return lambda found: figures.ratios(found.rounds(figure, who), found.rounds(figure, other))


def to_work(figure: str) -> Pick:
    """Return a function for the time of a step less `A_STEP`, in parts of its work on all cores."""
    return lambda found: figures.within_rounds(
        lambda step, work: (step - A_STEP) / (work / CORES),
        found.rounds(figure, MAP_REDUCE),
        found.rounds(figure, REPLAYED),
    )


def a_task(one: str, many: str, tasks: int) -> Pick:
    """Return a function for the milliseconds that one more tiny task takes."""
    return lambda found: figures.within_rounds(
        lambda a, b: (b - a) / (tasks - 1) * 1e3,
        found.rounds(one, MAP_REDUCE),
        found.rounds(many, MAP_REDUCE),
    )


def a_step(figure: str) -> Pick:
    """Return a function for the milliseconds of a step with one tiny task."""
    return lambda found: [x * 1e3 for x in found.rounds(figure, MAP_REDUCE) if x is not None]


def lost(found: Results) -> list[float]:
    """Return the percentage of the speed-up by hand that map-reduce does not have."""
    one, two = map(workers.name, workers.WORKERS)
    speed_ups = (
        figures.ratios(found.rounds(one, who), found.rounds(two, who))
        for who in (MAP_REDUCE, BY_HAND)
    )
    return figures.within_rounds(lambda ours, by_hand: 100.0 * (1.0 - ours / by_hand), *speed_ups)


def peak(way: str) -> Target:
    """Return the target of the memory with data that are larger than it."""
    return Target(
        "out_of_core",
        f"out of core, {way}: peak of a worker",
        2.5,
        "x chunk x threads beyond the imports",
        lambda found: [x for x in found.rounds(f"peak, {way}", MAP_REDUCE) if x is not None],
    )


TIMES_THE_WORK = "x (work / cores), and 10 ms"

TARGETS = (
    Target(
        "one_process",
        "threads, partitions of 50 ms",
        1.15,
        TIMES_THE_WORK,
        to_work(f"{one_process.PARTITIONS} partitions"),
    ),
    Target(
        "workers",
        "2 workers, partitions of 50 ms",
        1.15,
        TIMES_THE_WORK,
        to_work(workers.name(2)),
    ),
    Target("one_process", "threads, a step", 10.0, "ms", a_step("1 tiny")),
    Target("workers", "2 workers, a step", 10.0, "ms", a_step("1 tiny, 2 workers")),
    Target(
        "one_process",
        "threads, a task",
        2.0,
        "ms",
        a_task("1 tiny", f"{one_process.TINY} tiny", one_process.TINY),
    ),
    Target(
        "workers",
        "2 workers, a task",
        2.0,
        "ms",
        a_task("1 tiny, 2 workers", f"{workers.TINY} tiny, 2 workers", workers.TINY),
    ),
    Target(
        "one_process",
        "1 partition in this process",
        1.1,
        "x functional.value_and_grad",
        ratio("1 partition", MAP_REDUCE, PLAIN),
    ),
    Target("workers", "speed-up from 1 to 2 workers", 5.0, "% less than by hand", lost),
    *(peak(f"{way}, {title}") for way in out_of_core.WAYS for title in out_of_core.CLUSTERS),
    Target(
        "variables",
        "Variables, chunks of 50 ms",
        2.0,
        "x map-reduce",
        ratio(f"{variables.CHUNKS} chunks", VARIABLES, MAP_REDUCE),
    ),
    *(
        Target(
            "logistic_regression",
            f"logistic regression, {case}{formula}",
            0.5,
            "x dask-glm",
            ratio(case + formula, MAP_REDUCE, DASK_GLM),
        )
        for case in logistic_regression.CASES
        for formula in logistic_regression.LOSSES
    ),
)


def rows(found: dict[str, Results]) -> list[tuple[str, ...]]:
    """Return the rows of the table under `targets.HEAD`."""
    return [target.row(found) for target in TARGETS]
