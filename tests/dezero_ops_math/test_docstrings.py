"""Docstrings of operations are composed of what their source says and of what they share."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import pytest
from dezero_ops_math.arguments import Axis
from dezero_ops_math.docstrings import Field, documented, sharing

from dezero_core import Variable
from dezero_core.extend import Array, Operand
from dezero_ops_math import fft, linalg


@documented
def tanh(x: Operand) -> Variable:
    """Hyperbolic tangent, elementwise.

    Derivative: ``1 - tanh(x)**2``.

    >>> tanh(0.0)
    variable(0.0)
    """


@documented
def largest(
    a: Operand, axis: Axis = None, out: None = None, initial: Any = None, *more: Array
) -> Variable:
    """Largest element over axes,
    shared over ties.

    a: any shape, not empty along the axes. nan
        is the largest.
    initial, more (number, optional): a constant.
    Returns: dtype of `a`.
    Derivative by `a`: 1 for the largest
        element.
    Raises ValueError: if there is nothing to take the maximum of.
    Source: Giles 2008.
    Note: ties share.

        So do ties of nan.

    >>> largest(1.0)
    variable(1.0)

    >>> largest(2.0)
    variable(2.0)
    """


def test_a_docstring_with_only_a_derivative_is_composed_with_all_sections():
    assert (
        inspect.getdoc(tanh)
        == """Hyperbolic tangent, elementwise.

Parameters
----------
x : Variable, ndarray or number
    Any shape.

Returns
-------
Variable
    Shape of `x`, dtype as NumPy gives it.
    Derivative: ``1 - tanh(x)**2``.

Raises
------
VariableTypeError (TypeError)
    If `x` is no number.

Notes
-----
Source: ``numpy.tanh``.

Examples
--------
>>> tanh(0.0)
variable(0.0)"""
    )


def test_fields_of_a_docstring_take_precedence_over_the_signature():
    assert (
        inspect.getdoc(largest)
        == """Largest element over axes,
shared over ties.

Parameters
----------
a : Variable, ndarray or number
    Any shape, not empty along the axes. nan
    is the largest.
axis : int, tuple of int, or None
    The axes over which it is taken; all by default.
out : None
    Refused: an ndarray cannot hold the graph.
initial, *more : number, optional
    A constant.

Returns
-------
Variable
    Dtype of `a`.
    Derivative by `a`: 1 for the largest
    element.

Raises
------
AxisError (ValueError, IndexError)
    If `a` has no such axis.
VariableTypeError (TypeError)
    If `out` is given.
ValueError
    If there is nothing to take the maximum of.

Notes
-----
Source: Giles 2008.

Ties share.

So do ties of nan.

Examples
--------
>>> largest(1.0)
variable(1.0)

