"""Random programs of NumPy calls: made from a seed, run on arrays and on Variables.

A program is made while it runs on plain arrays, so that each call can be given operands from
where it is smooth. What the calls are comes from the samples with which the plugins register
their operations; the operators, powers and views are added here.
"""

import operator
import warnings
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

import numpy as np
from dezero_tools.testing import sample_of

from dezero_core import Variable, grad, ops

#: Larger values make differences inexact: a call that returns one is not made.
LARGEST = 100.0
#: How near to a jump of a derivative an operand may be.
APART = 0.1


@contextmanager
def quiet():
    """NumPy's warnings belong to what is attacked, and are not what is asked here."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class Node(NamedTuple):
    """One call: the values it takes, by number, and what it is on arrays and on Variables."""

    text: str
    operands: tuple
    on_arrays: object
    on_variables: object
    outputs: int | None = None  # how many, if it returns a sequence of them

    def __str__(self):
        return f"{self.text} of {', '.join(map(str, self.operands))}"


class UnfitError(Exception):
    """Nothing can be made of these operands."""


class Program:
    """A random program, and its derivatives along one direction.

    Parameters
    ----------
    seed : int
    most : int
        How many calls it has at most.
    zeros : bool
        Whether operands hold zeros, which are raised to powers.
    choices : bool
        Whether values decide which elements of others are taken.
    """

    def __init__(self, seed, most=13, zeros=False, choices=False):
        self.rng = np.random.default_rng(seed)
        self.seed, self.zeros, self.choices = seed, zeros, choices
        self.leaves = [*leaves(self.rng, zeros)]
        self.values, self.nodes, self.weights = list(self.leaves), [], {}
        with quiet():
            length = self.rng.integers(3, most + 1)
            for _ in range(50 * most):
                if len(self.nodes) == length:
                    break
                self.try_a_call()
            self.choose_outputs()
        self.directions = [direction(self.rng, x) for x in self.leaves]

    def __str__(self):
        lines = [f"seed {self.seed}, zeros={self.zeros}, choices={self.choices}"]
        lines += [f"  {n}: {x.dtype}{x.shape} {x!r}" for n, x in enumerate(self.leaves)]
        number = len(self.leaves)
        for node in self.nodes:
            lines.append(f"  {number}: {node}")
            number += 1 if node.outputs is None else node.outputs
        return "\n".join([*lines, f"  weights of {', '.join(map(str, self.weights))}"])

    def try_a_call(self):
        """Add one call, if one that was drawn is finite and not too large."""
        kinds = [self.draw_operation] * 5 + [self.draw_operator, self.draw_power, self.draw_view]
        if self.zeros:
            kinds += [self.draw_power] * 4
        if self.choices:
            kinds += [self.draw_choice] * 2
        try:
            node = kinds[self.rng.integers(len(kinds))]()
            ys = node.on_arrays([self.values[n] for n in node.operands], np.asarray)
        except (UnfitError, TypeError, ValueError):  # NumPy refuses it
            return
        several = isinstance(ys, (list, tuple))
        ys = [np.asarray(y) for y in (ys if several else [ys])]
        if all(is_tame(y) for y in ys):
            self.nodes.append(node._replace(outputs=len(ys) if several else None))
            self.values += ys

    def number(self, fits=lambda x: True):
        """Draw the number of a value, rather a late one, so that programs are deep."""
        known = [n for n, x in enumerate(self.values) if x.dtype.kind in "fc" and fits(x)]
        if not known:
            raise UnfitError
        late = known[-4:]
        return int(self.rng.choice(late if self.rng.random() < 0.6 else known))

    def choose_outputs(self):
        """Give weights to an input, to what nothing else takes, and to some that are taken."""
        used = set(chain.from_iterable(node.operands for node in self.nodes))
        for n, x in enumerate(self.values):
            wanted = self.rng.random() < (0.1 if n in used else 0.8)
            if x.dtype.kind in "fc" and (wanted or n == 0):
                self.weights[n] = direction(self.rng, x)

    # -- what calls there are

    def draw_operation(self):
        """Draw a call of a registered operation, and make its operands of values."""
        function, sample, on_arrays, many = OPERATIONS[self.rng.integers(len(OPERATIONS))]
        call = sample.calls[self.rng.integers(len(sample.calls))]
        draws = call.draws()
        nothing = any(0 in draw.shape for draw in draws)
        if not draws or (nothing and self.rng.random() < 0.8):
            raise UnfitError
        is_complex = sample.complex and self.rng.random() < 0.2
        fitted, numbers = [], []
        for draw in draws:
            number = self.number(lambda x, d=draw: x.size or 0 in d.shape)
            fitted.append(self.fit(self.values[number], draw, is_complex))
            numbers.append(number)
        operands = [f(self.values[n], np.asarray) for f, n in zip(fitted, numbers, strict=True)]
        if sample.apart is not None:
            distances = sample.apart(*[np.real(x) for x in operands])
            if not np.min(distances, initial=np.inf) > APART:
                raise UnfitError
        on_variables = many[self.rng.integers(len(many))]

        def calling(target):
            def run(xs, constant):
                args = (f(x, constant) for f, x in zip(fitted, xs, strict=True))
                args, kwargs = call.filled(args)
                return target(*args, **kwargs)

            return run

        text = f"{function} {call}"
        return Node(text, tuple(numbers), calling(on_arrays), calling(on_variables))

    def fit(self, x, draw, is_complex):
        """Return what makes of the value `x` an operand as a sample asks for."""
        rng = self.rng
        reshaped = self.reshape(x, draw.shape)
        low, high = draw.between
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        shaped = reshaped(x)
        inside = np.all(np.abs(np.real(shaped) - middle) < 0.95 * half)
        inside = inside and np.unique(shaped).size == shaped.size  # or there are ties
        as_it_is = inside and x.dtype.kind == "f" and not is_complex and rng.random() < 0.5
        factor, phase = (
            rounded(rng.uniform(0.4, 1.0, draw.shape)),
            rounded(rng.uniform(-1.5, 1.5, draw.shape)),
        )
        other = rounded(rng.uniform(-1.5, 1.5, draw.shape))

        def part(x, phase, constant):
            wave = np.sin(x * constant(factor) + constant(phase))
            return wave * (0.9 * half) + middle

        def fitted(x, constant):
            y = reshaped(x)
            if not as_it_is:
                real = np.real(y) + 0.5 * np.imag(y) if y.dtype.kind == "c" else y
                y = part(real, phase, constant)
                if is_complex:
                    y = y + 1j * part(real, other, constant)
            if draw.project is not None:
                y = draw.project(y)
            return y + constant(draw.plus) if np.any(draw.plus) else y

        return fitted

    def reshape(self, x, shape):
        """Return what brings the value `x` into a shape: by a view, where there is one."""
        size = int(np.prod(shape))
        if x.shape == shape:
            return lambda x: x
        ways = []
        if x.size == size:
            ways.append(lambda x: np.reshape(x, shape))
        if x.ndim <= len(shape) and fits_into(x.shape, shape):
            ways.append(lambda x: np.broadcast_to(x, shape))
        if shape == () and x.size:
            ways += [np.sum, np.mean, lambda x: np.ravel(x)[-1]]
        if x.size > size:
            ways.append(lambda x: np.reshape(np.ravel(x)[:size], shape))
            ways.append(lambda x: np.reshape(np.ravel(x)[::-1][:size], shape))
        if x.size:
            index = self.rng.integers(x.size, size=shape)
            ways.append(lambda x: np.ravel(x)[index])
        if not ways:
            raise UnfitError
        return ways[self.rng.integers(len(ways))]

    def draw_operator(self):
        """Draw an operator of two values, or of one value and a constant."""
        name = self.rng.choice(["add", "sub", "mul", "truediv", "matmul"])
        apply = getattr(operator, name)
        a = self.number()
        x = self.values[a]
        if name == "matmul":
            a = self.number(lambda x: x.ndim)
            x = self.values[a]
            b = self.number(lambda y: y.ndim and y.shape[max(-2, -y.ndim)] == x.shape[-1])
        else:
            b = self.number(lambda y: fits_together(x.shape, y.shape))
        if name == "truediv":
            return self.both(
                f"{name} by 2 + sin", (a, b), lambda xs, constant: xs[0] / (2.0 + np.sin(xs[1]))
            )
        scalar = rounded(self.rng.uniform(-2.0, 2.0))
        way = self.rng.integers(4)
        if way == 0 and name != "matmul":
            return self.both(f"{name} {scalar}", (a,), lambda xs, c: apply(xs[0], float(scalar)))
        if way == 1 and name != "matmul":
            return self.both(f"{scalar} {name}", (a,), lambda xs, c: apply(float(scalar), xs[0]))
        return self.both(name, (a, b), lambda xs, constant: apply(xs[0], xs[1]))

    def draw_power(self):
        """Draw a power with a constant exponent; of a value that may hold zeros."""
        number = self.number(lambda x: x.dtype.kind == "f")
        x = self.values[number]
        exponents = [0, 1, 2, 3, 4, 5, 0.0, 1.0, 2.0, 3.0, np.int64(2), np.array(3), np.float64(2)]
        if x.ndim:
            exponents.append(self.rng.integers(0, 5, x.shape))
        c = exponents[self.rng.integers(len(exponents))]
        apply = [operator.pow, np.power, np.float_power][self.rng.choice(3, p=[0.6, 0.3, 0.1])]
        return self.both(f"{apply.__name__} {c!r}", (number,), lambda xs, constant: apply(xs[0], c))

    def draw_choice(self):
        """Draw what takes elements of one value by those of another, far from where that jumps."""
        a = self.number(lambda x: x.dtype.kind == "f" and x.size and np.min(np.abs(x)) > APART)
        x = self.values[a]
        b = self.number(lambda y: fits_together(x.shape, y.shape))
        ways = [
            ("where", lambda x, y: np.where(x > 0.0, y, -0.5 * y)),
            ("mask", lambda x, y: y * (x < 0.0)),
        ]
        gaps = np.diff(np.sort(x, axis=None))
        if x.ndim and self.values[b].shape == x.shape and np.min(gaps, initial=1.0) > APART:
            ways += [
                ("argsort", lambda x, y: np.take_along_axis(y, np.argsort(x), -1)),
                ("argmin", lambda x, y: np.take_along_axis(y, np.argmin(x, 0, keepdims=True), 0)),
                ("argmax", lambda x, y: (x * y)[np.argmax(x, 0)]),
                ("ranks", lambda x, y: np.take(x * y, np.argsort(x), -1)),
            ]
        text, apply = ways[self.rng.integers(len(ways))]
        return self.both(text, (a, b), lambda xs, constant: apply(*xs))

    def draw_view(self):
        """Draw what is a view of an array, which must not become one of a gradient."""
        number = self.number()
        x = self.values[number]
        ways = [("ravel", np.ravel), ("[...]", lambda x: x[...]), ("+", operator.pos)]
        if x.ndim:
            ways += [
                ("[::-1]", lambda x: x[::-1]),
                ("[1:]", lambda x: x[1:]),
                ("[::2]", lambda x: x[::2]),
                (".T", lambda x: x.T),
                ("[None]", lambda x: x[None]),
            ]
            repeated = self.rng.integers(-1, 1, 3) if len(x) else np.array([], int)
            ways.append((f"[{repeated.tolist()}]", lambda x: x[repeated]))
        if x.ndim > 1:
            ways.append(("swapaxes", lambda x: np.swapaxes(x, 0, -1)))
        text, apply = ways[self.rng.integers(len(ways))]
        return self.both(text, (number,), lambda xs, constant: apply(xs[0]))

    @staticmethod
    def both(text, operands, run):
        return Node(text, operands, run, run)

    # -- running it

    def run(self, xs, on_variables=False, dtype=None):
        """Return all values of the program for other leaves."""

        def constant(c):
            return np.asarray(c, dtype)

        values = list(xs)
        for node in self.nodes:
            apply = node.on_variables if on_variables else node.on_arrays
            ys = apply([values[n] for n in node.operands], constant)
            values += [ys] if node.outputs is None else ys
        return values

    def loss(self, values, dtype=None):
        """Return the weighted sum of the outputs."""
        total = 0.0
        for n, weight in self.weights.items():
            y = values[n]
            product = y * np.asarray(np.conj(weight), narrowed(weight.dtype, dtype))
            total = total + np.sum(np.real(product) if weight.dtype.kind == "c" else product)
        return total

    def moved(self, t):
        """Return the leaves, moved by `t` along their directions."""
        return [np.asarray(x + t * v) for x, v in zip(self.leaves, self.directions, strict=True)]

    def along(self, gradients):
        """Return the slope along the directions."""
        total = 0.0
        for gradient, v in zip(gradients, self.directions, strict=True):
            total = total + np.sum(np.real(gradient * np.conj(v)))
        return total

    def derivatives(self, xs, order):
        """Return the derivatives along the directions at `xs`, from the first to `order`."""
        xs = [Variable(x) for x in xs]
        y = self.loss(self.run(xs, on_variables=True))
        found = []
        for left in reversed(range(order)):
            if getattr(y, "creator", None) is None:  # what is left is a constant
                return found + [0.0] * (order - len(found))
            y = self.along(grad(y, xs, create_graph=bool(left)))
            found.append(float(y.data if isinstance(y, Variable) else y))
        return found


def narrowed(dtype, to):
    """Return the dtype in which a constant takes part in a program of another precision."""
    if to is None:
        return dtype
    return np.result_type(to, np.complex64) if dtype.kind == "c" else to


def rounded(array):
    """Return constants that are the same number in both precisions."""
    return np.asarray(array, np.float32).astype(float)


def is_tame(y):
    """Return whether these are numbers, finite and not too large."""
    if y.dtype.kind not in "fciub":
        return False
    return np.all(np.isfinite(y)) and np.max(np.abs(y), initial=0.0) < LARGEST


def fits_into(shape, other):
    try:
        return np.broadcast_shapes(shape, other) == other
    except ValueError:
        return False


def fits_together(shape, other):
    try:
        return np.prod(np.broadcast_shapes(shape, other)) <= 200
    except ValueError:
        return False


def direction(rng, like):
    """Return numbers like those of an array, none near 0."""

    def numbers():
        return rng.uniform(0.4, 1.0, like.shape) * rng.choice([-1.0, 1.0], like.shape)

    return (
        rounded(numbers()) + 1j * rounded(numbers())
        if like.dtype.kind == "c"
        else rounded(numbers())
    )


def leaves(rng, zeros):
    """Yield arrays of many shapes and layouts; some of them share their memory."""

    def numbers(shape):
        x = rounded(rng.uniform(-2.0, 2.0, shape))
        return np.where(rng.random(shape) < 0.5, 0.0, x) if zeros else x

    first = numbers((2, 3))
    yield first
    for _ in range(rng.integers(1, 4)):
        shape = [(), (3,), (2, 3), (3, 3), (1, 3), (2, 1, 2), (4,), (0,), (2, 0, 3)][
            rng.choice(9, p=[0.15, 0.15, 0.2, 0.15, 0.1, 0.1, 0.09, 0.03, 0.03])
        ]
        x = np.asarray(numbers(shape))
        way = rng.integers(10)
        if way == 0:
            x = np.asfortranarray(x)
        elif way == 1:  # strided
            x = np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x
        elif way == 2:  # reversed
            x = x[::-1] if x.ndim else x
        elif way == 3:
            x.flags.writeable = False
        elif way == 4:  # every row is one and the same
            x = np.broadcast_to(numbers((3,)), (2, 3))
        elif way == 5:
            x = first  # one array as two leaves
        elif way == 6:
            x = first[:, ::-1].T  # the same numbers by another way
        elif way == 7:
            x = np.asarray(x + 1j * numbers(shape))
        yield x


def catalogue():
    """Return how each registered operation is called: on arrays, and by all its names.

    Those without a derivative are every tenth: nothing goes on behind them.
    """
    found = []
    for operation in ops():
        sample = sample_of(operation)
        on_arrays = sample.calls and (sample.reference or next(iter(operation.numpy), None))
        if not on_arrays or operation.name == "empty_like":  # its values are any
            continue
        if sample.order == 1:  # of programs, second derivatives are asked too
            continue
        many = [operation.function, *operation.numpy]
        times = 10 if operation.differentiable else 1
        found += [(operation.name, sample, on_arrays, many)] * times
    return found


OPERATIONS = catalogue()
