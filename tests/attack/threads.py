"""Actions in several threads at once, and a graph for them to use."""

import threading

import numpy as np

from dezero_core import Variable, grad

from .lengths import LONG

ROUNDS = 100 if LONG else 1
#: Seconds after which something that should end is taken to hang.
PATIENCE = 120


def together(*actions):
    """Run each action in a thread of its own; raise what the first of them has raised."""
    failures, barrier = [], threading.Barrier(len(actions))

    def run(action):
        barrier.wait()
        try:
            action()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(each,), daemon=True) for each in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


def network(xs):
    """Return a number that depends on all of `xs`, and on each by more than one way."""
    y = 0.0
    for x in xs:
        y = y + np.sum(np.tanh(x) * x) + np.sum(y * x) * 0.1
    return y


def some_leaves(number=5):
    return [Variable(np.linspace(0.1, 1.0, 3) + n) for n in range(number)]


def truth_of(xs):
    return [np.array(gx) for gx in grad(network(xs), xs)]
