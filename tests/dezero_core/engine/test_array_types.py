"""Variables that hold arrays of types which plugins register.

Promise: docs/how_to/use_another_array_type.md
"""

import pickle

import numpy as np
import pytest

from dezero_core import (
    Function,
    GradientError,
    Variable,
    VariableTypeError,
    grad,
    unregister,
)
from dezero_core.extend import ArrayType, certain, possible, require_values

from .ducks import DUCKS, GEESE, Duck, Goose, plugin_of

BOTH = pytest.mark.parametrize("cls", [Duck, Goose])


@pytest.fixture(autouse=True)
def ducks(registered, request):
    """Register both types, after the operators of the book."""
    request.getfixturevalue("operators")
    registered(plugin_of(DUCKS, GEESE), "ducks")


@BOTH
def test_values_and_gradients_are_arrays_of_the_registered_type(cls):
    x = Variable(cls([1.0, 2.0]))
    y = x * x
    y.backward()
    assert type(y.data) is cls
    assert y.data.values.tolist() == [1.0, 4.0]
    assert type(x.grad) is cls
    assert x.grad.values.tolist() == [2.0, 4.0]


@BOTH
def test_second_derivatives_are_arrays_of_the_registered_type(cls):
    x = Variable(cls([1.0, 2.0]))
    gx = grad(x * x * x, x, create_graph=True)
    ggx = grad(gx, x)
    assert type(gx.data) is type(ggx) is cls
    assert ggx.values.tolist() == [6.0, 12.0]


@BOTH
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("wrap", [Variable, lambda array: array])
def test_an_operation_with_an_ndarray_on_either_side_follows_the_registered_type(cls, swap, wrap):
    x, w = Variable(cls([1.0, 2.0])), wrap(np.array([3.0, 5.0]))
    y = w * x if swap else x * w
    y.backward()
    assert type(y.data) is type(x.grad) is cls
    assert x.grad.values.tolist() == [3.0, 5.0]
    if isinstance(w, Variable):
        assert type(w.grad) is cls
        assert w.grad.values.tolist() == [1.0, 2.0]


@BOTH
@pytest.mark.parametrize("swap", [False, True])
def test_an_array_of_the_type_beside_a_variable_is_a_constant(cls, swap):
    x, c = Variable(np.array([3.0, 5.0])), cls([1.0, 2.0])
    y = c * x if swap else x * c
    y.backward()
    assert type(y.data) is cls
    assert x.grad.values.tolist() == [1.0, 2.0]


def test_arrays_of_two_registered_types_are_refused_by_name():
    x, y = Variable(Duck([1.0])), Variable(Goose([1.0]))
    with pytest.raises(VariableTypeError, match="arrays of the types duck and goose") as caught:
        x * y
    assert caught.value.got is Duck


@BOTH
def test_gradients_that_were_broadcast_are_summed_in_the_registered_type(cls):
    x, w = Variable(cls(np.ones((3, 2)))), Variable(cls([2.0]))
    (x * w).backward()
    assert type(w.grad) is cls
    assert w.grad.values.tolist() == [6.0]
    assert x.grad.values.tolist() == [[2.0, 2.0]] * 3


def test_broadcast_gradients_of_short_floats_are_summed_with_all_their_digits():
    n = 50_000
    x, w = Variable(Duck(np.full((n, 2), 0.1, "f4"))), Variable(Duck(np.ones(2, "f4")))
    (x * w).backward()
    assert w.grad.dtype == np.float32
    np.testing.assert_allclose(w.grad.values, n * np.float64(np.float32(0.1)), rtol=1e-7)


def test_a_type_may_sum_and_make_zeros_in_its_own_way(registered):
    class Swan(Duck):
        pass

    asked = []

    def zeros(shape, dtype, like):
        asked.append(("zeros", shape, dtype, type(like)))
        return Swan(np.zeros(shape, dtype))

    def sum_to(array, shape):
        asked.append(("sum_to", shape))
        return Swan(array.values.sum(0).reshape(shape))

    registered(plugin_of(ArrayType("swan", (Swan,), zeros=zeros, sum_to=sum_to)), "swans")
    x, w = Variable(Swan(np.ones((3, 2)))), Variable(Swan([1.0, 2.0]))
    first, _ = Halves()(x * w)
    first.backward()
    assert asked == [("zeros", (3, 1), np.dtype(float), Swan), ("sum_to", (2,))]
    assert w.grad.values.tolist() == [3.0, 0.0]


