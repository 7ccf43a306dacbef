"""Variables over Dask's arrays: values, gradients, and what is refused.

Promise: docs/how_to/more_data_than_memory.md
"""

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing
from dezero_dask.arrays.elementwise_bodies import DetachedFunction
from dezero_dask.arrays.numpy_functions.indexing import picked
from dezero_dask.arrays.numpy_functions.table import broadcast

import dezero_dask as dd
from dezero_core import Function, GradientError, Parameter, Variable, VariableTypeError, grad
from dezero_tools import functional

RNG = np.random.default_rng(0)
X = RNG.standard_normal((7, 5))
Y = RNG.standard_normal((7, 5))


def chunked(x, chunks=(3, 2)):
    return da.from_array(x, chunks=chunks[: x.ndim])


def test_a_loss_over_a_grid_has_the_gradient_that_a_hand_derives():
    v, d = Variable(chunked(X)), chunked(Y)
    with without_computing():
        loss = np.sum((np.exp(v) * 2.0 - d) ** 2)
        loss.backward()
    value, gradient = dd.compute(loss, v)
    residual = 2.0 * np.exp(X) - Y
    np.testing.assert_allclose(value, np.sum(residual**2), rtol=1e-13)
    np.testing.assert_allclose(gradient, 4.0 * residual * np.exp(X), rtol=1e-13)
    assert type(value) is type(gradient) is np.ndarray


def test_computing_changes_neither_the_loss_nor_the_input():
    v = Variable(chunked(X))
    loss = np.sum(v * v)
    loss.backward()
    data, of_v, of_loss = v.data, v.grad, loss.data
    dd.compute(loss, v)
    assert v.data is data
    assert v.grad is of_v
    assert loss.data is of_loss
    assert isinstance(of_v, da.Array)


def test_compute_takes_trees_arrays_and_variables_that_were_recorded_twice():
    v = Variable(chunked(X))
    (gx,) = grad(np.sum(v**3), [v], create_graph=True)
    np.sum(gx * gx).backward()
    got, (of_v, plain) = dd.compute({"gx": gx}, (v, da.ones(3)))
    np.testing.assert_allclose(got["gx"], 3 * X**2, rtol=1e-13)
    np.testing.assert_allclose(of_v, 36 * X**3, rtol=1e-13)
    assert plain.tolist() == [1, 1, 1]


def test_an_input_without_a_gradient_is_named_by_compute():
    with pytest.raises(GradientError, match="'field' is an input, and has no gradient"):
        dd.compute(Variable(chunked(X), name="field"))


@pytest.mark.parametrize("chunks", [(3, 2), (7, 5), (1, 1)])
def test_gradients_have_the_chunks_of_their_arrays(chunks):
    v, w = Variable(chunked(X, chunks)), Variable(da.from_array(Y[:1], chunks=(1, 4)))
    np.sum(v * w + w).backward()
    assert v.grad.chunks == v.data.chunks
    assert w.grad.chunks == w.data.chunks == ((1,), (4, 1))
    np.testing.assert_allclose(w.grad.compute(), (X + 1).sum(axis=0, keepdims=True), rtol=1e-12)


def test_recorded_gradients_have_the_chunks_of_their_arrays():
    v, w = Variable(chunked(X)), Variable(da.from_array(Y, chunks=(7, 1)))
    np.sum(v * w * v).backward(create_graph=True)
    assert v.grad.data.chunks == v.data.chunks
    assert w.grad.data.chunks == w.data.chunks


def test_a_second_derivative_is_lazy_and_right():
    v = Variable(chunked(X))
    with without_computing():
        gx = grad(np.sum(np.sin(v) * v), v, create_graph=True)
        ggx = grad(np.sum(gx), v)
    np.testing.assert_allclose(ggx.compute(), 2 * np.cos(X) - X * np.sin(X), rtol=1e-12)


