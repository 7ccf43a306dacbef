"""Random stateful programs, as text: see `test_random_stateful_programs`."""

import numpy as np

HEAD = """
import random
import numpy as np
from dezero_core import Parameter


class Base:
    scale = 2.0

    def run(self, x):
        return x * self.scale

    @property
    def speed(self):
        return self.rate * 2.0


class Net(Base):
    def __init__(self):
        self.w, self.b = Parameter(np.linspace(-1.0, 1.0, 4)), Parameter(np.zeros(4))
        self.m, self.rate, self.t, self.last = np.zeros(4), 0.1, 0, None

    def run(self, x):
        return super().run(x) + self.t

    def __call__(self, x):
        return np.tanh(self.w.data * x + self.b.data)


def helper(x, k=0.5):
    return np.tanh(x) * k + G


net, other = Net(), Base()
v, G, N, MODE, FLAG = np.arange(4.0), 2.0, 2, "a", True
view, matrix = v[1:3], np.eye(4)
items, table, rows = [1.0, 2.0], {"k": np.ones(4), "t": 0, "s": 0.5}, []
table |= {"w": net.w, "list": [0.5, 1.5]}
rng = np.random.default_rng(SEED)
functions = [np.tanh, np.sin, lambda x: x * G]
"""

SIMPLE = [
    "A = A + A",
    "A = A - S * A",
    "A = A * A",
    "A = np.tanh(A)",
    "A = np.maximum(A, A)",
    "A = A[::-1]",
    "A = A.copy()",
    "A = np.where(A > S, A, A)",
    "A = A[[3, 1, 0, 2]]",
    "A = matrix @ A",
    "A = A.reshape(2, 2).T.ravel()",
    "A += A",
    "A *= S",
    "A[1:3] = A[:2]",
    "A[I] = S",
    "A = A / (1.0 + A * A)",
    "np.add(A, A, out=A)",
    "A.sort()",
    "A = np.concatenate([A[:2], A[2:]])",
    "A = np.sum(A, keepdims=True) + A",
    "s = float(A.sum())",
    "s = A[I]",
    "s = A.max()",
    "s = S * S",
    "s = np.tanh(S) + I",
    "s = len(items) * 0.5",
    "s = int(np.clip(A[0], -5, 5))",
]
STATE = [
    "net.t += 1",
    "net.t = net.t % 5 + I",
    "net.rate *= 0.99",
    "net.rate = S * 0.01",
    "net.last = A",
    "net.last = A * 1.0",
    "net.m = 0.9 * net.m + A",
    "net.m[:] = 0.9 * net.m + A",
    "net.m *= 0.5",
    "v[:] = A",
    "v[I] = S",
    "view += 0.1",
    "view[:] = A[:2]",
    "items[0] = S",
    "items[-1] = A",
    "items.append(S)",
    "rows.append(A * 1.0)",
    "rows.append((S, I))",
    'table["k"] = A * 1.0',
    'table["t"] += 1',
    'table["s"] = S',
    'table["new"] = A + 1.0',
    'store["k"] = A * 1.0',
    'store["t"] += 1',
    'store["list"].append(S)',
    'store["list"][0] = A',
    'store["w"].data = store["w"].data * S',
    "other.scale = S",
    "net.w.data = net.w.data - 0.01 * A",
    "net.w.data *= 0.99",
    "net.w.cleargrad()",
    "net.b.grad = A * 1.0",
    "G = S",
    "N = N % 3 + 1",
]
CALLS = [
    "A = net.run(A)",
    "A = other.run(A)",
    "A = helper(A)",
    "A = helper(A, S)",
    "A = helper(A, k=net.rate)",
    "A = net(A)",
    "A = functions[I % 3](A)",
    "s = net.speed * S",
    "A = A + rng.normal(size=4)",
    "s = rng.random()",
    "A = A * (rng.random(4) > 0.5)",
    "s = random.random()",
    "A = A + np.random.rand()",
    "A = sum([A * k for k in range(3)])",
    "A = max([A, A * 2.0], key=lambda each: float(each[0]))",
    's = sum(x for x in items if isinstance(x, float)) + table["s"]',
    "A = [*map(np.cos, (A, A))][0]",
    "A = (lambda z: z * G)(A)",
]
BLOCKS = [
    ("if A.sum() > S:", "else:"),
    ("if A[0] > A[1]:", "else:"),
    ("if n % 3 == 0:", "else:"),
    ('if MODE == "a":', 'elif MODE == "b":'),
    ("if FLAG and net.t > 3:", "else:"),
    ('if "new" in table:', "else:"),
    ("if net.last is None:", "else:"),
    ("if A is A:", "else:"),
    ("for k in range(N):", ""),
    ("for k, item in enumerate(items[:3]):", ""),
    ("for name, item in sorted(table.items(), key=lambda pair: pair[0]):", ""),
    ("turn = 0\nwhile turn < I % 4 and s < 1e6:\n    turn += 1", ""),
    ("for k in range(4):\n    if s < 0.5:\n        break\n    s = s * 0.25", "else:"),
    ('try:\n    A = A + table["missing"]', "except KeyError:"),
    ("try:", "finally:"),
    ("with np.errstate(all='ignore'):", ""),
]
LEARNING = """
loss = np.sum((net.w * A + net.b) ** 2)
net.w.cleargrad()
net.b.cleargrad()
loss.backward()
net.w.data -= 0.01 * net.w.grad
net.b.data -= net.rate * 0.01 * net.b.grad
s = loss.item()
"""
RESULTS = [
    "A",
    "A, s",
    "A, A, net.m",
    "{'a': A, 's': [s, net.t]}",
    "A[1:]",
    "float(s), A",
    "v, A * 1.0",
]
CHANGES = [
    "G = F",
    "N = J",
    "MODE = 'abc'[J % 3]",
    "FLAG = not FLAG",
    "net.rate = F",
    "net.rate = np.float64(F)",
    "net.t = J",
    "net.t = float(J)",
    "net.m = np.full(4, F)",
    "net.m[J] = F",
    "net.m = v",
    "net.m = net.m.astype('f4')",
    "net.m = np.ones((2, 4))",
    "net.m = np.zeros(8)[::2]",
    "net.last = None",
    "net.last = [F]",
    "v[J] = F",
    "v = np.full(4, F)",
    "view = v[:2]",
    "items.append(F)",
    "items[:] = [F, 1.0]",
    "items[0] = J",
    "rows.clear()",
    "table['k'] = np.full(4, F)",
    "table['s'] = F",
    "table.pop('new', None)",
    "table['z'] = F",
    "net.w.data = np.full(4, F)",
    "net.w.data[J] = F",
    "net.w.cleargrad()",
    "net.w = Parameter(np.full(4, F))",
    "net.b = net.w",
    "net.b = Parameter(np.zeros(4))",
    "net.b.grad = np.ones(4)",
    "Base.scale = F",
    "Net.scale = F",
    "other.scale = F",
    "other.__class__ = Net if type(other) is Base and FLAG else type(other)",
    "Base.run = lambda self, x: x * F",
    "net.run = lambda x: x + F",
    "vars(net).pop('run', None)",
    "Net.speed = property(lambda self: F)",
    "helper.__defaults__ = (F,)",
    "def helper(x, k=F): return x * k - G",
    "functions[J % 3] = np.cos",
    "functions.reverse()",
    "rng = np.random.default_rng(J)",
    "rng.random()",
    "np.random.seed(J)",
    "random.seed(J)",
    "net = Net()",
    "matrix[J] = F",
    "del items[1:]",
]


