"""Docstrings of operations of each element: what many of them say is written here, once.

The source of such a docstring has a summary, fields and examples. The fields are ``Operands``,
``Returns``, ``Derivative``, ``Raises ValueError`` or of another error, and ``Source``; further
lines of a field are indented. `documented` makes sections of them, as NumPy's docstrings have.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Number of operands -> the fields of a docstring that does not have them itself.
_USUAL = {
    1: {
        "Operands": "Variable, ndarray or number",
        "Returns": "Shape and dtype of `{}`.",
        "Raises TypeError": "If `{}` is boolean, as in NumPy.",
    },
    2: {
        "Operands": "Variable, ndarray or number\n    Of shapes that broadcast.",
        "Returns": "Shape and dtype as NumPy gives them.",
        "Raises ValueError": "If the shapes do not broadcast.",
    },
}


def documented(function: F) -> F:
    """Make the sections of a docstring of its fields, and of the usual ones that it lacks."""
    if function.__doc__ is not None:  # as it is under python -OO
        names = list(inspect.signature(function).parameters)
        summary, text, examples = inspect.cleandoc(function.__doc__).split("\n\n", 2)
        found = re.findall(r"^(\w.*?): (.*(?:\n .*)*)", text, re.MULTILINE)
        usual = {label: text.format(*names) for label, text in _USUAL[len(names)].items()}
        fields = usual | dict(found)
        derivative = f" Derivative: {fields['Derivative']}" if "Derivative" in fields else ""
        *_, error = (label for label in fields if label.startswith("Raises "))
        sections = {
            "Parameters": f"{', '.join(names)} : {fields['Operands']}",
            "Returns": f"{function.__annotations__['return']}\n    {fields['Returns']}{derivative}",
            "Raises": f"{error.removeprefix('Raises ')}\n    {fields[error]}",
            "Notes": f"Source: {fields['Source']}",
            "Examples": examples,
        }
        texts = (f"\n{title}\n{'-' * len(title)}\n{text}\n" for title, text in sections.items())
        function.__doc__ = f"{summary}\n{''.join(texts)}"
    return function
