"""A failure of the kit tells the worst first, its size, the dtype, and how to repeat it.

Promise: docs/reference/testing.rst
"""

import re

import numpy as np
import pytest
from dezero_tools.testing import Call, CheckError, Draw, Sample, check_plugin, elementwise
from dezero_tools.testing.checks import CHECKS
from dezero_tools.testing.rules import severity
from dezero_tools.testing.runner import Check

from dezero_core import Function, hookimpl

from .planted import operation, registered_as, run, sine, slope


def _x(function):
    return function.inputs[0].data


class WrongCube(Function):
    """A power that rounds in another way than its reference, and whose gradient lacks the 3."""

    def forward(self, x):
        return x**3.0

    def backward(self, gy):
        return gy * _x(self) ** 2.0


class WrongCubes:
    @hookimpl
    def dezero_register_ops(self, register):
        options = {"integers": False, "ulps": 0.0}
        sample = elementwise((0.5, 3.0), reference=lambda x: x * x * x, **options)
        register("wrong_cube", lambda x: WrongCube()(x), WrongCube, sample=registered_as(sample))


def test_a_wrong_gradient_comes_before_values_that_are_off_by_rounding(registered):
    registered(WrongCubes(), "cubes")
    with pytest.raises(ExceptionGroup) as caught:
        check_plugin("cubes")
    failures = caught.value.exceptions
    first, last = str(failures[0]), str(failures[-1])
    assert first.startswith(
        "wrong_cube: gradient: wrong gradient of input 0, off by 0.67 relative, "
    )
    assert re.match(
        r"wrong_cube: \w+: (for \w+: )?wrong values, off by [\d.]+e-1\d relative, ", last
    )
    orders = [failure.order for failure in failures if failure.order]
    assert orders == sorted(orders)
    assert "second order" in [failure.check for failure in failures]
    for failure in failures:
        assert re.search(r", off by \S+ relative, \S+ at most", str(failure).partition("\n")[0])


def test_severity_puts_a_write_into_an_argument_before_what_it_makes_wrong():
    write, gradient = {"check": "untouched", "order": None}, {"check": "gradient", "order": 1}
    assert sorted([gradient, write], key=severity) == [write, gradient]


def test_severity_puts_wrong_derivatives_first_and_the_others_by_their_size():
    facts = [
        {"order": 1, "size": 1e-9},
        {"order": 2, "size": 0.5},
        {"size": None},
        {"order": 0, "size": 0.1},
        {"order": 0, "size": 1e-16},
    ]
    shuffled = [facts[index] for index in (3, 4, 1, 0, 2)]
    assert sorted(shuffled, key=severity) == facts


def failed(check, planted):
    """Return the error of a check that fails."""
    with pytest.raises(CheckError) as caught:
        run(check, planted)
    return caught.value


def test_a_wrong_gradient_can_be_repeated_by_hand_with_the_printed_gy():
    error = failed("gradient", operation(sine(backward=lambda self, gy: gy + 0.0)))
    (x,), (gy,) = error.drawn, error.gy
    np.testing.assert_allclose(error.expected, gy * np.cos(x))
    np.testing.assert_array_equal(error.got, gy)
    with np.printoptions(precision=8, linewidth=76):
        assert f"  drawn:    {x!r}  # float64\n" in str(error)
        assert f"  gy:       {gy!r}  # float64\n" in str(error)


def test_a_wrong_second_derivative_can_be_repeated_by_hand_with_gy_and_the_direction():
    error = failed("second order", operation(slope(error=2.0)))
    (x,), (gy,), (along,) = error.drawn, error.gy, error.along
    assert (error.order, error.size) == (2, pytest.approx(1.0))
    np.testing.assert_allclose(error.expected, -along * gy * np.sin(x), rtol=1e-6)
    np.testing.assert_allclose(error.got, 2.0 * error.expected, rtol=1e-6)
    assert "\n  along:    array(" in str(error)


