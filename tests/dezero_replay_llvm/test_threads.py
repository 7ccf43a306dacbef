"""Threads: those that share a loop, and those that call one program at the same time.

Promise: docs/how_replay_works.md
"""

import threading

import numpy as np
import pytest
from dezero_tools.functional import value_and_grad

from dezero_replay import compiled
from dezero_replay_llvm import kernel

X = np.random.default_rng(0).normal(size=300_007)


def called(function, x, threads, times=3):
    step = compiled(function, executor="llvm", wait=True, audit=None, threads=threads)
    for _ in range(times):
        result = step(x)
    assert "native: " in step.explain()
    return result


def leaves(result):
    return [np.asarray(x) for x in result] if isinstance(result, (list, tuple)) else [result]


@pytest.mark.parametrize(
    "function",
    [
        value_and_grad(lambda x: np.sum(np.tanh(np.exp(np.sin(x) * 0.1) + x**2))),
        lambda x: [np.sum(x * x), np.max(x), x + 1.0],
        lambda x: x[:300_000].reshape(600, 500).sum(axis=1) * 2.0,
        lambda x: x[:300_000].reshape(600, 500).sum(axis=0) * 2.0,
        lambda x: np.sum(x[:300_000].reshape(20, 30, 500) * 2.0, axis=(0, 2)) + 1.0,
    ],
)
def test_any_number_of_threads_comes_to_the_same_bits(function):
    one = leaves(called(function, X, 1))
    for threads in (2, 3, 16, 40):
        for a, b in zip(leaves(called(function, X, threads)), one, strict=True):
            assert a.tobytes() == b.tobytes()
    for a, b in zip(one, leaves(function(X)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_where_there_is_no_thread_to_be_had_the_call_does_the_work(monkeypatch):
    call = kernel.Function.call

    def refused(self, name, result, *arguments):
        if name == "pthread_create":
            return kernel.literal(11, result)
        return call(self, name, result, *arguments)

    monkeypatch.setattr(kernel.Function, "call", refused)
    np.testing.assert_array_equal(called(lambda x: x * 2.0 + 1.0, X, 2), X * 2.0 + 1.0)


def test_a_warning_of_another_thread_is_not_lost():
    options = {"executor": "llvm", "wait": True, "audit": None, "threads": 2}
    step = compiled(lambda x: np.log(x) * 2.0 + x, **options)
    for _ in range(3):
        step(np.abs(X) + 1.0)
    x = np.abs(X) + 1.0
    x[200_000] = 0.0  # in the half of the other thread
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        step(x)


def test_many_threads_call_one_program():
    def f(x):
        return np.sum(np.exp(x) * 2.0 + x, axis=0) + np.sum(x @ x.T)

    step = compiled(f, executor="llvm", wait=True)
    inputs = [np.full((20, 20), 0.1 * n) for n in range(8)]
    expected = [f(x) for x in inputs]
    for x in inputs[:3]:
        step(x)
    wrong = []

    def work(n):
        for _ in range(200):
            if not np.allclose(step(inputs[n]), expected[n], rtol=1e-13):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    assert step.stats["replayed"] > 1000


def test_a_long_program_lets_other_threads_run():
    step = compiled(lambda x: np.tanh(np.sin(x)) + x, executor="llvm", wait=True, audit=None)
    x = np.ones(3_000_000)
    for _ in range(3):
        step(x)
    assert "PyEval_SaveThread" in step.program.source("llvm")
    small = compiled(lambda x: np.tanh(np.sin(x)) + x, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        small(np.ones(30))
    assert "PyEval_SaveThread" not in small.program.source("llvm")
