"""Results in between are written into memory that is used again, and results are not.

Promise: docs/how_replay_works.md
"""

import threading
import tracemalloc

import numpy as np
import pytest
from dezero_replay.errors import GuardError
from dezero_replay.passes import buffers
from dezero_replay.passes.aliasing import FRESH, UNKNOWN, VIEW, relation
from dezero_replay.passes.buffers import Plan

from ..lowering import graph_of, lowered, same_bits

X = np.random.default_rng(0).normal(size=(40, 30))


def chain(x, w):
    y = x
    for _ in range(10):
        y = np.tanh(y * w + x)
    return y


def test_results_in_between_are_written_into_buffers():
    program = lowered(chain, X, X)
    assert program.planned_bytes == 0  # all in the memory of the result
    program = lowered(lambda x, w: chain(x, w).sum(), X, X)
    assert program.planned_bytes == X.nbytes
    assert same_bits(program.run(X, X), [chain(X, X).sum()])


def test_small_results_are_new_arrays():
    x = np.ones(63)
    assert lowered(lambda x: np.exp(x * 2.0).sum(), x).planned_bytes == 0
    x = np.ones(64)
    assert lowered(lambda x: np.exp(x * 2.0).sum(), x).planned_bytes == 512


def test_an_operand_that_dies_gives_its_memory():
    plan = Plan(graph_of(lambda x: np.exp(np.sin(x) * 2.0).sum(), X))
    assert len(plan.in_place) == 2
    plan = Plan(graph_of(lambda x: [y := np.sin(x), y * 2.0], X))
    assert not plan.in_place


def test_an_operand_of_another_layout_keeps_its_memory():
    def f(x, row):
        return ((x * 2.0) + row).sum() + ((row * 3.0) + x).sum() + ((x * 4.0).T > 1.0).sum()

    x, row = X.copy(), np.arange(30.0).repeat(3)[:30]
    program = lowered(f, x, row)
    assert same_bits(program.run(x, row), [f(x, row)])
    assert same_bits(program.run(X[::-1].copy(), row), [f(X[::-1].copy(), row)])


def test_a_buffer_is_used_again_when_nobody_reads_it_any_more():
    def f(x):
        return sum(((x * n) @ x.T).sum() for n in (2.0, 3.0, 4.0))

    program = lowered(f, X)
    assert program.planned_bytes == X.nbytes + 40 * 40 * 8
    assert same_bits(program.run(X), [f(X)])


def test_views_of_buffers_are_made_once_and_keep_them():
    def f(x):
        y = np.exp(x)
        view = y.reshape(30, 40, 1)[2:, :, 0]
        other = np.sin(x) * 2.0
        return (view[:, 3:].T @ other.T[2:, 3:]).sum() + view.sum()

    program = lowered(f, X)
    lines = [line.strip() for line in program.source.splitlines()]
    views = [line for line in lines if any(x in line for x in (".T ", ".reshape(", "[2:", ", 3:"))]
    assert len(views) == 6
    assert all(line.startswith("# t") for line in views)
    assert same_bits(program.run(X), [f(X)])


def test_the_layout_of_a_buffer_is_that_of_eager_code():
    def f(x):
        y = np.exp(x.T) * 2.0
        return y.sum(axis=0), np.add.reduce(y, axis=1), y.sum()

    for x in (X, np.asfortranarray(X), X[:, ::2]):
        assert same_bits(lowered(f, x).run(x), list(f(x)))


def test_what_an_unknown_call_may_keep_is_in_no_buffer():
    def f(x):
        y = np.exp(x)
        return np.atleast_2d(y), np.real(y * 2.0), np.ravel(y.T * 3.0)

    program = lowered(f, X)
    assert program.planned_bytes == 0
    first, second = program.run(X), program.run(X * 2.0)
    assert same_bits(first, list(f(X)))
    assert not any(np.shares_memory(a, b) for a in first for b in second)


def test_results_and_their_views_are_new_memory():
    def f(x):
        y = np.exp(x)
        z = np.sin(x) + y
        return y.T, y[2], z, z.sum()

    program = lowered(f, X)
    first = program.run(X)
    copies = [np.copy(x) for x in first]
    second = program.run(X + 1.0)
    assert all((a == b).all() for a, b in zip(first, copies, strict=True))
    assert np.shares_memory(first[0], first[1])  # as in eager code
    assert not any(np.shares_memory(a, b) for a in first[:3] for b in second[:3])


def test_no_input_is_written():
    def f(x, w):
        y = x.copy()
        y += w
        w = w.copy()
        w[0] = 0.0
        return y * w, x.T.copy()

    x, w = X.copy(), X + 1.0
    before = x.copy(), w.copy()
    program = lowered(f, x, w)
    assert same_bits(program.run(x, w), list(f(*before)))
    assert same_bits([x, w], list(before))


