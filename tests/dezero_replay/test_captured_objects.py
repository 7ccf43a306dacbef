"""Objects and classes that a function reaches, and that change between two calls.

Promise: docs/how_replay_works.md
"""

import copy
import functools
import operator
import weakref
from dataclasses import asdict, astuple, dataclass, field, replace
from types import MethodType, SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter
from dezero_replay import compiled
from tests.replayed import follows

X = np.array([1.0, 2.0, 3.0])


class Scaled:
    """Has a rate on the class, and a method that reads it."""

    rate = 1.0

    def __init__(self):
        self.own = 1.0

    def forward(self, x):
        return x * self.rate * self.own

    __call__ = forward


def fresh(**attributes):
    """Return an instance of a class of its own."""
    return type("Own", (Scaled,), attributes)()


def test_an_attribute_of_an_instance_is_looked_at():
    model = fresh()
    follows(lambda x: model.forward(x), lambda n: setattr(model, "own", n / 7), X)
    follows(lambda x: model(x), lambda n: setattr(model, "own", n + 0.5), X)
    follows(model.forward, lambda n: setattr(model, "own", n / 9), X)


def test_an_attribute_of_a_class_is_looked_at():
    model = fresh()
    follows(lambda x: model(x), lambda n: setattr(type(model), "rate", n / 7), X)


def test_an_attribute_of_a_class_that_an_instance_shadows_is_looked_at():
    model = fresh()

    def change(n):
        if n % 2:
            model.rate = n / 7
        else:
            del model.rate

    follows(lambda x: model(x), change, X)


def test_an_attribute_of_a_base_that_a_class_shadows_is_looked_at():
    class Base:
        rate = 1.0

    class Derived(Base):
        pass

    model = Derived()
    follows(lambda x: x * model.rate, lambda n: setattr([Base, Derived][n > 2], "rate", n / 7), X)


def test_a_method_that_is_put_on_an_instance_is_called():
    model = fresh()
    follows(
        lambda x: model.forward(x),
        lambda n: setattr(model, "forward", lambda x: x + float(n)),
        X,
    )


def test_a_method_that_is_put_on_a_class_is_called():
    model = fresh()
    follows(
        lambda x: model.forward(x),
        lambda n: setattr(type(model), "forward", lambda self, x: x + float(n)),
        X,
    )
    other = fresh()
    follows(
        lambda x: other(x),
        lambda n: setattr(type(other), "__call__", lambda self, x: x + float(n)),
        X,
    )


def test_an_operator_that_is_put_on_a_class_is_called():
    class Shift:
        def __rmatmul__(self, x):
            return x + 1.0

        __array_ufunc__ = None

    shift = Shift()
    follows(
        lambda x: x @ shift,
        lambda n: setattr(Shift, "__rmatmul__", lambda self, x: x + (n + 1.0)),
        X,
    )


def test_another_class_of_an_instance_is_seen():
    class Other(Scaled):
        def forward(self, x):
            return x - 1.0

        __call__ = forward

    model = Scaled()
    follows(
        lambda x: model.forward(x), lambda n: setattr(model, "__class__", [Scaled, Other][n % 2]), X
    )


def test_a_property_is_computed_from_what_is_looked_at():
    class Model:
        def __init__(self):
            self._rate = 1.0

        @property
        def rate(self):
            return self._rate * 2.0

    model = Model()
    follows(lambda x: x * model.rate, lambda n: setattr(model, "_rate", n / 7), X)
    follows(
        lambda x: x * model.rate,
        lambda n: setattr(Model, "rate", property(lambda self: n * 3.0)),
        X,
    )


def test_a_property_of_a_cache_is_looked_at():
    class Model:
        def __init__(self):
            self.base = 1.0

        @functools.cached_property
        def rate(self):
            return self.base * 2.0

    model = Model()

    def change(n):
        model.base = n / 7
        vars(model).pop("rate", None)

    follows(lambda x: x * model.rate, change, X)


def test_what_getattr_of_a_class_finds_is_looked_at():
    class Model:
        def __init__(self):
            self.__dict__["store"] = {"rate": 1.0}

        def __getattr__(self, name):
            return self.__dict__["store"][name]

    model = Model()
    follows(lambda x: x * model.rate, lambda n: model.store.update(rate=n / 7), X)


