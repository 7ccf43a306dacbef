"""Threads at once: no gradient is lost, and a setting holds in its own thread.

Promise: CONTRIBUTING.md
"""

import sys
import threading

import numpy as np
import pytest

from dezero_core import Function, Variable, grad, hookimpl, no_grad, register, unregister

from .threads import ROUNDS, network, some_leaves, together, truth_of


@pytest.fixture
def impatient_threads():
    """Threads take turns a hundred times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


class Doubled(Function):
    def forward(self, x):
        return 2.0 * x

    def backward(self, gy):
        return 2.0 * gy


class Plugin:
    @hookimpl
    def dezero_register_ops(self, register):
        register("doubled_by_attack", lambda x: Doubled()(x), Doubled, methods="doubled")


@pytest.mark.usefixtures("impatient_threads")
class TestThreads:
    @pytest.mark.parametrize("create_graph", [False, True])
    def test_threads_lose_no_update_of_shared_leaves(self, create_graph):
        xs, times = some_leaves(), 20 * ROUNDS
        truth = truth_of(xs)

        def work():
            for _ in range(times):
                network(xs).backward(create_graph=create_graph)

        together(*[work] * 4)
        for x, gx in zip(xs, truth, strict=True):
            gradient = x.grad.data if create_graph else x.grad
            np.testing.assert_allclose(gradient, 4 * times * gx, rtol=1e-10)
            x.cleargrad()

    def test_many_threads_may_backpropagate_through_one_graph(self):
        xs, times = some_leaves(), 20 * ROUNDS
        truth, y = truth_of(xs), network(xs)

        def work():
            for _ in range(times):
                for gx, expected in zip(grad(y, xs), truth, strict=True):
                    np.testing.assert_array_equal(gx, expected)

        together(*[work] * 4)

    def test_plugins_may_come_and_go_while_threads_compute(self):
        xs, plugin, done = some_leaves(), Plugin(), threading.Event()
        truth = truth_of(xs)

        def come_and_go():
            for _ in range(30 * ROUNDS):
                assert register(plugin, "attack").state == "loaded"
                assert Variable(np.array(3.0)).doubled().data == 6.0
                unregister(plugin)
            done.set()

        def work():
            while not done.is_set():
                own = [Variable(x.data) for x in xs]
                network(own).backward()
                for x, gx in zip(own, truth, strict=True):
                    np.testing.assert_array_equal(x.grad, gx)

        together(come_and_go, work, work)

    def test_no_grad_holds_in_its_own_thread_only(self):
        xs = some_leaves()
        truth = truth_of(xs)

        def recording():
            for _ in range(50 * ROUNDS):
                for gx, expected in zip(grad(network(xs), xs), truth, strict=True):
                    np.testing.assert_array_equal(gx, expected)

        def not_recording():
            for _ in range(50 * ROUNDS):
                with no_grad():
                    assert network(xs).creator is None

        together(recording, not_recording, recording, not_recording)