class Halves(Function):
    saves = ()

    def forward(self, x):
        return x[:, :1], x[:, 1:]

    def backward(self, g0, g1):
        return np.concatenate([g0, g1], axis=1)


@BOTH
def test_an_output_without_a_gradient_counts_as_zeros_of_the_registered_type(cls):
    x = Variable(cls([[1.0, 2.0]]))
    _, second = Halves()(x)
    second.backward()
    assert type(x.grad) is cls
    assert x.grad.values.tolist() == [[0.0, 1.0]]


@pytest.mark.filterwarnings("ignore:the result does not depend on")
@BOTH
def test_the_gradient_by_an_input_without_influence_is_zeros_of_its_type(cls):
    x, other = Variable(cls([1.0])), Variable(cls([2.0, 3.0]))
    gradient = grad(x * x, other)
    assert type(gradient) is cls
    assert gradient.values.tolist() == [0.0, 0.0]


def test_gradients_of_two_inputs_share_no_array_that_can_be_written_to():
    x, y = Variable(Duck([1.0])), Variable(Duck([2.0]))
    (x + y).backward()
    x.grad.values[0] = 9.0
    assert y.grad.values.tolist() == [1.0]


def test_an_immutable_gradient_is_not_copied():
    x, y = Variable(Goose([1.0])), Variable(Goose([2.0]))
    (x + y).backward()
    assert x.grad is y.grad


@BOTH
def test_a_second_backward_adds_to_the_gradient(cls):
    x = Variable(cls([1.0, 2.0]))
    (x * x).backward()
    (x * x).backward()
    assert type(x.grad) is cls
    assert x.grad.values.tolist() == [4.0, 8.0]


@BOTH
def test_backward_starts_from_a_gradient_of_the_registered_type(cls):
    x = Variable(cls([1.0, 2.0]))
    y = x * x
    y.grad = cls([10.0, 100.0])
    y.backward()
    assert x.grad.values.tolist() == [20.0, 400.0]


def test_a_first_gradient_of_another_type_of_arrays_is_refused():
    x = Variable(Duck([1.0]))
    with pytest.raises(GradientError, match=r"is an ndarray, and that holds a duck array"):
        grad(x * x, x, grad_outputs=np.ones(1))
    y = Variable(np.ones(1))
    with pytest.raises(GradientError, match=r"is a duck array, and that holds an ndarray"):
        grad(y * y, y, grad_outputs=Duck([1.0]))


@BOTH
def test_complex_gradients_follow_the_convention_of_ndarrays(cls):
    z = np.array([1.0 + 2.0j])
    found = []
    for data in (z, cls(z)):
        x = Variable(data)
        y = x * x
        y.grad = data * 0 + (1.0 + 1.0j)
        y.backward()
        found.append(getattr(x.grad, "values", x.grad))
    np.testing.assert_array_equal(*found)


def test_a_real_input_beside_a_complex_one_gets_a_real_gradient():
    x, z = Variable(Duck([2.0])), Variable(Duck([1.0 + 2.0j]))
    y = x * z
    y.grad = Duck([1.0 + 0.0j])
    y.backward()
    assert x.grad.dtype == float
    assert x.grad.values.tolist() == [1.0]


def test_data_that_were_replaced_leave_the_gradient_of_the_former_array():
    x = Variable(Duck([3.0]))
    y = x * x
    x.data = Duck([100.0])
    y.backward()
    assert x.grad.values.tolist() == [6.0]


def test_a_scalar_of_a_registered_type_is_no_ndarray():
    x = Variable(Duck(3.0))
    y = x * x
    y.backward()
    assert type(x.grad) is Duck
    assert x.grad.shape == ()


USES_OF_VALUES = {
    "float": float,
    "int": int,
    "complex": complex,
    "bool": bool,
    "item": lambda x: x.item(),
    "index": lambda x: [1, 2][x],
    "range": range,
    "format": lambda x: f"{x:.3f}",
    "condition": lambda x: 1 if x else 0,
}