def test_what_a_descriptor_gives_is_looked_at():
    class Rate:
        def __init__(self):
            self.value = 1.0

        def __get__(self, instance, owner=None):
            return self.value

    class Model:
        rate = Rate()

    model = Model()
    descriptor = vars(Model)["rate"]
    follows(lambda x: x * model.rate, lambda n: setattr(descriptor, "value", n / 7), X)


@pytest.mark.parametrize("name", ["__float__", "__int__", "__bool__", "__len__", "__index__"])
def test_a_number_that_a_conversion_of_the_users_gives_is_looked_at(name):
    class Model:
        def __init__(self):
            self.numbers = [1]

    kind = {"__float__": float, "__bool__": bool}.get(name, int)
    setattr(Model, name, lambda self: kind(0) + self.numbers[0] if kind is not bool else self.on)
    model = Model()
    model.on = True
    convert = {"__float__": float, "__int__": int, "__bool__": bool, "__len__": len}
    call = convert.get(name, lambda model: [10, 20, 30, 40, 50, 60, 70][model])

    def change(n):
        model.numbers[0], model.on = kind(n + 1), not model.on

    follows(lambda x: x * (call(model) + 1.0), change, X)


def test_what_a_metaclass_has_is_looked_at():
    class Meta(type):
        rate = 1.0

        @property
        def scale(cls):
            return cls._scale

    class Model(metaclass=Meta):
        _scale = 1.0

    follows(lambda x: x * Model.rate, lambda n: setattr(Meta, "rate", n / 7), X)
    follows(lambda x: x * Model.scale, lambda n: setattr(Model, "_scale", n / 7), X)


def test_a_copy_of_an_object_has_the_numbers_that_it_has_now():
    @dataclass
    class Settings:
        rate: float = 1.0

    settings = Settings()
    for read in (
        lambda: asdict(settings)["rate"],
        lambda: astuple(settings)[0],
        lambda: copy.copy(settings).rate,
        lambda: copy.deepcopy(settings).rate,
        lambda: replace(settings).rate,
    ):
        settings.rate = 1.0
        follows(lambda x, read=read: x * read(), lambda n: setattr(settings, "rate", n / 7), X)


def test_slots_are_looked_at():
    class Model:
        __slots__ = ("rate",)

    model = Model()
    model.rate = 1.0
    follows(lambda x: x * model.rate, lambda n: setattr(model, "rate", n / 7), X)


def test_a_slot_that_is_empty_at_first_is_looked_at():
    class Model:
        __slots__ = ("rate",)

    model = Model()
    follows(lambda x: x * getattr(model, "rate", 2.0), lambda n: setattr(model, "rate", n / 7), X)


def test_slots_of_every_spelling_are_looked_at():
    class Single:
        __slots__ = "rate"

    class Private:
        __slots__ = ("__rate",)

        def __init__(self):
            self.set(1.0)

        def set(self, rate):
            self.__rate = rate

        def __call__(self, x):
            return x * self.__rate

    single, private = Single(), Private()
    single.rate = 1.0
    follows(lambda x: x * single.rate, lambda n: setattr(single, "rate", n / 7), X)
    follows(lambda x: private(x), lambda n: private.set(n / 7), X)


def test_an_object_that_a_class_has_is_looked_at():
    class Trainer:
        optimizer = SimpleNamespace(rate=1.0)

        @classmethod
        def scaled(cls, x):
            return x * cls.optimizer.rate

        @staticmethod
        def shifted(x):
            return x + 1.0

        def step(self, x):
            return x * self.optimizer.rate + self.rates["rate"]

    Trainer.rates = {"rate": 1.0}
    trainer = Trainer()
    follows(trainer.step, lambda n: setattr(Trainer.optimizer, "rate", n / 7), X)
    follows(lambda x: trainer.step(x), lambda n: Trainer.rates.update(rate=n / 7), X)
    follows(
        lambda x: trainer.scaled(x),
        lambda n: setattr(Trainer, "optimizer", SimpleNamespace(rate=n / 9)),
        X,
    )
    follows(
        lambda x: trainer.scaled(x),
        lambda n: setattr(Trainer, "scaled", classmethod(lambda cls, x: x * (n + 2.0))),
        X,
    )
    follows(
        lambda x: Trainer.shifted(x),
        lambda n: setattr(Trainer, "shifted", staticmethod(lambda x: x + (n + 2.0))),
        X,
    )


