"""Random programs with loops: nested and uneven ones, with early ends, lists and writes."""

import numpy as np

from ..sourced import run

ROWS = 64
"""Rows of the first argument, which loops index."""

SHAPES = {"s": (), "v": (4,), "m": (4, 4)}
"""Of the variables whose names begin so."""

_FUNCTIONS = ("np.sin", "np.tanh", "np.cos", "np.negative", "np.arctan")


class Program:
    """A random program: the `text` of a function of rows, a vector, and a matrix.

    If it `writes`, it does so into arrays, which programs of Variables cannot.
    """

    def __init__(self, seed, writes):
        self.rng = np.random.default_rng([seed, writes])
        self.writes = writes
        self.lines = ["def function(x, v0, m0):"]
        self.counters = []
        self.names = {kind: [f"{kind}{n}" for n in range(3)] for kind in SHAPES}
        self._add("s0 = np.sum(v0)", "s1 = s0 * 0.5", "s2 = 0.25")
        self._add("v1 = v0 + 1.0", "v2 = x[3]", "m1 = m0 * 0.5", "m2 = m0 + 0.1", "kept = []")
        if writes:
            self._add("z = x * 0.5")
        for _ in range(self.rng.integers(1, 4)):
            self._loop(0)
            self._statement(0)
        names = [name for kind in SHAPES for name in self.names[kind]]
        self._add(*[f"s0 = s0 + np.sum({name}) * 0.5" for name in names])
        self._add("for each in kept:", "    s0 = s0 + np.sum(each)")
        results = "s0, v1, m1" + ", z" * writes
        self._add(f"return [{results}]" if writes else "return s0")
        self.text = "\n".join(self.lines) + "\n"

    def function(self):
        """Return the function."""
        return run(self.text, {"np": np})["function"]

    def arrays(self, number):
        """Return arguments."""
        rng = np.random.default_rng(number)
        return rng.normal(size=(ROWS, 4)), rng.normal(size=4), 0.3 * rng.normal(size=(4, 4))

    def _add(self, *lines):
        self.lines += ["    " * (1 + len(self.counters)) + line for line in lines]

    def _one_of(self, *items):
        return items[self.rng.integers(len(items))]

    def _name(self, kind):
        return self._one_of(*self.names[kind])

    def _loop(self, depth):
        counter = "ijk"[depth]
        ends = (["5", "7"], ["3", "4"], ["3"])[depth]
        end = self._one_of(*ends, *([f"{self.counters[-1]} % 4"] if depth else []))
        head = self._one_of(f"range({end})", f"range({end})", f"range(1, {end})")
        self._add(f"for {counter} in {head}:")
        self.counters.append(counter)
        for _ in range(self.rng.integers(1, 6)):
            self._statement(depth)
        kind = self.rng.integers(6)
        if kind == 0:
            self._add(f"if {counter} == {self.rng.integers(2, 5)}:", "    break")
        elif kind == 1:
            self._add(f"if {counter} % 3 == 2:", "    continue", "s1 = s1 * 0.5 + 0.1")
        elif kind == 2:
            self._add("if s0 > 1e9:", "    break")
        if depth < 2 and self.rng.random() < 0.3:
            self._loop(depth + 1)
        self._statement(depth)
        self.counters.pop()

    def _index(self):
        """Return an index of a row."""
        if not self.counters:
            return str(self.rng.integers(-5, 5))
        i = self._one_of(*self.counters)
        return self._one_of(
            i, f"-1 - {i}", f"{i} + 3", f"63 - {i}", f"{i} % 3", "2", f"2 * {i} % 60"
        )

    def _statement(self, depth):
        kind = self._one_of(*SHAPES)
        a, b, c = (self._name(kind) for _ in range(3))
        i = self.counters[-1] if self.counters else "2"
        f = self._one_of(*_FUNCTIONS)
        choices = [
            f"{a} = {b} * 0.5 + {c} * 0.25",
            f"{a} = {f}({b}) - {c} * 0.1",
            f"{a}, {b} = {b}, {f}({a})" if a != b else f"{a} = {f}({a})",
            f"{a} = {b} * 0.9 + 0.1 * {i}",
            f"{a} = {b} * 0.5 + 0.01 * {i} * {c}",
            f"{a} = np.maximum({b}, {c}) * {self._one_of('0.5', '0.75')}",
            f"v1 = x[{self._index()}] * 0.5 + v2 * 0.3",
            f"s1 = x[{self._index()}, {self.rng.integers(4)}] * 0.5 + s0 * 0.1",
            f"{self._name('v')} = np.tanh({self._name('m')} @ {self._name('v')})",
            f"{self._name('m')} = np.tanh({self._name('m')} @ {self._name('m')}.T)",
            f"{self._name('s')} = np.mean({self._name('m')}, axis=0)[1] + {self._name('s')} * 0.5",
            f"kept.append({a})",
            f"{a} = {a} + kept[-1] * 0.1 if kept and np.shape(kept[-1]) == np.shape({a}) else {a}",
            f"{a} = {a} * 0.5 if {i} % 2 else {a} * 0.25 + 0.1",
        ]
        if self.writes:
            choices += [
                f"z[{self._index()}] = {self._name('v')}",
                f"z[{self._index()}] += {self._name('v')} * 0.1",
                f"z[{self._index()}, 1:3] = {self._name('s')}",
                f"v2 = z[{self._index()}] * 0.5",
                "z *= 0.9",
            ]
        self._add(self._one_of(*choices))
