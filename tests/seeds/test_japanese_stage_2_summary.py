"""The Japanese summary of stage 2 (第2ステージ 自然なコードで表現する).

Its sections: Functionクラス, Variableクラス, the memory part of the latter, the keywords, the
column, and the supplements (+=の罠, 可変長引数, デコレータ). Where the summary shows a stage
of the class Function or Variable, the test asserts what that stage brings, on this project's.
"""

import operator
import weakref

import numpy as np
import pytest

from dezero_core import Config, Function, Variable, no_grad, using_config
from dezero_ops_basic import add, mul, neg


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


class Add(Function):
    def forward(self, x0, x1):
        y = x0 + x1
        return y  # noqa: RET504 - as in the summary

    def backward(self, gy):
        return gy, gy


class Separate(Function):
    """Several outputs: the sum and the difference."""

    def forward(self, x0, x1):
        return x0 + x1, x0 - x1

    def backward(self, gsum, gdifference):
        return gsum + gdifference, gsum - gdifference


def test_function_of_one_input_and_one_output_computes_the_result():
    """Functionクラス, first form: input, output, creator. Here they are inputs and outputs."""
    x = Variable(np.array(3.0))
    f = Square()
    y = f(x)
    assert (y.creator, f.inputs, f.outputs[0]()) == (f, (x,), y)
    assert type(y.data) is np.ndarray
    assert float(y.data) == 9.0


def test_function_of_lists_returns_all_its_outputs():
    """Functionクラス, second form: xs, ys and outputs are lists."""
    outputs = Separate()(Variable(np.array(5.0)), Variable(np.array(3.0)))
    assert type(outputs) is list
    assert [float(output.data) for output in outputs] == [8.0, 2.0]
    assert outputs[0].creator is outputs[1].creator


def test_function_of_variable_length_arguments_unpacks_a_single_output():
    """Functionクラス, third form: *inputs, the tuple made around one y, and Add."""
    inputs = [Variable(np.array(2.0)), Variable(np.array(3.0))]
    y = Add()(*inputs)
    assert type(y) is Variable
    assert float(y.data) == 5.0


@pytest.mark.parametrize("method", ["forward", "backward"])
def test_function_without_forward_or_backward_is_not_implemented(method):
    """Functionクラス, third form: `raise NotImplementedError()` in both."""
    with pytest.raises(NotImplementedError):
        getattr(Function(), method)(np.array(1.0))


def test_variable_backward_passes_through_functions_of_one_input_and_output():
    """Variableクラス, first form."""
    x = Variable(np.array(3.0))
    y = Square()(Square()(x))
    y.backward()
    assert float(x.grad) == 4 * 3.0**3


def test_variable_backward_passes_through_functions_of_several_inputs_and_outputs():
    """Variableクラス, second form: gys and gxs."""
    x0, x1 = Variable(np.array(5.0)), Variable(np.array(3.0))
    total, difference = Separate()(x0, x1)
    y = mul(total, difference)
    y.backward()
    assert (float(x0.grad), float(x1.grad)) == (2 * 5.0, -2 * 3.0)


def test_variable_used_several_times_adds_its_gradients_up():
    """Variableクラス, ここがダメ: `x.grad = gx` would leave 1, and 3 uses give 3."""
    x = Variable(np.array(3.0))
    y = add(add(x, x), x)
    y.backward()
    assert float(x.grad) == 3.0


def test_variable_cleargrad_makes_a_variable_fit_for_another_calculation():
    """Variableクラス, cleargrad. The creator need not be cleared: it is overwritten."""
    x = Variable(np.array(3.0))
    add(x, x).backward()
    assert float(x.grad) == 2.0
    add(add(x, x), x).backward()
    assert float(x.grad) == 5.0
    x.cleargrad()
    assert x.grad is None
    add(add(x, x), x).backward()
    assert float(x.grad) == 3.0


def test_variable_set_creator_takes_the_generation_after_its_functions():
    """Variableクラス, 世代: `self.generation = func.generation + 1`."""
    x = Variable(np.array(1.0))
    y = Square()(x)
    assert (x.generation, y.creator.generation, y.generation) == (0, 0, 1)
    z = Variable(np.array(1.0))
    z.set_creator(Square()(y).creator)
    assert z.generation == 2


def test_function_of_inputs_of_generations_3_and_4_gives_generation_5():
    """Variableクラス, 世代: 第3世代と第4世代を使って…"""

    def of_generation(generation):
        x = Variable(np.array(1.0))
        for _ in range(generation):
            x = neg(x)
        assert x.generation == generation
        return x

    y = Add()(of_generation(3), of_generation(4))
    assert (y.creator.generation, y.generation) == (4, 5)


