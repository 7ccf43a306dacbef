"""A plugin may run the programs of replay by an executor of its own.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.executors.executors import NumPyExecutor

from dezero_core import hookimpl, register, unregister
from dezero_replay import ReplayWarning, compilation, compiled

from ..replayed import bits


class Halves(NumPyExecutor):
    """Runs programs by NumPy, and is wrong on purpose: a sum is half of that."""

    name, exact = "halves", False

    def __init__(self, threads, wait):
        self.options = threads, wait

    def lower(self, graph):
        program = super().lower(graph)

        def run(*arrays):
            return [x / 2.0 for x in program.run(*arrays)]

        return SimpleNamespace(
            graph=program.graph,
            planned_bytes=7,
            run=run,
            audited=program.audited,
            report=lambda: ["halves it all"],
        )


@pytest.fixture
def made():
    """A plugin with an executor; the executors that were made by it."""
    made = []

    class Plugin:
        DEZERO_PLUGIN_API = (2, 0)

        @hookimpl
        def dezero_register_ops(self, register):
            def make(**options):
                made.append(Halves(**options))
                return made[-1]

            register.part("executor", "halves", make)

    plugin = Plugin()
    register(plugin, name="halves")
    yield made
    unregister("halves")


def test_an_executor_of_a_plugin_runs_the_programs(made):
    step = compiled(lambda x: x + x, executor="halves", audit=None)
    assert [step(np.full(3, 4.0))[0] for _ in range(4)] == [8.0, 8.0, 4.0, 4.0]
    assert step.program.planned_bytes == 7


def test_a_faster_program_that_is_ready_while_it_is_asked_for_is_entered(made, monkeypatch):
    class Program:
        planned_bytes, is_fast = 0, False

        @property
        def run(self):
            is_fast, self.is_fast = self.is_fast, True
            if not is_fast:
                self.changed()
            return lambda x: [x * 0.0 + is_fast]

    monkeypatch.setattr(Halves, "lower", lambda self, graph: Program())
    step = compiled(lambda x: x + x, executor="halves", audit=None)
    assert [step(np.full(3, 4.0))[0] for _ in range(4)] == [8.0, 8.0, 1.0, 1.0]


def test_an_executor_gets_the_options_that_concern_it(made):
    compiled(lambda x: x, executor="halves", threads=2, wait=True)
    assert made[-1].options == (2, True)
    compiled(lambda x: x, executor="halves")
    assert made[-1].options == (1, False)


def test_explain_names_the_executor_and_says_if_its_bits_may_differ(made):
    step = compiled(lambda x: x + x, executor="halves", audit=None)
    exact = compiled(lambda x: np.sum(np.exp(x + x)))
    for _ in range(3):
        step(np.ones(3))
        exact(np.ones(1000))
    assert (
        "run by halves, whose results may differ from those of eager code in the last bits"
        in step.explain()
    )
    assert "halves it all" in step.explain()
    assert "run by numpy; 8,000 bytes held" in exact.explain()


def test_a_program_that_holds_more_than_all_may_hold_is_not_kept():
    step = compiled(lambda x: np.sum(np.exp(x + x)), max_bytes=7_999)
    step(np.ones(1000))
    with pytest.warns(ReplayWarning, match="8,000 bytes between calls, and max_bytes=7,999"):
        step(np.ones(1000))
    for _ in range(100):
        step(np.ones(1000))
    assert step.programs == ()
    assert step.stats["recorded"] < 20  # it is not tried again and again


def test_an_executor_that_raises_keeps_the_function_eager_and_loses_no_result(made):
    step = compiled(lambda x: x + x, executor="halves")

    def lower(graph):
        raise NotImplementedError("no graphs today")

    made[-1].lower = lower
    assert step(np.ones(3))[0] == 2.0
    with pytest.warns(ReplayWarning, match="'halves' cannot run: .*no graphs today"):
        assert step(np.ones(3))[0] == 2.0
    assert [step(np.ones(3))[0] for _ in range(100)] == [2.0] * 100
    assert step.stats["recorded"] < 20  # it is not tried again and again


def test_a_fault_while_a_program_is_made_leaves_the_result_to_eager_code(monkeypatch):
    def broken(*_):
        raise KeyError("planted")

    monkeypatch.setattr(compilation, "Program", broken)
    step = compiled(lambda x: np.sin(x) * 2.0, quiet=True)
    for n in range(3):
        assert bits(step(np.ones(3) * n)) == bits(np.sin(np.ones(3) * n) * 2.0)
    assert "cannot be written as a program: KeyError('planted')" in step.explain()
