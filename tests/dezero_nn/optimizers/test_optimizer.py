"""The base of optimizers: what is changed, what is refused, and what is warned of."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from dezero_nn.layers import Linear

from dezero_core import Parameter, Variable, VariableTypeError
from dezero_nn import Layer, Model
from dezero_nn import optimizers as O  # noqa: N812


class Two(Model):
    """Two layers, each of which may be left out of a loss."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.first, self.second = (Linear(2, in_size=2, rng=rng) for _ in range(2))

    def forward(self, x):
        return self.second(self.first(x))


class ByThree(O.Optimizer):
    """A class as in the book, without super().__init__()."""

    def __init__(self):
        self.seen = 0

    def update_one(self, param):
        self.seen += 1
        param.data -= 3.0 * param.grad


def with_gradients(*layers):
    """Give each parameter a gradient of ones."""
    for layer in layers:
        for param in layer.params():
            param.grad = np.ones_like(param.data)


def values(model):
    return [param.data.copy() for param in model.params()]


def unchanged(model, before):
    return all(np.array_equal(a, b) for a, b in zip(values(model), before, strict=True))


@pytest.fixture
def model():
    model = Two()
    with_gradients(model)
    return model


def test_setup_returns_the_optimizer_itself(model):
    optimizer = O.SGD()
    assert optimizer.setup(model) is optimizer
    assert optimizer.target is model


def test_a_class_as_in_the_book_needs_only_update_one(model):
    before = values(model)
    optimizer = ByThree().setup(model)
    optimizer.add_hook(O.WeightDecay(0.0))
    optimizer.update()
    assert optimizer.seen == 4
    assert optimizer.t == 1
    for old, new in zip(before, values(model), strict=True):
        np.testing.assert_array_equal(new, old - np.float32(3.0))


def test_hooks_of_one_optimizer_are_not_those_of_another():
    one, other = ByThree(), ByThree()
    one.add_hook(O.WeightDecay(0.1))
    assert other.hooks == O.Optimizer.hooks == []


def test_update_before_setup_is_refused():
    with pytest.raises(RuntimeError, match=r"SGD\.update needs a model.*optimizer\.setup\(model\)"):
        O.SGD().update()


@pytest.mark.parametrize("target", [None, 3, "model", Variable(np.ones(2)), [1], [Two(), None]])
def test_setup_refuses_what_has_no_parameters(target):
    with pytest.raises(TypeError, match=r"SGD\.setup takes a Layer or Model, a list.*and got"):
        O.SGD().setup(target)


def test_one_parameter_alone_is_to_be_put_into_a_list():
    with pytest.raises(TypeError, match="a list of Parameters"):
        O.SGD().setup(Parameter(np.ones(2)))


def test_parameters_and_layers_in_any_iterable_are_a_target(model):
    extra = Parameter(np.array([1.0]))
    extra.grad = np.array([1.0])
    O.SGD(lr=0.5).setup(each for each in (extra, *model.params())).update()
    assert extra.data == [0.5]
    O.SGD(lr=0.5).setup([model, extra]).update()
    assert extra.data == [0.0]


def test_a_model_without_parameters_is_refused_when_it_is_updated():
    optimizer = O.SGD().setup(Layer())
    with pytest.raises(ValueError, match=r"SGD\.update: Layer has no parameters\. Put"):
        optimizer.update()


def test_parameters_that_come_after_setup_are_trained(model):
    optimizer = O.Adam().setup(model)
    optimizer.update()
    model.third = Linear(1, in_size=2)
    with_gradients(model)
    before = model.third.W.data.copy()
    optimizer.update()
    assert (model.third.W.data < before).all()


def test_a_lazy_layer_gets_its_states_at_the_first_update():
    layer = Linear(3)
    optimizer = O.Adam().setup(layer)
    assert [state.data for state in optimizer.states_of(layer.W)] == [None, None]
    np.sum(layer(np.ones((2, 4), np.float32))).backward()
    optimizer.update()
    assert [state.shape for state in optimizer.states_of(layer.W)] == [(4, 3), (4, 3)]


