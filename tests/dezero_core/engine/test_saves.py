"""saves: what a graph keeps alive, what it lets go, and what its backward then sees.

Promise: docs/tutorial/memory.md
"""

import weakref

import numpy as np
import pytest

from dezero_core import Function, GradientError, Variable, grad


class SquareOfInputs(Function):
    saves = ("inputs",)

    def forward(self, x):
        return x * x

    def backward(self, gy):
        return gy * 2.0 * self.inputs[0].data


class HalfLogOfOutputs(Function):
    """exp(x / 2), whose derivative is half of the output."""

    saves = ("outputs",)

    def forward(self, x):
        return np.exp(x * 0.5)

    def backward(self, gy):
        return gy * 0.5 * self.outputs[0]().data


class ThriceOfNothing(Function):
    saves = ()

    def forward(self, x):
        return x * 3.0

    def backward(self, gy):
        return gy * 3.0


class RatioOfBoth(Function):
    """x * exp(x): the derivative is written with the input and with the output."""

    saves = ("inputs", "outputs")

    def forward(self, x):
        return x * np.exp(x)

    def backward(self, gy):
        x, y = self.inputs[0].data, self.outputs[0]().data
        return gy * (y + y / x)


#: Function, its derivative at x, whether it keeps its input's and its output's array
KINDS = [
    (SquareOfInputs, lambda x: 2 * x, True, False),
    (HalfLogOfOutputs, lambda x: np.exp(x / 2) / 2, False, True),
    (ThriceOfNothing, lambda x: 3.0 + 0 * x, False, False),
    (RatioOfBoth, lambda x: (1 + x) * np.exp(x), True, True),
]
every_kind = pytest.mark.parametrize(("kind", "derivative", "keeps_input", "keeps_output"), KINDS)


@every_kind
def test_the_graph_keeps_only_the_arrays_that_saves_names(
    kind, derivative, keeps_input, keeps_output, no_collector
):
    x = Variable(np.array([0.5, 1.5]))
    before = ThriceOfNothing()(x)
    after = kind()(before)
    end = ThriceOfNothing()(after)
    arrays = weakref.ref(before.data), weakref.ref(after.data)
    del before, after
    assert [array() is not None for array in arrays] == [keeps_input, keeps_output]
    end.backward()
    np.testing.assert_allclose(x.grad, 9.0 * derivative(3 * x.data), rtol=1e-14)
    del end
    assert [array() for array in arrays] == [None, None]


@every_kind
def test_the_gradient_is_that_of_the_computed_values_though_data_were_replaced(
    kind, derivative, keeps_input, keeps_output
):
    data = np.array([0.5, 1.5])
    x = Variable(data)
    y = kind()(x)
    z = ThriceOfNothing()(y)
    x.data = np.array([100.0, 200.0])
    y.data = np.array([300.0, 400.0])
    z.backward()
    np.testing.assert_allclose(x.grad, 3.0 * derivative(data), rtol=1e-14)


@every_kind
def test_the_second_derivative_is_that_of_the_computed_values_though_data_were_replaced(
    kind, derivative, keeps_input, keeps_output, operators
):
    data = np.array([0.5, 1.5])
    x = Variable(data)
    y = kind()(x)
    x.data = np.array([100.0, 200.0])
    y.data = np.array([300.0, 400.0])
    np.testing.assert_allclose(grad(y, x, create_graph=True).data, derivative(data), rtol=1e-14)


@every_kind
def test_data_replaced_by_another_shape_do_not_disturb_the_gradient(
    kind, derivative, keeps_input, keeps_output
):
    x = Variable(np.array([0.5, 1.5]))
    y = kind()(x)
    expected = derivative(x.data)
    x.data = np.zeros((2, 3))
    y.backward()
    np.testing.assert_allclose(x.grad, expected, rtol=1e-14)


@every_kind
def test_a_dropped_input_costs_no_other_input_its_gradient(
    kind, derivative, keeps_input, keeps_output, book
):
    x, dropped = Variable(np.array(0.5)), Variable(np.array(2.0))
    y = kind()(book.Mul()(x, dropped))
    del dropped
    y.backward()
    np.testing.assert_allclose(x.grad, 2.0 * derivative(1.0), rtol=1e-14)


