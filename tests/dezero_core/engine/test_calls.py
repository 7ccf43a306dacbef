"""Calls of Functions of every form: those written out for one and two operands, and the others.

Promise: docs/engine.md
"""

import functools
import inspect

import numpy as np
import pytest
from dezero_core.calls import operator_of

from dezero_core import ApproximateGradientWarning, Function, Variable, grad, no_grad


class Scaled(Function):
    """Returns factor x; its forms differ in how ``forward`` takes x."""

    saves = ()
    factor = 3.0

    def backward(self, gy):
        return gy * self.factor


class OfOne(Scaled):
    def forward(self, x):
        return x * self.factor


class OfAny(Scaled):
    def forward(self, *xs):
        return xs[0] * self.factor


class WithDefault(Scaled):
    def forward(self, x, factor=3.0):
        return x * factor


class WithKeyword(Scaled):
    def forward(self, x, *, factor=3.0):
        return x * factor


class Decorated(Scaled):
    @functools.cache  # noqa: B019 (what a decorated method is like that is no plain function)
    def cached(self):
        return self.factor

    @functools.wraps(OfOne.forward)
    def forward(self, *args, **kwargs):
        return OfOne.forward(self, *args, **kwargs)


class Static(Scaled):
    @staticmethod
    def forward(x):
        return x * 3.0


class Assigned(Scaled):
    forward = functools.partialmethod(OfOne.forward)


class DerivedFrom(Scaled):
    def forward(self, x):
        return x * self.factor


FORMS = [OfOne, OfAny, WithDefault, WithKeyword, Decorated, Static, Assigned]
every_form = pytest.mark.parametrize("form", FORMS)
DTYPES = ["float64", "float32", "float16", "longdouble", "complex128", "complex64", ">f8"]


@every_form
def test_every_form_of_forward_may_be_applied(form):
    for _ in range(2):  # the first call looks at the class
        x = Variable(np.array([1.0, 2.0]))
        y = form()(x)
        y.backward()
        np.testing.assert_array_equal(y.data, [3.0, 6.0])
        np.testing.assert_array_equal(x.grad, [3.0, 3.0])


@every_form
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_form_of_call_keeps_the_dtype_of_data_and_gradient(form, dtype):
    x = Variable(np.array([1.0, 2.0], dtype))
    y = form()(x)
    y.grad = np.ones(2, y.dtype)
    y.backward()
    expected = (np.array([1.0, 2.0], dtype) * 3.0).dtype
    assert (y.dtype, x.grad.dtype) == (expected, np.dtype(dtype))
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


@every_form
@pytest.mark.parametrize("x", [2.0, 2, np.float64(2.0), np.array(2.0), Variable(np.array(2))])
def test_every_form_of_call_makes_constants_of_constants(form, x):
    y = form()(x)
    assert (type(y), y.item(), y.creator, y.generation) == (Variable, 6.0, None, 0)


@every_form
def test_no_form_of_call_records_under_no_grad(form):
    with no_grad():
        y = form()(Variable(np.array([1.0])))
    assert (y.creator, y.generation, y.data) == (None, 0, [3.0])


@every_form
def test_every_form_of_call_keeps_0d_arrays(form):
    x = Variable(np.array(2.0))
    y = form()(x)
    y.backward()
    assert [type(a) for a in (y.data, x.grad)] == [np.ndarray] * 2
    assert [a.shape for a in (y.data, x.grad)] == [(), ()]


class Product(Function):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        return gy * self.inputs[1].data, gy * self.inputs[0].data


class ProductOfAny(Product):
    def forward(self, *xs):
        return xs[0] * xs[1]


def operands():
    """Return what may stand at one place, with the gradient it gets or None."""
    return {
        "variable": Variable(np.array([2.0, 4.0])),
        "intermediate": OfOne()(Variable(np.array([2.0, 4.0]))),
        "no dimensions": Variable(np.array(2.0)),
        "float32": Variable(np.array([2.0, 4.0], np.float32)),
        "integers": Variable(np.array([2, 4])),
        "array": np.array([2.0, 4.0]),
        "scalar": np.float64(2.0),
        "float": 2.0,
        "int": 2,
        "bool": True,
        "complex": 2.0 + 1.0j,
        "result under no_grad": constant(),
    }


def constant():
    with no_grad():
        return OfOne()(Variable(np.array([2.0, 4.0])))


