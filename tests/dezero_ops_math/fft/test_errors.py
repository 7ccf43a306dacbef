"""Bad arguments of transforms: NumPy's own exceptions, and nothing is left behind."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import fft as ours

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"]

BAD_OF_ONE = {
    "no elements": {"n": 0},
    "fewer than none": {"n": -1},
    "half an element": {"n": 2.5},
    "a name": {"n": "2"},
    "an axis that is not there": {"axis": 2},
    "that axis, with n": {"axis": -3, "n": 2},
    "a norm that is none": {"norm": "unitary"},
    "a norm that is no name": {"norm": 1},
}
BAD_OF_SEVERAL = {
    "no elements": {"s": (0, 2), "axes": (0, 1)},
    "half an element": {"s": (2, 2.5), "axes": (0, 1)},
    "more lengths than axes": {"s": (2, 2), "axes": (0,)},
    "a length alone": {"s": 2, "axes": (0,)},
    "an axis alone": {"axes": 0},
    "an axis that is not there": {"axes": (0, 2)},
    "that axis, with s": {"axes": (-3, 0), "s": (2, 2)},
    "a norm that is none": {"norm": "unitary"},
}
CASES = [(name, bad) for name in ONE for bad in BAD_OF_ONE.values()]
CASES += [(name, bad) for name in SEVERAL for bad in BAD_OF_SEVERAL.values()]


@pytest.mark.parametrize(("name", "bad"), CASES, ids=repr)
def test_bad_arguments_of_fft_functions_are_numpys_exception_with_a_note(name, bad):
    data = np.ones((2, 3))
    with pytest.raises(Exception) as numpys:  # noqa: PT011 (whatever NumPy raises)
        getattr(np.fft, name)(data, **bad)
    x = Variable(data)
    x.grad = data
    with pytest.raises(numpys.type) as caught:
        getattr(ours, name)(x, **bad)
    assert caught.type is numpys.type
    assert str(caught.value) == str(numpys.value)
    (note,) = caught.value.__notes__
    assert f"{name.upper()}.forward of plugin 'math'" in note
    assert "float64[2, 3]" in note
    assert "test_errors.py" in note
    assert (x.creator, x.generation) == (None, 0)
    assert x.grad is data


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_a_transform_of_an_empty_axis_is_numpys_error(name):
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        getattr(ours, name)(Variable(np.ones((2, 0))))


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_fft_functions_refuse_out_by_name_and_do_not_write_to_out(name):
    out = np.full((2, 3), 7.0 + 0j)
    with pytest.raises(TypeError, match=rf"np\.fft\.{name} .* no out="):
        getattr(np.fft, name)(Variable(np.ones((2, 3))), out=out)
    with pytest.raises(TypeError, match=rf"np\.fft\.{name} .* no out="):
        getattr(ours, name)(np.ones((2, 3)), out=out)
    assert (out == 7.0).all()


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_fft_functions_refuse_variables_as_lengths_and_axes(name):
    length = "n" if name in ONE else "s"
    axis = "axis" if name in ONE else "axes"
    for argument in (length, axis):
        with pytest.raises(TypeError, match=rf"constant for '{argument}'"):
            getattr(ours, name)(Variable(np.ones((2, 3))), **{argument: Variable(np.array(2))})


@pytest.mark.parametrize("name", SEVERAL)
def test_fft_functions_name_a_variable_in_a_list_of_lengths_by_its_place(name):
    with pytest.raises(TypeError, match=r"constant for 's\[1\]'"):
        getattr(ours, name)(Variable(np.ones((2, 3))), [2, Variable(np.array(2))], (0, 1))


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_fft_functions_take_their_arguments_in_numpys_order(name):
    x = np.arange(12.0).reshape(3, 4)
    given = (4, 0, "ortho") if name in ONE else ((4, 5), (1, 0), "ortho")
    expected = getattr(np.fft, name)(x, *given, None)
    got = getattr(np.fft, name)(Variable(x), *given, None)
    np.testing.assert_array_equal(got.data, expected)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
@pytest.mark.parametrize("operand", [None, "1", ["1", "2"]], ids=repr)
def test_fft_functions_refuse_an_operand_that_is_no_array(name, operand):
    with pytest.raises(TypeError, match="is not supported"):
        getattr(ours, name)(operand)
