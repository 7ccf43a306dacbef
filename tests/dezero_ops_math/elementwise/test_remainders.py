"""fmod: exact in its derivative also where the quotient is rounded."""

from fractions import Fraction

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import fmod


def slopes(x0, x1):
    a, b = Variable(np.array(x0)), Variable(np.array(x1))
    fmod(a, b).backward()
    return a.grad.item(), b.grad.item()


@pytest.mark.parametrize(
    ("x0", "x1"),
    [
        (7.0, 3.0),
        (-7.0, 3.0),
        (7.0, -3.0),
        (-7.0, -3.0),
        (6.0, 3.0),
        (0.0, 3.0),
        (2.0, 3.0),
        (np.nextafter(3.0, 0.0), 0.1),
        (np.nextafter(0.7, 0.0), 0.1),
        (np.nextafter(1.0, 0.0) * 5.0, 5.0),
        (0.3, 0.1),
        (1e15, 0.7),
        (1e300, 1e299),
        (5e-324, 5e-324),
        (1.7e308, -1e308),
    ],
)
def test_the_derivative_by_the_divisor_is_the_quotient_without_its_fraction(x0, x1):
    exact = int(Fraction(x0) / Fraction(x1))  # int() rounds towards 0
    assert slopes(x0, x1) == (1.0, -exact)


def test_one_that_is_rounded_up_to_an_integer_counts_as_what_it_is():
    x0, x1 = np.nextafter(3.0, 0.0), 1.0 - 2.0**-53
    assert x0 / x1 == 3.0
    assert Fraction(x0) / Fraction(x1) < 3
    assert slopes(x0, x1) == (1.0, -2.0)


def test_the_divisor_may_be_a_constant():
    x = Variable(np.array([7.0, -7.0]))
    fmod(x, 3.0).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])


def test_by_an_infinite_divisor_nothing_is_taken_away():
    assert slopes(7.0, np.inf) == (1.0, 0.0)


@pytest.mark.parametrize(("x0", "x1"), [(1.0, 0.0), (np.inf, 2.0)])
def test_what_has_no_remainder_has_no_derivative_by_the_divisor(x0, x1):
    with pytest.warns(RuntimeWarning, match="invalid value"):
        np.testing.assert_equal(slopes(x0, x1), (1.0, np.nan))


def test_the_quotient_is_constant_in_the_second_derivative():
    x0, x1 = Variable(np.array([7.5, -7.5])), Variable(np.array([2.0, 3.0]))
    first = grad(fmod(x0, x1) * x1, x1, create_graph=True)
    # fmod(x0, x1) x1 = x0 x1 - n x1**2
    np.testing.assert_array_equal(first.data, [7.5 - 2 * 3 * 2.0, -7.5 + 2 * 2 * 3.0])
    np.testing.assert_array_equal(grad(first, x1), [-6.0, 4.0])


def test_complex_numbers_are_numpys_error_with_a_note():
    with pytest.raises(TypeError, match="not supported for the input types") as caught:
        fmod(Variable(np.array([1.0j])), 2.0)
    assert "Fmod" in caught.value.__notes__[0]
