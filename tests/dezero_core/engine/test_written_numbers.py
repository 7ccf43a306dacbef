"""A number of a Variable that is written into an array would lose its gradient without a word.

Promise: docs/how_to/differences_from_numpy.md
"""

import _thread
import array
import math
import sys
import time

import numpy as np
import pytest

from dezero_core import Parameter, Variable, VariableTypeError, no_grad


@pytest.fixture
def loss(book):
    return book.Square()(Variable(np.array(3.0)))


def write_item(x):
    np.zeros(3)[0] = x


def write_element(x):
    np.zeros((2, 3))[1, -1] = x


def write_whole(x):
    np.zeros(())[()] = x


def write_complex(x):
    np.zeros(3, complex)[0] = x


def write_integer(x):
    np.zeros(3, int)[0] = x


def write_flat(x):
    np.zeros(3).flat[0] = x


def write_into_a_python_array(x):
    array.array("d", [0.0])[0] = x


def write_two(x):
    a = np.zeros(3)
    a[0], a[1] = 1.0, x


def write_in_a_loop(x):
    a = np.zeros(3)
    for a[2] in [1.0, x]:
        pass


WRITES = [
    write_item,
    write_element,
    write_whole,
    write_complex,
    write_integer,
    write_into_a_python_array,
    write_two,
    write_in_a_loop,
]


def error_of(write, x):
    with pytest.raises((TypeError, ValueError)) as caught:
        write(x)
    # NumPy makes an error of its own of what is raised while it fills an array of real numbers.
    return caught.value.__cause__ or caught.value


@pytest.mark.parametrize("write", WRITES)
def test_writing_a_result_into_an_array_is_refused_with_the_remedy(loss, write):
    error = error_of(write, loss)
    assert isinstance(error, VariableTypeError)
    assert "loss.item()" in str(error)
    assert "a = Variable(np.zeros(n))" in str(error)
    assert error.got is Variable


def test_writing_a_result_through_a_flat_iterator_is_refused_though_numpy_hides_the_reason(loss):
    with pytest.raises(ValueError, match="setting single item"):
        write_flat(loss)


def test_writing_a_result_into_an_array_is_refused_while_a_tracer_runs(loss):
    def tracer(frame, event, argument):
        frame.f_trace_opcodes = True
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        error = error_of(write_item, loss)
        number = float(loss)
    finally:
        sys.settrace(before)
    assert isinstance(error, VariableTypeError)
    assert number == 9.0


def test_writing_a_result_into_an_array_is_refused_by_specialised_instructions(loss):
    numbers = [1.0] * 1000
    for x in numbers:
        write_item(x)
    assert isinstance(error_of(write_item, loss), VariableTypeError)


def test_writing_an_input_of_a_graph_or_a_parameter_into_an_array_is_refused(book):
    x = Variable(np.array(3.0))
    y = book.Square()(x)
    assert isinstance(error_of(write_item, x), VariableTypeError)
    assert isinstance(error_of(write_item, Parameter(np.array(1.0))), VariableTypeError)
    assert y.creator is not None


def test_writing_an_input_that_no_operation_has_used_yet_is_refused(book):
    assert isinstance(error_of(write_item, Variable(np.array(2.0))), VariableTypeError)
    y = book.Square()(Variable(np.array(4.0)))
    y.unchain()
    assert isinstance(error_of(write_item, y), VariableTypeError)


def test_a_variable_that_has_no_gradient_is_written_into_an_array(book):
    a = np.zeros(4)
    a[0] = Parameter(np.array(7))
    a[1] = Variable(np.array(1))
    a[2] = book.Square()(Variable(np.array(2)))
    with no_grad():
        x = book.Square()(Parameter(np.array(3.0)))
    a[3] = x
    np.testing.assert_array_equal(a, [7.0, 1.0, 4.0, 9.0])


def test_every_variable_is_written_into_an_array_under_no_grad(loss):
    a = np.zeros(2)
    with no_grad():
        a[0] = loss
        a[1] = Parameter(np.array(2.0))
    np.testing.assert_array_equal(a, [9.0, 2.0])


def test_converting_a_result_by_float_or_int_is_not_refused(loss):
    a, losses = np.zeros(3), []
    losses.append(float(loss))
    a[0] = float(loss)
    a[1] = math.sqrt(loss)
    a[2] = loss.item()
    assert [*losses, *a, complex(loss), int(loss)] == [9.0, 9.0, 3.0, 9.0, 9.0 + 0.0j, 9]


def test_a_thread_whose_target_is_float_gets_the_number_of_a_variable(loss, monkeypatch):
    failures = []
    monkeypatch.setattr(sys, "unraisablehook", failures.append)
    before = _thread._count()
    _thread.start_new_thread(float, (loss,))
    while _thread._count() > before:
        time.sleep(0.001)
    assert failures == []


def test_a_variable_written_into_a_dictionary_or_list_stays_a_variable(loss):
    kept, listed = {}, [None]
    kept["loss"] = loss
    listed[0] = loss
    assert kept["loss"] is listed[0] is loss
