"""Config, using_config and no_grad: for one thread and one task, restored, nested.

Promise: docs/tutorial/memory.md
"""

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dezero_core import Config, Function, Variable, no_grad, using_config
from dezero_core.extend import RECORDING, mode


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2.0 * x * gy


def recorded():
    """Return whether a calculation made here and now is recorded; check that Config agrees."""
    y = Square()(Variable(np.array(3.0)))
    assert (y.creator is not None) == (y.generation == 1) == Config.enable_backprop
    return y.creator is not None


def in_thread(function):
    """Run `function` in a thread of its own, and return its result or raise its error."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_backprop_is_enabled_by_default():
    assert Config.enable_backprop is True
    assert recorded()
    assert in_thread(recorded)


def test_no_grad_is_using_config_with_false():
    for block in (no_grad(), using_config("enable_backprop", False)):
        with block:
            assert Config.enable_backprop is False
            assert not recorded()
        assert recorded()


def test_config_blocks_nest_and_an_inner_block_may_switch_recording_on():
    with no_grad():
        with using_config("enable_backprop", True):
            assert recorded()
            with no_grad():
                assert not recorded()
            assert recorded()
        assert not recorded()
        with no_grad():
            assert not recorded()
        assert not recorded()
    assert recorded()


def test_a_no_grad_block_may_be_entered_inside_itself_and_again():
    block = no_grad()
    for _ in range(2):
        with block:
            with block:
                assert not recorded()
            assert not recorded()
        assert recorded()


def test_after_a_block_the_mode_is_the_object_recording():
    with no_grad(), using_config("enable_backprop", True):
        assert mode.get() is RECORDING
    assert mode.get() is RECORDING


def test_an_exception_leaves_a_config_block_and_restores_the_setting():
    error = ValueError("no luck")
    with using_config("enable_backprop", True):
        with pytest.raises(ValueError, match="no luck") as caught, no_grad(), no_grad():
            raise error
        assert recorded()
    assert caught.value is error
    assert recorded()


def test_an_assignment_to_config_holds_for_its_own_thread_only():
    with no_grad():  # restores what is assigned inside
        Config.enable_backprop = True
        assert recorded()
        Config.enable_backprop = False
        assert not recorded()
    assert recorded()

    def switch_off():
        Config.enable_backprop = False
        return recorded()

    assert not in_thread(switch_off)
    assert recorded()


@pytest.mark.parametrize(
    "use",
    [
        lambda: using_config("typo", False),
        lambda: Config.typo,
        lambda: setattr(Config, "typo", False),
    ],
)
def test_an_unknown_setting_is_an_attribute_error_that_lists_the_known_settings(use):
    with pytest.raises(AttributeError, match=r"'\w+'.*[Kk]nown settings: enable_backprop"):
        use()
    assert not hasattr(Config, "typo")
    assert "enable_backprop" in dir(Config)
    assert recorded()


def test_no_grad_in_one_thread_does_not_show_in_another_thread():
    """Both run at the same time, each inside its block while the other one looks."""
    turns = threading.Barrier(2, timeout=10)
    seen = []

    def other():
        turns.wait()  # the main thread is inside no_grad
        seen.append(recorded())
        with no_grad():
            turns.wait()
            seen.append(recorded())
            turns.wait()  # the main thread has left its block
        seen.append(recorded())

    thread = threading.Thread(target=other)
    thread.start()
    with no_grad():
        turns.wait()
        turns.wait()
        assert not recorded()
    assert recorded()
    turns.wait()
    thread.join()
    assert seen == [True, False, True]


def test_a_no_grad_block_serves_two_threads_at_once():
    """The first to enter is the first to leave: each must leave what it entered itself."""
    block = no_grad()
    turns = threading.Barrier(2, timeout=10)

    def first():
        with block:
            turns.wait()
            turns.wait()  # both are inside
        turns.wait()
        return recorded()

    def second():
        turns.wait()
        with block:
            turns.wait()
            turns.wait()  # the first has left
            inside = recorded()
        return inside, recorded()

    with ThreadPoolExecutor(2) as pool:
        results = [pool.submit(first), pool.submit(second)]
        assert results[1].result() == (False, True)
        assert results[0].result() is True


def test_a_config_block_that_is_left_in_another_thread_changes_nothing_there():
    """As when a generator is closed by another thread than the one that began it."""

    def steps():
        with no_grad():
            yield recorded()

    for switch in (True, False):
        generator = steps()
        assert in_thread(lambda generator=generator: next(generator)) is False
        with using_config("enable_backprop", switch):
            generator.close()
            assert recorded() is switch
        assert recorded()


def test_no_grad_in_one_task_does_not_show_in_another_task():
    async def both():
        inside, looked = asyncio.Event(), asyncio.Event()

        async def quiet():
            with no_grad():
                inside.set()
                await looked.wait()
                return recorded()

        async def recording():
            await inside.wait()
            seen = recorded()
            looked.set()
            return seen

        return await asyncio.gather(quiet(), recording())

    assert asyncio.run(both()) == [False, True]
    assert recorded()


def test_eight_threads_adding_to_one_leaf_lose_no_update():
    """Every gradient is a whole number, so their sum is exact, in whatever order."""
    leaf = Variable(np.full(1000, 3.0))
    start = threading.Barrier(8, timeout=10)
    interval = sys.getswitchinterval()

    def add(number):
        start.wait()
        for _ in range(200):
            y = Square()(leaf)
            y.grad = np.full(1000, float(number))
            y.backward()

    threads = [threading.Thread(target=add, args=(number,)) for number in range(1, 9)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    np.testing.assert_array_equal(leaf.grad, np.full(1000, 2 * 3.0 * 200 * sum(range(1, 9))))