@pytest.mark.parametrize("first", operands())
@pytest.mark.parametrize("second", operands())
def test_the_call_of_two_operands_agrees_with_the_general_call(first, second):
    results = []
    for product in (Product, ProductOfAny):
        x0, x1 = operands()[first], operands()[second]
        y = product()(x0, x1)
        node = y.creator
        if node is not None:
            y.grad = np.ones(y.shape, y.dtype)
            y.backward(retain_grad=True)
        results.append(
            (
                y.dtype,
                y.generation,
                y.data.tolist(),
                node and (node.generation, node.needs_grad, [x.shape for x in node.inputs]),
                [np.array(getattr(x, "grad", None)).tolist() for x in (x0, x1)],
            )
        )
    assert results[0] == results[1]


def test_an_operation_on_two_numbers_makes_a_constant():
    class Fill(Function):
        def forward(self, x0, x1):
            return np.full(2, x0 * x1)

    y = Fill()(2.0, 3.0)
    assert (y.creator, y.data.tolist()) == (None, [6.0, 6.0])


@pytest.mark.parametrize("product", [Product, ProductOfAny])
@pytest.mark.parametrize("bad", ["2", None, ["a"], np.array(["a"])])
def test_an_operand_that_is_no_number_is_refused_on_either_side(product, bad):
    x = Variable(np.array([1.0]))
    for pair in ((x, bad), (bad, x)):
        with pytest.raises(TypeError):
            product()(*pair)


@pytest.mark.parametrize("product", [Product, ProductOfAny])
@pytest.mark.parametrize("data", [[1.0, 2.0], None, np.array(["a"]), np.ma.array([1.0])])
def test_data_replaced_by_an_object_that_is_no_array_are_refused_by_both_calls(product, data):
    good, bad = Variable(np.array([1.0])), Variable(np.array([1.0]))
    bad.data = data
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(TypeError):
            product()(*pair)


def multiply(x0, x1):
    """Multiply."""
    return Product()(x0, x1)


def test_an_operator_has_the_name_docstring_and_signature_of_its_function():
    product = operator_of(Product, multiply)
    assert (product.__name__, product.__doc__) == ("multiply", "Multiply.")
    assert str(inspect.signature(product)) == "(x0, x1)"


def test_an_operator_of_one_operand_computes_value_and_gradient():
    x = Variable(np.array(2.0))
    y = operator_of(OfOne, OfOne())(x)
    y.backward()
    assert (y.item(), x.grad) == (6.0, 3.0)


@pytest.mark.parametrize("form", [OfAny, WithDefault, Decorated])
def test_an_operator_takes_as_many_operands_as_the_class(form):
    x = Variable(np.array(2.0))
    y = operator_of(form, form())(x)
    y.backward()
    assert (y.item(), x.grad) == (6.0, 3.0)


def test_an_operator_is_the_application_of_a_new_instance():
    product = operator_of(Product, multiply)
    x = Variable(np.array([2.0, 4.0]))
    y = product(x, x)
    assert type(y.creator) is Product
    assert product(x, 2.0).creator is not y.creator
    y.backward()
    np.testing.assert_array_equal(x.grad, [4.0, 8.0])


def test_an_instance_that_an_operator_has_applied_may_be_applied_again():
    x = Variable(np.array([2.0, 4.0]))
    y = operator_of(Product, multiply)(x, x)
    z = y.creator(y, y)
    assert z.creator is not y.creator
    z.backward()
    np.testing.assert_array_equal(x.grad, 4.0 * x.data**3)


def test_a_base_class_may_be_applied_before_or_after_a_class_is_derived():
    class Base(Function):
        saves = ()

        def forward(self, x):
            return x * 1.0

        def backward(self, gy):
            return gy

    class Derived(Base):
        saves = ("inputs",)

        def backward(self, gy):
            return gy * self.inputs[0].data

    for cls, expected in ((Base, 1.0), (Derived, 5.0), (type("Late", (Base,), {}), 1.0)):
        x = Variable(np.array(5.0))
        cls()(x).backward()
        assert x.grad == expected


@pytest.mark.parametrize("operands", [1, 2])
def test_other_methods_of_a_derived_class_reach_the_call_of_the_base_class(operands):
    class Base(Scaled):
        def forward(self, x):
            return x * 3.0

    class BaseOfTwo(Scaled):
        def forward(self, x0, x1):
            return x0 * 3.0

        def backward(self, gy):
            return gy * 3.0, None

    base = Base if operands == 1 else BaseOfTwo
    x = Variable(np.array(1.0))
    base()(*[x] * operands)

    class Derived(base):
        saves = ("outputs",)

        def applied(self, *xs):
            return super().__call__(*xs)

        def forward(self, *xs):
            return np.exp(xs[0])

        def backward(self, gy):
            gx = gy * self.outputs[0]().data
            return gx if operands == 1 else (gx, None)

    y = Derived().applied(*[x] * operands)
    y.data = np.array(100.0)
    y.backward()
    np.testing.assert_allclose(x.grad, np.e, rtol=1e-15)


