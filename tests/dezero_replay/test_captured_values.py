"""Numbers, containers and arrays that a function reads, and that change between two calls.

Promise: docs/how_replay_works.md
"""

import argparse
import array
import contextvars
import os
import threading
from collections import ChainMap, OrderedDict, UserDict, defaultdict, deque
from types import MappingProxyType, ModuleType, SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter, Variable
from dezero_replay import compiled
from tests.replayed import bits, follows

X = np.array([1.0, 2.0, 3.0])


def test_members_of_a_set_are_looked_at():
    enabled = {"double"}

    def change(n):
        enabled.clear()
        enabled.add(["double", "triple"][n % 2])

    follows(lambda x: x * 2.0 if "double" in enabled else x * 3.0, change, X)


def test_a_list_that_is_an_operand_is_looked_at():
    factors = [1.0, 2.0, 3.0]

    def change(n):
        factors[1] = n / 7

    follows(lambda x: np.sum(Parameter(x) * factors).data, change, X)


def test_a_number_in_a_set_is_another_one_if_it_is_equal_and_of_another_type():
    numbers = {1}

    def change(n):
        numbers.clear()
        numbers.add([1, 1.0][n % 2])

    follows(lambda x: x * next(iter(numbers)), change, np.ones(3, np.int8))


@pytest.mark.parametrize("kind", [list, deque])
def test_an_item_of_a_sequence_is_looked_at(kind):
    rates = kind([1.0, 2.0])
    follows(lambda x: x * rates[1], lambda n: rates.__setitem__(1, n / 7), X)


@pytest.mark.parametrize("kind", [list, deque])
def test_the_length_of_a_sequence_is_looked_at(kind):
    rates = kind([1.0])
    follows(lambda x: x * len(rates), lambda n: rates.append(0.0), X)


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, lambda d: defaultdict(int, d)])
def test_an_item_of_a_mapping_is_looked_at(kind):
    rates = kind({"rate": 1.0})
    follows(lambda x: x * rates["rate"], lambda n: rates.__setitem__("rate", n / 7), X)


def test_the_values_of_a_mapping_are_looked_at_as_one_goes_through_them():
    rates = {"a": 1.0, "b": 2.0}
    follows(lambda x: x * sum(rates.values()), lambda n: rates.update(b=n / 7), X)


def test_the_order_of_a_mapping_is_looked_at():
    weights = {"a": 2.0, "b": 3.0}

    def change(n):
        first = next(iter(weights))
        weights[first] = weights.pop(first)

    def weighted(x):
        a, b = weights.values()
        return 2.0 * a * x + b

    follows(weighted, change, X)


def test_the_maps_of_a_chain_are_looked_at():
    outer = {"rate": 2.0}
    chain = ChainMap({}, outer)

    def change(n):
        if n == 3:
            chain["rate"] = 5.0
        else:
            outer["rate"] = chain["rate"] = n / 7

    follows(lambda x: x * chain["rate"], change, X)


def test_what_a_proxy_of_a_mapping_shows_is_looked_at():
    rates = {"rate": 1.0}
    proxy = MappingProxyType(rates)
    follows(lambda x: x * proxy["rate"], lambda n: rates.update(rate=n / 7), X)


def test_an_array_of_python_is_looked_at():
    rates = array.array("d", [1.0])
    follows(lambda x: x * rates[0], lambda n: rates.__setitem__(0, n / 7), X)


def test_bytes_that_can_change_are_looked_at():
    rates = bytearray(b"\1")
    follows(lambda x: x * rates[0], lambda n: rates.__setitem__(0, n + 3), X)


def test_an_attribute_of_parsed_arguments_is_looked_at():
    options = argparse.Namespace(rate=1.0)
    follows(lambda x: x * options.rate, lambda n: setattr(options, "rate", n / 7), X)


