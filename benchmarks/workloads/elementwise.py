"""``sum(tanh(exp(sin(x) * 0.1) + x**2))`` and its gradient, of a million elements and of a hundred.

With a million elements, nearly all of the time is NumPy's arithmetic and its memory; with a
hundred, most of it is the cost of calls. The peak is the highest resident set during one gradient
of a million elements, above the resident set after x was made, as a multiple of x. It is measured
in a new process for each library, after a gradient of a tenth of the elements. The peak
of a replay is that above the memory before the first recording: it includes all that the recordings
and the program keep. *Peak of the recordings* is that of both of them.

*Two threads* is measured of the library that takes their number for each
function. *Sparing memory* uses the means of each library to save memory: the program by hand
overwrites arrays that it no longer needs; this project frees them by `backward(free_graph=True)`.
"""

from __future__ import annotations

import functools

import numpy as np

from workloads import Absent, Case, Peak

LEFT_OUT: dict[str, str] = {}
ROUNDS = {"native": 10}
"""The best round counts of two threads: another program that runs takes one of them away."""

ELEMENTS, FEW = 1_000_000, 100


def function(lib, x):
    xp = lib.xp
    return xp.sum(xp.tanh(xp.exp(xp.sin(x) * 0.1) + x**2))


def by_hand(x):
    e = np.exp(np.sin(x) * 0.1)
    t = np.tanh(e + x**2)
    return np.sum(t), [(1.0 - t * t) * (e * 0.1 * np.cos(x) + 2.0 * x)]


def by_hand_sparing(x):
    e = np.sin(x)
    e *= 0.1
    np.exp(e, out=e)
    t = x * x
    t += e
    np.tanh(t, out=t)
    value = np.sum(t)
    gradient = np.cos(x)
    gradient *= e
    gradient *= 0.1
    gradient += np.multiply(x, 2.0, out=e)
    t *= t
    gradient *= np.subtract(1.0, t, out=t)
    return value, [gradient]


def cases(lib):
    x = np.random.default_rng(0).uniform(-2.0, 2.0, ELEMENTS)
    f = functools.partial(function, lib)
    ways = {"": (lib.gradient, by_hand)}
    if hasattr(lib, "gradient_sparing"):
        ways[", sparing memory"] = lib.gradient_sparing, by_hand_sparing

    # Peaks first: a process that has had large arrays gets the next ones in another way.
    for way, (gradient, derived) in ways.items():

        def first(gradient=gradient, derived=derived):
            gradient(f, x[: ELEMENTS // 10].copy(), by_hand=derived)()

        def prepare(gradient=gradient, derived=derived):
            return gradient(f, x, by_hand=derived)

        name = f"peak over the input{way}"
        records = hasattr(lib, "recorded")
        if lib.__name__ == "adapters.jax":
            yield Absent(name, "has threads, with which the process cannot be forked")
        else:
            yield Peak(name, first, prepare, x.nbytes, records)
        if records:
            name = f"peak of the recordings over the input{way}"
            yield Peak(name, first, lambda prepare=prepare: prepare, x.nbytes)
    _, gradients = by_hand(x)
    for way, (gradient, derived) in ways.items():
        step = gradient(f, x, by_hand=derived)
        yield Case(f"forward and backward{way}", step, gradients)
    name = "forward and backward, two threads"
    if hasattr(lib, "gradient_by_two_threads"):
        yield Case(name, lib.gradient_by_two_threads(f, x, by_hand=by_hand), gradients)
    few = x[:FEW].copy()
    step = lib.gradient(f, few, by_hand=by_hand)
    yield Case(f"forward and backward, {FEW} elements", step, by_hand(few)[1])
