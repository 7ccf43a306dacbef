"""Samples: what stands for arrays, and how it is filled in.

Promise: docs/reference/testing.rst
"""

import copy
import pickle

import numpy as np
import pytest
from dezero_tools.testing import (
    Call,
    Draw,
    Sample,
    check_plugin,
    elementwise,
    order_of,
    sample_of,
)

from dezero_core import Function, Operation, PluginError, hookimpl

A, B = Draw((2,)), Draw((3,), (0.5, 1.0))


@pytest.mark.parametrize(
    ("call", "written"),
    [
        (Call(A), "Call(Draw((2,)))"),
        (Call(B, axis=-1, keepdims=True), "Call(Draw((3,), (0.5, 1.0)), axis=-1, keepdims=True)"),
        (Call([A, B], axis=0), "Call([Draw((2,)), Draw((3,), (0.5, 1.0))], axis=0)"),
        (Call("i,j->ij", A, 2.0), "Call('i,j->ij', Draw((2,)), 2.0)"),
    ],
)
def test_the_repr_of_a_sample_call_is_the_code_of_the_call(call, written):
    assert repr(call) == written


def test_draws_of_a_call_are_found_in_order_inside_sequences_and_keywords():
    call = Call("text", [A, (B, 1.0)], A, where=np.array([True]), to=B, of={"a": A})
    assert call.draws() == [A, B, A, B, A]


def test_arrays_take_the_places_of_draws_in_a_call_and_constants_stay():
    constant = np.array([True])
    call = Call("text", [A, (B, 1.0)], constant, to=B, of={"a": A})
    args, kwargs = call.filled(iter([1, 2, 3, 4]))
    assert args == ("text", [1, (2, 1.0)], constant)
    assert args[2] is constant
    assert kwargs == {"to": 3, "of": {"a": 4}}


def test_elementwise_samples_one_operand_in_shapes_of_every_kind():
    shapes = [call.draws()[0].shape for call in elementwise((0.0, 1.0)).calls]
    assert {(), (0,), (2, 3)} <= set(shapes)
    assert all(call.draws()[0].between == (0.0, 1.0) for call in elementwise((0.0, 1.0)).calls)


def test_elementwise_samples_two_operands_in_shapes_that_broadcast():
    calls = elementwise((0.0, 1.0), (2.0, 3.0), complex=True, ulps=2).calls
    pairs = [tuple(draw.shape for draw in call.draws()) for call in calls]
    assert {((2, 1), (1, 3)), ((2, 3), ()), ((), ())} <= set(pairs)
    for pair in pairs:
        np.broadcast_shapes(*pair)


def test_elementwise_samples_three_operands_in_shapes_that_broadcast():
    shapes = [
        tuple(draw.shape for draw in call.draws())
        for call in elementwise((0.0, 1.0), (0.0, 1.0), (0.0, 1.0)).calls
    ]
    assert ((2, 1), (1, 3), (2, 1)) in shapes
    for each in shapes:
        np.broadcast_shapes(*each)


def test_an_interval_that_is_no_pair_is_refused_with_an_example():
    with pytest.raises(TypeError, match=r"elementwise\(\(-3\.0, 3\.0\)\), got -3\.0\."):
        elementwise(-3.0, 3.0)


def test_elementwise_passes_its_options_to_the_sample():
    sample = elementwise((0.0, 1.0), complex=True, order=1, ulps=2.0)
    assert (sample.complex, sample.order, sample.ulps) == (True, 1, 2.0)
    assert Sample().known_failures == {}


@pytest.mark.parametrize("call", [A, (A,), [Call(A)], "any", None])
def test_a_sample_is_made_of_calls_alone(call):
    with pytest.raises(TypeError, match=r"made of calls, as in Sample\(Call.* got .*\."):
        Sample(Call(A), call)


def test_a_sample_among_the_calls_of_another_stands_for_its_calls():
    first, second = Call(A), Call(B)
    assert Sample(Sample(first, ulps=1.0), second).calls == (first, second)


def registering(sample):
    """Return an operation that was registered with a sample."""
    return Operation("half", "halves", np.abs, None, True, "", (), (), (), sample)


def test_the_sample_of_an_operation_is_made_once_of_what_the_kit_has():
    made = []

    def sample(kit):
        made.append(kit)
        return kit.Sample(kit.Call(kit.Draw((2,))), kit.elementwise((0.0, 1.0)), complex=True)

    operation = registering(sample)
    found = sample_of(operation)
    assert (len(found.calls), found.complex) == (8, True)
    assert type(found) is Sample
    assert sample_of(operation._replace(name="other")) is found
    assert len(made) == 1


def test_an_operation_registered_without_a_sample_has_one_without_calls():
    assert sample_of(registering(None)).calls == ()


def test_an_operation_has_the_order_of_its_highest_derivative():
    assert order_of(registering(None)) == 2
    assert order_of(registering(lambda kit: kit.Sample(order=1))) == 1
    assert order_of(registering(None)._replace(differentiable=False)) == 0


@pytest.mark.parametrize(
    ("sample", "what"),
    [
        (((0.0, 1.0),), r"registers 'half' with the sample \(\(0\.0, 1\.0\),\)"),
        (Sample(Call(A)), "registers 'half' with the sample <.*Sample"),
        (lambda kit: kit.Call(kit.Draw()), r"makes Call\(Draw\(\(\)\)\) as the sample of 'half'"),
        (lambda kit: None, "makes None as the sample of 'half'"),
        (lambda kit: kit.elementwise(0.5), "fails to make the sample of 'half': TypeError: an int"),
        (lambda kit: kit.nonsense, "fails to make the sample of 'half': AttributeError: module"),
        (lambda: 3, "fails to make the sample of 'half': TypeError: "),
    ],
)
def test_the_kit_refuses_what_is_no_sample_with_the_two_ways_to_write_one(sample, what):
    with pytest.raises(PluginError, match=rf"^plugin 'halves' {what}") as caught:
        sample_of(registering(sample))
    assert "sample=lambda kit: kit.elementwise((-3.0, 3.0)), or " in str(caught.value)
    assert str(caught.value).endswith("kit.Sample(kit.Call(kit.Draw((2, 3)))).")
    assert (caught.value.plugin, caught.value.what) == ("halves", "half")


def test_the_core_takes_any_sample_and_the_check_of_the_plugin_refuses_it(registered):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("half", lambda x: x, sample=3)

    registered(Plugin(), "halves")
    with pytest.raises(PluginError, match="plugin 'halves' registers 'half' with the sample 3; "):
        check_plugin("halves")


def test_the_repr_of_an_operation_is_its_name_and_its_plugin():
    operation = Operation("log", "acme", np.log, Function, True, "", (), (), (np.log,), None)
    assert repr(operation) == "Operation('log' of 'acme')"


def test_a_sample_is_pickled_and_copied_if_its_functions_can_be():
    sample = elementwise((0.5, 3.0), reference=np.log, known_failures={"gradient": "unknown"})
    for twin in (pickle.loads(pickle.dumps(sample)), copy.deepcopy(sample)):
        assert vars(twin) | {"calls": ()} == vars(sample) | {"calls": ()}
        assert str(twin.calls) == str(sample.calls)


def test_an_operation_is_pickled_and_copied_if_its_functions_can_be():
    operation = Operation("log", "acme", np.log, Function, True, "", (), (), (np.log,), None)
    for twin in (pickle.loads(pickle.dumps(operation)), copy.deepcopy(operation)):
        assert twin == operation
