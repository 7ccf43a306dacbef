"""A program is Python source that says what each call does and where it was recorded.

Promise: docs/how_replay_works.md
"""

import ast
import traceback
import warnings
from queue import SimpleQueue

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import exp, tanh
from dezero_replay import ReplayWarning, compiled

from ..lowering import lowered, recorded, same_bits

X = np.random.default_rng(0).normal(size=(12, 10))


def step(x):
    return tanh(Variable(x) * 2.0).data


def test_the_source_is_python_with_a_comment_beside_each_call():
    source = lowered(step, X).source
    ast.parse(source)
    line = next(line for line in source.splitlines() if " = tanh(" in line)
    assert (
        f"# float64[12, 10]  Tanh of math  test_sources.py:{step.__code__.co_firstlineno + 1}"
        in line
    )
    assert "b0" not in source


def test_the_source_of_numbers_is_python_with_comments():
    source = lowered(lambda x: (Variable(x) * 2.0).data, np.array(1.5)).source
    ast.parse(source)
    assert "* 2.0  # float64[]  Mul of basic  test_sources.py:" in source


def test_an_error_says_which_call_and_where_it_was_recorded():
    def f(x, y):
        return np.exp(x * y)

    program = lowered(f, np.ones((4, 3)), np.ones(3))
    with pytest.raises(ValueError, match="broadcast") as caught:
        program.run(np.ones((4, 3)), np.ones(5))
    (note,) = caught.value.__notes__
    assert note.startswith("in multiply, given float64[4, 3], float64[3], called at ")
    assert note.endswith("when the call was recorded")
    assert "test_sources.py" in note


def test_an_error_in_a_body_names_the_operation_and_its_plugin():
    program = lowered(lambda x: exp(Variable(x)).data, X)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="exp") as caught:
        program.run(np.full((12, 10), 1e3))
    assert caught.value.__notes__[0].startswith("in Exp.forward of plugin 'math' (")


def test_the_traceback_shows_the_line_of_the_program():
    program = lowered(lambda x, y: x @ y, X, X.T.copy())
    with pytest.raises(ValueError, match="matmul") as caught:
        program.run(X, X)
    text = "".join(traceback.format_exception(caught.value))
    assert "matmul(x0, x1)" in text


def test_settings_of_errors_hold_for_the_calls_that_had_them():
    def f(x):
        with np.errstate(divide="ignore"):
            z = np.log(x * 0.0)
        return z, x / (x * 0.0)

    x = np.abs(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = lowered(f, x)
        expected = list(f(x))
    with pytest.warns(RuntimeWarning) as caught:
        assert same_bits(program.run(x), expected)
    assert {str(each.message) for each in caught} == {"divide by zero encountered in divide"}
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in divide"):
        program.run(x)


def test_names_of_objects_do_not_collide():
    def f(x):
        z = np.ones_like(x)
        return np.concatenate([x, x]) + np.concatenate([x * 2.0, x * z]), x[[0, 2]] - z[0] * 0.5

    assert same_bits(lowered(f, X).run(X), list(f(X)))


def test_a_program_is_lowered_when_it_is_run_first():
    program = recorded(lambda x: x * 2.0, X)
    assert program.compute([X])[0].shape == X.shape
    assert program.source().startswith("def program(x0)")


def test_an_operation_from_before_the_recording_is_differentiated_by_eager_code():
    w = Variable(np.ones(3))
    pairs = SimpleQueue()  # into which nothing looks
    pairs.put((w * 2.0, w))

    def f(x):
        product, variable = pair = pairs.get()
        pairs.put(pair)
        return grad(np.sum(product * x), variable)

    step = compiled(f)
    with pytest.warns(ReplayWarning, match=r"calls pairs\.get\(\) of a SimpleQueue, which"):
        step(np.ones(3))
    for n in range(4):
        assert (step(np.full(3, float(n))) == 2.0 * n).all()
    product = w * 2.0
    step = compiled(lambda x: grad(np.sum(product * x), w))
    with pytest.warns(ReplayWarning, match="product, which has a graph from before the call"):
        step(np.ones(3))
    for n in range(4):
        assert (step(np.full(3, float(n))) == 2.0 * n).all()


def test_indexing_needs_no_settings_of_errors():
    def f(x):
        with np.errstate(divide="ignore"):
            return x[1:] + 1.0

    program = lowered(f, np.ones(100))
    assert program.source.index("x0[") < program.source.index("errstate")