def test_variable_backward_runs_a_shared_function_once_and_last():
    """Variableクラス, seen_set and sort: why the set is there, which the summary wonders at.

    Both branches lead to A, so A is found twice; run twice, x.grad would be wrong.
    """
    calls = []

    class Counted(Square):
        def backward(self, gy):
            calls.append(float(gy))
            return super().backward(gy)

    x = Variable(np.array(2.0))
    a = Counted()(x)
    y = add(Square()(Square()(a)), Square()(a))
    y.backward()
    assert calls == [4 * 4.0**3 + 2 * 4.0]
    assert float(x.grad) == 8 * 2.0**7 + 4 * 2.0**3


def test_memory_outputs_are_weak_and_creator_is_not(no_collector):
    """Variableクラス, weakref: `self.outputs = [weakref.ref(output) …]`, `output().grad`."""
    y = Square()(Variable(np.array(2.0)))
    function, variable = weakref.ref(y.creator), weakref.ref(y)
    assert function().outputs[0]() is y
    del y
    assert (function(), variable()) == (None, None)


def test_memory_gradients_of_intermediates_are_deleted_after_use():
    """Variableクラス, 勾配の非保持モード: only the last gradients, those of the inputs, stay."""
    x = Variable(np.array(2.0))
    t = Square()(x)
    y = Square()(t)
    y.backward()
    assert (y.grad, t.grad, float(x.grad)) == (None, None, 32.0)
    x.cleargrad()
    y.backward(retain_grad=True)
    assert [float(v.grad) for v in (y, t, x)] == [1.0, 8.0, 32.0]


def test_memory_a_with_block_cuts_the_connection():
    """Variableクラス, 逆伝播不要モード."""
    x = Variable(np.array(2.0))
    with using_config("enable_backprop", False):
        y = Square()(x)
    assert (y.creator, y.generation, float(y.data)) == (None, 0, 4.0)
    assert Square()(x).creator is not None


def test_keywords_name_properties_len_and_print_work_as_in_the_summary(capsys):
    """なのでキーワードだけ: @property, __len__, __repr__."""
    x = Variable(np.zeros((2, 3)), name="x")
    assert (x.name, x.shape, x.ndim, x.size, x.dtype, len(x)) == ("x", (2, 3), 2, 6, float, 2)
    print(Variable(np.array([1.0, 2.0])))
    assert capsys.readouterr().out == "variable([1. 2.])\n"


@pytest.mark.parametrize("other", [2, 2.0, np.array(2.0), Variable(np.array(2.0))], ids=type)
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.truediv, operator.mul])
def test_keywords_operators_work_with_scalars_and_arrays(op, other):
    """なのでキーワードだけ. It lists `+,,-,/,*`, with a comma too many."""
    x = Variable(np.array(8.0))
    value = getattr(other, "data", other) if isinstance(other, Variable) else other
    assert float(op(x, other).data) == op(8.0, value)
    assert float(op(other, x).data) == op(value, 8.0)


def test_column_define_by_run_lets_the_data_decide_the_graph():
    """コラム: Define-by-Run. The loop runs as often as the values say."""
    gradients = []
    for start in (1.0, 3.0):
        x = Variable(np.array(start))
        y = x
        while y.data < 10.0:
            y = y * 2.0
        y.backward()
        gradients.append(float(x.grad))
    assert gradients == [16.0, 4.0]


def test_supplement_augmented_assignment_of_an_array_changes_the_shared_array():
    """+=の罠: `x.grad += gx` writes into the array, which others may see; `x + gx` does not."""
    x = np.array(1.0)
    other = x
    x += x
    assert x is other
    x = x + x
    assert x is not other
    assert (float(x), float(other)) == (4.0, 2.0)


def test_supplement_augmented_assignment_does_not_reach_other_gradients():
    """+=の罠: Add hands one gy to y, to both inputs; y.grad must stay 1 while x.grad grows."""
    x = Variable(np.array(3.0))
    y = Add()(x, x)
    y.backward(retain_grad=True)
    assert (float(y.grad), float(x.grad)) == (1.0, 2.0)
    assert not np.shares_memory(y.grad, x.grad)


def test_supplement_variable_length_arguments_are_packed_into_a_tuple():
    """可変長引数: *args collects, and * unpacks."""

    def f(*args):
        return args

    assert f(1, 2, 3) == (1, 2, 3) == f(*[1, 2, 3])
    assert f([1, 2, 3]) == ([1, 2, 3],)


def test_supplement_no_grad_works_as_a_decorator():
    """デコレータ: no_grad is one as well."""

    @no_grad()
    def predict(x):
        assert Config.enable_backprop is False
        return Square()(x)

    assert predict(Variable(np.array(3.0))).creator is None
    assert Config.enable_backprop is True
