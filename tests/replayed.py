"""A function called eagerly and compiled, side by side: everything must be equal to the bit."""

import copy
import warnings
from types import FunctionType

import numpy as np

from dezero_core import Variable
from dezero_replay import ReplayWarning, compiled


def bits(x):
    """Return what is equal of two results that are the same to the bit."""
    if isinstance(x, Variable):
        return type(x), bits(x.data), x.name
    if getattr(x, "dtype", None) in (np.longdouble, np.clongdouble):  # of unused bytes
        return type(x), x.dtype, x.shape, str(x)
    if isinstance(x, (np.ndarray, np.generic)):
        return type(x), x.dtype, x.shape, x.tobytes(), laid_out(x)
    if isinstance(x, dict):
        return {key: bits(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x), [bits(item) for item in x]
    return type(x), repr(x)


def laid_out(x):
    """Return the strides of a new array in the order of an array: later sums depend on that."""
    return np.empty_like(x).strides


def same(function, calls, make=None, replayed=True, **options):
    """Call a function eagerly and compiled, and compare results and state after each call.

    `make()` returns the state, which is the first argument of `function`: two of them are made.
    Return the compiled function.
    """
    mine, others = (make(), make()) if make else (None, None)
    step = compiled((lambda *args: function(others, *args)) if make else function, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if replayed else "ignore", ReplayWarning)
        for number, args in enumerate(calls):
            given, taken = copy.deepcopy(args), copy.deepcopy(args)
            expected = function(mine, *given) if make else function(*given)
            got = step(*taken)
            assert bits(got) == bits(expected), f"call {number}: {got!r} in place of {expected!r}"
            assert bits(state_of(others)) == bits(state_of(mine)), f"state after call {number}"
            assert bits(taken) == bits(given), f"arguments after call {number}"
    if replayed:
        assert step.stats["replayed"] > 0
    return step


def follows(function, change, *args, replays=True):
    """Call a function eagerly and compiled, without audits, while its state changes in between.

    `change(n)` makes the n-th state, from 1 on, each of which gives another result. With `replays`,
    the first state is replayed. Return the compiled function.
    """
    step = compiled(function, audit=None)
    before = None
    with warnings.catch_warnings():
        warnings.simplefilter("error" if replays else "ignore", ReplayWarning)
        for call in range(24):
            if call and call % 4 == 0:
                change(call // 4)
            expected = bits(function(*args))
            if call % 4 == 0:
                assert expected != before, "a state that changes nothing shows nothing"
            got = step(*args)
            assert bits(got) == expected, f"call {call}: {got!r}"
            before = expected
            if call == 3:
                assert (step.stats["replayed"] > 0) is replays, step.explain()
    return step


def state_of(x):
    """Return the arrays and numbers in an object, its attributes and items."""
    if isinstance(x, Variable):
        return [bits(x.data), bits(x.grad)]
    if isinstance(x, dict):
        return {key: state_of(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [state_of(item) for item in x]
    if isinstance(x, (np.random.Generator,)):
        return repr(x.bit_generator.state)
    if hasattr(x, "__dict__") and not isinstance(x, (type, FunctionType)):
        return state_of(vars(x))
    return x


def several(*shapes, calls=6, seed=0, dtype=float):
    """Return arguments for several calls, drawn anew for each."""
    rng = np.random.default_rng(seed)
    return [tuple(rng.normal(size=shape).astype(dtype) for shape in shapes) for _ in range(calls)]
