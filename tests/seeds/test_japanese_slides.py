"""The Japanese slides: STEP 15 and 16, 17, 18 (complex graphs, memory, modes to save it).

The plain-Python experiments of STEP 17 and 18 are in test_japanese_slides_plain_python.py,
the memory experiment of STEP 17 is in test_memory_experiment.py.
"""

import weakref

import numpy as np
import pytest

from dezero_core import Config, Function, GraphError, Variable, no_grad, using_config
from dezero_ops_basic import add


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


def square(x):
    return Square()(x)


class Add(Function):
    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


class Traced:
    """Logs the name of the Function, the gradient that reaches it, and what it passes on."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def backward(self, gy):
        gxs = super().backward(gy)
        self.log.append((self.name, gy, gxs))
        return gxs


class TracedSquare(Traced, Square):
    pass


class TracedAdd(Traced, Add):
    pass


@pytest.fixture
def worked_table():
    """The graph of the slides' table, with a log of its backward calls.

    The heading of the table says "c b.grad", "b c.grad" and three times "Squre"; it means
    c and c.grad, b and b.grad, and Square. B made b and C made c, as its rows show.
    """
    log = []
    x = Variable(np.array(2.0), name="x")
    a = TracedSquare("A", log)(x)
    b = TracedSquare("B", log)(a)
    c = TracedSquare("C", log)(a)
    y = TracedAdd("D", log)(b, c)
    return {"y": y, "c": c, "b": b, "a": a, "x": x}, log


def test_step_16_worked_table_ends_with_the_gradients_1_1_1_16_64(worked_table):
    variables, _ = worked_table
    variables["y"].backward(retain_grad=True)
    gradients = {name: float(variable.grad) for name, variable in variables.items()}
    assert gradients == {"y": 1.0, "c": 1.0, "b": 1.0, "a": 16.0, "x": 64.0}


def test_step_16_worked_table_a_receives_8_from_each_square_before_passing_on_16(worked_table):
    variables, log = worked_table
    variables["y"].backward()
    assert sorted(log) == [("A", 16, 64), ("B", 1, 8), ("C", 1, 8), ("D", 1, (1, 1))]


def test_step_16_worked_table_runs_each_function_once_highest_generation_first(
    worked_table,
):
    variables, log = worked_table
    variables["y"].backward()
    names = [name for name, _, _ in log]
    assert names[0] == "D"
    assert set(names[1:3]) == {"B", "C"}
    assert names[3:] == ["A"]


def test_step_16_worked_table_pops_the_last_added_of_one_generation_first(
    worked_table,
):
    """The column funcs goes [D], [], [B], [B, C], [B], [A, B], [A], []: D, C, B, A."""
    variables, log = worked_table
    variables["y"].backward()
    assert [name for name, _, _ in log] == ["D", "C", "B", "A"]


def test_step_16_generations_count_up_from_0_at_the_input(worked_table):
    variables, _ = worked_table
    generations = {name: variable.generation for name, variable in variables.items()}
    assert generations == {"x": 0, "a": 1, "b": 2, "c": 2, "y": 3}
    of_functions = {
        variable.creator.name: variable.creator.generation
        for variable in variables.values()
        if variable.creator is not None
    }
    assert of_functions == {"A": 0, "B": 1, "C": 1, "D": 2}


def test_step_16_check_prints_the_right_result_32_and_64():
    """The figure 正常動作確認 is missing from the text; 32 and 64 are x**4 + x**4 by hand."""
    x = Variable(np.array(2.0))
    a = square(x)
    y = add(square(a), square(a))
    y.backward()
    assert (float(y.data), float(x.grad)) == (32.0, 64.0)


def test_step_16_variable_init_starts_at_generation_0_without_gradient_or_creator():
    """The left and right column of the slide are interleaved in the text."""
    x = Variable(np.array(1.0))
    assert (x.grad, x.creator, x.generation) == (None, None, 0)
    with pytest.raises(TypeError, match=r"^<class 'float'> is not supported"):
        Variable(1.0)


def test_step_16_set_creator_sets_the_generation_after_that_of_the_function():
    func = Square()
    func.generation = 1
    x = Variable(np.array(1.0))
    x.set_creator(func)
    assert x.creator is func
    assert x.generation == 2


def test_step_17_function_outputs_are_weak_references():
    """The slide breaks off in `for output in out`: it is `for output in outputs]`."""
    y = square(Variable(np.array(2.0)))
    outputs = y.creator.outputs
    assert [type(output) for output in outputs] == [weakref.ref]
    assert outputs[0]() is y
    del y
    assert outputs[0]() is None


@pytest.mark.parametrize("with_backward", [False, True])
def test_step_17_variable_and_function_are_freed_without_the_collector(no_collector, with_backward):
    x = Variable(np.array(2.0))
    y = square(square(x))
    middle = y.creator.inputs[0]
    if with_backward:
        y.backward(retain_grad=True)
    watched = [weakref.ref(y), weakref.ref(middle)]
    watched += [weakref.ref(y.creator), weakref.ref(middle.creator)]
    del middle
    assert None not in [reference() for reference in watched]
    del y
    assert [reference() for reference in watched] == [None] * 4


def test_step_17_backward_reads_gradients_through_the_weak_outputs():
    """The slide writes `gys = [output()).grad for …]`, with one parenthesis too many."""
    x = Variable(np.array(3.0))
    y = add(square(x), x)
    y.backward()
    assert float(x.grad) == 2 * 3.0 + 1


def test_step_18_check_of_retain_grad_prints_none_none_2_1(capsys):
    x0 = Variable(np.array(1.0))
    x1 = Variable(np.array(1.0))
    t = add(x0, x1)
    y = add(x0, t)
    y.backward()
    print(y.grad, t.grad)
    print(x0.grad, x1.grad)
    assert capsys.readouterr().out == "None None\n2.0 1.0\n"


def test_step_18_retain_grad_true_keeps_all_gradients_as_before():
    """The slide is labelled STEP16 and STEP17; it compares STEP 17 and 18.

    In the text it also reads qxs, gx as qx, y as v, and `as array`, `add func` without _.
    """
    x0 = Variable(np.array(1.0))
    x1 = Variable(np.array(1.0))
    t = add(x0, x1)
    y = add(x0, t)
    y.backward(retain_grad=True)
    assert [float(v.grad) for v in (y, t, x0, x1)] == [1.0, 1.0, 2.0, 1.0]


def test_step_18_config_switches_whether_a_function_keeps_inputs_and_outputs():
    """The slide is labelled STEP16 and STEP17, too."""
    x = Variable(np.array(2.0))
    kept, dropped = Square(), Square()
    y = kept(x)
    assert Config.enable_backprop is True
    Config.enable_backprop = False
    z = dropped(x)
    Config.enable_backprop = True
    assert (kept.inputs, [output() for output in kept.outputs]) == ((x,), [y])
    assert not hasattr(dropped, "inputs")
    assert not hasattr(dropped, "outputs")
    assert y.creator is kept
    assert z.creator is None
    assert float(z.data) == 4.0


@pytest.mark.parametrize(
    "mode",
    [lambda: using_config("enable_backprop", False), no_grad],
    ids=["using_config", "no_grad"],
)
def test_step_18_check_of_with_prints_generation_0(mode, capsys):
    with mode():
        x = Variable(np.array(2.0))
        y = square(x)
    print(y.generation)
    assert capsys.readouterr().out == "0\n"
    # The slide has `#y.backward()` as a comment: there is nothing to go back through.
    with pytest.raises(GraphError, match="no_grad"):
        y.backward()
    assert (x.grad, y.grad) == (None, None)


def test_step_18_forward_only_frees_the_intermediates(no_collector):
    x = Variable(np.array(2.0))
    alive = []
    for enable_backprop in (True, False):
        with using_config("enable_backprop", enable_backprop):
            t = square(x)
            y = square(t)
        watched = weakref.ref(t)
        del t
        alive.append(watched() is not None)
        assert float(y.data) == 16.0
    assert alive == [True, False]
