"""Operations that raise: the original exception, a note, and nothing changed.

Promise: docs/how_to/read_an_error.md
"""

import inspect
import reprlib
import traceback

import numpy as np
import pytest

from dezero_core import Function, Variable, VariableTypeError, hookimpl


class NoLuckError(Exception):
    """What the operation raises."""


class Raises(Function):
    def forward(self, x):
        return x * 1.0

    def backward(self, gy):
        raise NoLuckError("no luck")


def test_an_exception_in_backward_reaches_the_user_and_leaves_every_grad(book):
    x, y, z = (Variable(np.array(v)) for v in (2.0, 3.0, 5.0))
    y.grad = before = np.array(7.0)
    middle = Raises()(x)
    # z and y are reached long before the middle raises.
    loss = book.Mul()(book.Mul()(book.Square()(middle), y), z)
    loss.grad = start = np.array(1.0)
    for options in ({}, {"retain_grad": True}):
        with pytest.raises(NoLuckError, match=r"^no luck"):
            loss.backward(**options)
        assert (x.grad, z.grad, middle.grad) == (None, None, None)
        assert y.grad is before
        assert loss.grad is start
        np.testing.assert_array_equal(before, 7.0)


def test_an_interrupt_in_backward_leaves_every_grad(book):
    class Interrupted(Raises):
        def backward(self, gy):
            raise KeyboardInterrupt

    x, y = Variable(np.array(2.0)), Variable(np.array(3.0))
    loss = book.Mul()(Interrupted()(x), y)
    with pytest.raises(KeyboardInterrupt):
        loss.backward()
    assert (x.grad, y.grad) == (None, None)


