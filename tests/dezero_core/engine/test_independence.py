"""grad by a Variable that the result does not depend on: it warns, where that is no usual thing.

Promise: docs/reference/core.rst
"""

import threading
import warnings
import weakref

import numpy as np
import pytest

from dezero_core import Config, Variable, grad, no_grad, using_config

NOT = "does not depend"


def variables():
    return Variable(np.array(3.0), "x"), Variable(np.array([1.0, 2.0]))


def test_grad_by_a_variable_without_influence_warns_with_its_place_and_the_users_line(book):
    x, y = variables()
    with pytest.warns(UserWarning, match=NOT) as caught:
        gx, gy = grad(book.Square()(x), [x, y])
    (warning,) = caught
    text = "the result does not depend on input 1 of grad(), a Variable of shape (2,): the gradient"
    assert str(warning.message).startswith(text)
    assert "using_config('warn_of_independence', False)" in str(warning.message)
    assert warning.filename == __file__
    assert gx == 6.0
    np.testing.assert_array_equal(gy, [0.0, 0.0])


def test_the_warning_of_independence_names_a_variable_that_has_a_name(book):
    x, y = variables()
    with pytest.warns(UserWarning, match=r"input 0 of grad\(\), 'x'"):
        grad(book.Square()(y), x, grad_outputs=y.data)


def test_the_warning_of_independence_comes_once_for_each_line(book):
    x, y = variables()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            grad(book.Square()(x), y)
        grad(book.Square()(x), y)
    lines = [warning.lineno for warning in caught]
    assert len(lines) == len(set(lines)) == 2


def test_a_setting_switches_the_warning_of_independence_off(book):
    x, y = variables()
    assert Config.warn_of_independence is True
    with using_config("warn_of_independence", False):
        assert Config.warn_of_independence is False
        assert Config.enable_backprop is True
        grad(book.Square()(x), y)
        with using_config("warn_of_independence", True), pytest.warns(UserWarning, match=NOT):
            grad(book.Square()(x), y)
    assert Config.warn_of_independence is True
    with pytest.warns(UserWarning, match=NOT):
        grad(book.Square()(x), y)


def test_the_setting_of_independence_is_assigned_and_listed_like_any_other(book):
    x, y = variables()
    Config.warn_of_independence = False
    try:
        grad(book.Square()(x), y)
    finally:
        Config.warn_of_independence = True
    assert {"enable_backprop", "warn_of_independence"} <= set(dir(Config))
    with pytest.raises(AttributeError, match="enable_backprop, warn_of_independence"):
        _ = Config.no_such_setting


def test_the_setting_of_independence_holds_for_its_thread_alone():
    seen = []
    with using_config("warn_of_independence", False):
        thread = threading.Thread(target=lambda: seen.append(Config.warn_of_independence))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_function_is_decorated_with_the_setting_of_independence(book):
    x, y = variables()

    @using_config("warn_of_independence", False)
    def gradient():
        return grad(book.Square()(x), y)

    np.testing.assert_array_equal(gradient(), [0.0, 0.0])


def test_blocks_of_both_settings_leave_each_other_alone(book):
    x, _ = variables()
    with using_config("warn_of_independence", False), no_grad():
        assert (Config.warn_of_independence, Config.enable_backprop) == (False, False)
    with no_grad(), using_config("warn_of_independence", False):
        assert book.Square()(x).creator is None
    assert (Config.warn_of_independence, Config.enable_backprop) == (True, True)


def test_mixed_second_derivatives_of_zero_by_grad_do_not_warn(book, operators):
    """Of x**2 + y**2."""
    x, y = Variable(np.array(3.0)), Variable(np.array(2.0))
    gx, gy = grad(book.Square()(x) + book.Square()(y), [x, y], create_graph=True)
    assert grad(gx, [x, y]) == [2.0, 0.0]
    assert gy.item() == 4.0


def test_mixed_second_derivatives_of_zero_by_a_recorded_backward_do_not_warn(book, operators):
    x, y = Variable(np.array(3.0)), Variable(np.array(2.0))
    (book.Square()(x) + book.Square()(y)).backward(create_graph=True)
    assert grad(y.grad, [x, y]) == [0.0, 2.0]


def test_a_second_derivative_by_another_input_of_the_first_result_does_not_warn(book, operators):
    x, y = Variable(np.array(3.0)), Variable(np.array(2.0))
    gx = grad(book.Square()(x) + book.Square()(y), x, create_graph=True)
    assert grad(gx, y) == 0.0


def test_a_variable_is_not_kept_alive_by_its_second_derivatives(book, operators):
    x = Variable(np.array(3.0))
    grad(book.Square()(x), x, create_graph=True)
    alive = weakref.ref(x)
    del x
    assert alive() is None
