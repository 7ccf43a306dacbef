"""using_config and no_grad as decorators: on for the body, and for nobody else.

Promise: docs/tutorial/memory.md
"""

import asyncio
import functools
import inspect

import numpy as np
import pytest

from dezero_core import Config, Function, Variable, no_grad, using_config


class Double(Function):
    def forward(self, x):
        return x + x

    def backward(self, gy):
        return gy + gy


def recorded():
    """Return whether a calculation made here and now is recorded."""
    return Double()(Variable(np.array(3.0))).creator is not None


def test_a_function_under_no_grad_keeps_its_name_signature_and_result():
    @no_grad()
    def predict(a, /, b, *args, c=3, **kwargs):
        """Predict."""
        return a, b, args, c, kwargs, recorded()

    assert (predict.__name__, predict.__doc__) == ("predict", "Predict.")
    assert predict.__wrapped__(1, 2)[-1] is True
    assert predict(1, 2, 4, c=5, d=6) == (1, 2, (4,), 5, {"d": 6}, False)
    assert recorded()


def test_a_function_decorated_with_no_grad_may_call_itself_and_may_raise():
    @no_grad()
    def count_down(n):
        if n == 0:
            raise ValueError("no luck")
        assert not recorded()
        if n > 1:
            count_down(n - 1)
        else:
            with pytest.raises(ValueError, match="no luck"):
                count_down(0)
        return recorded()

    assert count_down(5) is False
    assert recorded()
    with pytest.raises(ValueError, match="no luck"):
        count_down(0)
    assert recorded()


def test_a_method_decorated_with_no_grad_is_still_a_method():
    class Model:
        factor = 2.0

        @no_grad()
        def predict(self, x):
            return self.factor * x, recorded()

        @classmethod
        @no_grad()
        def name(cls):
            return cls.__name__, recorded()

    assert Model().predict(3.0) == (6.0, False)
    assert Model.name() == ("Model", False)


def test_using_config_as_a_decorator_switches_on_inside_no_grad():
    @using_config("enable_backprop", True)
    def train():
        return recorded()

    with no_grad():
        assert train() is True
        assert not recorded()


def test_no_grad_on_a_coroutine_function_holds_for_its_own_steps_only():
    @no_grad()
    async def quiet(event, other):
        before = recorded()
        event.set()
        await other.wait()
        return before, recorded()

    async def look(event, other):
        await event.wait()
        seen = recorded()
        other.set()
        return seen

    async def main():
        first, second = asyncio.Event(), asyncio.Event()
        overlapping = quiet(first, second), quiet(first, second), look(first, second)
        results = await asyncio.gather(*overlapping)
        first.set()
        direct = await quiet(first, second)  # in this very task
        return [*results, direct, recorded()]

    assert inspect.iscoroutinefunction(quiet)
    off = (False, False)
    assert asyncio.run(main()) == [off, off, True, off, True]


def generator():
    yield 1


async def async_generator():
    yield 1


@pytest.mark.parametrize("function", [generator, async_generator])
def test_no_grad_on_a_generator_function_is_refused_with_the_remedy(function):
    """It would hold in the caller as well, between two steps."""
    with pytest.raises(TypeError, match=rf"^{function.__name__} is a generator: .* with block"):
        no_grad()(function)
    assert Config.enable_backprop


def test_no_grad_on_a_partial_of_a_coroutine_function_holds_during_the_await():
    async def predict(n):
        await asyncio.sleep(0)
        return n, recorded()

    assert asyncio.run(no_grad()(functools.partial(predict, 2))()) == (2, False)


def test_no_grad_without_parentheses_says_how_to_write_the_decorator():
    with pytest.raises(TypeError, match=r"write @no_grad\(\)"):

        @no_grad
        def function():
            pass
