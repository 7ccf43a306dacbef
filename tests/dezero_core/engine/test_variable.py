"""Variable: what it holds, what it refuses, and how it looks without any operation.

Promise: docs/tutorial/variable.md
"""

import numpy as np
import pytest

from dezero_core import (
    DezeroError,
    Parameter,
    Variable,
    VariableTypeError,
    as_array,
    as_variable,
)


class Tagged(np.ndarray):
    """An array type of somebody else."""


def test_the_data_of_a_variable_are_the_very_array_that_was_given():
    data = np.array([1.0, 2.0])
    assert Variable(data).data is data


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "i8", "u2", "?"])
def test_a_variable_holds_real_integer_and_boolean_data_in_their_dtype(dtype):
    assert Variable(np.ones(2, dtype)).dtype == np.dtype(dtype)


@pytest.mark.parametrize("data", [1.0, 1, True, 1j, "1", b"1", [1, 2], (1.0,), {}, object()])
def test_data_that_are_no_ndarray_are_refused_in_the_words_of_the_book(data):
    with pytest.raises(VariableTypeError) as caught:
        Variable(data)
    assert str(caught.value).startswith(f"{type(data)} is not supported")
    assert caught.value.got is type(data)


def test_the_refusal_of_a_number_as_data_shows_the_code_to_write():
    with pytest.raises(TypeError, match=r"^<class 'float'> is not supported.*np\.array\(1\.0\)"):
        Variable(1.0)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ([1.0, 2.0], "Variable(np.array([1.0, 2.0]))"),
        ([1, 2], "Variable(np.array([1, 2], dtype=float))"),
        (3, "Variable(np.array(3, dtype=float))"),
        (3.5, "Variable(np.array(3.5))"),
        (2j, "Variable(np.array(2j))"),
    ],
)
def test_the_refusal_of_numbers_as_data_shows_code_that_makes_a_variable_with_a_gradient(
    data, code
):
    with pytest.raises(TypeError) as caught:
        Variable(data)
    assert str(caught.value).startswith(f"{type(data)} is not supported")
    assert str(caught.value).endswith(f"Write {code}.")
    assert eval(code).dtype.kind in "fc"


def test_a_numpy_scalar_as_data_is_refused_like_a_float():
    with pytest.raises(TypeError, match=r"^<class 'numpy\.float64'> is not supported"):
        Variable(np.float64(1.0))


def test_the_refusal_of_a_long_list_as_data_stays_short():
    with pytest.raises(TypeError) as caught:
        Variable(list(range(100_000)))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("wrap", "advice"),
    [(lambda x: x, "Variable(x.data)"), (lambda x: [x], "np.stack([x, ...])")],
)
def test_the_refusal_of_a_variable_as_data_advises_nothing_that_is_refused(wrap, advice):
    with pytest.raises(VariableTypeError) as caught:
        Variable(wrap(Variable(np.array(1.0))))
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        np.array([1.0, None], dtype=object),
        np.array(["a"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.zeros(2, dtype=[("a", float)]),
    ],
    ids=["object", "text", "dates", "records"],
)
def test_data_of_anything_but_numbers_are_refused_with_their_dtype(data):
    with pytest.raises(VariableTypeError) as caught:
        Variable(data)
    assert str(caught.value).startswith("<class 'numpy.ndarray'>")
    assert "is not supported" in str(caught.value)
    assert str(data.dtype) in str(caught.value)


def test_a_masked_array_as_data_is_refused_and_not_stripped_of_its_mask():
    with pytest.raises(VariableTypeError, match=r"MaskedArray.*is not supported.*filled"):
        Variable(np.ma.masked_array([1.0, 2.0], mask=[True, False]))


def test_a_matrix_as_data_is_refused_since_its_product_is_no_elementwise_product():
    with pytest.raises(VariableTypeError, match=r"matrix.*is not supported.*asarray.*@") as caught:
        Variable(np.ones((2, 2)).view(np.matrix))
    assert caught.value.got is np.matrix


def test_the_data_of_an_ndarray_subclass_are_held_as_a_plain_ndarray():
    data = np.arange(3.0).view(Tagged)
    x = Variable(data)
    assert type(x.data) is np.ndarray
    assert np.shares_memory(x.data, data)


def test_the_refusal_of_data_is_a_dezero_error():
    with pytest.raises(DezeroError):
        Variable(1.0)


def test_the_name_of_a_variable_is_given_or_set_later():
    x, y = Variable(np.array(1.0), "x"), Variable(np.array(1.0))
    assert (x.name, y.name) == ("x", None)
    y.name = "y"
    assert y.name == "y"


def test_a_new_variable_is_an_input_without_gradient():
    x = Variable(np.array(1.0))
    assert (x.grad, x.creator, x.generation) == (None, None, 0)