>>> largest(2.0)
variable(2.0)"""
    )


def test_operands_without_a_field_in_the_docstring_are_said_to_broadcast():
    @documented
    def hypot(x0: Operand, x1: Operand, x2: Operand | None = None) -> Variable:
        """Length."""

    found = inspect.getdoc(hypot)
    assert "x0, x1 : Variable, ndarray or number\n    Of shapes that broadcast.\n" in found
    assert "x2 : Variable, ndarray, number or None\n" in found
    assert "Variable\n    Shape and dtype as NumPy gives them.\n" in found
    assert "Raises\n------\nValueError\n    If the shapes do not broadcast.\n\n" in found


def test_the_composed_result_of_a_sequence_has_shape_and_dtype_of_numpy():
    @documented
    def stack(tup: Sequence[Operand]) -> Variable:
        """Rows below each other."""

    assert "Variable\n    Shape and dtype as NumPy gives them.\n" in inspect.getdoc(stack)


def test_the_composed_source_of_a_function_of_linalg_is_numpys_linalg():
    assert "Source: ``numpy.linalg.vecdot``." in inspect.getdoc(linalg.vecdot)
    assert "Source: ``numpy.fft.rfft``." in inspect.getdoc(fft.rfft)


def test_an_error_in_a_docstring_replaces_a_composed_error_of_its_type():
    @documented
    def fft(a: Array, axis: int = -1) -> Variable:
        """Transform.

        Raises AxisError or IndexError: if there are no axes.
        """

    assert "Raises\n------\nAxisError or IndexError\n    If there are no axes.\n\n" in fft.__doc__
    assert "Parameters\n----------\na : Variable or ndarray\naxis : int\n\n" in fft.__doc__


def test_an_error_in_a_docstring_replaces_a_composed_error_of_its_text():
    @documented
    def trapezoid(y: Array, axis: int = -1) -> Variable:
        """Integral.

        Raises IndexError: if `y` has no such axis.
        """

    assert "Raises\n------\nIndexError\n    If `y` has no such axis.\n\n" in trapezoid.__doc__


def test_fields_shared_by_functions_may_be_overruled_in_each_docstring():
    nan = sharing(
        """
        a: any shape; nan does
            not count.
        Positions (ndarray of int): the first of several.
        Without a derivative: nothing is recorded.
        Raises ValueError: if there is nothing but nan.
        """
    )

    @nan
    def first(a: Operand, count: int | None = None) -> Positions:  # noqa: F821
        """First."""

    @nan
    def last(a: Operand) -> Positions:  # noqa: F821
        """Last.

        a (Variable):
        Returns: the last one.
        """

    assert (
        "a : Variable, ndarray or number\n    Any shape; nan does\n    not count." in first.__doc__
    )
    assert "count : int or None\n" in first.__doc__
    assert "ndarray of int\n    The first of several.\n    Without a" in first.__doc__
    assert "ValueError\n    If there is nothing but nan." in first.__doc__
    assert "a : Variable\n    Any shape; nan does\n    not count." in last.__doc__
    assert "ndarray of int\n    The last one.\n    Without a derivative: nothing" in last.__doc__


def test_an_error_shared_by_functions_is_composed_where_no_other_error_is_given():
    no_function = sharing("", error=Field("Raises TypeError", "", "if NumPy has no `{}`."))

    @no_function
    def isnan(x: Operand) -> bool:
        """Whether it is nan."""

    @no_function
    def isnans(x: Operand, axis: Axis) -> bool:
        """Whether they are nan."""

    assert "Raises\n------\nTypeError\n    If NumPy has no `x`.\n\n" in isnan.__doc__
    assert "Returns\n-------\nbool\n\n" in isnan.__doc__
    assert "TypeError" not in isnans.__doc__


def refused(docstring, error):
    def wrong(x: Operand, y: Any = None) -> Variable: ...

    wrong.__doc__ = docstring
    with pytest.raises(ValueError, match="wrong") as caught:
        documented(wrong)
    assert str(caught.value) == f"the docstring of wrong(): {error}"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ("z: a slip.", "'z' labels no field and is no parameter of x, y."),
        ("Raises: a slip.", "'Raises' labels no field and is no parameter of x, y."),
        ("Derivatives: a slip.", "'Derivatives' labels no field and is no parameter of x, y."),
        ("Return: a slip.", "'Return' labels no field and is no parameter of x, y."),
        ("y (int): no\nindent: here.", "'indent' labels no field and is no parameter of x, y."),
        ("y (int): no\nindent", "'indent' is no field: it has no label with a colon."),
        ("x: one.\nx: two.", "it has the field 'x' twice."),
        ("y: of no type.", "'y' is annotated with Any; write y (its type): ..."),
    ],
)
def test_a_slip_in_a_docstring_is_refused_at_composition(fields, error):
    refused(f"Summary.\n\n{fields}\n\n>>> wrong(1)", error)


def test_a_composed_docstring_of_a_result_annotated_with_any_needs_a_type():
    def wrong(x: Operand) -> Any:
        """Summary."""

    with pytest.raises(ValueError, match=r"'Returns' is annotated with Any; write Returns \("):
        documented(wrong)


def test_a_function_without_a_docstring_is_returned_unchanged_by_documented():
    def optimized(x: Operand) -> Variable: ...

    assert documented(optimized) is optimized
    assert optimized.__doc__ is None
