"""The Chinese notes: 1.1 to 1.3 (automatic differentiation), 2.1 and 2.2 (graphs).

Section 2.3 and what follows are in test_chinese_notes_savings.py. Where a snippet is an early
form of Variable or Function, the test asserts what it shows on this project's.
"""

import heapq
import math
import sys

import numpy as np
import pytest

from dezero_core import Function, Variable, as_array


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


def square(x):
    # In 2.1 the notes break off after `def square()`; 2.2 has it whole.
    return Square()(x)


class Exp(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return np.exp(x) * gy


def exp(x):
    return Exp()(x)


class Add(Function):
    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


def add(x0, x1):
    return Add()(x0, x1)


def test_section_1_1_variable_holds_its_data():
    """In the notes, `self.data = data` lacks its indentation under `__init__`."""
    data = np.array([1.0, 2.0])
    assert Variable(data).data is data


def test_section_1_1_function_computes_on_the_data_and_wraps_the_result():
    y = Square()(Variable(np.array(10.0)))
    assert type(y) is Variable
    assert float(y.data) == 100.0


@pytest.mark.parametrize("method", ["forward", "backward"])
def test_section_1_1_and_1_2_function_raises_not_implemented_error(method):
    """The notes write NotImplementError there; in 1.3 and after it is NotImplementedError."""
    with pytest.raises(NotImplementedError):
        getattr(Function(), method)(np.array(1.0))


def test_section_1_2_backpropagation_by_hand_gives_the_printed_gradient():
    """`self.input` of the notes is `self.inputs[0]` here."""
    x = Variable(np.array(0.5))
    F = Exp()  # noqa: N806 - the name in the notes
    y = F(x)
    y.grad = np.array(1.0)
    x.grad = F.backward(y.grad)
    assert float(x.grad) == pytest.approx(math.exp(0.5), rel=1e-15)


def test_section_1_3_backward_gives_the_printed_gradient(capsys):
    x = Variable(np.array(0.5))
    y = exp(exp(x))
    y.backward()
    print(x.grad)
    expected = math.exp(math.exp(0.5)) * math.exp(0.5)
    assert float(capsys.readouterr().out) == pytest.approx(expected, rel=1e-14)


def test_section_1_3_every_variable_comes_from_the_user_or_a_function():
    x = Variable(np.array(0.5))
    y = exp(x)
    assert x.creator is None
    assert type(y.creator) is Exp
    assert y.creator.inputs[0] is x


def test_section_1_3_backward_starts_from_ones_unless_a_gradient_is_set():
    """`if self.grad is None: self.grad = np.ones_like(self.data)`."""
    x = Variable(np.array([1.0, 2.0]))
    square(x).backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.cleargrad()
    y = square(x)
    y.grad = np.array([10.0, 100.0])
    y.backward()
    assert x.grad.tolist() == [20.0, 400.0]


def test_section_1_3_variable_refuses_data_that_are_no_ndarray():
    with pytest.raises(TypeError, match=r"^<class 'float'> is not supported"):
        Variable(0.5)
    assert Variable(None).data is None


def test_section_1_3_backward_is_a_loop_and_no_recursion():
    """The notes keep the recursive form as a comment; it ends at the recursion limit."""
    x = Variable(np.array(1.0))
    y = x
    for _ in range(2 * sys.getrecursionlimit()):
        y = add(y, x)
    y.backward()
    assert float(x.grad) == 2 * sys.getrecursionlimit() + 1


def test_section_1_3_as_array_makes_the_float64_of_a_square_an_ndarray_again():
    """For x = np.array(1.0), x ** 2 is a numpy.float64."""
    x = np.array(1.0)
    assert type(x**2) is np.float64
    assert type(as_array(x**2)) is np.ndarray
    assert type(square(Variable(x)).data) is np.ndarray


def test_section_2_1_function_takes_several_inputs_or_gives_several_outputs():
    """Add has several inputs, and `separate` is the notes' example of several outputs."""

    class Separate(Function):
        def forward(self, x):
            return x[:1], x[1:]

        def backward(self, ghead, gtail):
            return np.concatenate([ghead, gtail])

    x = Variable(np.array([1.0, 2.0, 3.0]))
    head, tail = Separate()(x)
    assert (head.data.tolist(), tail.data.tolist()) == ([1.0], [2.0, 3.0])
    square(tail).backward()
    assert x.grad.tolist() == [0.0, 4.0, 6.0]
    assert add(head, head).data.tolist() == [2.0]


def test_section_2_1_forward_may_take_all_inputs_as_one_list():
    """The form that the notes keep as a comment; here forward gathers them with *."""

    class AddOfLists(Add):
        def forward(self, *xs):
            x0, x1 = xs
            return (x0 + x1,)

    x0, x1 = Variable(np.array(2.0)), Variable(np.array(3.0))
    y = AddOfLists()(x0, x1)
    y.backward()
    assert [float(v) for v in (y.data, x0.grad, x1.grad)] == [5.0, 1.0, 1.0]


def test_section_2_1_backward_adds_up_the_gradients_of_a_variable_used_twice():
    """The notes have `else` without its colon, and `g.grad + gx` for `x.grad + gx`."""
    x = Variable(np.array(3.0))
    y = add(x, x)
    y.backward(retain_grad=True)
    assert (float(x.grad), float(y.grad)) == (2.0, 1.0)
    x.cleargrad()
    assert x.grad is None


def test_section_2_2_the_worked_example_of_generations_prints_its_gradients(capsys):
    """a = x**2 and y = a**4 + a**2, so y = x**8 + x**4 and dy/dx = 8 x**7 + 4 x**3.

    Two comments of the notes are wrong: a Variable's generation is its creator's plus one,
    and 2.1's `funcs.pop()`, marked as a bug there, is what this section mends.
    """
    x = Variable(np.array(2.0))
    a = square(x)
    y = add(square(square(a)), square(a))
    y.backward()
    print(y.data)
    print(x.grad)
    assert capsys.readouterr().out == "272.0\n1056.0\n"
    assert [v.generation for v in (x, a, y)] == [0, 1, 4]


def test_section_2_2_a_heap_of_functions_pops_the_highest_generation_first():
    """`__lt__` compares the negatives, since heapq pops the smallest."""

    class Ranked:
        def __init__(self, generation):
            self.generation = generation

        def __lt__(self, func):
            return -self.generation < -func.generation

    funcs = [Ranked(generation) for generation in (2, 0, 1, 4, 2)]
    heapq.heapify(funcs)
    assert [heapq.heappop(funcs).generation for _ in range(5)] == [4, 2, 2, 1, 0]


def test_section_2_2_backward_runs_each_function_once_highest_generation_first():
    """What the heap and seen_set are for."""
    seen = []

    class Seen(Square):
        def backward(self, gy):
            seen.append(self.generation)
            return super().backward(gy)

    x = Variable(np.array(2.0))
    a = Seen()(x)
    y = add(Seen()(Seen()(a)), Seen()(a))
    y.backward()
    assert seen == [2, 1, 1, 0]
