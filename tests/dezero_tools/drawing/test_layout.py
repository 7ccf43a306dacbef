"""Where nodes and edges go: the rules that a readable picture keeps, on graphs of every form.

Promise: docs/how_to/draw_a_graph.md
"""

from itertools import combinations, pairwise

import pytest
from dezero_tools.drawing.layout import laid_out
from hypothesis import given, settings
from hypothesis import strategies as st

CHAIN = [("a", "b"), ("b", "c"), ("c", "d")]
SKIP = [*CHAIN, ("a", "c"), ("a", "d")]
DIAMOND = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]


@st.composite
def graphs(draw):
    """Return the sizes of some nodes, and edges from earlier ones to later ones."""
    keys = [f"k{index}" for index in range(draw(st.integers(1, 14)))]
    side = st.floats(10.0, 200.0)
    sizes = {key: (draw(side), draw(side)) for key in keys}
    pairs = list(combinations(keys, 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=25)) if pairs else []
    return sizes, edges


def sized(edges):
    return dict.fromkeys(sorted({key for edge in edges for key in edge}), (40.0, 20.0))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_the_layout_puts_nodes_without_overlap_inside_of_the_picture(graph):
    sizes, edges = graph
    layout = laid_out(sizes, edges)
    boxes = {
        key: (x - sizes[key][0] / 2, y - sizes[key][1] / 2, *sizes[key])
        for key, (x, y) in layout.centres.items()
    }
    for left, top, width, height in boxes.values():
        assert left >= -1e-6
        assert top >= -1e-6
        assert left + width <= layout.width + 1e-6
        assert top + height <= layout.height + 1e-6
    for one, other in combinations(boxes.values(), 2):
        beside = one[0] + one[2] < other[0] or other[0] + other[2] < one[0]
        above = one[1] + one[3] < other[1] or other[1] + other[3] < one[1]
        assert beside or above


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_the_layout_leads_edges_down_and_around_other_nodes(graph):
    sizes, edges = graph
    layout = laid_out(sizes, edges)
    assert len(layout.paths) == len(edges)
    for (source, target), path in zip(edges, layout.paths, strict=True):
        (x, y), (end_x, end_y) = path[0], path[-1]
        assert (x, y) == (
            layout.centres[source][0],
            pytest.approx(layout.centres[source][1] + sizes[source][1] / 2),
        )
        assert abs(end_x - layout.centres[target][0]) <= sizes[target][0] / 2
        assert end_y == pytest.approx(layout.centres[target][1] - sizes[target][1] / 2)
        assert all(upper[1] < lower[1] for upper, lower in pairwise(path))
        for key, (node_x, node_y) in layout.centres.items():
            if key not in (source, target):
                for point_x, point_y in path:
                    inside = abs(point_y - node_y) < sizes[key][1] / 2
                    assert not (inside and abs(point_x - node_x) < sizes[key][0] / 2)


def test_the_layout_of_a_chain_is_a_straight_line():
    layout = laid_out(sized(CHAIN), CHAIN)
    assert len({x for x, _ in layout.centres.values()}) == 1


def test_the_layout_puts_inputs_beside_the_chain_just_above_their_use():
    edges = [*CHAIN, ("weight", "d"), ("bias", "b")]
    layout = laid_out(sized(edges), edges)
    across = {key: x for key, (x, _) in layout.centres.items()}
    down = {key: y for key, (_, y) in layout.centres.items()}
    assert max(abs(across[key] - across["d"]) for key in "bc") < 8
    assert (down["weight"], down["bias"]) == (down["c"], down["a"])


def test_the_layout_crosses_edges_as_seldom_as_possible():
    """Two chains, given in such an order that they would cross at every layer."""
    edges = [("a0", "b0"), ("b0", "c0"), ("c0", "d0"), ("a1", "b1"), ("b1", "c1"), ("c1", "d1")]
    keys = ["a0", "a1", "b1", "b0", "c0", "c1", "d1", "d0"]
    across = laid_out(dict.fromkeys(keys, (40.0, 20.0)), edges).centres
    assert len({across[f"{letter}0"][0] < across[f"{letter}1"][0] for letter in "abcd"}) == 1


def test_the_layout_lets_long_edges_from_one_node_share_their_way():
    layout = laid_out(sized(SKIP), SKIP)
    to_c, to_d = layout.paths[3:]
    assert to_d[: len(to_c) - 1] == to_c[:-1]


def test_the_layout_ends_edges_at_one_node_side_by_side():
    layout = laid_out(sized(DIAMOND), DIAMOND)
    ends = sorted((path[0][0], path[-1][0]) for path in layout.paths[2:])
    assert ends[0][1] < ends[1][1]


def test_the_layout_leaves_room_for_a_number_between_two_arrows_at_a_small_node():
    """A digit is 6 wide, its distance from its arrow 5, and half of the next arrowhead 3.5."""
    layout = laid_out(dict.fromkeys("abcd", (44.0, 25.0)), DIAMOND)
    first, second = sorted(path[-1][0] for path in layout.paths[2:])
    assert second - first > 5 + 6 + 3.5 + 3


@pytest.mark.parametrize("edges", [[("a", "a")], [("a", "b"), ("b", "a")], [*CHAIN, ("d", "b")]])
def test_the_layout_of_a_cyclic_graph_ends(edges):
    layout = laid_out(sized(edges), edges)
    assert len(layout.paths) == len(edges)


def test_the_layout_puts_nodes_without_edges_in_a_row():
    layout = laid_out({"a": (40.0, 20.0), "b": (60.0, 30.0)}, [])
    assert layout.height == 30.0
    assert layout.width > 100.0