@every_kind
def test_the_arrays_of_dropped_intermediates_are_still_read_under_create_graph(
    kind, derivative, keeps_input, keeps_output, operators
):
    x = Variable(np.array(0.25))
    z = ThriceOfNothing()(kind()(ThriceOfNothing()(x)))
    np.testing.assert_allclose(
        grad(z, x, create_graph=True).item(), 9.0 * derivative(0.75), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("saves", "reads", "missed"),
    [((), "inputs", "inputs"), (("outputs",), "inputs", "inputs"), ((), "outputs", "outputs")],
)
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("alive", [False, True])
def test_reading_unsaved_data_is_an_error_that_says_how_to_save(
    saves, reads, missed, create_graph, alive
):
    """Also while the array still happens to be there: it may be another by then."""

    class Forgetful(Function):
        def forward(self, x):
            return x * x

        def backward(self, gy):
            if reads == "outputs":
                return gy * self.outputs[0]().data
            return gy * self.inputs[0].data

    forgetful = type("Forgetful", (Forgetful,), {"saves": saves})
    x = Variable(np.array(2.0))
    hidden = ThriceOfNothing()(x)
    y = forgetful()(hidden)
    if not alive:
        del hidden
    with pytest.raises(GradientError) as caught:
        y.backward(create_graph=create_graph)
    assert f"Forgetful reads the data of its {missed}" in str(caught.value)
    needed = tuple(sorted({*saves, missed}))
    assert f"Write saves = {needed} in class Forgetful" in str(caught.value)
    assert caught.value.function is forgetful
    assert x.grad is None


@pytest.mark.parametrize("saves", [(), ("inputs",), ("outputs",), ("inputs", "outputs")])
@pytest.mark.parametrize("create_graph", [False, True])
def test_shapes_and_dtypes_of_all_inputs_and_outputs_are_known_unsaved(
    saves, create_graph, operators
):
    class Look(Function):
        def forward(self, x, c):
            return x.astype(np.float32), np.zeros((2, 2))

        def backward(self, gy, gz):
            specs.extend((x.shape, x.dtype) for x in self.inputs)
            specs.extend((y().shape, y().dtype) for y in self.outputs)
            return np.zeros(3), None

    specs = []
    look = type("Look", (Look,), {"saves": saves})
    hidden = ThriceOfNothing()(Variable(np.ones(3)))
    y = look()(hidden, np.ones((4, 1), np.float16))[0]
    del hidden
    y.backward(create_graph=create_graph)
    assert specs == [
        ((3,), np.float64),
        ((4, 1), np.float16),
        ((3,), np.float32),
        ((2, 2), np.float64),
    ]


def test_a_function_that_saves_several_outputs_keeps_each_array(no_collector):
    class Exponentials(Function):
        saves = ("outputs",)

        def forward(self, x):
            return np.exp(x), np.exp(-x)

        def backward(self, gu, gd):
            up, down = (reference().data for reference in self.outputs)
            return gu * up - gd * down

    x = Variable(np.array([0.5]))
    up, down = Exponentials()(x)
    array = weakref.ref(down.data)
    del down
    assert array() is not None
    up.backward()
    np.testing.assert_allclose(x.grad, np.exp(0.5), rtol=1e-15)


def test_a_subclass_may_save_less_than_its_base_class(no_collector):
    class Lean(SquareOfInputs):
        saves = ()

        def backward(self, gy):
            return gy

    hidden = ThriceOfNothing()(Variable(np.ones(2)))
    y = Lean()(hidden)
    array = weakref.ref(hidden.data)
    del hidden
    assert array() is None
    assert y.creator is not None


class ReadsByProperty(Function):
    saves = ()

    def forward(self, x):
        return x * x

    @property
    def x(self):
        return self.inputs[0].data

    def backward(self, gy):
        return gy * 2.0 * self.x


def test_reading_unsaved_data_through_a_property_is_an_error():
    x = Variable(np.array(2.0))
    y = ReadsByProperty()(x)
    x.data = np.array(10.0)
    with pytest.raises(GradientError, match="saves = \\('inputs',\\) in class ReadsByProperty"):
        y.backward()


