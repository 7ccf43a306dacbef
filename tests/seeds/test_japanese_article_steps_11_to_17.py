"""The Japanese article DeZero-Kai の実装 その2: steps 11 to 17.

Its snippets are the growing classes Function and Variable; each test asserts, on this
project's classes, what the snippet of its step brings.
"""

import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable


class Add(Function):
    """Steps 12 and 13."""

    def forward(self, x0, x1):
        y = x0 + x1
        return y  # noqa: RET504 - as in the article

    def backward(self, gy):
        return gy, gy


def add(x0, x1):
    return Add()(x0, x1)


class Square(Function):
    """Step 13; `self.inputs[0]` was `self.input` before."""

    def forward(self, x):
        y = x**2
        return y  # noqa: RET504 - as in the article

    def backward(self, gy):
        x = self.inputs[0].data
        gx = 2 * x * gy
        return gx  # noqa: RET504 - as in the article


def square(x):
    return Square()(x)


class DivMod(Function):
    """Two inputs and two outputs, the first of which is constant between its jumps."""

    def forward(self, x0, x1):
        return x0 // x1, x0 % x1

    def backward(self, gquotient, gremainder):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gremainder, -gremainder * (x0 // x1)


def test_step_11_function_returns_its_outputs_each_with_its_creator():
    """The article writes `return output`, the last of them only: it is `return outputs`."""
    outputs = DivMod()(Variable(np.array(17.0)), Variable(np.array(5.0)))
    assert [float(output.data) for output in outputs] == [3.0, 2.0]
    assert outputs[0].creator is outputs[1].creator
    assert len(outputs[0].creator.inputs) == 2


@pytest.mark.parametrize("method", ["forward", "backward"])
def test_step_11_function_itself_implements_neither_forward_nor_backward(method):
    with pytest.raises(NotImplementedError):
        getattr(Function(), method)(np.array(1.0))


def test_step_11_add_takes_xs_and_returns_a_tuple_of_one():
    """In this project forward always receives its arrays unpacked: *xs gathers them again."""

    class AddOfLists(Function):
        def forward(self, *xs):
            x0, x1 = xs
            y = x0 + x1
            return (y,)

    y = AddOfLists()(*[Variable(np.array(2.0)), Variable(np.array(3.0))])
    assert type(y) is Variable
    assert float(y.data) == 5.0


def test_step_12_function_takes_any_number_of_arguments():
    class Total(Function):
        def forward(self, *xs):
            return sum(xs)

    for count in (1, 2, 5):
        y = Total()(*[Variable(np.array(2.0))] * count)
        assert type(y) is Variable
        assert float(y.data) == 2.0 * count


def test_step_12_forward_may_return_an_array_or_a_tuple_of_arrays():
    """One output comes back by itself, several come back together."""
    x0, x1 = Variable(np.array(7.0)), Variable(np.array(2.0))
    assert type(Add()(x0, x1)) is Variable
    assert len(DivMod()(x0, x1)) == 2


def test_step_12_add_as_a_function_adds():
    y = add(Variable(np.array(2.0)), Variable(np.array(3.0)))
    assert float(y.data) == 5.0
    assert type(y.creator) is Add


def test_step_13_add_passes_the_gradient_on_to_both_inputs():
    x0, x1 = Variable(np.array(2.0)), Variable(np.array(3.0))
    y = add(x0, x1)
    y.backward()
    assert (float(x0.grad), float(x1.grad)) == (1.0, 1.0)
    assert Add().backward(np.array(4.0)) == (4.0, 4.0)


def test_step_13_backward_gathers_the_gradients_of_all_outputs():
    """17 // 5 is used nowhere: its gradient counts as zero."""
    x0, x1 = Variable(np.array(17.0)), Variable(np.array(5.0))
    _, remainder = DivMod()(x0, x1)
    square(remainder).backward()
    assert (float(x0.grad), float(x1.grad)) == (2 * 2.0, 2 * 2.0 * -3.0)


def test_step_13_square_reads_its_input_from_inputs():
    x = Variable(np.array(3.0))
    y = square(x)
    y.backward()
    assert (float(y.data), float(x.grad)) == (9.0, 6.0)
    assert y.creator.inputs[0] is x


def test_step_13_square_and_add_together_give_the_printed_gradients():
    x, y = Variable(np.array(2.0)), Variable(np.array(3.0))
    z = add(square(x), square(y))
    z.backward()
    assert [float(v) for v in (z.data, x.grad, y.grad)] == [13.0, 4.0, 6.0]


def test_step_14_y_is_x_plus_x_has_gradient_2():
    """The article's first code gives 1.0, because the second gradient replaces the first."""
    x = Variable(np.array(3.0))
    y = add(x, x)
    y.backward()
    assert float(y.data) == 6.0
    assert float(x.grad) == 2.0


def test_step_14_y_is_x_plus_x_with_the_operator_has_gradient_2():
    x = Variable(np.array(3.0))
    y = x + x
    y.backward()
    assert (float(y.data), float(x.grad)) == (6.0, 2.0)


def test_step_14_cleargrad_resets_the_gradient_between_two_calculations():
    x = Variable(np.array(3.0))
    add(x, x).backward()
    x.cleargrad()
    assert x.grad is None
    add(add(x, x), x).backward()
    assert float(x.grad) == 3.0


def test_step_15_branches_are_not_followed_depth_first():
    """Depth first, A would pass on a gradient before the other branch has added to it."""
    calls = []

    class A(Square):
        def backward(self, gy):
            calls.append(float(gy))
            return super().backward(gy)

    x = Variable(np.array(2.0))
    a = A()(x)
    for y in (add(square(square(a)), square(a)), add(square(a), square(square(a)))):
        x.cleargrad()
        y.backward()
        assert float(x.grad) == 8 * 2.0**7 + 4 * 2.0**3
    assert calls == [4 * 4.0**3 + 2 * 4.0] * 2


def test_step_16_variables_and_functions_have_the_printed_generations():
    """A Function takes the highest generation of its inputs, and its outputs the next."""
    x = Variable(np.array(1.0))
    a = square(x)
    b = square(a)
    y = add(x, b)
    assert [v.generation for v in (x, a, b, y)] == [0, 1, 2, 3]
    assert [v.creator.generation for v in (a, b, y)] == [0, 1, 2]


def test_step_16_backward_follows_generations_downwards():
    """The snippet calls it the reverse order of generation: sorted, and popped from the end."""
    seen = []

    class Seen(Square):
        def backward(self, gy):
            seen.append(self.generation)
            return super().backward(gy)

    x = Variable(np.array(1.5))
    a = Seen()(x)
    y = add(Seen()(a), add(Seen()(Seen()(a)), Seen()(x)))
    y.backward()
    assert seen == [2, 1, 1, 0, 0]
    assert float(x.grad) == pytest.approx(4 * 1.5**3 + 8 * 1.5**7 + 2 * 1.5, rel=1e-15)


def test_step_17_weak_outputs_make_reference_counts_suffice(no_collector):
    """Function.outputs and Variable.creator were a cycle, which only the collector frees."""
    x = Variable(np.array(2.0))
    y = add(square(x), x)
    y.backward()
    assert type(y.creator.outputs[0]) is weakref.ref
    assert y.creator.outputs[0]() is y
    watched = [weakref.ref(y), weakref.ref(y.creator), weakref.ref(y.creator.inputs[0].creator)]
    del y
    assert [reference() for reference in watched] == [None] * 3
    assert float(x.grad) == 5.0