def line_of(marker):
    """Return the file and the line in it that ends with a comment of `marker`."""
    lines = inspect.getsource(inspect.getmodule(line_of)).splitlines()
    (number,) = [n for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return f"{__file__}:{number}"


def test_the_note_on_an_exception_in_backward_names_operation_arrays_and_calling_line():
    y = Raises()(Variable(np.ones((2, 3), np.float32)))

    def train():
        y.backward()  # the call of backward

    with pytest.raises(NoLuckError) as caught:
        train()
    (note,) = caught.value.__notes__
    assert "Raises.backward" in note
    assert "float32[2, 3]" in note
    assert f"called at {line_of('the call of backward')}; to see the line that applied it" in note
    assert note in "".join(traceback.format_exception(caught.value))


def test_a_function_on_shapes_that_do_not_broadcast_is_numpys_error_with_a_note(book):
    x0, x1 = Variable(np.ones((2, 3))), Variable(np.ones(4, np.float32))

    def model():
        return book.Mul()(x0, x1)  # the call of forward

    with pytest.raises(ValueError, match="could not be broadcast together") as caught:
        model()
    (note,) = caught.value.__notes__
    assert "Mul.forward" in note
    assert "float64[2, 3], float32[4]" in note
    assert note.endswith(f"called at {line_of('the call of forward')}")


def test_the_note_on_an_error_shows_the_gradient_of_every_output():
    class Pair(Raises):
        def forward(self, x):
            return x * 1.0, x[:2] * 2.0

        def backward(self, gy, gz):
            raise NoLuckError("no luck")

    _, z = Pair()(Variable(np.ones(3)))
    with pytest.raises(NoLuckError) as caught:
        z.backward()
    assert "Pair.backward" in caught.value.__notes__[0]
    assert "given float64[3], float64[2], called at" in caught.value.__notes__[0]


@pytest.mark.parametrize("operand", [np.float64, np.finfo(float), np.dtype(float)], ids=repr)
def test_an_object_with_the_attributes_of_an_array_is_no_operand(operand, book):
    with pytest.raises(VariableTypeError) as caught:
        book.Mul()(Variable(np.ones(2)), operand)
    (note,) = caught.value.__notes__
    assert "Mul.forward" in note
    assert f", {reprlib.repr(operand)}, called at" in note


def test_a_function_of_an_input_itself_in_backward_is_refused_with_the_data_of_inputs(book):
    """In the book, backward applies Functions to the inputs, and not to their data."""

    class Sine(Function):
        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * book.Square()(x)

    with pytest.raises(VariableTypeError, match=r"In backward, write self\.inputs\[i\]\.data and"):
        Sine()(Variable(np.array(1.0))).backward(create_graph=True)


class SilentError(ValueError):
    """Takes no note."""

    def add_note(self, note):
        raise TypeError("no notes, please")


class UnreadableError(ValueError):
    """Has notes of its own that are no list."""

    __notes__ = 3


@pytest.mark.parametrize("kind", [SilentError, UnreadableError])
def test_an_error_whose_notes_are_its_own_affair_reaches_the_user_as_it_was_raised(kind):
    class Fails(Function):
        def forward(self, x):
            raise kind("no luck")

    caught = None
    try:
        Fails()(Variable(np.array(1.0)))
    except ValueError as error:  # pytest.raises would read the notes
        caught = error
    assert (type(caught), str(caught)) == (kind, "no luck")


def test_the_last_note_on_an_array_that_backward_fills_is_the_advice_that_numpy_hides(
    book, operators
):
    class Filled(Function):
        def forward(self, x):
            return x * 1.0

        def backward(self, gy):
            gx = np.zeros(())
            gx[()] = gy
            return gx

    x = Variable(np.array(3.0))
    book.Square()(Filled()(x)).backward()
    assert x.grad == 6.0
    with pytest.raises(ValueError, match=r"^setting an array element") as caught:
        book.Square()(Filled()(x)).backward(create_graph=True)
    where, advice = caught.value.__notes__
    assert where.startswith("in Filled.backward of module ")
    assert advice == str(caught.value.__cause__)
    assert "np.stack([...]) in place of filling an array" in advice


def test_the_note_on_an_error_names_a_caller_that_is_in_no_module():
    y = Raises()(Variable(np.ones(2)))
    code = compile("y.backward()", "<cell>", "exec")
    with pytest.raises(NoLuckError) as caught:
        exec(code, {"y": y, "__name__": None})
    assert "called at <cell>:1;" in caught.value.__notes__[0]


def test_the_note_on_an_error_shows_scalars_as_numbers(book):
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        book.Pow("two")(2.5)
    assert "Pow.forward" in caught.value.__notes__[0]
    assert "given 2.5," in caught.value.__notes__[0]


def test_an_error_outside_of_forward_and_backward_has_a_note(core_alone, registered):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("first", lambda x, *, strict: x, numpy=(np.heaviside, np.nan_to_num))

    registered(Plugin(), "refusing")
    x = Variable(np.ones((2, 3)))
    for name, call in (
        ("np.heaviside", lambda: np.heaviside(x, 1.0)),
        ("np.nan_to_num", lambda: np.nan_to_num(x)),
    ):
        with pytest.raises(TypeError, match="argument") as caught:
            call()
        (note,) = caught.value.__notes__
        assert note.startswith(f"in {name} of plugin 'refusing' ({__name__}), given float64[2, 3]")
        assert f"called at {__file__}" in note


def test_an_error_of_a_function_that_numpy_calls_has_one_note(operators):
    with pytest.raises(ValueError, match="broadcast") as caught:
        np.multiply(Variable(np.ones(2)), np.ones(3))
    assert len(caught.value.__notes__) == 1


def test_the_note_on_an_error_of_a_class_of_no_plugin_names_its_module(core_alone, registered):
    class Function:
        __module__ = "somewhere"
        __hash__ = None

        def __call__(self, x):
            raise ValueError("no")

    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("first", Function(), numpy=np.nan_to_num)

    registered(Plugin(), "callable")
    with pytest.raises(ValueError, match="no") as caught:
        np.nan_to_num(Variable(np.ones(2)))
    assert caught.value.__notes__[0].startswith("in np.nan_to_num of module somewhere, given")