def test_functional_transformations_take_lazy_arrays():
    x = chunked(X)
    with without_computing():
        value, gradient = functional.value_and_grad(lambda x: np.sum(x**3))(x)
        product = functional.hvp(lambda x: np.sum(x**3))(x, chunked(Y))
    np.testing.assert_allclose(value.compute(), np.sum(X**3), rtol=1e-13)
    np.testing.assert_allclose(gradient.compute(), 3 * X**2, rtol=1e-13)
    np.testing.assert_allclose(product.compute(), 6 * X * Y, rtol=1e-13)


def test_a_matrix_product_has_lazy_gradients_of_both_sides():
    a, b = Variable(chunked(X)), Parameter(da.from_array(Y.T, chunks=(2, 3)))
    with without_computing():
        loss = np.sum(np.tanh(a @ b))
        loss.backward()
    slope = 1 - np.tanh(X @ Y.T) ** 2
    of_a, of_b = dd.compute(a, b)
    np.testing.assert_allclose(of_a, slope @ Y, rtol=1e-10)
    np.testing.assert_allclose(of_b, X.T @ slope, rtol=1e-10)


def test_ndarrays_and_numbers_beside_lazy_arrays_keep_their_meaning():
    x = X.astype(np.float32)
    v = Variable(chunked(x))
    y = v * 2.0 + np.float32(1) * Y.astype(np.float32)
    assert y.dtype == np.float32  # a number of Python's is weak
    np.sum(y).backward()
    assert v.grad.dtype == np.float32
    assert (v * np.float64(2.0)).dtype == np.float64
    np.testing.assert_array_equal(y.to_numpy(), x * 2.0 + Y.astype(np.float32))


def test_a_variable_of_numpys_that_meets_a_lazy_array_gets_a_lazy_gradient():
    w = Variable(np.ones(5))
    loss = np.sum(chunked(X) * w)
    loss.backward()
    np.testing.assert_allclose(np.asarray(w.grad), X.sum(axis=0), rtol=1e-12)


class Cube(Function):
    """An elementwise Function that keeps an array and a number from forward."""

    elementwise = True
    saves = ()

    def forward(self, x):
        self.slope, self.power = 3 * (x * x > 1), 3.0 if x.size else 0.0
        return np.where(x * x > 1, x * 3.0, x)

    def backward(self, gy):
        return gy * np.where(self.slope > 0, self.power, 1.0)


def test_what_an_elementwise_forward_keeps_is_there_in_backward():
    v = Variable(chunked(X))
    with without_computing():
        y = Cube()(v)
        y.backward()
    np.testing.assert_array_equal(y.to_numpy(), np.where(X * X > 1, 3 * X, X))
    np.testing.assert_array_equal(v.grad.compute(), np.where(X * X > 1, 3.0, 1.0))


class Halves(Function):
    """An elementwise Function with two results, one of which may have no gradient."""

    elementwise = True
    saves = ("other inputs", "outputs")
    materialize_grads = False

    def forward(self, x, y):
        return x * y, np.exp(x)

    def backward(self, gp, ge):
        x, y = self.inputs
        gx = 0.0 if gp is None else gp * y.data
        gx = gx if ge is None else gx + ge * self.outputs[1]().data
        gy = gp * x.data if self.needs_grad[1] and gp is not None else None
        return gx, gy


def test_an_elementwise_function_may_have_several_results_and_saves():
    v, w = Variable(chunked(X)), Variable(da.from_array(Y[0], chunks=3))
    product, exponential = Halves()(v, w)
    np.sum(exponential).backward()
    np.testing.assert_allclose(v.grad.compute(), np.exp(X), rtol=1e-13)
    v.cleargrad()
    (product + exponential).backward()
    np.testing.assert_allclose(v.grad.compute(), Y[0] + np.exp(X), rtol=1e-13)
    np.testing.assert_allclose(w.grad.compute(), X.sum(axis=0), rtol=1e-12)
    constant, _ = Halves()(v, 2.0)
    v.cleargrad()
    constant.backward()
    np.testing.assert_array_equal(v.grad.compute(), np.full_like(X, 2.0))