def test_a_backward_that_computes_with_an_input_instead_of_its_data_is_refused():
    class Book(Function):
        saves = ()

        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * np.cos(x)

    y = Book()(Variable(np.array(2.0)))
    with pytest.raises(TypeError, match=r"self\.inputs\[i\]\.data"):
        y.backward()


class Product(Function):
    saves = ("other inputs",)

    def forward(self, *xs):
        return np.prod(np.broadcast_arrays(*xs), axis=0)

    def backward(self, gy):
        def others(wanted):
            factor = gy
            for index, x in enumerate(self.inputs):
                if index != wanted:
                    factor = factor * x.data
            return factor

        return tuple(
            others(index) if needed else None for index, needed in enumerate(self.needs_grad)
        )


class ProductOfTwo(Product):
    def forward(self, x0, x1):
        return x0 * x1


CONSTANTS = [2.0, np.array([2.0, 4.0]), Variable(np.array([2, 4]))]


@pytest.mark.parametrize("constant", CONSTANTS, ids=["number", "array", "integers"])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("product", [Product, ProductOfTwo])
def test_saving_other_inputs_does_not_keep_the_factor_beside_a_constant(
    constant, first, product, no_collector
):
    x = Variable(np.array([0.5, 1.5]))
    hidden = ThriceOfNothing()(x)
    y = product()(hidden, constant) if first else product()(constant, hidden)
    array, spec = weakref.ref(hidden.data), (hidden.shape, hidden.dtype)
    del hidden
    assert array() is None
    kept = y.creator.inputs[0 if first else 1]
    assert (kept.shape, kept.dtype) == spec
    y.backward()
    values = constant.data if isinstance(constant, Variable) else constant
    np.testing.assert_array_equal(x.grad, 3.0 * np.ones(2) * values)


