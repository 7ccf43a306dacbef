"""The places of nodes and edges in a picture: in layers, from the inputs down to the output.

The steps are those of Sugiyama, Tagawa and Toda (1981). The libraries for this need a compiler or a
program, or have had no release for years and a licence that binds. `fsum` adds up the places: the
rounding of `sum` depends on the version of Python, and a picture must not.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from math import fsum
from typing import Any, NamedTuple

_BETWEEN_NODES = 22.0
_BETWEEN_LAYERS = 30.0
_SWEEPS = 12

_BEND = 4.0

Point = tuple[float, float]
#: Item of a layer -> its neighbours in the layer above or below. An item is the key of a node, or a
#: bend: the pair (source, layer) where a long edge passes a layer.
_Neighbours = Mapping[Any, list[Any]]


class Layout(NamedTuple):
    """Positions, measured from the upper left corner."""

    centres: dict[str, Point]
    #: Of each edge: its start, the points where it enters and leaves each layer, and its end.
    paths: list[list[Point]]
    width: float
    height: float


def laid_out(sizes: Mapping[str, Point], edges: Sequence[tuple[str, str]]) -> Layout:
    """Return positions for nodes of the given widths and heights."""
    layer_of = _layer_of(sizes, edges)
    # The items of each edge: its source, a bend for each layer between, its target.
    routes: list[list[Any]] = [
        [source, *((source, n) for n in range(layer_of[source] + 1, layer_of[target])), target]
        for source, target in edges
    ]
    above: dict[Any, list[Any]] = {}
    below: dict[Any, list[Any]] = {}
    downwards = [route for route in routes if layer_of[route[0]] < layer_of[route[-1]]]
    for upper, lower in dict.fromkeys(pair for route in downwards for pair in pairwise(route)):
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    layers: list[list[Any]] = [[] for _ in range(max(layer_of.values()) + 1)]
    # Long edges from one node share their bends, so that they are one line until they part.
    bends = dict.fromkeys(bend for route in routes for bend in route[1:-1])
    for key in sizes:
        layers[layer_of[key]].append(key)
    for bend in bends:
        layers[bend[1]].append(bend)
    widths = {key: width for key, (width, _) in sizes.items()} | dict.fromkeys(bends, _BEND)
    x = _across(_ordered(layers, above, below), widths, above, below)
    left = min(x[item] - widths[item] / 2 for item in x)
    x = {item: x[item] - left for item in x}
    bands: list[Point] = []  # the upper and the lower end of each layer
    top = 0.0
    for layer in layers:
        bands.append((top, top + max(sizes[item][1] for item in layer if item in sizes)))
        top = bands[-1][1] + _BETWEEN_LAYERS
    centres = {key: (x[key], fsum(bands[layer_of[key]]) / 2) for key in sizes}
    return Layout(
        centres,
        _paths(routes, x, bands, centres, sizes),
        max(x[item] + widths[item] / 2 for item in x),
        bands[-1][1],
    )


def _layer_of(keys: Iterable[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return a layer for each node: below all its sources; an input is just above its first use."""
    sources: dict[str, set[str]] = {key: set() for key in keys}
    for source, target in edges:
        sources[target].add(source)
    while True:
        try:
            ordered = list(TopologicalSorter(sources).static_order())
            break
        except CycleError as error:
            # `set_creator` can close a cycle. One edge of it then points upwards.
            source, target, *_ = error.args[1]
            sources[target].discard(source)
    layer_of: dict[str, int] = {}
    below: dict[str, int] = {}  # the first layer in which a node is used
    for key in ordered:
        layer = layer_of[key] = max((layer_of[source] + 1 for source in sources[key]), default=0)
        below |= {source: min(below.get(source, layer), layer) for source in sources[key]}
    return layer_of | {key: layer - 1 for key, layer in below.items() if not sources[key]}


def _ordered(layers: list[list[Any]], above: _Neighbours, below: _Neighbours) -> list[list[Any]]:
    """Return the layers with few crossings: sweeps sort by the mean position of neighbours."""
    best, fewest = layers, _crossings(layers, below)
    for sweep in range(_SWEEPS):
        upwards = sweep % 2 == 0
        neighbours = below if upwards else above
        layers = [list(layer) for layer in layers]
        position: dict[Any, float] = {}
        for layer in reversed(layers) if upwards else layers:
            wanted: dict[Any, float] = {}
            for index, item in enumerate(layer):
                places = [position[other] for other in neighbours.get(item, ())]
                wanted[item] = fsum(places) / len(places) if places else index
            layer.sort(key=wanted.__getitem__)
            position |= {item: index for index, item in enumerate(layer)}
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(layers: list[list[Any]], below: _Neighbours) -> int:
    """Count the pairs of edges that cross: they end in another order than they start."""
    position = {item: index for layer in layers for index, item in enumerate(layer)}
    count = 0
    for layer in layers:
        ends: list[int] = []
        for item in layer:
            reached = sorted(position[other] for other in below.get(item, ()))
            count += sum(len(ends) - bisect_right(ends, end) for end in reached)
            for end in reached:
                insort(ends, end)
    return count


