"""Threads, forks and interrupts: nothing hangs, nothing is lost, and what was on is on again."""

import linecache
import os
import subprocess
import sys
import threading
from contextlib import nullcontext

import numpy as np
import pytest

from dezero_core import Config, Function, Variable, grad, hookimpl, no_grad, register, unregister

from .lengths import LONG, SEED

ROUNDS = 100 if LONG else 1
#: Seconds after which something that should end is taken to hang.
PATIENCE = 120


@pytest.fixture
def impatient_threads():
    """Threads take turns a hundred times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


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


class Interrupter:
    """Raises KeyboardInterrupt before the line of one number, of those that an action runs.

    Lines that begin a ``with`` are left out: they are run once more at the end of the block, and
    there no signal can come between the last call of the block and the call that ends it. So are
    the rounds of a comprehension: of an exception that a tracer raises there, CPython 3.12 and 3.13
    do not tell the block around it, as they do of a signal.
    """

    def __init__(self, number=None):
        self.left, self.places, self.place = number, 0, None
        self.lines = {}

    def __call__(self, frame, event, argument):
        file, line = frame.f_code.co_filename, frame.f_lineno
        if event == "return":
            self.lines.pop(frame, None)
        elif event == "line" and self.is_new(frame) and not begins_block(file, line):
            if self.places == self.left:
                sys.settrace(None)
                self.place = f"{file}:{line}, in {frame.f_code.co_qualname}"
                raise KeyboardInterrupt
            self.places += 1
        return self

    def is_new(self, frame):
        last, self.lines[frame] = self.lines.get(frame), frame.f_lineno
        return last != frame.f_lineno

    def interrupts(self, action):
        """Do something, until it is interrupted."""
        before = sys.gettrace()
        try:
            sys.settrace(self)
            action()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
            self.lines.clear()


def begins_block(file, line):
    return linecache.getline(file, line).lstrip().startswith("with ")


def numbers_to_interrupt(total):
    """Return some numbers, and all of the end, where results are kept."""
    rng, some, last = np.random.default_rng(SEED), 25 * ROUNDS, 60
    return [*rng.integers(0, total, some).tolist(), *range(max(0, total - last), total)]


@pytest.mark.parametrize(
    ("create_graph", "retain_grad", "recorded"),
    [(False, False, True), (False, True, False), (True, False, True), (True, True, False)],
    ids=["plain", "retain_grad, under no_grad", "create_graph", "all, under no_grad"],
)
def test_an_interrupt_anywhere_in_backward_leaves_all_gradients_or_none(
    create_graph, retain_grad, recorded
):
    def prepared():
        xs = some_leaves(3)
        return xs, network(xs)

    def backward():
        y.backward(retain_grad=retain_grad, create_graph=create_graph)

    xs, y = prepared()
    truth = truth_of(xs)
    backward()
    xs, y = prepared()
    interrupter = Interrupter()
    interrupter.interrupts(backward)
    total = interrupter.places
    assert total > 100
    failures = {}
    for number in numbers_to_interrupt(total):
        xs, y = prepared()
        interrupter = Interrupter(number)
        with nullcontext() if recorded else no_grad():
            interrupter.interrupts(backward)
        assert Config.enable_backprop is True
        written = {x.grad is not None for x in xs}
        if len(written) > 1:
            failures[interrupter.place] = "some gradients are written, and some are not"
        xs, y = prepared()
        together(backward)  # in another thread, which a lock would stop
        for x, gx in zip(xs, truth, strict=True):
            np.testing.assert_allclose(getattr(x.grad, "data", x.grad), gx, rtol=1e-12)
            x.cleargrad()
    assert not failures


def fresh(code, *arguments):
    """Run code in a fresh interpreter, which must say that all is well.

    Coverage is not measured there: it has locks, which forks and interrupts leave locked.
    """
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")},
        capture_output=True,
        text=True,
        check=False,
        timeout=100 * PATIENCE if LONG else 2 * PATIENCE,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "well"), done.stdout + done.stderr[-3000:]


BEGIN = """
import os, random, signal, sys, threading, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: that is the point
seed, rounds = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)

def wait_for(child, patience=30):
    "Return how a child ended; kill one that hangs."
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"

def in_child(action):
    "Return how a child ended that does something."
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:
            import traceback
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    return child

armed = []

def interrupted(action, within):
    "Interrupt an action at a random time, if it takes that long."
    def handler(*_):
        if armed:
            armed.clear()
            raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, handler)
    try:
        armed.append(True)
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, within))
        action()
    except KeyboardInterrupt:
        return True
    finally:
        armed.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False
"""
USE = """
import numpy as np
import numpy.testing
import dezero_core
from dezero_core import Variable

def right():
    xs = [Variable(np.full(3, n + 1.0)) for n in range(5)]
    y = sum(np.sum(np.exp(x) * x) for x in xs)
    y.backward()
    for x in xs:
        np.testing.assert_allclose(x.grad, np.exp(x.data) * (1 + x.data))