def test_relations_of_results_to_arguments():
    def f(x):
        return (
            *(x.T, x[1:], x[None, 0], x.reshape(-1), np.swapaxes(x, 0, 1), x * 2.0, x[[0, 1]]),
            *(x[x > 0.0], x.T.reshape(-1), x.sum(), x[0, 0], np.ravel(x.T * 2.0), x.astype(int)),
        )

    graph = graph_of(f, np.ones((3, 4)), without=None)
    found = {each.call: relation(each) for each in graph.instructions if each.outputs}
    views = [each for each in graph.instructions if relation(each) == VIEW]
    assert len(views) == 6
    assert found[np.multiply] == FRESH
    assert found[np.ravel] == UNKNOWN


def test_memory_of_a_million_elements():
    def f(x):
        e = np.exp(np.sin(x) * 0.1)
        t = np.tanh(e + x**2)
        return (1.0 - t * t) * (e * 0.1 * np.cos(x) + 2.0 * x)

    x = np.random.default_rng(0).normal(size=1_000_000)
    program = lowered(f, x[:1000].copy())
    program = lowered(f, x)
    tracemalloc.start()
    program.run(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3.3 * x.nbytes


def test_large_arrays_without_a_buffer_are_freed_after_their_last_read():
    def f(x):
        for _ in range(20):
            x = np.where(x > 0.5, x, x * 0.5)
            x = np.sort(x)
        return x.sum()

    x = np.random.default_rng(0).normal(size=100_000)
    program = lowered(f, x)
    tracemalloc.start()
    program.run(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * x.nbytes


def test_each_thread_has_an_arena_of_its_own():
    def f(x):
        return (np.exp(np.sin(x) @ x.T) @ x).sum(axis=0), np.tanh(x).sum()

    program = lowered(f, X)
    inputs = [X + number for number in range(8)]
    expected = [list(f(x)) for x in inputs]
    wrong = []

    def work(number):
        for _ in range(50):
            if not same_bits(program.run(inputs[number]), expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_run_within_a_run_has_an_arena_of_its_own():
    inner = []

    def f(x):
        return np.exp(np.sin(x) * 2.0).sum()

    program = lowered(f, X)
    y = np.exp(X)
    with np.errstate(over="call", call=lambda *kind: inner.append(program.run(X)[0])):
        program.run(np.full_like(X, 1e3) * 0 + np.arcsin(1.0))
        other = lowered(lambda x: np.exp(np.sin(x) * 1e3).sum(), X)
        other.run(np.full_like(X, np.arcsin(1.0)))
    assert inner
    assert inner[0] == f(X)
    assert y.sum() == np.exp(X).sum()


def test_an_interrupt_leaves_the_program_usable():
    def f(x):
        return np.tanh(np.exp(np.sin(x) @ x.T) * 2.0).sum()

    def interrupt(*kind):
        raise KeyboardInterrupt

    program = lowered(f, X)
    for _ in range(3):
        with np.errstate(over="call", call=interrupt), pytest.raises(KeyboardInterrupt):
            program.run(X * 1e6)
        assert same_bits(program.run(X), [f(X)])


def test_an_error_gives_the_arena_up_and_the_next_run_is_right():
    def f(x, n):
        return (np.sin(x) * 2.0 + n).sum()

    program = lowered(f, X, np.ones(30))
    with pytest.raises(ValueError, match="broadcast"):
        program.run(X, np.ones(7))
    assert same_bits(program.run(X, np.ones(30)), [f(X, np.ones(30))])


def test_buffers_begin_at_a_line_of_the_cache():
    plan = Plan(graph_of(lambda x: (np.sin(x) @ x.T).sum(), X))
    assert all(x.ctypes.data % 64 == 0 for x in plan.arena())
    assert plan.planned_bytes == sum(x.nbytes for x in plan.arena())
    assert buffers.LEAST == 64


def test_an_array_that_a_call_may_have_kept_is_not_overwritten():
    def f(x):
        y = np.exp(x)
        kept = np.ravel(y, order="K")
        return (y * 2.0).sum() + kept

    assert same_bits(lowered(f, X).run(X), [f(X)])


def test_an_arena_is_used_again_also_after_a_guard_has_failed():
    def f(x):
        y = np.exp(np.sin(x))
        return (y * 2.0).sum() if x[0, 0] > 0.0 else y.sum()

    program = lowered(f, X)
    program.run(X)
    arenas = program.run.__globals__["arenas"]
    first = arenas[0]
    for _ in range(3):
        with pytest.raises(GuardError):
            program.run(-X)
        program.run(X)
    assert len(arenas) == 1
    assert arenas[0] is first


def test_an_array_that_a_guard_looks_at_has_a_buffer():
    def f(x):
        y = np.exp(x)
        return y.sum() if np.isfinite(y).all() else y.max()

    x = np.linspace(0.0, 1.0, 100)
    program = lowered(f, x)
    assert program.planned_bytes >= 800
    assert "exp(x0, b0)" in program.source
    assert same_bits(program.run(x), [f(x)])


def test_a_view_of_a_buffer_as_another_dtype_is_made_once():
    def f(x):
        return np.exp(x).view(np.uint64).max() + 1

    x = np.linspace(0.0, 1.0, 100)
    program = lowered(f, x)
    assert any("# t1 is" in line and ".view(" in line for line in program.source.splitlines())
    assert same_bits(program.run(x), [f(x)])
