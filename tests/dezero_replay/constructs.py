"""Programs that people write, with what Python has: see `everyday`."""

import contextlib
import enum
import functools
from dataclasses import dataclass, field

import numpy as np

from dezero_core import Parameter

from .everyday import descended, everyday, row

# Arguments that are no arrays.

X = np.random.default_rng(0).normal(size=(40, 4))
SLICES = [slice(n, n + 10) for n in range(12)]


@everyday(lambda n, state: (SLICES[n],))
def slices_are_arguments():
    w = Parameter(np.ones(4))
    return (lambda rows: descended([w], np.mean((X[rows] @ w) ** 2))), w


@everyday(lambda n, state: row(n, (slice(n % 3, n % 3 + 2), None), Ellipsis, None, "relu"))
def slices_ellipsis_none_and_texts_are_arguments():
    def step(x, index, dots, nothing, mode):
        y = x[index[0]].sum() + x[dots]
        y = np.maximum(y, 0) if mode == "relu" else np.tanh(y)
        return y if nothing is None else y * nothing

    return step, None


class Mode(enum.Enum):
    TRAIN = "train"
    TEST = "test"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


@dataclass(frozen=True)
class Settings:
    rate: float
    mode: Mode = Mode.TRAIN
    shape: tuple = (2, 2)


@everyday(lambda n, state: row(n, Level.HIGH, 0.1 * n))
def enums_of_numbers_are_arguments():
    return (lambda x, level, rate: x * rate * level + (level is Level.HIGH)), None


@everyday(lambda n, state: row(n, Mode.TRAIN, Settings(0.1 * n)))
def enums_and_frozen_dataclasses_are_arguments():
    def step(x, mode, settings):
        y = x * settings.rate
        if mode is Mode.TRAIN and settings.mode == Mode.TRAIN:
            y = y + 1
        return y.reshape(settings.shape)

    return step, None


# What Python has.


@everyday()
def closures_call_themselves():
    tree = [1.0, [2.0, [3.0, 4.0]], (5.0,)]

    def step(x):
        def total(node):
            return sum(map(total, node)) if isinstance(node, (list, tuple)) else node * x

        def power(n):
            return 1.0 if n == 0 else x * power(n - 1)

        return total(tree) + power(3)

    return step, tree


@everyday()
def containers_are_made_of_their_own_types():
    values = [[np.ones(4), 2.0], (3.0, [4.0]), {"a": 5.0}]

    def doubled(v, x):
        if isinstance(v, (list, tuple)):
            return type(v)([doubled(each, x) for each in v])
        if isinstance(v, dict):
            return type(v)((key, doubled(each, x)) for key, each in v.items())
        return v * x

    return (lambda x: doubled(values, x)), values


@everyday()
def results_are_cached():
    @functools.lru_cache
    def binomial(n, k):
        return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)

    @functools.cache
    def grid(n):
        return np.linspace(0.0, 1.0, n)

    return (lambda x: x * binomial(5, 2) + grid(len(x))), None


@functools.singledispatch
def scaled(given, x):
    return x


@scaled.register
def _(given: list, x):
    return x * len(given)


@scaled.register(float)
@scaled.register(int)
def _(given, x):
    return x * given


@everyday()
def functions_are_chosen_by_the_type():
    return (lambda x: scaled(2, x) + scaled([1, 2, 3], x) + scaled("a", x) + scaled(0.5, x)), None


class Base:
    factor = 2.0
    __slots__ = ("_rate", "w")

    def __init__(self):
        self._rate, self.w = 0.01, Parameter(np.ones(4))

    @property
    def rate(self):
        return self._rate

    @rate.setter
    def rate(self, value):
        self._rate = value * 0.99

    def forward(self, x):
        return self.w * x * self.factor


class Model(Base):
    __slots__ = ("calls",)

    def __init__(self):
        super().__init__()
        self.calls = 0

    @staticmethod
    def squared(y):
        return y**2

    @classmethod
    def scale(cls):
        return cls.factor / 2

    def forward(self, x):
        self.calls += 1
        return self.squared(super().forward(x)) * self.scale()

    __call__ = forward


@everyday()
def classes_have_properties_slots_and_bases():
    model = Model()

    def step(x):
        model.rate = model.rate
        return descended([model.w], np.sum(model(x)), model.rate)

    return step, model


class Named:
    def __init__(self, **rest):
        super().__init__(**rest)
        self.name = "named"


class Timed:
    def __init__(self, rate, **rest):
        super().__init__(**rest)
        self.rate = rate


class Layers(Named, Timed):
    def __init__(self, rate):
        super().__init__(rate=rate)
        self.items = [self.name, self.rate]


@everyday()
def objects_are_made():
    return (lambda x: x * Layers(2.0).rate + len(Layers(3.0).items)), None


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@everyday()
def functions_are_decorated():
    def scaled_by(n):
        return lambda function: lambda x: function(x) * n

    @counted
    @scaled_by(3.0)
    def helper(x):
        return x + 1

    return (lambda x: helper(x) + helper.calls), helper


@everyday()
def context_managers_surround_it():
    flags = {"train": False, "depth": 0}

    @contextlib.contextmanager
    def training():
        before, flags["train"] = flags["train"], True
        try:
            yield 2.0
        finally:
            flags["train"] = before

    class Deeper:
        def __enter__(self):
            flags["depth"] += 1
            return self

        def __exit__(self, *error):
            flags["depth"] -= 1

    def step(x):
        with training() as rate, Deeper(), np.errstate(all="ignore"):
            y = x * rate if flags["train"] else x
            return y + flags["depth"]

    return step, flags


@everyday()
def errors_are_caught():
    rates, done = {"a": 2.0}, {"n": 0}

    def step(x):
        try:
            y = x * rates["missing"]
        except KeyError:
            y = x * rates.get("a", 1.0)
        else:
            y = y + 1
        finally:
            done["n"] += 1
        try:
            raise ValueError("as usual")
        except (TypeError, ValueError) as error:
            return y + len(error.args)

    return step, (rates, done)


@everyday()
def comprehensions_match_and_assertions():
    layers = [("linear", np.eye(4)), ("tanh",), ("scale", 2.0)]

    def applied(layer, x):
        match layer:
            case ("linear", w):
                return x @ w
            case ("scale", float(factor)):
                return x * factor
            case (name,):
                return {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0)}[name](x)

    def step(x):
        assert x.ndim == 1, "one row"
        assert not np.isnan(x).any()
        for layer in layers:
            x = applied(layer, x)
        rows = [x * n for n in range(3) if n % 2 == 0]
        named = {f"row{n}": each.sum() for n, each in enumerate(rows)}
        return sum(rows), named, {len(each) for each in rows} == {4}, [*map(float, x[:2])]

    return step, layers


@dataclass
class Trainer:
    w: Parameter = field(default_factory=lambda: Parameter(np.ones(4)))
    t: int = 0
    log: dict = field(default_factory=dict)

    def __post_init__(self):
        self.m = np.zeros(4)

    def run(self, x, *, rate=0.001, **options):
        self.t += 1
        loss = descended([self.w], np.sum((self.w * x) ** 2), rate)
        self.m = options.get("beta", 0.9) * self.m + self.w.grad
        self.log["loss"], self.log["t"] = float(loss.data), self.t
        return loss


@everyday()
def a_trainer_is_a_dataclass():
    trainer = Trainer()
    return (lambda x: trainer.run(x, beta=0.5)), trainer
