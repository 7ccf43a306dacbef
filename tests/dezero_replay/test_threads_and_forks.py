"""Threads share a compiled function, also while one of them records; a forked child replays.

Promise: docs/how_replay_works.md
"""

import os
import pickle
import threading

import numpy as np
import pytest
from dezero_replay.recording import recording

from dezero_core import Parameter, Variable
from dezero_replay import compiled

if hasattr(os, "fork"):

    def test_a_forked_child_replays():
        step = compiled(lambda x: np.exp(Variable(x)).data)
        x = np.ones(300)
        for _ in range(4):
            step(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if all((step(x) == np.exp(x)).all() for _ in range(4)) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_eight_threads_share_a_function():
    rng = np.random.default_rng(2)
    w = Parameter(rng.normal(size=(20, 20)))

    def f(x):
        return np.sum(np.tanh(Variable(x) @ w) ** 2).data

    step, wrong = compiled(f), []

    def work(seed):
        mine = np.random.default_rng(seed)
        for _ in range(50):
            x = mine.normal(size=(20, 20))
            if step(x) != np.sum(np.tanh(x @ w.data) ** 2):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    before = step.stats["replayed"]  # how many, says the machine: others go on while one records
    for _ in range(10):
        step(rng.normal(size=(20, 20)))
    assert step.stats["replayed"] > before


@pytest.fixture
def elsewhere(monkeypatch):
    """Lets another thread call a function at the end of the first recording, in its midst."""
    inside, done, threads = threading.Event(), threading.Event(), []
    outcomes = recording.Outcomes

    def waiting(around):
        inside.set()
        assert done.wait(10)
        return outcomes(around)

    monkeypatch.setattr(recording, "Outcomes", waiting)

    def start(function):
        def called():
            inside.wait(10)
            function()
            done.set()

        threads.append(threading.Thread(target=called))
        threads[0].start()

    yield start
    threads[0].join()


def test_another_thread_computes_with_a_parameter_that_is_being_recorded(elsewhere):
    w = Parameter(np.ones(3))
    found = []

    def compute():
        y = np.sum(w**2 * 3.0)
        y.backward()
        w.data[0] = 1.0
        found.append((type(y.data), float(y.data), w.grad.tolist(), (w.data + 1.0).tolist()))
        w.cleargrad()

    elsewhere(compute)
    step = compiled(lambda x: x * w)
    assert (step(np.ones(3)).data == 1.0).all()
    assert found == [(np.ndarray, 9.0, [6.0] * 3, [2.0] * 3)]
    assert type(w.data) is np.ndarray
    assert step.stats["recorded"] == 1


def test_what_another_thread_has_taken_during_a_recording_stays_an_array(elsewhere):
    w = Parameter(np.ones(3))
    held = []
    elsewhere(lambda: held.append(w.data))
    step = compiled(lambda x: x * w)
    for n in range(4):
        assert step(np.full(3, float(n))).data.tolist() == [n] * 3
    assert step.stats["replayed"] == 1
    (taken,) = held
    w.data += 1.0
    assert isinstance(taken, np.ndarray)
    assert (np.asarray(taken) == 2.0).all()
    assert type(taken * 2.0) is np.ndarray
    assert pickle.loads(pickle.dumps(taken)).tolist() == [2.0] * 3
