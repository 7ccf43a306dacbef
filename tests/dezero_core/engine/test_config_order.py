"""Blocks that end in another order than they began, as that of a generator may.

Promise: docs/reference/core.rst
"""

import sys
from functools import partial
from itertools import count as counted

import pytest

from dezero_core import (
    Config,
    hookimpl,
    no_grad,
    register,
    unregister,
    use_ops,
    using_config,
)


def test_a_block_that_ends_inside_a_later_block_leaves_the_later_setting_and_then_the_first():
    def quiet():
        with no_grad():
            yield

    steps = quiet()
    next(steps)
    with using_config("enable_backprop", True):
        assert Config.enable_backprop
        steps.close()
        assert Config.enable_backprop  # the later block still says so
    assert Config.enable_backprop


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)])
def test_config_blocks_that_end_in_any_order_restore_the_setting_before(order):
    blocks = [no_grad(), using_config("enable_backprop", True), no_grad()]
    for block in blocks:
        block.__enter__()
    for count, index in enumerate(order, 1):
        blocks[index].__exit__(None, None, None)
        left = [i for i in range(3) if i not in order[:count]]
        assert Config.enable_backprop is (left[-1] == 1 if left else True)
    assert Config.enable_backprop


def test_blocks_of_different_settings_may_end_in_any_order():
    with no_grad():
        pass
    other = use_ops()
    switch = no_grad()
    other.__enter__()
    switch.__enter__()
    other.__exit__(None, None, None)
    assert not Config.enable_backprop
    switch.__exit__(None, None, None)
    assert Config.enable_backprop


class doubling:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        register("scaled_in_turn", lambda x: 2.0 * x.data, differentiable=False)


def test_a_use_ops_block_that_ends_inside_a_later_block_leaves_no_setting():
    def chosen():
        with use_ops(scaled_in_turn="doubling"):
            yield

    register(doubling)
    try:
        steps = chosen()
        next(steps)
        with use_ops(scaled_in_turn="doubling"):
            steps.close()
    finally:
        unregister(doubling)


def test_an_assignment_to_config_in_a_block_ends_with_the_block():
    with no_grad():
        Config.enable_backprop = True
        assert Config.enable_backprop
    assert Config.enable_backprop
    with using_config("enable_backprop", True):
        Config.enable_backprop = False
    assert Config.enable_backprop


def test_a_no_grad_block_may_be_entered_again_inside_another_block():
    block = no_grad()
    with block, using_config("enable_backprop", True), block:
        assert not Config.enable_backprop
    assert Config.enable_backprop


class Interrupted:
    """Raises KeyboardInterrupt at a call of a method, by number.

    CPython looks for signals when a call of C has returned; a profiler can raise there, too.
    """

    def __init__(self, method, at):
        self.method, self.left = method, at

    def __call__(self, frame, event, argument):
        if event in ("c_call", "c_return") and frame.f_code.co_name == self.method:
            self.left -= 1
            if self.left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    def interrupts(self, call):
        before = sys.getprofile()
        sys.setprofile(self)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(before)
        return False


def check_that_nothing_is_left():
    assert Config.enable_backprop
    with no_grad():
        assert not Config.enable_backprop
    assert Config.enable_backprop


def test_an_interrupt_at_any_call_while_a_block_is_entered_leaves_no_setting_changed():
    for at in counted():
        block = no_grad()
        interrupted = Interrupted("__enter__", at).interrupts(block.__enter__)
        if not interrupted:
            block.__exit__(None, None, None)
        check_that_nothing_is_left()
        if not interrupted:
            break
    assert at >= 6  # it reads and sets two variables


def test_an_interrupt_at_any_call_while_a_block_is_left_leaves_no_setting_changed():
    for at in counted():
        block = no_grad()
        block.__enter__()
        leave = partial(block.__exit__, None, None, None)
        interrupted = Interrupted("_leave", at).interrupts(leave)
        check_that_nothing_is_left()
        if not interrupted:
            break
    assert at >= 6