def test_equal_variables_are_different_keys_of_a_dict():
    x, y = Variable(np.array(1.0)), Variable(np.array(1.0))
    assert len({x, y}) == 2
    assert {x: "x", y: "y"}[y] == "y"


def test_cleargrad_forgets_the_gradient():
    x = Variable(np.array(1.0))
    x.grad = np.array(3.0)
    x.cleargrad()
    assert x.grad is None


def test_asking_a_variable_without_data_for_its_shape_names_the_missing_data():
    with pytest.raises((AttributeError, TypeError, ValueError), match=r"None|no data"):
        _ = Variable(None).shape


def test_an_unknown_attribute_of_a_variable_is_an_attribute_error_that_names_the_type():
    with pytest.raises(AttributeError, match="'Parameter' object has no attribute 'colour'"):
        _ = Parameter(np.array(1.0)).colour


def test_a_misspelt_attribute_of_a_variable_cannot_be_set():
    with pytest.raises(AttributeError):
        Variable(np.array(1.0)).gard = np.array(1.0)


def test_a_parameter_is_a_variable_of_its_own_class():
    p = Parameter(np.array(1.0), name="W")
    assert isinstance(p, Variable)
    assert repr(p) == "variable(1.0)"
    assert p.name == "W"


def test_a_result_computed_from_a_parameter_is_no_parameter(book):
    assert type(book.Square()(Parameter(np.array(2.0)))) is Variable


def test_a_parameter_receives_a_gradient(book):
    p = Parameter(np.array(3.0))
    book.Square()(p).backward()
    assert p.grad == 6.0


@pytest.mark.parametrize("scalar", [2.0, 3, True, np.float32(1.5), np.int8(4)])
def test_as_array_makes_a_0d_array_of_a_scalar(scalar):
    array = as_array(scalar)
    assert type(array) is np.ndarray
    assert array.shape == ()
    assert array == scalar
    assert array.dtype == np.asarray(scalar).dtype


def test_as_array_returns_an_array_without_a_copy():
    array = np.array([1.0])
    assert as_array(array) is array


def test_as_variable_returns_a_variable_unchanged_and_wraps_an_array():
    x = Variable(np.array(1.0))
    assert as_variable(x) is x
    assert as_variable(x.data).data is x.data
    assert type(as_variable(x.data)) is Variable


def test_as_variable_refuses_a_number_as_variable_does():
    with pytest.raises(VariableTypeError, match=r"^<class 'float'> is not supported"):
        as_variable(1.0)


def test_set_creator_raises_the_generation_by_one(book):
    x = Variable(np.array(2.0))
    square = book.Square()
    y = square(square(x))
    z = Variable(np.array(0.0))
    z.set_creator(y.creator)
    assert z.creator is y.creator
    assert (y.creator.generation, z.generation) == (1, 2)


def test_set_creator_joins_a_variable_to_the_graph(book):
    """As the book's Function does for the outputs it makes."""
    x = Variable(np.array(3.0))
    square = book.Square()
    square(x)
    y = Variable(np.array(9.0))
    y.set_creator(square)
    y.backward()
    assert x.grad == 6.0


def test_set_creator_recognises_each_of_several_outputs(book):
    x0, x1 = Variable(np.array(3.0)), Variable(np.array(5.0))
    both = book.SumAndProduct()
    product = both(x0, x1)[1]
    product.set_creator(both)
    product.backward()
    assert (x0.grad, x1.grad) == (5.0, 3.0)


def test_set_creator_does_not_guess_which_of_several_outputs_is_meant(book):
    both = book.SumAndProduct()
    both(Variable(np.array(3.0)), Variable(np.array(5.0)))
    with pytest.raises((ValueError, RuntimeError), match="output"):
        Variable(np.array(8.0)).set_creator(both)


def test_the_creator_of_a_variable_is_set_by_set_creator_only():
    with pytest.raises(AttributeError):
        Variable(np.array(1.0)).creator = None


def test_a_numpy_scalar_assigned_to_data_becomes_an_array(book):
    """`x.data = x.data - 0.5` gives a scalar where the data have no dimensions."""
    x = Variable(np.array(2.0))
    x.data = x.data - 0.5
    y = book.Square()(x)
    y.backward()
    assert type(x.data) is np.ndarray
    assert (y.item(), x.grad) == (2.25, 3.0)


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (3.0, "float"),
        ([1.0], "list"),
        (None, "None"),
        (Variable(np.ones(1)), "x.data = other.data"),
    ],
)
def test_data_replaced_by_an_object_that_is_no_array_are_refused_with_advice(book, data, advice):
    x = Variable(np.array(2.0))
    x.data = data
    with pytest.raises(VariableTypeError, match=advice):
        book.Square()(x)


def test_a_variable_has_no_method_that_would_slow_down_its_attributes():
    """With one of these, CPython could not specialise the reads of ``x.data``."""
    for cls in Variable.__mro__[:-1]:
        assert not {"__getattr__", "__getattribute__"} & vars(cls).keys()