@pytest.mark.parametrize("use", USES_OF_VALUES)
def test_no_value_of_a_lazy_variable_is_looked_at(use):
    x = Variable(Goose(3.0))
    with pytest.raises(VariableTypeError, match=r"this goose array is lazy.*x\.to_numpy\(\)"):
        USES_OF_VALUES[use](x)


def test_a_lazy_variable_shows_what_is_known():
    x = Variable(Goose(np.ones((2, 3), "f4")))
    assert repr(x) == str(x) == f"{x}" == "variable(goose array of shape (2, 3), float32)"


def test_a_variable_with_values_shows_them():
    assert repr(Variable(Duck([1.0]))) == "variable(duck[1.])"


def test_to_numpy_computes_an_ndarray():
    assert Variable(Goose([1.0, 2.0])).to_numpy().tolist() == [1.0, 2.0]
    data = np.ones(2)
    assert Variable(data).to_numpy() is data


def test_require_values_lets_arrays_with_values_pass():
    require_values(np.ones(2), "iteration")
    require_values(Duck([1.0]), "iteration")
    with pytest.raises(VariableTypeError, match=r"^iteration needs values") as caught:
        require_values(Goose([1.0]), "iteration")
    assert caught.value.got is Goose


@pytest.mark.parametrize("make", [np.array, Duck])
def test_of_arrays_with_values_conditions_are_what_they_are(make):
    yes, no = make(True), make(False)
    assert (certain(yes), certain(no), possible(yes), possible(no)) == (True, False, True, False)


def test_of_a_lazy_array_nothing_is_certain_and_everything_possible():
    for condition in (Goose(True), Goose(False)):
        assert (certain(condition), possible(condition)) == (False, True)


class OnlyNumpy(Function):
    arrays = "numpy: LAPACK is called with pointers"

    def forward(self, x):
        return x + 0.0

    def backward(self, gy):
        return gy


def test_a_function_of_ndarrays_alone_refuses_other_arrays_with_its_reason():
    with pytest.raises(
        VariableTypeError, match=r"takes ndarrays alone.*LAPACK.*to_numpy"
    ) as caught:
        OnlyNumpy()(Variable(Duck([1.0])))
    assert caught.value.got is Duck
    assert caught.value.arrays == OnlyNumpy.arrays
    assert OnlyNumpy()(Variable(np.ones(1))).data.tolist() == [1.0]


@pytest.mark.parametrize("value", ["numpy", "numpy: ", "ndarray", None, ""])
def test_a_function_says_numpy_and_a_reason_or_any(value):
    with pytest.raises(TypeError, match=r"Odd\.arrays must be 'any', or 'numpy: ' and a reason"):
        type("Odd", (Function,), {"arrays": value})


def test_a_function_that_makes_an_ndarray_of_a_registered_array_is_refused():
    class ToNumpy(Function):
        def forward(self, x):
            return x.values

    with pytest.raises(VariableTypeError, match=r"must return a duck array, as its operands are"):
        ToNumpy()(Variable(Duck([1.0])))


def test_a_function_may_make_a_registered_array_of_an_ndarray():
    class ToDuck(Function):
        saves = ()

        def forward(self, x):
            return Duck(x)

        def backward(self, gy):
            return gy.values

    x = Variable(np.array([1.0, 2.0]))
    with pytest.raises(GradientError, match=r"lost the duck array: it returned an ndarray"):
        (ToDuck()(x) * 2.0).backward()
    assert x.grad is None


class Returns(Function):
    """Returns, as the gradient, a value of the test's choice."""

    saves = ()

    def __init__(self, made_by):
        self.made_by = made_by

    def forward(self, x):
        return x * 1.0

    def backward(self, gy):
        return self.made_by(gy)


@BOTH
@pytest.mark.parametrize("create_graph", [False, True])
def test_zeros_in_an_ndarray_become_a_gradient_of_the_registered_type(cls, create_graph):
    x = Variable(cls([1.0, 2.0]))
    y = Returns(lambda gy: np.zeros(gy.shape, gy.dtype))(x)
    gradient = grad(y, x, create_graph=create_graph)
    array = gradient.data if create_graph else gradient
    assert type(array) is cls
    assert array.values.tolist() == [0.0, 0.0]