def test_the_environment_is_looked_at(monkeypatch):
    monkeypatch.setenv("DEZERO_TEST_RATE", "1")
    follows(
        lambda x: x * float(os.environ["DEZERO_TEST_RATE"]),
        lambda n: monkeypatch.setenv("DEZERO_TEST_RATE", str(n / 7)),
        X,
    )


def test_a_context_variable_is_looked_at():
    rate = contextvars.ContextVar("rate", default=1.0)
    follows(lambda x: x * rate.get(), lambda n: rate.set(n / 7), X)


def test_an_attribute_of_a_thread_is_looked_at():
    local = threading.local()
    local.rate = 1.0
    follows(lambda x: x * local.rate, lambda n: setattr(local, "rate", n / 7), X)


def test_an_attribute_of_another_thread_is_not_that_of_this_one():
    local = threading.local()
    local.rate = 1.0
    step = compiled(lambda x: x * local.rate)
    for _ in range(5):
        step(X)
    found = []

    def elsewhere():
        local.rate = 7.0
        found.extend(step(X) for _ in range(4))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert [bits(y) for y in found] == [bits(X * 7.0)] * 4
    assert bits(step(X)) == bits(X * 1.0)


def test_a_number_in_a_module_is_looked_at():
    settings = ModuleType("settings")
    settings.rate = 1.0
    follows(lambda x: x * settings.rate, lambda n: setattr(settings, "rate", n / 7), X)


def test_all_attributes_are_looked_at_where_code_goes_through_them():
    settings = SimpleNamespace(rate=1.0)

    def change(n):
        settings.rate = n / 7

    follows(lambda x: x * sum(vars(settings).values()), change, X)
    follows(lambda x: x * sum(v for _, v in vars(settings).items()), change, X)
    follows(lambda x: x * settings.__dict__["rate"], change, X)


def test_an_attribute_that_is_asked_for_and_missing_is_looked_at():
    settings = SimpleNamespace()

    def change(n):
        if n % 2:
            settings.scale = n / 7
        else:
            del settings.scale

    follows(lambda x: x * getattr(settings, "scale", 1.0), change, X)
    del settings.scale
    follows(lambda x: x * 2.0 if hasattr(settings, "scale") else x - 1.0, change, X)


def test_an_attribute_whose_name_is_computed_is_looked_at():
    settings, number = SimpleNamespace(rate_1=1.0), 1
    follows(
        lambda x: x * getattr(settings, f"rate_{number}"),
        lambda n: setattr(settings, "rate_1", n / 7),
        X,
    )


def test_a_number_of_another_type_is_another_number():
    settings = SimpleNamespace(scale=2)
    values = [2, 2.0, True, np.float32(1.0), np.float64(1.0), 2]
    follows(
        lambda x: x * settings.scale,
        lambda n: setattr(settings, "scale", values[n]),
        np.ones(3, np.int8),
    )


def test_the_sign_of_a_zero_is_looked_at():
    settings = SimpleNamespace(scale=0.0)
    follows(
        lambda x: x * settings.scale, lambda n: setattr(settings, "scale", [0.0, -0.0][n % 2]), X
    )


@pytest.mark.parametrize("number", [np.nan, np.inf, 2**62, 10**30])
def test_a_number_at_the_edge_is_used_as_it_is(number):
    settings = SimpleNamespace(scale=1.0)
    follows(
        lambda x: x * settings.scale,
        lambda n: setattr(settings, "scale", [1.0, number][n % 2]),
        X,
    )


def test_a_number_that_decides_and_is_an_operand_too_is_looked_at():
    settings = SimpleNamespace(rate=1.0)
    follows(
        lambda x: x * settings.rate if settings.rate < 3 else x - settings.rate,
        lambda n: setattr(settings, "rate", n + 0.5),
        X,
    )


