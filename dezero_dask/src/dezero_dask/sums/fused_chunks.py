"""Chunks that are made inside of the tasks of their partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

# These have no public names. A tuple of the older form cannot hold a task of the newer one.
from dask._task_spec import Alias, Task, convert_legacy_graph
from distributed import Future


def within_tasks(
    graph: dict[Any, Any], pieces: Sequence[Sequence[Any]]
) -> tuple[dict[Any, Any], list[list[Any]]]:
    """Let the task of a partition make the chunks that it alone needs.

    Where a chunk has a task of its own, a worker reads some ahead, keeps them, and sends them to
    other workers. Only tasks in a row are moved: branches stay tasks of their own, which may run
    at the same time.

    `pieces` are, for each partition, the data that its task gets: those that are keys of the graph
    are chunks. Return the tasks of the graph that stay, and the pieces with a task in place of the
    key of each chunk that was moved.
    """
    left = dict(graph)  # and futures are left as they are
    tasks = {key: task for key, task in graph.items() if not isinstance(task, Future)}
    left |= convert_legacy_graph(tasks, set(graph))
    uses = Counter(needed for key in tasks for needed in left[key].dependencies)
    uses.update(x for of_one in pieces for x in of_one if _is_key(x, left))
    return left, [[_fused_task(x, left, uses) for x in of_one] for of_one in pieces]


def _fused_task(piece: Any, graph: dict[Any, Any], uses: Counter[Any]) -> Any:
    """Take the tasks that make a chunk out of the graph, and return them as one."""
    row: list[Any] = []
    keys = [piece] if _is_key(piece, graph) else []
    while len(keys) == 1:
        (key,) = keys
        if not isinstance(graph[key], (Task, Alias)) or uses[key] > 1:
            break
        row.append(graph.pop(key))
        keys = [known for known in row[-1].dependencies if known in graph]
    return Task.fuse(*row) if row else piece


def _is_key(piece: Any, graph: dict[Any, Any]) -> bool:
    return isinstance(piece, (str, tuple)) and piece in graph