@BOTH
def test_a_gradient_that_is_an_ndarray_is_refused_beside_registered_arrays(cls):
    x = Variable(cls([1.0, 2.0]))
    y = Returns(lambda gy: np.ones(2))(x)
    with pytest.raises(GradientError, match=r"array: it returned an ndarray for input 0") as caught:
        y.backward()
    assert caught.value.index == 0
    assert x.grad is None


def test_a_plain_gradient_of_a_lazy_type_has_lost_the_graph_though_it_may_be_zeros():
    x = Variable(Goose([1.0]))
    y = Returns(lambda gy: Goose([0.0]))(x)
    with pytest.raises(GradientError, match=r"lost the graph.*a plain array"):
        y.backward(create_graph=True)


def test_an_array_that_a_function_puts_aside_is_found_before_a_second_derivative():
    class Hides(Function):
        def forward(self, x):
            self.aside = x * 2.0
            return x * x

        def backward(self, gy):
            return gy * self.aside

    x = Variable(Duck([1.0]))
    with pytest.raises(GradientError, match=r"saved Duck values in self\.aside"):
        grad(Hides()(x), x, create_graph=True)


def test_an_array_that_lies_about_its_dtype_is_refused():
    class Worded(Duck):
        dtype = "float64"

    class Long(Duck):
        def astype(self, dtype):
            return self

    with pytest.raises(VariableTypeError, match="of dtype float64 is not supported"):
        Variable(Worded([1.0]))
    x = Variable(Long(np.ones(2, "f4")))
    y = Returns(lambda gy: Long([1.0, 2.0]))(x)
    with pytest.raises(GradientError, match=r"astype\(float32\) gives float64"):
        y.backward()
    assert x.grad is None


@pytest.mark.without("dask")
@pytest.mark.parametrize("dtype", ["O", "U3", "M8[s]"])
def test_a_registered_array_of_no_numbers_is_refused(dtype):
    with pytest.raises(VariableTypeError, match=r"a Variable holds a numpy.ndarray or a duck"):
        Variable(Duck(np.array([1, 2]).astype(dtype)))


def test_an_error_in_a_protocol_of_the_type_names_the_operation_and_changes_nothing():
    class Broken(Duck):
        fails = False

        def __array_ufunc__(self, *args, **kwargs):
            if Broken.fails:
                raise ZeroDivisionError("the cluster is gone")
            return super().__array_ufunc__(*args, **kwargs)

    x = Variable(Broken([1.0]))
    y = x * x
    Broken.fails = True
    with pytest.raises(ZeroDivisionError, match="the cluster is gone") as caught:
        y.backward()
    assert any("in Mul.backward" in note for note in caught.value.__notes__)
    assert x.grad is None
    assert y.grad is None
    Broken.fails = False
    y.backward()
    assert x.grad.values.tolist() == [2.0]


def test_a_variable_of_a_registered_array_is_pickled_with_it():
    x = pickle.loads(pickle.dumps(Variable(Duck([1.0, 2.0]), "x")))
    assert type(x.data) is Duck
    assert x.name == "x"
    assert x.data.values.tolist() == [1.0, 2.0]


@pytest.mark.without("dask")
def test_without_its_plugin_the_type_is_refused_and_the_array_is_kept():
    x = Variable(Duck([1.0]))
    y = x * x
    unregister("ducks")
    for refused in (lambda: Variable(Duck([1.0])), lambda: x * x, lambda: np.ones(1) * x):
        with pytest.raises(VariableTypeError, match=r"ndarray of numbers"):
            refused()
    with pytest.raises(VariableTypeError, match="No loaded plugin registers this type of array"):
        Variable(x.data)
    assert x.data.values.tolist() == [1.0]
    assert x.grad is None
    assert y.creator is not None


def test_an_array_of_a_derived_class_belongs_to_the_type():
    class Drake(Duck):
        pass

    assert type((Variable(Drake([1.0])) * 2.0).data) is Drake