def test_a_nested_number_that_became_an_input_may_change_its_type():
    settings = {"deep": [SimpleNamespace(rate=0.0)]}

    def change(n):
        settings["deep"][0].rate = [0.5, 1.5, 2.5, np.float32(3.5), 4, True][n]

    follows(lambda x: x * settings["deep"][0].rate, change, np.ones(3, np.float32))


def test_an_array_that_is_an_operand_and_indexed_too_is_read_anew():
    w = np.array([1.0, 2.0, 3.0])
    follows(lambda x: x * w + w[0], lambda n: w.__setitem__(0, n / 7), X)


def test_an_array_of_which_only_an_element_is_used_is_read_anew():
    w = np.array([1.0, 2.0, 3.0])
    follows(lambda x: x * w[0], lambda n: w.__setitem__(0, n / 7), X)
    follows(lambda x: x * (2.0 if w[1] > 2 else 3.0), lambda n: w.__setitem__(1, n % 2 * 9.0), X)


def test_another_array_in_the_place_of_one_is_read():
    weights = {"w": np.full(3, 1.0)}
    follows(lambda x: x * weights["w"], lambda n: weights.update(w=np.full(3, n / 7)), X)


def test_a_part_of_an_array_is_the_part_that_it_is_now():
    rows, at = np.arange(12.0).reshape(4, 3), SimpleNamespace(row=0)
    follows(lambda x: x * rows[at.row], lambda n: setattr(at, "row", n % 4), X)


def test_an_index_among_the_captured_arrays_is_read_anew():
    order = np.array([0, 1, 2])
    follows(lambda x: x[order] * 2.0, lambda n: np.copyto(order, np.roll(order, 1)), X)


def test_a_mask_among_the_captured_arrays_is_read_anew():
    mask = np.array([True, False, False])
    follows(lambda x: x[mask] * 2.0, lambda n: mask.__setitem__(n % 3, not mask[n % 3]), X)
    follows(lambda x: np.where(mask, x, -x), lambda n: mask.__setitem__(0, not mask[0]), X)


def test_the_shape_of_a_captured_array_is_looked_at():
    holder = SimpleNamespace(w=np.ones(3))
    follows(lambda x: x * len(holder.w), lambda n: setattr(holder, "w", np.ones(3 + n)), X)


def test_labels_in_a_variable_among_the_arguments_are_read_anew():
    labels = Variable(np.array([0, 1, 2]))
    follows(
        lambda x, t: x[t.data] * 2.0,
        lambda n: setattr(labels, "data", np.roll(labels.data, 1)),
        X,
        labels,
    )
    follows(
        lambda x, t: x[t.data] * 2.0,
        lambda n: np.copyto(labels.data, np.roll(labels.data, 1)),
        X,
        labels,
    )
    follows(
        lambda x, t: (Variable(x)[t] * 2.0).data,
        lambda n: np.copyto(labels.data, np.roll(labels.data, 1)),
        X,
        labels,
        replays=False,
    )


def test_numbers_of_an_object_among_the_arguments_are_looked_at():
    settings = SimpleNamespace(rate=1.0, inner={"scale": 2})

    def change(n):
        settings.rate, settings.inner["scale"] = n / 7, n % 3

    follows(lambda x, c: x * c.rate + c.inner["scale"], change, X, settings)


def test_parameters_in_a_set_are_updated():
    def make():
        params = {Parameter(np.ones(3))}

        def step(x):
            for p in params:
                loss = np.sum((x * p) ** 2)
                p.cleargrad()
                loss.backward()
                p.data -= 0.1 * p.grad
            return loss.data, p.data * 1.0

        return step

    eager, step = make(), compiled(make(), audit=None)
    for n in range(8):
        assert bits(step(X * n)) == bits(eager(X * n))
    assert step.stats["replayed"] == 6


def test_a_captured_array_of_many_bytes_is_read_anew_where_it_is_an_operand():
    w = np.zeros(20_000)
    follows(lambda x: x[0] * w, lambda n: w.fill(n), X)