class Centred(Function):
    """No elementwise Function: its body runs on lazy arrays."""

    def forward(self, x):
        self.mean = np.mean(x > 0)
        return x - np.mean(x)

    def backward(self, gy):
        assert self.mean.shape == ()
        return gy - np.mean(gy)


def test_a_function_of_ones_own_runs_as_it_stands():
    v = Variable(chunked(X))
    with without_computing():
        y = Centred()(v)
        np.sum(y * Y).backward()
    np.testing.assert_allclose(y.to_numpy(), X - X.mean(), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(v.grad.compute(), Y - Y.mean(), rtol=1e-10, atol=1e-14)


def test_data_that_were_replaced_after_the_call_do_not_change_its_gradient():
    v = Variable(chunked(X))
    y, z = np.sum(v * v), np.sum(v**2 @ np.ones(5))
    v.data = chunked(Y)
    (y + z).backward()
    leaf = v.grad  # of the new array there is none
    assert leaf is None or leaf.shape == X.shape


def test_a_function_that_is_not_lazy_is_refused_by_name_and_nothing_is_computed():
    v = Variable(chunked(RNG.standard_normal((4, 4))))
    with (
        without_computing(),
        pytest.raises(dd.LazyArrayError, match=r"np\.linalg\.svd .*Nothing was computed") as error,
    ):
        np.linalg.svd(v)
    assert error.value.arrays.startswith("dask: ")
    with without_computing(), pytest.raises(dd.LazyArrayError, match=r"np\.nonzero"):
        np.nonzero(v)


def test_a_body_that_asks_for_values_is_refused():
    class Peeks(Function):
        def forward(self, x):
            return x if np.asarray(x).any() else -x

    class Branches(Function):
        def forward(self, x):
            return x if (x > 0).any() else -x

    class Adds(Function):
        def forward(self, x):
            return np.add.reduce(x)

    class Casts(Function):
        def forward(self, x):
            return np.add(x, x, dtype=np.float32)

    v = Variable(chunked(X))
    for function, what in (
        *((Peeks, "np.asarray"), (Branches, r"bool\(\)")),
        *((Adds, r"np\.add\.reduce"), (Casts, "np.add with dtype=")),
    ):
        with without_computing(), pytest.raises(dd.LazyArrayError, match=what):
            function()(v)


def test_unknown_chunks_are_refused_with_what_to_write():
    x = chunked(X[:, 0])
    v = Variable(x[x > 0])
    for use in (lambda: np.exp(v), lambda: np.sum(v), lambda: np.any(v)):
        with pytest.raises(dd.LazyArrayError, match=r"compute_chunk_sizes\(\).*np\.where"):
            use()
    known = Variable(x[x > 0].compute_chunk_sizes())
    np.sum(known**2).backward()
    np.testing.assert_allclose(known.grad.compute(), 2 * X[:, 0][X[:, 0] > 0], rtol=1e-13)


def test_numbers_of_a_lazy_variable_name_what_computes_them():
    loss = np.sum(Variable(chunked(X)))
    for use in (float, bool, int, lambda x: x.item()):
        with without_computing(), pytest.raises(VariableTypeError, match=r"x\.data\.compute\(\)"):
            use(loss)
    assert repr(loss) == "variable(dask array of shape (), float64)"
    assert repr(Variable(chunked(X))) == "variable(dask array of shape (7, 5), float64)"
    np.testing.assert_allclose(loss.to_numpy(), X.sum(), rtol=1e-13)


def test_gradients_of_indices_go_back_to_where_they_were():
    for index in (
        *(2, -1, slice(1, 6, 2), slice(None, None, -2), slice(5, 5), (slice(2, None), 1)),
        *((..., 3), None, [0, 0, 2], (slice(None), [1, 1]), np.array([True, False] * 3 + [True])),
        *(([0, 1, 0], [1, 1, 2]), (2, [0, 0])),
    ):
        v, w = Variable(chunked(X)), Variable(X)
        with without_computing():
            try:
                np.sum(v[index] ** 2).backward()
            except dd.LazyArrayError:
                assert index == (2, [0, 0])  # an integer beside an array
                continue
        np.sum(w[index] ** 2).backward()
        np.testing.assert_allclose(v.grad.compute(), w.grad, rtol=1e-12, err_msg=str(index))


def test_labels_of_rows_pick_their_logits():
    labels = np.array([0, 4, 2, 2, 1, 0, 3])
    v, w = Variable(chunked(X)), Variable(X)
    from dezero_ops_math import softmax_cross_entropy

    with without_computing():
        loss = softmax_cross_entropy(v, labels)
        loss.backward()
    softmax_cross_entropy(w, labels).backward()
    np.testing.assert_allclose(v.grad.compute(), w.grad, rtol=1e-12)


def test_a_step_on_a_cluster_equals_that_in_this_process(client):
    class Shifted(Function):  # of this test: its class travels with the tasks
        elementwise = True

        def forward(self, x):
            return np.log1p(np.exp(x))

        def backward(self, gy):
            return gy / (1 + np.exp(-self.inputs[0].data))

    v = Variable(chunked(X))
    np.sum(Shifted()(v)).backward()
    there = dd.compute(v)[0]
    here = dd.compute(v, scheduler="synchronous")[0]
    np.testing.assert_array_equal(there, here)
    np.testing.assert_allclose(there, 1 / (1 + np.exp(-X)), rtol=1e-12)


def test_two_lazy_types_in_one_operation_are_refused():
    from dezero_tools.testing.array_types import registered
    from dezero_tools.testing.strict import StrictArray

    with registered("strict"), pytest.raises(VariableTypeError, match="of the types dask and"):
        Variable(chunked(X)) * Variable(StrictArray(X))


def test_a_gradient_to_start_from_may_be_an_ndarray():
    v = Variable(chunked(X))
    y = v * 3.0
    y.grad = Y
    y.backward()
    np.testing.assert_array_equal(v.grad.compute(), 3 * Y)


def test_without_computing_raises_where_something_is_computed():
    with without_computing(), pytest.raises(dd.LazyArrayError, match="must stay lazy"):
        chunked(X).compute()
    assert dask.config.get("scheduler", None) is None


def test_a_case_that_dask_does_not_have_is_refused_with_its_reason(monkeypatch):
    def missing(*args):
        raise NotImplementedError("\nDask's reshape merges axes evenly. For example:\n")

    monkeypatch.setattr(da, "reshape", missing)
    with pytest.raises(dd.LazyArrayError, match=r"reshape merges axes evenly\. For example:\."):
        np.reshape(Variable(chunked(X)), (5, 7))


def test_functions_that_expressions_do_not_have_are_written_by_others(monkeypatch):
    def missing(*args):
        raise NotImplementedError

    monkeypatch.setattr(da, "broadcast_to", missing)
    np.testing.assert_array_equal(broadcast(chunked(X[0]), X.shape).compute(), [X[0]] * 7)
    with pytest.raises(ValueError, match="broadcast"):
        broadcast(chunked(X[0]), (4,))
    monkeypatch.setattr(da.Array, "__getitem__", lambda self, index: self.nowhere)
    with pytest.raises(dd.LazyArrayError, match="expressions do not have this index"):
        picked(chunked(X), [0, 2])


class Power(Function):
    """An elementwise Function with an attribute that is given, and one that forward sets."""

    elementwise = True

    def __init__(self, exponent):
        self.exponent = exponent

    def forward(self, x):
        self.is_odd = self.exponent % 2 == 1
        return x**self.exponent

    def backward(self, gy):
        return gy * (self.exponent * self.inputs[0].data ** (self.exponent - 1))


def test_attributes_that_were_given_go_to_each_chunk():
    assert not Power._prepared
    made = DetachedFunction(Power(3)).function()  # as on a worker, which has not called the class
    assert made.exponent == 3
    v = Variable(chunked(X))
    y = Power(3)(v)
    y.backward()
    assert y.creator.is_odd
    np.testing.assert_allclose(v.grad.compute(), 3 * X**2, rtol=1e-13)
