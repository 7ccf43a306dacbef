"""Arguments that reductions share: bad ones leave nothing behind, masks are constants."""

import inspect

import numpy as np
import pytest

import dezero_ops_math as ours
from dezero_core import Variable

PLAIN = ["all", "any", "argmax", "argmin", "count_nonzero", "nanargmax", "nanargmin"]
RANKED = ["nanpercentile", "nanquantile", "percentile", "quantile"]
RUNNING = ["cumprod", "cumsum", "nancumprod", "nancumsum"]
SUMS = ["nanprod", "nansum", "prod", "sum"]
MEANS = ["mean", "nanmean"]
SPREADS = ["nanstd", "nanvar", "std", "var"]
EXTREMA = ["max", "min", "nanmax", "nanmin"]
OTHERS = ["average", "median", "nanmedian", "ptp"]
DIFFERENTIABLE = RUNNING + SUMS + MEANS + SPREADS + EXTREMA + OTHERS + RANKED
WITH_OUT = [name for name in DIFFERENTIABLE + PLAIN if name not in ("average", "count_nonzero")]
WITH_WHERE = SUMS + MEANS + SPREADS

DATA = np.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]])


def call(name, x, **options):
    arguments = (0.5,) if name in RANKED else ()
    return getattr(ours, name)(x, *arguments, **options)


@pytest.mark.parametrize("name", DIFFERENTIABLE + PLAIN)
def test_reductions_have_the_signatures_of_numpy(name):
    expected = inspect.signature(getattr(np, name)).parameters.values()
    got = inspect.signature(getattr(ours, name)).parameters.values()
    # NumPy before 2.4 still had the old name of `method`.
    expected = [(p.name, p.kind) for p in expected if p.name != "interpolation"]
    assert [(p.name, p.kind) for p in got] == expected


@pytest.mark.parametrize("name", DIFFERENTIABLE + PLAIN)
@pytest.mark.parametrize("axis", [2, -3, "0", 0.5], ids=repr)
def test_a_bad_axis_of_a_reduction_is_numpys_error_with_a_note(name, axis):
    arguments = (0.5,) if name in RANKED else ()
    with pytest.raises(Exception) as numpys:  # noqa: PT011 (whatever NumPy raises)
        getattr(np, name)(DATA, *arguments, axis=axis)
    x = Variable(DATA)
    x.grad = DATA
    with pytest.raises(numpys.type) as caught:
        call(name, x, axis=axis)
    assert (caught.type, str(caught.value)) == (numpys.type, str(numpys.value))
    (note,) = caught.value.__notes__
    assert note.lower().startswith(f"in {name}")
    assert "float64[2, 3]" in note
    if name not in PLAIN:
        assert "test_arguments.py" in note
    assert (x.creator, x.generation) == (None, 0)
    assert x.grad is DATA


@pytest.mark.parametrize("name", WITH_OUT)
def test_reductions_refuse_out_by_name_and_do_not_write_to_out(name):
    out = np.full((3,), 7.0)
    with pytest.raises(TypeError, match=rf"np\.{name} .* out="):
        call(name, Variable(DATA), axis=0, out=out)
    np.testing.assert_array_equal(out, 7.0)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        *((name, "initial") for name in SUMS + EXTREMA),
        *((name, "ddof") for name in SPREADS),
        *((name, "correction") for name in SPREADS),
        *((name, "axis") for name in DIFFERENTIABLE),
    ],
)
def test_reductions_refuse_a_variable_as_option_by_name(name, argument):
    with pytest.raises(TypeError, match=rf"constant for '?{argument}\b"):
        call(name, Variable(DATA), **{argument: Variable(np.array(1.0))})


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize(
    "q", [Variable(np.array(0.5)), [Variable(np.array(0.5))]], ids=["number", "list"]
)
def test_quantiles_refuse_a_variable_as_rank_by_name(name, q):
    with pytest.raises(TypeError, match=r"constant for '?q\b"):
        getattr(ours, name)(Variable(DATA), q)


@pytest.mark.parametrize("name", WITH_WHERE + EXTREMA)
def test_reductions_take_a_variable_as_mask_and_copy_the_mask(name):
    mask = np.array([[True, False, True], [True, True, False]])
    start = {"initial": -9.0 if name.endswith("max") else 9.0} if name in EXTREMA else {}
    expected, x = Variable(DATA), Variable(DATA)
    call(name, expected, where=mask.copy(), **start).backward()
    y = call(name, x, where=Variable(mask), **start)
    mask[...] = False
    y.backward()
    np.testing.assert_array_equal(x.grad, expected.grad)
    assert np.any(x.grad)
    assert not np.any(x.grad[[0, 1], [1, 2]])


@pytest.mark.parametrize("name", WITH_WHERE)
@pytest.mark.parametrize(
    "mask", [np.ones((2, 3)), np.ones(2, bool), np.ones((2, 2, 3), bool)], ids=["float", "2", "223"]
)
def test_a_mask_of_a_wrong_shape_in_a_reduction_is_numpys_error(name, mask):
    with pytest.raises((TypeError, ValueError)) as numpys:
        getattr(np, name)(DATA, where=mask)
    with pytest.raises(numpys.type) as caught:
        call(name, Variable(DATA), where=Variable(mask))
    assert str(caught.value) == str(numpys.value)
    assert len(caught.value.__notes__) == 1


@pytest.mark.parametrize("name", WITH_WHERE)
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_an_inf_or_nan_behind_the_mask_of_a_reduction_has_no_effect(name, bad):
    x = Variable(np.array([[1.0, bad, 4.0], [2.0, 3.0, bad]]))
    call(name, x, axis=1, where=np.isfinite(x.data)).backward()
    plain = Variable(np.array([[1.0, 4.0], [2.0, 3.0]]))
    call(name, plain, axis=1).backward()
    np.testing.assert_allclose(x.grad[[0, 0, 1, 1], [0, 2, 0, 1]], plain.grad.ravel(), rtol=1e-15)
    np.testing.assert_array_equal(x.grad[[0, 1], [1, 2]], 0.0)


@pytest.mark.parametrize("name", [n for n in WITH_WHERE + EXTREMA if n.startswith("nan")])
def test_reductions_without_nan_leave_out_nan_and_masked_elements(name):
    start = {"initial": -9.0 if name.endswith("max") else 9.0} if name in EXTREMA else {}
    x = Variable(np.array([1.0, np.nan, 4.0, 2.0, 4.0, 1.0, np.nan]))
    call(name, x, where=np.array([True, True, True, True, False, False, False]), **start).backward()
    plain = Variable(np.array([1.0, 4.0, 2.0]))
    call(name.removeprefix("nan"), plain).backward()
    np.testing.assert_allclose(x.grad[[0, 2, 3]], plain.grad, rtol=1e-15)
    np.testing.assert_array_equal(x.grad[[1, 4, 5, 6]], 0.0)


@pytest.mark.parametrize("name", [*SUMS, *MEANS, *EXTREMA, *RUNNING, "ptp"])
def test_an_infinite_gradient_of_a_reduction_reaches_only_its_own_row(name):
    """Nothing is multiplied by a mask: inf times 0 would be nan."""
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = call(name, x, axis=1)
    gy = np.zeros(y.shape)
    gy[0] = np.inf
    y.grad = gy
    y.backward()
    np.testing.assert_array_equal(x.grad[1], 0.0)
    assert not np.isnan(x.grad[0]).any() or name == "ptp"


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
def test_reductions_refuse_an_operand_that_is_no_array(name, operand):
    with pytest.raises(TypeError, match="is not supported"):
        call(name, operand)