def test_two_parameters_of_one_array_are_both_updated():
    shared = np.array([1.0, 2.0])
    p, q = Parameter(shared), Parameter(shared)
    p.grad, q.grad = np.array([1.0, 0.0]), np.array([1.0, 4.0])
    O.SGD(lr=0.25).setup([p, q]).update()
    assert p.data is q.data is shared
    np.testing.assert_array_equal(shared, [0.5, 1.0])


def test_a_parameter_that_is_found_twice_is_updated_once():
    p = Parameter(np.array([1.0]))
    p.grad = np.array([1.0])
    O.SGD(lr=0.25).setup([p, p]).update()
    assert p.data == [0.75]


def test_a_gradient_that_is_a_variable_is_replaced_by_its_data():
    p = Parameter(np.array([3.0]))
    np.sum(p**3).backward(create_graph=True)
    assert isinstance(p.grad, Variable)
    O.SGD(lr=0.1).setup([p]).update()
    assert type(p.grad) is np.ndarray
    assert p.data == pytest.approx([3.0 - 2.7])


@pytest.mark.parametrize("grad", [np.array([2, 4]), np.array([True, True]), np.float32([2, 4])])
def test_gradients_of_other_real_dtypes_are_taken(grad):
    p = Parameter(np.zeros(2))
    p.grad = grad
    O.Adam(alpha=1.0).setup([p]).update()
    np.testing.assert_allclose(p.data, -1.0, rtol=1e-6)


def test_scalars_of_numpy_are_taken_as_arrays():
    p = Parameter(np.array(3.0))
    p.data = p.data - 1.0
    p.grad = np.float64(4.0)
    O.MomentumSGD(lr=0.25).setup([p]).update()
    assert p.data == 1.0


def test_arrays_of_another_type_are_taken_as_gradients_and_refused_as_data(strict_arrays):
    from dezero_tools.testing.strict import StrictArray

    p = Parameter(np.zeros(2))
    p.grad = StrictArray(np.ones(2))
    optimizer = O.SGD(lr=1.0).setup([p])
    optimizer.update()
    np.testing.assert_array_equal(p.data, -1.0)
    p.data = StrictArray(np.ones(2))
    with pytest.raises(
        TypeError, match=r"'parameters/0' must hold an ndarray .* holds a StrictArray of"
    ):
        optimizer.update()


BAD = {
    "a gradient of another shape": (
        lambda p: setattr(p, "grad", np.ones((1, *p.shape))),
        ValueError,
        r"SGD\.update: 'second/b' has shape \(2,\), and its gradient \(1, 2\)",
    ),
    "a gradient that would be broadcast": (
        lambda p: setattr(p, "grad", np.ones(1)),
        ValueError,
        r"'second/b' has shape \(2,\), and its gradient \(1,\)",
    ),
    "a read-only array": (
        lambda p: p.data.setflags(write=False),
        ValueError,
        r"'second/b' holds a read-only array.*param\.data = param\.data\.copy\(\)",
    ),
    "a complex gradient": (
        lambda p: setattr(p, "grad", np.ones(2, complex)),
        TypeError,
        r"'second/b' is of dtype float32, and its gradient of complex128",
    ),
    "a gradient that is no array": (
        lambda p: setattr(p, "grad", [1.0, 2.0]),
        TypeError,
        r"'second/b' has a gradient of <class 'list'>",
    ),
    "integers": (
        lambda p: setattr(p, "data", np.ones(2, int)),
        TypeError,
        r"'second/b' must hold .* floating-point numbers.* holds a ndarray of int64",
    ),
    "data that are no array": (lambda p: setattr(p, "data", [1.0]), VariableTypeError, "list"),
}


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("bad", BAD)
def test_bad_input_names_the_parameter_and_changes_nothing(model, bad, hooked):
    spoil, error, message = BAD[bad]
    optimizer = O.SGD().setup(model)
    optimizer.hooks = [lambda params: spoil(model.second.b)] * hooked
    if not hooked:
        spoil(model.second.b)
    before = [copy.copy(param.data) for param in model.params()]
    with pytest.raises(error, match=message):
        optimizer.update()
    assert optimizer.t == 0
    for param, old in list(zip(model.params(), before, strict=True))[:-1]:
        np.testing.assert_array_equal(param.data, old)