"""
BESIDE_BACKWARD = (
    BEGIN
    + USE
    + """
w = Variable(np.ones(300_000))

def work():
    while True:
        np.sum(w * 2.0).backward()

right()
threading.Thread(target=work, daemon=True).start()
while w.grad is None:
    pass
ends = set()
for _ in range(20 * rounds):
    ends.add(wait_for(in_child(right)))
    if "hangs" in ends:
        break
print("well" if ends == {0} else ends, flush=True)
os._exit(0)
"""
)
BESIDE_LOADING = (
    BEGIN
    + USE
    + """
from dezero_core import hookimpl, ops, plugins, register, unregister
loading = threading.Event()

class Slow:
    @hookimpl
    def dezero_register_ops(self, register):
        register("slow", abs)
        loading.set()
        time.sleep(0.05)

def load():
    slow = Slow()
    while True:
        register(slow, "slow")
        unregister(slow)

class Quick:
    @hookimpl
    def dezero_register_ops(self, register):
        register("quick", abs)

def use():
    right()
    assert len(ops()) > 200
    assert plugins()
    register(Quick(), "quick")
    np.sum(np.sinh(Variable(np.ones(2)))).backward()

threading.Thread(target=load, daemon=True).start()
ends = set()
for _ in range(3 * rounds):
    loading.clear()
    loading.wait()
    ends.add(wait_for(in_child(use)))
    if "hangs" in ends:
        break
print("well" if ends == {0} else ends, flush=True)
os._exit(0)
"""
)
BACKWARD = (
    BEGIN
    + USE
    + """
from dezero_core import Config, Function, no_grad

class Stop(Function):
    "Is interrupted, in one call of forward or backward."

    def forward(self, x):
        self.count_down()
        return x * 1.0

    def backward(self, gy):
        self.count_down()
        return gy * 1.0

    def count_down(self):
        global left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)

left = 0
xs = [Variable(np.full(3, n + 1.0)) for n in range(5)]
slopes = [np.exp(x.data) * (1 + x.data) for x in xs]

def work():
    for create_graph in (False, True):
        y = sum(np.sum(Stop()(np.exp(x) * x)) for x in xs)
        y.backward(create_graph=create_graph)

def in_blocks():
    global left
    left = random.randrange(1, 40)
    try:
        with no_grad():
            sum(Stop()(x) for x in xs)
            y = Stop()(xs[0])
            assert y.creator is None
        work()
    except KeyboardInterrupt:
        return True
    return False

work()
hits = 0
for n in range(300 * rounds):
    for x in xs:
        x.cleargrad()
    hits += interrupted(work, 0.003) if n % 2 else in_blocks()
    left = 0
    assert Config.enable_backprop is True
    times = set()
    for x, slope in zip(xs, slopes):
        gradient = 0.0 if x.grad is None else getattr(x.grad, "data", x.grad)
        times.add(tuple(np.round(gradient / slope, 9)))
    assert len(times) == 1 and set(*times) <= {0.0, 1.0, 2.0}, times
    thread = threading.Thread(target=right, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
assert hits > 100 * rounds, hits
print("well")
"""
)
FIRST_USE = (
    BEGIN
    + USE
    + """
from dezero_core import ops

def child():
    def work():
        right()
        ops()
    interrupted(work, 0.2)
    right()
    names = {operation.name for operation in ops()}
    assert {"add", "exp", "linalg.svd", "fft.fft"} <= names, names
    assert len(names) > 260, len(names)

ends = [wait_for(in_child(child)) for _ in range(10 * rounds)]
print("well" if set(ends) == {0} else ends)
"""
)
IMPORT = (
    BEGIN
    + """
import heapq, importlib.metadata, inspect, json, re, traceback, typing, contextvars, weakref
import numpy as np
import numpy.testing
import pluggy

def child():
    def work():
        import dezero_core
    interrupted(work, 0.04)
    namespace = {}
    exec(USE, namespace)
    namespace["right"]()
    assert len(namespace["dezero_core"].ops()) > 260
    assert all(plugin.state == "loaded" for plugin in namespace["dezero_core"].plugins())

ends = [wait_for(in_child(child)) for _ in range(10 * rounds)]
print("well" if set(ends) == {0} else ends)
""".replace("USE", repr(USE))
)

if hasattr(os, "fork"):

    def test_a_child_that_was_forked_beside_a_backward_finishes():
        fresh(BESIDE_BACKWARD, SEED, ROUNDS)

    def test_a_child_that_was_forked_while_a_plugin_was_loaded_finishes():
        fresh(BESIDE_LOADING, SEED, ROUNDS)

    def test_an_interrupt_at_any_time_leaves_gradients_and_settings_as_they_should_be():
        fresh(BACKWARD, SEED, ROUNDS)

    def test_an_interrupt_while_operations_are_imported_takes_none_of_them_away():
        fresh(FIRST_USE, SEED, ROUNDS)

    def test_an_interrupt_while_the_core_is_imported_lets_it_be_imported_again():
        fresh(IMPORT, SEED, ROUNDS)