def _across(
    layers: list[list[Any]], widths: Mapping[Any, float], above: _Neighbours, below: _Neighbours
) -> dict[Any, float]:
    """Return the x of each item: near its neighbours, without overlap, in the given order."""
    x: dict[Any, float] = {}
    for layer in layers:
        x.update(_without_overlap(layer, [0.0] * len(layer), [1.0] * len(layer), widths))
    upwards: dict[Any, list[tuple[Any, float]]] = {item: [] for item in x}
    downwards: dict[Any, list[tuple[Any, float]]] = {item: [] for item in x}
    for lower, uppers in above.items():
        for upper in uppers:
            pull = _pull(upper, lower, above, below)
            upwards[lower].append((upper, pull))
            downwards[upper].append((lower, pull))
    both = {item: upwards[item] + downwards[item] for item in x}
    for sweep in range(2 * _SWEEPS):
        rising = sweep % 2 == 0
        pulls = both if sweep >= _SWEEPS else downwards if rising else upwards
        for layer in reversed(layers) if rising else layers:
            weights = [fsum(pull for _, pull in pulls[item]) or 1.0 for item in layer]
            wanted = [
                fsum(x[other] * pull for other, pull in pulls[item]) / weight
                if pulls[item]
                else x[item]
                for item, weight in zip(layer, weights, strict=True)
            ]
            x.update(_without_overlap(layer, wanted, weights, widths))
    return x


def _pull(upper: Any, lower: Any, above: _Neighbours, below: _Neighbours) -> float:
    """Return the weight of an edge: a larger one makes the edge straighter."""
    if isinstance(upper, tuple) and isinstance(lower, tuple):
        return 8.0  # a part of a long edge
    if upper not in above and len(above[lower]) > 1:
        return 0.1  # from an input, which may stand aside
    return 4.0 if len(above[lower]) == len(below[upper]) == 1 else 1.0


def _without_overlap(
    layer: list[Any], wanted: Sequence[float], weights: Sequence[float], widths: Mapping[Any, float]
) -> dict[Any, float]:
    """Return the places nearest to the wanted ones, by least squares, without overlap."""
    # The method is "pool adjacent violators": what would overlap becomes a block and moves as one.
    offset, offsets = 0.0, []
    for before, item in zip([None, *layer], layer, strict=False):
        if before is not None:
            offset += (widths[before] + widths[item]) / 2 + _BETWEEN_NODES
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []  # sum of weighted places, of weights; items
    for place, weight, shift in zip(wanted, weights, offsets, strict=True):
        block = ((place - shift) * weight, weight, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] > block[0] / block[1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    places = [total / weight for total, weight, count in blocks for _ in range(count)]
    return {item: x + shift for item, x, shift in zip(layer, places, offsets, strict=True)}


def _paths(
    routes: list[list[Any]],
    x: Mapping[Any, float],
    bands: Sequence[Point],
    centres: Mapping[str, Point],
    sizes: Mapping[str, Point],
) -> list[list[Point]]:
    """Return the points of each edge. Edges to the same node end side by side."""
    arriving: dict[str, list[int]] = {}
    for index, route in enumerate(routes):
        arriving.setdefault(route[-1], []).append(index)
    paths: list[list[Point]] = [[] for _ in routes]
    for target, indices in arriving.items():
        indices.sort(key=lambda index: x[routes[index][-2]])
        step = min(24.0, sizes[target][0] / len(indices))  # room for a number between arrows
        for place, index in enumerate(indices):
            source, *bends, _ = routes[index]
            (start_x, start_y), (end_x, end_y) = centres[source], centres[target]
            end_x += (place - (len(indices) - 1) / 2) * step
            paths[index] = [
                (start_x, start_y + sizes[source][1] / 2),
                *((x[bend], y) for bend in bends for y in bands[bend[1]]),
                (end_x, end_y - sizes[target][1] / 2),
            ]
    return paths
