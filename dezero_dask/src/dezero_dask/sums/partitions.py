"""Data as numbered partitions, whatever they are given as."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import is_
from typing import Any

import dask

# These have no public names. A tuple of the older form cannot hold a task of the newer one.
from dask._task_spec import Alias, Task, convert_legacy_graph
from dask.delayed import Delayed, delayed
from distributed import Future

from dezero_core import Variable
from dezero_core.extend import shown

from ..errors import PartitionError
from .kernels import some_rows, wrong_data
from .parameters import LocalArray

Rows = list[int | None]


class Partitions:
    """The data of a function, as partitions with numbers from 0 on."""

    def __init__(self, data: Sequence[Any], count: int | None) -> None:
        self._data = list(map(_with_parts, data))
        #: The tasks that make the lazy data.
        self.graph: dict[Any, Any] = {}
        #: The positions of the data that are read in the task, and what reads them.
        self.loaders: dict[int, Callable[[int], Any]] = {}
        if not data:
            raise TypeError("the function takes data after its parameters, in partitions.")
        optimized = iter(_optimized([x for x in data if _is_dask_array(x)]))
        known: dict[int, Rows] = {}
        columns: list[list[Any]] = []
        for position, x in enumerate(data):
            if _is_dask_array(x):
                known[position] = _chunks_of(x, position)
                columns.append(self._blocks(next(optimized), x))
            elif isinstance(x, (list, tuple)):
                known[position] = [_rows_of(part, position, n) for n, part in enumerate(x)]
                columns.append([self._piece(part) for part in x])
            elif callable(x) and not hasattr(x, "shape") and not dask.is_dask_collection(x):
                self.loaders[position] = x
            else:
                raise _no_partitions(x, position)
        self.count = _same_count(known, count)
        #: The rows of each partition, if they are known before it is read.
        self.rows = _same_rows(known, self.count)
        #: The number of all rows, if it is known.
        self.total_rows = None if None in self.rows else sum(n or 0 for n in self.rows)
        #: For each partition the data that its task gets: tasks that make them, keys of the graph,
        #: futures, or `LocalArray`.
        self.pieces = [list(pieces) for pieces in zip(*columns, strict=True)]
        self.pieces = self.pieces or [[] for _ in range(self.count)]
        #: The futures among the data, each with the number of its partition, or None.
        self.futures = self._futures()
        self.graph, self.pieces = _within_tasks(self.graph, self.pieces)

    def are_of(self, data: Sequence[Any]) -> bool:
        """Return whether these are the partitions of the same data: of the same objects."""
        now = list(map(_with_parts, data))
        has_same_lengths = list(map(len, now)) == list(map(len, self._data))
        return has_same_lengths and all(map(is_, chain(*now), chain(*self._data)))

    def _futures(self) -> list[tuple[int | None, Any]]:
        found: dict[int, tuple[int | None, Any]] = {}
        for n, of_one in enumerate(self.pieces):
            found |= {id(x): (n, x) for x in of_one if isinstance(x, Future)}
        for lazy in filter(dask.is_dask_collection, chain(*self._data)):
            for x in _futures_in(dict(lazy.__dask_graph__())):
                found.setdefault(id(x), (None, x))
        return list(found.values())

    def _blocks(self, array: Any, original: Any) -> list[Any]:
        """Return the keys of the chunks of a dask array, and add what makes them to the graph.

        The chunks of an array that was persisted are futures, which optimization leaves out.
        """
        keys = [block.key for block in array.to_delayed(optimize_graph=False).ravel()]
        graph = dict(array.__dask_graph__())
        self.graph |= graph
        missing = [key for key in keys if key not in graph]
        futures = dict(original.__dask_graph__()) if missing else {}
        return [key if key in graph else futures[key] for key in keys]

    def _piece(self, part: Any) -> Any:
        """Return what a task gets for one element of a sequence."""
        if isinstance(part, Future):
            return part
        if not dask.is_dask_collection(part):
            return LocalArray(part)
        lazy = part if isinstance(part, Delayed) else delayed(part)
        self.graph |= dict(lazy.__dask_graph__())
        return lazy.key


def _with_parts(x: Any) -> tuple[Any, ...]:
    """Return the data of one argument, with the elements of a sequence after it."""
    return (x, *x) if isinstance(x, (list, tuple)) else (x,)


def _optimized(arrays: list[Any]) -> list[Any]:
    """Return dask arrays with fewer tasks, as long as none is made twice.

    Dask optimizes each of them alone, and what two arrays share is then made for each.
    """
    graphs = [set(dict(x.__dask_graph__())) for x in arrays]
    if len(set().union(*graphs)) < sum(map(len, graphs)):
        return arrays
    return list(dask.optimize(*arrays))


def _is_dask_array(x: Any) -> bool:
    if not dask.is_dask_collection(x):
        return False
    import dask.array as da  # which takes long to import

    return isinstance(x, da.Array)


def _futures_in(task: Any) -> Iterator[Any]:
    """Yield the futures that a task of a graph takes, at any depth."""
    if isinstance(task, Future):
        yield task
    elif isinstance(task, (list, tuple)):
        for each in task:
            yield from _futures_in(each)
    elif isinstance(task, dict):
        yield from _futures_in(list(task.values()))
    elif hasattr(task, "args") and hasattr(task, "kwargs"):  # the class of tasks is private
        yield from _futures_in([task.args, task.kwargs])


def _within_tasks(
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


def _no_partitions(x: Any, position: int) -> PartitionError:
    if isinstance(x, Variable):
        advice = "Take its array, x.data, and cut it: np.array_split(x.data, 8)."
    elif isinstance(x, (Delayed, Future)):
        advice = "Give a list of them, [x] if it is the only partition."
    elif hasattr(x, "to_dask_array"):
        advice = "Make it a dask array: x.to_dask_array(lengths=True)."
    elif getattr(x, "shape", ()):
        advice = (
            "Cut it: np.array_split(x, 8), or dask.array.from_array(x, chunks=(1000, -1)); [x] is "
            "one partition."
        )
    else:
        advice = (
            "Data in partitions are a dask array, a list or tuple with an array for each "
            "partition, or a function of the number of a partition."
        )
    return wrong_data(f"is data in partitions, got {type(x)}. {advice}", position)


def _chunks_of(x: Any, position: int) -> Rows:
    """Return the rows of each chunk of a dask array; raise if its chunks are not whole rows."""
    if x.ndim == 0:
        raise wrong_data("is a dask array without axes; a partition has rows.", position)
    cut = [axis for axis, chunks in enumerate(x.chunks) if axis and len(chunks) > 1]
    if cut:
        wanted = ", ".join(f"{axis}: -1" for axis in cut)
        raise wrong_data(
            f"is chunked along axis {cut[0]}, and a partition is of whole rows. Write "
            f"x.rechunk({{{wanted}}}).",
            position,
        )
    rows = x.chunks[0]
    if any(n != n for n in rows):
        raise wrong_data(
            "has chunks of unknown numbers of rows. Write x.compute_chunk_sizes(), or give a list "
            "of its blocks: list(x.to_delayed().ravel()).",
            position,
        )
    return [some_rows(n, number, position) for number, n in enumerate(rows)]


def _rows_of(part: Any, position: int, number: int) -> int | None:
    """Return the rows of one element of a sequence, None if they are not known.

    Raise if it is no array with rows.
    """
    if isinstance(part, (Delayed, Future)):
        return None
    shape = getattr(part, "shape", None)
    if not isinstance(shape, tuple) or not shape or isinstance(part, Variable):
        got = f"an array of shape {shape}" if shape == () else shown(reprlib.repr(part))
        raise wrong_data(
            f"is a sequence with an array for each partition, and for partition {number} it has "
            f"{got}, {type(part)}. Write np.asarray(x) for a list of numbers, and x.data for a "
            "Variable.",
            position,
            number,
        )
    if not isinstance(shape[0], int):  # nan, in an array of Dask
        return None
    return some_rows(shape[0], number, position)


def _same_count(known: dict[int, Rows], count: int | None) -> int:
    """Return the number of partitions; raise if arguments differ, or none knows it."""
    counts = {f"argument {position + 1}": len(rows) for position, rows in known.items()}
    if count is not None:
        counts["partitions="] = count
    if not counts:
        raise PartitionError(
            "how many partitions are there? All data are functions of the number of a partition, "
            "so pass partitions= together with the loss: value_and_grad(loss, partitions=8).",
        )
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{n} in {name}" for name, n in counts.items())
        raise PartitionError(
            f"all data have the same number of partitions, got {told}. Chunk them by the same rows."
        )
    found = next(iter(counts.values()))
    if found < 1:
        raise PartitionError(f"there is at least one partition, got {found}.")
    return found


def _same_rows(known: dict[int, Rows], count: int) -> Rows:
    """Return the rows of each partition, where one argument knows them; raise if two differ."""
    found: Rows = [None] * count
    said: dict[int, int] = {}
    for position, rows in known.items():
        for number, n in enumerate(rows):
            if n is None:
                continue
            if found[number] is None:
                found[number], said[number] = n, position
            elif found[number] != n:
                raise PartitionError(
                    f"the rows of a partition are the same in all arguments of the loss, and "
                    f"partition {number} has {found[number]} in argument {said[number] + 1} and "
                    f"{n} in argument {position + 1}. Chunk all data by the same rows: "
                    "y.rechunk({0: x.chunks[0]}).",
                    argument=position + 1,
                    partition=number,
                )
    return found