class Writer:
    """Writes one program, by numbers that are drawn from a seed."""

    def __init__(self, seed):
        self.rng, self.seed = np.random.default_rng(seed), seed

    def one_of(self, choices):
        """Return one of several texts."""
        return choices[self.rng.integers(len(choices))]

    def filled(self, template):
        """Return a template with a name or number in place of each capital of one letter."""
        found = []
        for part in template.replace("A", "\0A\0").replace("S", "\0S\0").split("\0"):
            if part == "A":
                part = self.one_of(
                    ["x", "y", "a", "b", "x", "a", "net.m", "v", 'table["k"]', 'store["k"]']
                )
            elif part == "S":
                part = self.one_of(["s", "G", "net.rate", "0.5", "n", 'table["s"]', "2.0"])
            found.append(part)
        return "".join(found)

    def statement(self, template):
        """Return a statement; what is assigned to is a local array, and `I` an index."""
        head, sign, rest = template.partition(" = ")
        if sign and head == "A":
            template = f"{self.one_of(['a', 'b', 'x'])} = {rest}"
        names = "SEED", "FLAG", "MODE", "AND"
        held = {name: f"\1{n}" for n, name in enumerate(names)}
        for name, short in held.items():
            template = template.replace(name, short)
        text = self.filled(template)
        for name, short in held.items():
            text = text.replace(short, name)
        return text.replace("[I]", f"[{self.rng.integers(4)}]").replace("I", self.one_of("012n"))

    def block(self, count, depth=0):
        """Return the lines of several statements."""
        lines = []
        for _ in range(count):
            kind = self.rng.random()
            if kind < 0.2 and depth < 2:
                lines += self.compound(depth)
            elif kind < 0.26:
                lines += self.statement(LEARNING).strip().splitlines()
            else:
                choices = SIMPLE if kind < 0.55 else STATE if kind < 0.78 else CALLS
                lines.append(self.statement(self.one_of(choices)))
        return lines

    def compound(self, depth):
        """Return the lines of a branch, a loop, a try or a with."""
        first, second = self.one_of(BLOCKS)
        lines = self.statement(first).replace("turn", f"turn{depth}").splitlines()
        lines += [f"    {each}" for each in self.block(self.rng.integers(1, 3), depth + 1)]
        if second:
            lines += [second, *(f"    {each}" for each in self.block(1, depth + 1))]
        return lines

    def program(self):
        """Return the source of a program."""
        body = ["global G, N", "a, b, s = x * 1.0, y + 1.0, 0.5"]
        body += self.block(self.rng.integers(2, 6))
        body.append(f"return {self.statement(self.one_of(RESULTS))}")
        step = "\n".join(f"    {each}" for each in body)
        return f"{HEAD.replace('SEED', str(self.seed))}\n\ndef step(x, y, n, store):\n{step}\n"

    def change(self):
        """Return a change of the world."""
        text = self.one_of(CHANGES)
        for name in ("np.float64", "FLAG", "Flag"):
            text = text.replace(name, name.lower().replace("flag", "\2"))
        number = round(float(self.rng.normal()), 3)
        text = text.replace("F", f"({number})").replace("J", str(self.rng.integers(4)))
        return text.replace("\2", "FLAG")

    def arguments(self):
        """Return the text of the arguments of a call."""
        x = f"np.full(4, {self.rng.normal():.3f}) + np.arange(4.0)"
        usual = [f"({x}, np.ones(4), {self.rng.integers(6)}, {self.store()})"] * 6
        odd = [
            f"(lambda z: (z, z, 1, {self.store()}))({x})",
            f"(lambda z: (z[:4], z[2:6], 2, {self.store()}))(np.arange(8.0))",
            "(v, net.m, 3, table)",
            f"({x}, v, 2.5, table)",
            f"(({x}).astype('f4'), np.ones(4), 2, {self.store()})",
            f"(np.ones((2, 4)), np.ones(4), 1, {self.store()})",
            "(np.arange(8.0)[::2], np.ones(4), True, table)",
            f"(table['k'], np.ones(4), 0, {self.store()})",
        ]
        return self.one_of(usual + odd)

    def store(self):
        """Return the text of a dict of arrays, numbers, a Parameter and a list."""
        k = self.one_of(["np.ones(4)", "v", "net.m", "np.arange(4.0)"])
        w = self.one_of(["Parameter(np.ones(4))", "Parameter(np.ones(4))", "net.w"])
        items = self.one_of(["[1.0, 2.0]", "[1.0, 2.0]", "items"])
        made = f"{{'k': {k}, 't': {self.rng.integers(3)}, 'w': {w}, 'list': {items}}}"
        return self.one_of([made, made, "table"])