@pytest.mark.parametrize("other", [np.zeros(3, np.float32), np.zeros(2)])
def test_a_parameter_with_another_array_than_its_states_is_refused(model, other):
    optimizer = O.Adam().setup(model)
    optimizer.update()
    before = values(model.first)
    model.second.b.data, model.second.b.grad = other, np.ones(other.shape)
    with pytest.raises(ValueError, match=r"'second/b' is now float.*its 'm' float32\[2\]\. Call"):
        optimizer.update()
    assert unchanged(model.first, before)
    optimizer.setup(model).update()
    assert optimizer.t == 1


def test_setup_begins_anew(model):
    optimizer = O.MomentumSGD(lr=1.0).setup(model)
    optimizer.update()
    before = values(model)
    optimizer.setup(model).update()
    for old, new in zip(before, values(model), strict=True):
        np.testing.assert_array_equal(new, old - np.float32(1.0))


def test_parameters_without_a_gradient_are_named_once(model):
    optimizer = O.SGD().setup(model)
    model.second.cleargrads()
    with pytest.warns(O.MissingGradientWarning) as caught:
        optimizer.update()
    optimizer.update()  # or its warning would be an error
    (warning,) = caught
    assert str(warning.message) == (
        "SGD.update: 2 of 4 parameters have no gradient and are not changed: second/W, second/b. "
        "If the loss is not to depend on them, add the hook FreezeParam(layer)."
    )
    assert Path(warning.filename) == Path(__file__)
    model.first.b.cleargrad()
    with pytest.warns(O.MissingGradientWarning, match=r"3 of 4 .*: first/b, second/W, second/b\."):
        optimizer.update()
    with pytest.warns(O.MissingGradientWarning, match="3 of 4"):
        O.SGD().setup(model).update()


def test_a_model_without_any_gradient_is_told_to_call_backward(model):
    model.cleargrads()
    before = values(model)
    optimizer = O.SGD().setup(model)
    with pytest.warns(O.MissingGradientWarning, match=r"4 of 4 .* loss\.backward\(\) before"):
        optimizer.update()
    assert unchanged(model, before)


def test_of_many_parameters_without_a_gradient_five_are_named():
    params = [Parameter(np.ones(1)) for _ in range(8)]
    with pytest.warns(O.MissingGradientWarning, match="parameters/4 and 3 more. Call"):
        O.SGD().setup(params).update()


def test_frozen_parameters_without_a_gradient_are_not_named(model):
    model.second.cleargrads()
    optimizer = O.SGD().setup(model)
    optimizer.add_hook(O.FreezeParam(model.second))
    optimizer.update()
    model.first.b.cleargrad()
    with pytest.warns(O.MissingGradientWarning, match="1 of 4 .*: first/b"):
        optimizer.update()


def test_a_warning_that_is_an_error_changes_nothing(model):
    model.second.cleargrads()
    before = values(model)
    optimizer = O.SGD().setup(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(O.MissingGradientWarning):
            optimizer.update()
    assert unchanged(model, before)
    assert optimizer.t == 0


def test_a_class_without_update_one_says_what_is_missing(model):
    with pytest.raises(NotImplementedError, match=r"Optimizer must define update_one\(self, param"):
        O.Optimizer().setup(model).update()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_model_and_optimizer_goes_on_alike(model, copied):
    optimizer = O.Adam().setup(model)
    optimizer.update()
    twin, other = copied((model, optimizer))
    assert other.target is twin
    for each, its in ((model, optimizer), (twin, other)):
        with_gradients(each)
        its.update()
    assert unchanged(twin, values(model))
    assert len(other._states) == 4


def test_an_optimizer_that_was_not_set_up_can_be_copied():
    assert copy.deepcopy(O.SGD(lr=0.5)).lr == 0.5


def test_repr_has_the_numbers():
    assert repr(O.MomentumSGD(lr=0.5)) == "MomentumSGD(lr=0.5, momentum=0.9)"