@pytest.mark.parametrize("product", [Product, ProductOfTwo])
@pytest.mark.parametrize("replaced", [0, 1])
def test_the_data_of_either_factor_of_a_product_may_be_replaced(product, replaced):
    x, w = Variable(np.array([0.5, 1.5])), Variable(np.array([2.0, 4.0]))
    inputs = ThriceOfNothing()(x), ThriceOfNothing()(w)
    y = product()(*inputs)
    inputs[replaced].data = np.array([100.0, 200.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, 9.0 * w.data)
    np.testing.assert_array_equal(w.grad, 9.0 * x.data)


@pytest.mark.parametrize("product", [Product, ProductOfTwo])
@pytest.mark.parametrize("place", [0, 1])
def test_an_input_may_be_used_with_data_of_two_shapes_in_turn(product, place):
    x, w = Variable(np.array([[0.5], [1.5]])), Variable(np.array([2.0, 4.0]))

    def use():
        operands = [w, w]
        operands[place] = x
        return product()(*operands)

    use().backward()
    x.cleargrad()
    x.data = np.array([3.0, 5.0])
    use().backward()
    np.testing.assert_array_equal(x.grad, w.data)


class ShapesOfBoth(Function):
    saves = ()

    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        specs.append([(x.shape, x.dtype) for x in self.inputs])
        return gy, gy


specs = []


@pytest.mark.parametrize("place", [0, 1])
def test_the_shape_of_a_constant_array_beside_a_variable_is_known(place):
    x, c = Variable(np.ones(3)), np.ones((4, 1), np.float32)
    y = ShapesOfBoth()(*((c, x) if place else (x, c)))
    specs.clear()
    y.backward()
    expected = [((3,), np.float64), ((4, 1), np.float32)]
    assert specs == [expected[::-1] if place else expected]


@pytest.mark.parametrize("product", [Product, ProductOfTwo])
def test_saving_other_inputs_keeps_both_inputs_that_want_a_gradient(product, no_collector):
    x, w = Variable(np.array([0.5, 1.5])), Variable(np.array([2.0, 4.0]))
    hidden = ThriceOfNothing()(x)
    y = product()(hidden, w)
    values = hidden.data.copy()
    hidden.data = w.data = np.zeros(2)
    y.backward()
    np.testing.assert_array_equal(x.grad, [6.0, 12.0])
    np.testing.assert_array_equal(w.grad, values)


def test_saving_other_inputs_of_three_keeps_all_unless_only_one_wants_a_gradient():
    x, w = Variable(np.array([0.5, 1.5])), Variable(np.array([2.0, 4.0]))
    y = Product()(x, w, 3.0)
    y.backward()
    np.testing.assert_array_equal(x.grad, 3.0 * w.data)
    np.testing.assert_array_equal(w.grad, 3.0 * x.data)


@pytest.mark.parametrize("product", [Product, ProductOfTwo])
def test_a_product_with_a_constant_can_be_differentiated_again(product, operators):
    x = Variable(np.array([0.5, 1.5]))
    y = product()(product()(x, x), 3.0)
    (gx,) = [grad(y, x, create_graph=True)]
    np.testing.assert_array_equal(grad(gx, x), [6.0, 6.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_reading_the_input_that_other_inputs_drops_names_needs_grad(create_graph):
    class Careless(ProductOfTwo):
        def backward(self, gy):
            return gy, self.inputs[0].data

    y = Careless()(Variable(np.array(2.0)), 3.0)
    with pytest.raises(GradientError, match=r"another one wants .* See self\.needs_grad"):
        y.backward(create_graph=create_graph)


def functions_behind(y):
    """Return what has computed `y`: the walk of the book's ``get_dot_graph``, step 26."""
    waiting, seen = [y.creator], []
    while waiting:
        function = waiting.pop()
        seen.append(function)
        for x in function.inputs:
            if x.creator is not None and x.creator not in seen + waiting:
                waiting.append(x.creator)
    return seen


@pytest.mark.parametrize("alive", [True, False])
def test_inputs_of_creators_lead_through_a_graph_whose_variables_are_dropped(alive):
    x, w = Variable(np.array([0.5, 1.5])), Variable(np.array([2.0, 4.0]))
    halves = HalfLogOfOutputs()(x)
    thrice = ThriceOfNothing()(halves)
    scaled = ProductOfTwo()(thrice, np.array([1.0, 3.0]))
    both = ShapesOfBoth()(scaled, np.ones(2))
    product = ProductOfTwo()(both, SquareOfInputs()(w))
    y = ThriceOfNothing()(product)
    if not alive:
        del halves, thrice, scaled, both, product
    functions = functions_behind(y)
    assert [type(function) for function in functions] == [
        *(ThriceOfNothing, ProductOfTwo, SquareOfInputs),
        *(ShapesOfBoth, ProductOfTwo, ThriceOfNothing, HalfLogOfOutputs),
    ]
    found = {x for function in functions for x in function.inputs if isinstance(x, Variable)}
    assert {x, w} <= found


def test_creators_show_dropped_inputs_without_name_and_constants_without_creator():
    x = Variable(np.array([0.5, 1.5]))
    thrice = ThriceOfNothing()(HalfLogOfOutputs()(x))
    (unsaved,) = thrice.creator.inputs
    dropped, constant = ProductOfTwo()(thrice, 2.0).creator.inputs
    of_input, _ = ProductOfTwo()(x, 2.0).creator.inputs
    half_log = unsaved.creator
    assert type(half_log) is HalfLogOfOutputs
    assert dropped.creator is thrice.creator
    assert constant.creator is of_input.creator is None
    assert [each.name for each in (unsaved, dropped, constant)] == [None, None, None]
    assert not any(isinstance(each, Variable) for each in (unsaved, dropped, constant))


def test_creators_lead_from_one_of_several_dropped_outputs_to_their_function():
    class Pair(ThriceOfNothing):
        def forward(self, x):
            return x * 3.0, x * 3.0

        def backward(self, gy, gz):
            return 3.0 * (gy + gz)

    _, second = Pair()(Variable(np.ones(2)))
    creator = second.creator
    y = ThriceOfNothing()(second)
    del second
    assert y.creator.inputs[0].creator is creator
    assert functions_behind(y) == [y.creator, creator]
