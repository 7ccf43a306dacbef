"""Which calls a region takes, and how it places what it computes in memory.

Promise: docs/how_replay_works.md
"""

import ctypes
import sys

import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import kernel

X = np.linspace(0.1, 2.0, 60).reshape(6, 10)


def called(function, *arguments, times=3, **options):
    step = compiled(function, executor="llvm", wait=True, audit=None, **options)
    for _ in range(times):
        result = step(*arguments)
    return step, result


def same(function, *arguments, native=True, **options):
    """Compare a function with NumPy, to the bit or nearly; return what explains it."""
    step, found = called(function, *arguments, **options)
    expected = function(*arguments)
    several = isinstance(expected, list)
    for a, b in zip(found, expected, strict=True) if several else [(found, expected)]:
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
    text = str(step.explain())
    assert ("native: " in text) is native, text
    return text


def test_the_memory_of_arrays_that_are_no_longer_read_is_used_again():
    def often(x):
        for _ in range(6):
            x = np.exp(x - np.max(x, axis=0))
            x = np.sqrt(x + np.sum(x, axis=1, keepdims=True))
        return x

    (code,) = next(iter(called(often, X)[0].program._variants.values())).codes
    size = sum(-(-X[0].nbytes // 64) * 64 + -(-6 * 8 // 64) * 64 for _ in range(6))
    assert 0 < code.scratch_bytes < size + 6 * X.nbytes
    same(often, X)


def test_a_list_that_is_written_is_numpys():
    def write(x):
        y = x * 2.0 + 1.0
        y[0] = [1.0] * 10
        return np.exp(y) + y

    assert "since it has an argument of type list" in same(write, X)


def test_an_empty_part_that_is_written_changes_nothing():
    def write(x):
        y = x * 2.0
        y[3:3] = 1.0
        return y + 1.0

    same(write, X)


def test_a_number_of_pythons_that_is_an_input_is_numpys():
    step = compiled(lambda x, n: np.exp(x * n) + x, executor="llvm", wait=True, audit=None)
    for n in range(1, 9):
        np.testing.assert_allclose(step(X, n), np.exp(X * n) + X, rtol=1e-13)
    assert "since it has values of int" in step.explain()


def test_a_copy_is_an_array_of_its_own():
    step, (copy, other) = called(lambda x: [x.copy(), x * 2.0 + 1.0], X)
    assert not np.shares_memory(copy, X)
    np.testing.assert_array_equal(copy, X)
    np.testing.assert_array_equal(other, X * 2.0 + 1.0)
    assert "native: " in step.explain()


def test_the_whole_of_a_part_is_not_the_whole():
    same(lambda x: [np.max(x[:3]), np.sum(x[:3].reshape(-1)), np.min(x)], X)


def test_empty_arrays_have_no_loops():
    for shape in ((0,), (0, 3)):
        step, found = called(lambda x: np.exp(x * 2.0) + 1.0, np.empty(shape))
        assert found.shape == shape
        assert step.stats["replayed"] == 1


def test_sums_of_booleans_and_whole_numbers_are_whole():
    same(lambda x: [np.sum(x > 1.0), np.sum(x > 1.0, axis=0), np.max(x > 1.0) + 0.0], X)
    same(lambda n: [np.sum(n * 2), np.max(n + 1), np.prod(n[:3] + 1)], np.arange(20))
    same(lambda n: [np.sum(n + n), np.max(n + n)], np.arange(20, dtype=np.uint64))


@pytest.mark.parametrize("rows", [2**16 // 10 // 16 * 16, 7_001])
def test_long_loops_with_and_without_a_rest(rows):
    x = np.linspace(0.0, 1.0, rows * 10).reshape(rows, 10)
    same(lambda x: [np.max(x, axis=1), np.sum(x, axis=1), np.exp(x[:, ::2]) + 1.0], x)
    same(lambda x: [np.sum(x), x + 1.0], x.reshape(-1))
    same(lambda x: [np.sum(x), x + 1.0], np.linspace(0.0, 1.0, 2**17))


def test_other_interpreters_and_objects_are_not_entered(monkeypatch):
    assert kernel.can_be_entered() == ""
    for change in (
        lambda patch: patch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False),
        lambda patch: patch.setattr(kernel, "_OBJECT_HEAD", 24),
        lambda patch: patch.setattr(sys.implementation, "name", "pypy"),
    ):
        kernel.can_be_entered.cache_clear()
        with monkeypatch.context() as patch:
            change(patch)
            assert kernel.can_be_entered() != ""
    kernel.can_be_entered.cache_clear()
    assert ctypes.sizeof(ctypes.c_void_p) == 8
    assert kernel.can_be_entered() == ""
