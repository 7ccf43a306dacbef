"""Every operation that is loaded, in every form of its row, keeps the whole contract."""

import numpy as np
import pytest

from dezero_core import Variable

from . import checker
from .cases import CASES, DIFFERENTIABLE, HAS_OPERATORS, PLAIN
from .row import each, parametrize

RECORDABLE = [case for case in DIFFERENTIABLE if HAS_OPERATORS or case.alone]
NEEDING_OPERATORS = [case for case in DIFFERENTIABLE if not (HAS_OPERATORS or case.alone)]

SHAPES = [(), (3,), (1, 1), (2, 1, 2), (0,), (2, 0, 3)]
PAIRS = [
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((2, 3), (1, 1)),
    ((1,), (2, 1)),
    ((0, 3), (3,)),
    ((1, 3), (0, 3)),
]


def each_in_shapes(cases):
    """Each elementwise case with inputs of one shape, and with two that broadcast."""
    shaped = [
        pytest.param(case, shapes, id=f"{case.label}-{'-'.join(map(str, shapes))}")
        for case in cases
        if case.elementwise
        for shapes in [(shape,) * len(case.xs) for shape in SHAPES] + PAIRS
        if len(shapes) == len(case.xs)
    ]
    return parametrize(("case", "shapes"), shaped)


@each(DIFFERENTIABLE)
def test_forward_equals_numpy(case):
    checker.check_forward(case.subject(), case.xs)


@each(DIFFERENTIABLE)
def test_gradient_equals_the_complex_step_derivative(case):
    checker.check_gradient(case.subject(), case.xs)


@each_in_shapes(DIFFERENTIABLE)
def test_shapes_broadcast_in_value_and_gradient(case, shapes):
    """With no dimensions, the value and the gradient are arrays all the same."""
    xs = case.row.sample(shapes)
    checker.check_forward(case.subject(), xs)
    checker.check_gradient(case.subject(), xs)


@each(RECORDABLE)
def test_second_derivative_equals_the_difference_of_gradients(case):
    checker.check_second_order(case.subject(), case.xs)


@each_in_shapes(RECORDABLE)
def test_shapes_broadcast_in_the_second_derivative(case, shapes):
    checker.check_second_order(case.subject(), case.row.sample(shapes))


@each(NEEDING_OPERATORS)
def test_without_the_operators_recording_the_gradient_names_what_to_install(case):
    checker.check_refused_without_operators(case.subject(), case.xs)


@each(DIFFERENTIABLE)
def test_inputs_output_and_starting_gradient_are_not_written_to(case):
    checker.check_untouched(case.subject(), case.xs)


@each(DIFFERENTIABLE)
@pytest.mark.parametrize("dtype", checker.DTYPES)
def test_dtype_is_kept_in_value_and_gradient(case, dtype):
    checker.check_dtype(case.subject(), case.xs, dtype)


@each(RECORDABLE)
def test_dtype_is_kept_by_a_gradient_that_is_recorded(case):
    checker.check_dtype(case.subject(), case.xs, np.float32, create_graph=True)


@each(DIFFERENTIABLE)
def test_memory_layout_changes_nothing(case):
    checker.check_layouts(case.subject(), case.xs)


@each(DIFFERENTIABLE)
def test_nothing_is_recorded_under_no_grad(case):
    checker.check_nothing_recorded(case.subject(), case.xs)


@each(DIFFERENTIABLE)
def test_graph_is_freed_without_the_collector(case):
    checker.check_freed(case.subject(), case.xs)


@each(RECORDABLE)
def test_recorded_gradient_is_freed_without_the_collector(case):
    checker.check_freed(case.subject(), case.xs, create_graph=True)


@each(DIFFERENTIABLE)
def test_integers_give_numpys_result_and_are_constants(case):
    xs = [np.array(np.ceil(np.abs(x)), dtype=int) for x in case.xs]
    y = case.subject().call(*[Variable(x) for x in xs])
    checker.assert_equals_numpy(case.subject(), y.data, xs)
    assert y.creator is None


@each(PLAIN)
def test_comparison_gives_numpys_plain_array(case):
    xs = case.xs
    subject = case.subject()
    checker.assert_equals_numpy(subject, subject.call(*[Variable(x) for x in xs]), xs)
    xs[1] = xs[0].copy()
    checker.assert_equals_numpy(subject, subject.call(*[Variable(x) for x in xs]), xs)


@each_in_shapes(PLAIN)
def test_shapes_broadcast_in_comparisons(case, shapes):
    xs = case.row.sample(shapes)
    got = case.subject().call(*[Variable(x) for x in xs])
    checker.assert_equals_numpy(case.subject(), got, xs)


def test_some_operation_is_loaded():
    """Otherwise everything above would pass by collecting nothing."""
    assert CASES