def test_a_number_of_a_class_stays_that_of_the_class():
    model = fresh()
    follows(lambda x: model(x), lambda n: setattr(type(model), "rate", n / 7), X)
    assert "rate" not in vars(model)


@pytest.mark.parametrize("frozen", [True, False])
def test_fields_of_a_dataclass_are_looked_at(frozen):
    @dataclass(frozen=frozen)
    class Settings:
        rate: float = 1.0
        names: list = field(default_factory=list)

    settings = Settings()

    def change(n):
        object.__setattr__(settings, "rate", n / 7)

    follows(lambda x: x * settings.rate, change, X)
    follows(lambda x: x * len(settings.names), lambda n: settings.names.append(n), X)


def test_attributes_of_a_list_and_of_a_dict_are_looked_at():
    for kind in (type("List", (list,), {}), type("Dict", (dict,), {}), type("Set", (set,), {})):
        settings = kind()
        settings.rate = 1.0
        follows(
            lambda x, settings=settings: x * settings.rate,
            lambda n, settings=settings: setattr(settings, "rate", n / 7),
            X,
        )


def test_a_dict_whose_items_are_attributes_is_looked_at():
    class Config(dict):
        __getattr__ = dict.__getitem__

    config = Config(rate=1.0)
    follows(lambda x: x * config.rate, lambda n: config.update(rate=n / 7), X)


def test_a_bound_method_that_is_kept_is_that_of_its_instance():
    one, two = fresh(), fresh()
    two.own = 3.0
    kept = SimpleNamespace(method=one.forward)
    follows(
        lambda x: kept.method(x),
        lambda n: setattr(kept, "method", [one, two][n % 2].forward),
        X,
    )
    follows(lambda x: kept.method(x), lambda n: setattr(kept.method.__self__, "own", n / 7), X)
    step = MethodType(lambda self, x: x * self.own, one)
    follows(step, lambda n: setattr(one, "own", n / 9), X)


def test_an_object_of_a_weak_reference_is_looked_at():
    model = fresh()
    reference, named = weakref.ref(model), weakref.WeakValueDictionary(model=model)
    follows(lambda x: reference()(x), lambda n: setattr(model, "own", n / 7), X)
    follows(lambda x: named["model"](x), lambda n: setattr(model, "own", n / 9), X)


def test_an_attribute_that_a_getter_names_is_looked_at():
    settings = SimpleNamespace(inner=SimpleNamespace(rate=1.0))
    rate = operator.attrgetter("inner.rate")
    follows(lambda x: x * rate(settings), lambda n: setattr(settings.inner, "rate", n / 7), X)
    call = operator.methodcaller("forward", X)
    model = fresh()
    follows(
        lambda x: x * call(model),
        lambda n: setattr(model, "forward", lambda x: x + float(n)),
        X,
    )


@pytest.mark.parametrize("name", ["0", "class", "a b", "'"])
def test_an_attribute_whose_name_is_no_identifier_is_looked_at_and_changed(name):
    settings = SimpleNamespace(**{name: 1.0})
    follows(lambda x: x * getattr(settings, name), lambda n: setattr(settings, name, n / 7), X)
    weights = SimpleNamespace(**{name: Parameter(np.zeros(3)), "rate": 0.5})

    @compiled(strict=True)
    def step(x):
        setattr(weights, name + "t", getattr(weights, name + "t") + 1.0)
        weight = getattr(weights, name)
        weight.data -= getattr(weights, name + "t") * x
        return weight.data.copy()

    setattr(weights, name + "t", 0.0)
    steps = [step(X)[1] for _ in range(12)]
    assert steps == [-sum(range(1, n + 1)) * 2.0 for n in range(1, 13)]
    assert step.stats["replayed"] >= 6