class Times(Function):
    """x0 * x1, with a wrong gradient beside a number, a constant, or in some layouts."""

    wrong = staticmethod(lambda self, gy: False)

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        factor = 2.0 if self.wrong(self, gy) else 1.0
        return factor * gy * x1, factor * gy * x0


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        ("constants", lambda self, gy: not all(self.needs_grad)),
        ("layouts", lambda self, gy: not gy.flags.c_contiguous),
        ("dtypes", lambda self, gy: gy.dtype == np.float32),
        ("repeated", lambda self, gy: vars(self).setdefault("seen", []).append(0) or self.seen[1:]),
    ],
)
def test_a_gradient_that_is_wrong_in_special_calls_shows_gy(check, wrong):
    calls = (Call(Draw((2, 3)), Draw((2, 3))),)
    function = type("Wrong", (Times,), {"wrong": staticmethod(wrong)})
    sample = Sample(*calls, reference=np.multiply)
    error = failed(check, operation(lambda x0, x1: function()(x0, x1), sample=sample, numpy=()))
    assert (error.order, error.size) == (1, pytest.approx(1.0))
    np.testing.assert_allclose(error.got, 2.0 * error.expected)
    x0, x1 = error.drawn
    assert any(np.allclose(error.expected, error.gy[0] * x) for x in (x0, x1))


def test_a_wrong_gradient_beside_a_number_shows_both_operands():
    """Right if both operands are Variables, to which it is compared."""

    def by_number(x0, x1):
        both = hasattr(x0, "creator") and hasattr(x1, "creator")
        return Times()(x0, x1) if both else Doubled()(x0, x1)

    class Doubled(Times):
        wrong = staticmethod(lambda self, gy: True)

    sample = Sample(Call(Draw((3,)), Draw((3,))))
    error = failed("operands", operation(by_number, sample=sample, numpy=(np.multiply,)))
    _, other = error.drawn
    assert error.order == 1
    np.testing.assert_allclose(error.expected, error.gy[0] * other)
    np.testing.assert_array_equal(other, [2.0, 1.0, 2.5])


def only(*dtypes, error):
    """Return a sine that raises for other dtypes than these."""

    def forward(self, x):
        if x.dtype not in dtypes:
            raise error
        return np.sin(x)

    return forward


class LibraryError(Exception):
    """Neither a TypeError nor a ValueError."""


TWO = (np.float32, np.float64, *"cCilQq")


def test_a_failure_in_another_dtype_names_the_dtype_and_shows_its_arrays():
    planted = operation(sine(forward=only(*TWO, error=LibraryError("no loop"))))
    error = failed("dtypes", planted)
    assert str(error).startswith("planted: dtypes: for float16: LibraryError: no loop\n")
    assert (error.dtype, error.drawn[0].dtype) == ("float16", np.float16)
    assert "\n  If it takes no float16, say so by Sample(dtypes=...).\n" in str(error)
    wrong = sine(forward=lambda self, x: np.sin(x) * (1.0 + (x.dtype == np.longdouble)))
    error = failed("dtypes", operation(wrong))
    name = np.dtype(np.longdouble).name
    assert str(error).startswith(f"planted: dtypes: for {name}: wrong values, off by ")
    wrong = sine(forward=lambda self, x: np.sin(x) * (1 + (x.dtype == np.int64)))
    assert "planted: integers: for int64: wrong values" in str(failed("integers", operation(wrong)))


def test_a_dtype_that_the_reference_refuses_is_no_failure_whatever_it_raises():
    def reference(x):
        if x.dtype not in TWO:
            raise LibraryError("no loop")
        return np.sin(x)

    sample = elementwise((0.3, 1.2), reference=reference)
    refusing = sine(forward=only(*TWO, error=LibraryError("no loop")))
    assert run("dtypes", operation(refusing, sample=sample, numpy=())).ran == 7


def test_without_a_reference_only_a_type_error_is_the_refusal_of_a_dtype():
    sample = elementwise((0.3, 1.2))
    for error, passes in (TypeError("no loop"), True), (LibraryError("no loop"), False):
        planted = operation(sine(forward=only(*TWO, error=error)), sample=sample, numpy=())
        if passes:
            assert run("dtypes", planted).ran == 7
        else:
            assert "for float16: LibraryError" in str(failed("dtypes", planted))


def test_a_sample_says_which_dtypes_an_operation_takes():
    sample = elementwise((0.3, 1.2), dtypes=("float32", "float64"))
    refusing = sine(forward=only(*TWO, error=LibraryError("no loop")))
    assert run("dtypes", operation(refusing, sample=sample)).ran == 7
    wrong = sine(forward=lambda self, x: np.sin(x) * (1.0 + (x.dtype == np.float32)))
    assert "for float32: " in str(failed("dtypes", operation(wrong, sample=sample)))


class Softplus(Function):
    def forward(self, x):
        return np.logaddexp(0.0, x)

    def backward(self, gy):
        return gy / (1.0 + np.exp(-_x(self)))


