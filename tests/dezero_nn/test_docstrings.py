"""Docstrings of classes and methods are composed of fields; those of aliases are of math's.

`help()` of every public name shows all sections (tests/docs/test_docstrings.py): here is how.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import dezero_nn.functions as F  # noqa: N812
import pytest
from dezero_nn.docstrings import described
from dezero_nn.functions.book import over_axes

from dezero_core import Variable


@described
class Rate:
    """A rate.

    It shrinks.

    lr: the learning rate.
    low, high (number): the limits,
        both of them.
    Attribute t (int): how often.
    Raises TypeError, ValueError: if a number is none.
    Raises AxisError (ValueError): never.
    Note: as in the book::

            p -= lr

        and no more.
    Source: step 46.

    >>> Rate(1.0, 0, 1).t
    0
    """

    def __init__(
        self,
        lr: float,
        low: Any,
        high: Any,
        name: str | int | None = None,
        *more: int,
        **others: int,
    ) -> None:
        self.t = 0

    @described
    def after(self, steps: int | None) -> float | None:
        """Return a rate."""

    @described
    def pairs(self) -> tuple[Any, Any]:
        """Return both.

        Returns x (Variable): the first.
        Returns t (int): the second.
        """

    @described
    def each(self) -> Iterator[int]:
        """Yield all.

        Yields (int): one after the other.
        Warns UserWarning: once.
        """


@described
class Slow(Rate):
    """A slow rate.

    low (float): the limit.
    """


def test_a_docstring_in_fields_is_composed_with_the_sections_that_it_has():
    assert (
        inspect.getdoc(Rate)
        == """A rate.

It shrinks.

Parameters
----------
lr : float
    The learning rate.
low, high : number
    The limits,
    both of them.
name : str or int, optional
*more, **others : int

Attributes
----------
t : int
    How often.

Raises
------
TypeError, ValueError
    If a number is none.
AxisError (ValueError)
    Never.

Notes
-----
Source: step 46.

As in the book::

    p -= lr

and no more.

Examples
--------
>>> Rate(1.0, 0, 1).t
0"""
    )


def test_the_types_of_a_method_follow_from_its_annotations():
    assert inspect.getdoc(Rate.after) == (
        "Return a rate.\n\nParameters\n----------\nsteps : int or None\n\n"
        "Returns\n-------\nfloat or None"
    )


def test_a_method_may_have_several_results_or_yield_them():
    assert inspect.getdoc(Rate.pairs).endswith(
        "Returns\n-------\nx : Variable\n    The first.\nt : int\n    The second."
    )
    assert inspect.getdoc(Rate.each).endswith(
        "Yields\n------\nint\n    One after the other.\n\nWarns\n-----\nUserWarning\n    Once."
    )


def test_a_parameter_is_described_as_by_the_base_class_unless_the_class_does():
    documented = inspect.getdoc(Slow)
    assert "lr : float\n    The learning rate.\nlow : float\n    The limit.\nhigh" in documented
    assert "high : number\n    The limits,\n    both of them.\n" in documented


def refused(docstring):
    def wrong(x: int, y: Any = None) -> Variable: ...

    wrong.__doc__ = docstring
    with pytest.raises(ValueError, match=r"the docstring of .*wrong: ") as caught:
        described(wrong)
    return str(caught.value).partition("wrong: ")[2]


def test_a_slip_in_a_docstring_is_refused_when_it_is_composed():
    fields = "Summary.\n\ny (int): a number."
    assert refused(f"{fields}\nz: a slip.") == (
        "'z: a slip.' begins with no label, and with no parameter of x, y."
    )
    assert refused(f"{fields}\ny (int): once more.") == "it has the field 'y' twice."
    assert refused("Summary.") == "'y' is annotated with Any; write y (its type): ..."


def test_an_alias_has_summary_and_derivative_of_the_operation_and_the_arguments_of_the_book():
    documented = inspect.getdoc(F.sum)
    assert documented.startswith("Sum over axes.\n")
    assert "Derivative: 1 for every element that is summed.\n" in documented
    assert "where" not in documented
    assert list(inspect.signature(F.sum).parameters) == ["x", "axis", "keepdims"]
    assert F.sum.__name__ == F.sum.__qualname__ == "sum"


def test_where_there_are_no_docstrings_none_is_composed():
    """As under python -OO."""

    def optimized(x: int) -> Variable: ...

    assert described(optimized).__doc__ is None
    assert over_axes(optimized, "variable(1.0)").__doc__ is None