@pytest.mark.parametrize("applied_before", [False, True])
def test_the_call_of_a_class_may_be_wrapped_after_its_definition(applied_before):
    class Wrapped(DerivedFrom):
        pass

    if applied_before:
        Wrapped()(Variable(np.array(1.0)))
    calls = []
    original = Wrapped.__call__

    @functools.wraps(original)
    def counting(self, x):
        calls.append(x)
        return original(self, x)

    Wrapped.__call__ = counting
    assert Wrapped()(Variable(np.array(1.0))).item() == 3.0
    assert Wrapped()(Variable(np.array(1.0))).item() == 3.0
    assert len(calls) == 2


class NamesOnlyForward:
    """A second base class, which is no Function."""

    def forward(self, x):
        return x * 5.0


@pytest.mark.parametrize("base_first", [False, True])
def test_a_class_that_mixes_in_another_forward_is_prepared_for_itself(base_first):
    base = type("Base", (DerivedFrom,), {})
    if base_first:
        base()(Variable(np.array(1.0)))
    derived = type("Derived", (NamesOnlyForward, base), {})
    for _ in range(2):
        assert derived()(Variable(np.array(1.0))).item() == 5.0


def test_a_static_forward_takes_any_number_of_operands():
    class Static2(Product):
        @staticmethod
        def forward(x0, x1):
            return x0 * x1

    x = Variable(np.array(3.0))
    y = Static2()(x, x)
    y.backward()
    assert (y.item(), x.grad) == (9.0, 6.0)


def test_a_wrong_number_of_operands_is_an_error_that_names_the_class():
    x = Variable(np.array(1.0))
    Product()(x, x)
    with pytest.raises(TypeError, match=r"Product\.__call__\(\) takes 3 positional arguments"):
        Product()(x, x, x)


def test_the_code_of_each_call_is_named_after_its_class():
    x = Variable(np.array(2.0))
    Product()(x, x)
    OfOne()(x)
    codes = [Product.__call__.__code__, OfOne.__call__.__code__]
    codes += [operator_of(cls, multiply).__code__ for cls in (Product, OfOne)]
    assert len({id(code) for code in codes}) == 4
    assert [code.co_name for code in codes] == [
        "Product.call",
        "OfOne.call",
        "Product.of_two",
        "OfOne.of_one",
    ]


def test_a_prepared_call_keeps_the_documentation_of_call():
    OfOne()(Variable(np.array(2.0)))
    assert OfOne.__call__.__doc__ == Function.__call__.__doc__
    assert str(inspect.signature(OfOne.__call__)) == str(inspect.signature(Function.__call__))


def test_a_forward_or_backward_that_is_replaced_later_is_called():
    class Replaced(OfOne):
        pass

    x = Variable(np.array(2.0))
    Replaced()(x)
    Replaced.forward = lambda self, x: x * 5.0
    Replaced.backward = lambda self, gy: gy * 5.0
    y = Replaced()(x)
    y.backward()
    assert (y.item(), x.grad) == (10.0, 5.0)


class Quotient(Function):
    """Of two operands, with its output saved."""

    saves = ("inputs", "outputs")

    def forward(self, x0, x1):
        return x0 / x1

    def backward(self, gy):
        x1, y = self.inputs[1].data, self.outputs[0]().data
        return gy / x1, -gy * y / x1


@pytest.mark.parametrize("operands", [2, 0, 1], ids=["two variables", "the first", "the second"])
def test_a_call_of_two_operands_saves_its_output_and_records_nothing_under_no_grad(operands):
    arrays = [np.array([6.0, 8.0]), np.array([2.0, 4.0])]
    x0, x1 = (a if operands == 1 - i else Variable(a) for i, a in enumerate(arrays))
    y = Quotient()(x0, x1)
    y.data = np.zeros(2)  # backward reads what was saved
    y.backward()
    if isinstance(x0, Variable):
        assert x0.grad.tolist() == [0.5, 0.25]
    if isinstance(x1, Variable):
        assert x1.grad.tolist() == [-1.5, -0.5]
    with no_grad():
        z = Quotient()(x0, x1)
    assert (z.creator, z.generation, z.data.tolist()) == (None, 0, [3.0, 2.0])


class Rounded(Function):
    """A Function that is not exact, whose gradient needs no operation."""

    saves = ()
    approximate = "values of three digits"

    def forward(self, x):
        return np.round(x, 3)

    def backward(self, gy):
        return gy


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_through_what_is_approximate_warns_also_when_it_is_recorded(create_graph):
    x = Variable(np.array(2.0))
    y = Rounded()(x)
    with pytest.warns(ApproximateGradientWarning, match="Rounded .*: values of three digits") as of:
        grad(y, x, create_graph=create_graph)
    assert [warning.filename for warning in of] == [__file__]
