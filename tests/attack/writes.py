"""Random programs of which one line in four writes into a Variable, and their functional form."""

import numpy as np

from dezero_core import Variable

SHAPES = [(5,), (4, 3), (3, 3), (2, 3, 2)]
UNARY = [np.sin, np.tanh, np.square, np.negative, lambda x: x * 0.5, lambda x: x[...]]
BINARY = [
    *(lambda x, y: x + y, lambda x, y: x - 0.3 * y, lambda x, y: x * y),
    *(lambda x, y: np.sin(x) * y, lambda x, y: x / (2.0 + np.cos(y))),
]


def replaced(x, index, value, added=False):
    """Return `x` with other elements at an index, by `np.where` and `np.take`, without a write."""
    picked = np.zeros(x.shape)[index].shape
    numbers = np.full(x.shape, -1)
    numbers[index] = np.arange(np.prod(picked, dtype=int)).reshape(picked)
    flat = np.reshape(np.broadcast_to(value, picked), (-1,))
    if not flat.size:
        return x
    each = np.take(flat, np.maximum(numbers, 0))
    return x + each * (numbers >= 0) if added else np.where(numbers >= 0, each, x)


def index_of(rng, shape):
    """Draw an index that picks no element twice, and the shape of what it picks."""
    n = shape[0]
    kinds = [
        lambda: int(rng.integers(-n, n)),
        lambda: slice(int(rng.integers(n)), None, int(rng.choice([1, 2]))),
        lambda: slice(None, None, -1),
        lambda: Ellipsis,
        lambda: rng.permutation(n)[: rng.integers(1, n + 1)],
        lambda: rng.random(shape) < 0.4,
        lambda: rng.random(n) < 0.5,
    ]
    if len(shape) > 1:
        m = shape[1]
        kinds += [
            lambda: (int(rng.integers(n)), int(rng.integers(m))),
            lambda: (slice(None), int(rng.integers(m))),
            lambda: (slice(1, None), slice(None, None, 2)),
            lambda: (np.arange(min(n, m)), rng.permutation(min(n, m))),
            lambda: (Ellipsis, None, 0),
        ]
    index = kinds[rng.integers(len(kinds))]()
    return index, np.zeros(shape)[index].shape


class Program:
    """A random program of three arrays, of which one line in four is a write.

    It is a list of steps that read and write a list of values. ``function(True)`` writes,
    ``x[i] = v``; ``function(False)`` computes a new value in place of each write.
    """

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.shape = SHAPES[self.rng.integers(len(SHAPES))]
        self.lines, self.steps = [], []
        self.shapes = [self.shape, self.shape, ()]
        for number in range(int(self.rng.integers(6, 13))):
            if number % 4 == self.rng.integers(4) or number == 1:
                self.add_write()
            else:
                self.add_value()

    def __str__(self):
        return "\n".join([f"of {self.shape}", *self.lines])

    def arrays(self, number=0):
        """Return arguments, others for each number."""
        rng = np.random.default_rng([number, *map(ord, str(self)[:200])])
        return [rng.uniform(-1.5, 1.5, shape) for shape in self.shapes[:3]]

    def add_value(self):
        rng, count = self.rng, len(self.shapes)
        i = int(rng.integers(max(0, count - 4), count))
        if rng.random() < 0.4:
            k = int(rng.integers(len(UNARY)))
            self.steps.append(lambda values, put: values.append(UNARY[k](values[i])))
            self.lines.append(f"v{count} = unary {k} of v{i}")
            self.shapes.append(self.shapes[i])
            return
        j, k = int(rng.integers(count)), int(rng.integers(len(BINARY)))
        try:
            shape = np.broadcast_shapes(self.shapes[i], self.shapes[j])
        except ValueError:
            j, shape = i, self.shapes[i]
        self.steps.append(lambda values, put: values.append(BINARY[k](values[i], values[j])))
        self.lines.append(f"v{count} = binary {k} of v{i}, v{j}")
        self.shapes.append(shape)

    def add_write(self):
        """Write a value, or a part of one, or a number, into a value: also into an argument."""
        rng = self.rng
        known = [n for n, shape in enumerate(self.shapes) if shape]
        i = int(rng.choice(known[-4:] if rng.random() < 0.7 else known))
        index, picked = index_of(rng, self.shapes[i])
        sources = [n for n, shape in enumerate(self.shapes) if fits(shape, picked)]
        way = rng.integers(4)
        if way == 0 or not sources:
            number = float(rng.uniform(-1.0, 1.0))
            text, value_of = f"{number:.3f}", lambda values: number
        else:
            j = int(rng.choice(sources))
            factor = float(rng.uniform(0.5, 1.5))
            text, value_of = f"{factor:.3f} * v{j}", lambda values: factor * values[j]
            if way == 1 and picked == self.shapes[i]:
                text, value_of = f"v{j}", lambda values: values[j]
        added = bool(rng.random() < 0.3)
        self.steps.append(lambda values, put: put(values, i, index, value_of(values), added))
        self.lines.append(f"v{i}[{index!r}] {'+' * added}= {text}".replace("\n", " "))

    def function(self, writes):
        """Return the program as a function that returns one number."""
        put, steps, count = written if writes else computed, self.steps, len(self.shapes)
        rng = np.random.default_rng(count)
        weights = [rng.uniform(0.2, 1.0, shape) for shape in self.shapes]

        def f(x, y, z):
            values = [x, y, z]
            for step in steps:
                step(values, put)
            total = 0.0
            for weight, value in zip(weights, values, strict=True):
                total = total + np.sum(weight * np.tanh(value) * value)
            return total

        return f


def written(values, i, index, value, added):
    x = values[i] if isinstance(values[i], Variable) else Variable(values[i])
    values[i] = x
    if added:
        x[index] += value
    else:
        x[index] = value


def computed(values, i, index, value, added):
    values[i] = replaced(values[i], index, value, added)


def fits(shape, picked):
    try:
        return np.broadcast_shapes(shape, picked) == picked
    except ValueError:
        return False