def test_a_reference_that_overflows_in_float16_is_named_as_what_is_wrong():
    sample = elementwise((12.0, 20.0), reference=lambda x: np.log(1.0 + np.exp(x)))
    planted = operation(lambda x: Softplus()(x), sample=sample, numpy=())
    error = failed("dtypes", planted)
    message = "planted: dtypes: for float16: the reference overflows where the operation does not. "
    assert str(error).startswith(message)
    assert np.isinf(error.expected).any()
    assert np.isfinite(error.got).all()
    better = elementwise((12.0, 20.0), reference=lambda x: np.logaddexp(x, 0.0))
    assert run("dtypes", planted._replace(sample=registered_as(better))).ran == 7


def test_an_operation_that_overflows_in_float16_is_what_is_wrong():
    sample = elementwise((12.0, 20.0), reference=lambda x: np.logaddexp(x, 0.0))

    class Overflowing(Softplus):
        def forward(self, x):
            return np.log(1.0 + np.exp(x))

    error = failed("dtypes", operation(lambda x: Overflowing()(x), sample=sample, numpy=()))
    assert str(error).startswith("planted: dtypes: for float16: wrong values, off by inf at most\n")
    assert (error.size, severity(vars(error))) == (None, (2, -np.inf))


def test_a_wrong_dtype_is_compared_with_the_reference_where_there_is_one():
    sample = elementwise((0.3, 1.2), reference=np.sin)
    single = sine(forward=lambda self, x: np.sin(x, dtype=np.float32))
    error = failed("values", operation(single, sample=sample, numpy=()))
    assert str(error).startswith(
        "planted: values: gives another shape or dtype than the reference: float32 of shape (2, 3) "
        "for float64 of shape (2, 3)\n"
    )
    assert "  # float64\n  got:      array(" in str(error)
    assert "dtype=float32)" in str(error)


def test_a_subclass_of_ndarray_is_no_right_result():
    class Other(np.ndarray):
        pass

    def function(x):
        y = sine()(x)
        y.data = y.data.view(Other)
        return y

    assert "Other'> instead of an ndarray" in str(failed("values", operation(function)))


def test_an_error_of_a_library_with_facts_of_its_own_is_shown_as_such():
    error = LibraryError("no luck")
    error.order, error.size, error.dtype = "F", [1, 2], np.dtype(int)
    planted = operation(sine(forward=only(np.float64, error=error)))
    found = failed("dtypes", planted)
    assert (found.order, found.size, found.dtype) == (None, None, "float16")
    planted = operation(sine(forward=only(error=error)))
    assert severity(vars(failed("gradient", planted))) == (2, -np.inf)


def test_equal_infinities_do_not_count_for_the_size_of_a_failure():
    def forward(self, x):
        y = np.sin(x)
        y.ravel()[:1] = np.inf
        return y

    def wrong(self, x):
        return forward(self, x) * 1.5

    sample = elementwise((0.3, 1.2), reference=lambda x: forward(None, x))
    error = failed("values", operation(sine(forward=wrong), sample=sample, numpy=()))
    assert error.size == pytest.approx(0.5)


def test_values_that_are_wrong_where_zeros_are_right_have_an_absolute_size_only():
    sample = elementwise((0.3, 1.2), reference=lambda x: 0.0 * x)
    error = failed("values", operation(sample=sample, numpy=()))
    assert re.match(r"planted: values: wrong values, off by 0\.\d+ at most\n", str(error))
    assert error.size is None


@pytest.mark.parametrize(
    ("function", "reference", "size"),
    [
        (lambda x: np.sign(x) * 2.0, np.sign, ", off by 1 relative, 1 at most\n"),
        (lambda x: np.array("right"), lambda x: np.array("wrong"), ", not the same\n"),
    ],
)
def test_wrong_values_of_a_plain_operation_have_their_size(function, reference, size):
    sample = Sample(Call(Draw((2,), (0.5, 1.0))), reference=reference)
    planted = operation(lambda x: function(x.data), sample=sample, numpy=(), differentiable=False)
    with pytest.raises(CheckError) as caught:
        Check(planted, "plain", CHECKS["plain"]).run()
    assert str(caught.value).startswith(f"planted: plain: wrong values of the function{size}")


def test_a_gradient_where_the_values_are_nan_does_not_pass_and_the_failure_says_so():
    """The gradient is nan, too, and so are the differences."""
    nowhere = sine(
        forward=lambda self, x: np.log(-x), backward=lambda self, gy: gy * np.log(-_x(self))
    )
    planted = operation(nowhere, sample=elementwise((0.3, 1.2)), numpy=())
    assert "the values are nan here or close by" in str(failed("gradient", planted))
