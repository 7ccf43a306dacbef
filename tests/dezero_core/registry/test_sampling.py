"""Samples: what stands for arrays, and how it is filled in."""

import copy
import pickle

import numpy as np
import pytest

import dezero_core
from dezero_core import (
    Call,
    Draw,
    Function,
    Operation,
    PluginError,
    Sample,
    elementwise,
    hookimpl,
    ops,
    register,
)

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
    assert Sample(()).known_failures == {}


@pytest.mark.parametrize("sample", [((0.0, 1.0),), "any", Call(A)])
def test_a_sample_that_is_no_sample_object_is_refused_by_register(sample):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("half", lambda x: x, sample=sample)

    with pytest.raises(
        PluginError, match=r"'half' with the sample .* no Sample; write Sample\(\(Ca"
    ):
        register(Plugin(), "halves")


@pytest.mark.parametrize("calls", [Call(A), (A,), (Call(A), A), "any", None])
def test_a_sample_whose_calls_are_no_tuple_of_calls_is_refused_by_register(calls):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("half", lambda x: x, sample=Sample(calls))

    with pytest.raises(
        PluginError, match=r"'half' with a Sample with the calls .* a tuple of calls"
    ):
        register(Plugin(), "halves")


def test_the_repr_of_an_operation_is_its_name_and_its_plugin():
    sample = elementwise((0.5, 3.0), reference=np.log)
    operation = Operation("log", "acme", np.log, Function, True, "", (), (), (np.log,), sample)
    assert repr(operation) == "Operation('log' of 'acme')"


def test_an_operation_is_pickled_and_copied_if_its_functions_can_be():
    sample = elementwise((0.5, 3.0), reference=np.log, known_failures={"gradient": "unknown"})
    for each in (sample, elementwise((0.5, 3.0))):
        operation = Operation("log", "acme", np.log, Function, True, "", (), (), (np.log,), each)
        for twin in (pickle.loads(pickle.dumps(operation)), copy.deepcopy(operation)):
            assert twin == operation
            assert type(twin.sample) is Sample
            assert str(twin.sample.calls) == str(each.calls)
            assert twin.sample[1:] == each[1:]


def test_the_core_imports_its_names_for_samples_on_demand(run_python):
    outcome = run_python(
        "import sys, dezero_core\nout['before'] = 'dezero_core.registry.sampling' in sys.modules\n"
        "out['listed'] = {'Call', 'Draw', 'Sample', 'elementwise'} <= set(dir(dezero_core))\n"
        "from dezero_core import *\nout['made'] = repr(elementwise((0.0, 1.0)).calls[0])\n"
        "out['nonsense'] = failure(lambda: dezero_core.nonsense)['message']"
    )
    assert (outcome.out.before, outcome.out.listed) == (False, True)
    assert outcome.out.made == "Call(Draw((2, 3), (0.0, 1.0)))"
    assert outcome.out.nonsense == "module 'dezero_core' has no attribute 'nonsense'"
    assert dezero_core.elementwise is dezero_core.registry.sampling.elementwise


def test_operations_of_equal_facts_and_different_samples_are_equal(registered):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("half", lambda x: x)

    registered(Plugin(), "one")
    (operation,) = (operation for operation in ops() if operation.plugin == "one")
    other = operation._replace(sample=dezero_core.Sample(()))
    assert operation == other
    assert not operation != other  # noqa: SIM202 - which is another method
    assert hash(operation) == hash(other)
    assert operation != other._replace(name="b")
    assert operation != other._replace(alternative=True)
    assert operation != tuple(operation)
