"""Forks and signals in fresh interpreters: nothing hangs, and settings are restored.

Promise: CONTRIBUTING.md
"""

import os
import subprocess
import sys

from .lengths import LONG, SEED
from .threads import PATIENCE, ROUNDS


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
# A shell has a job in the background ignore Ctrl-C, and its children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
# NumPy's own modules first: an interrupted import of np.fft cannot be repeated in that process.
USE = """
import numpy as np
import numpy.fft, numpy.random, numpy.testing
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
hits, n = [0, 0], 0
# On a machine that is busy, few timers fire in time: so it goes on until enough have.
while min(hits) < 70 * rounds:
    for x in xs:
        x.cleargrad()
    n += 1
    hits[n % 2] += interrupted(work, 0.003) if n % 2 else in_blocks()
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
import numpy.fft, numpy.random, numpy.testing
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

    def test_a_child_forked_during_a_backward_finishes():
        fresh(BESIDE_BACKWARD, SEED, ROUNDS)

    def test_a_child_forked_during_the_loading_of_a_plugin_finishes():
        fresh(BESIDE_LOADING, SEED, ROUNDS)

    def test_an_interrupt_at_any_time_leaves_right_gradients_and_settings():
        fresh(BACKWARD, SEED, ROUNDS)

    def test_an_interrupt_during_the_import_of_operations_loses_no_operation():
        fresh(FIRST_USE, SEED, ROUNDS)

    def test_an_interrupted_import_of_the_core_can_be_repeated():
        fresh(IMPORT, SEED, ROUNDS)
