"""Docstrings of operations: the source states what is particular, ``help()`` shows all.

The docstring of an operation has a summary, then fields, then examples::

    @documented
    def max(a: Operand, axis: Axis = None, out: None = None) -> Variable:
        \"""Largest element over axes: ``np.max``, ``a.max()``.

        a: any shape, not empty along the axes. nan is the largest.
        Returns: dtype of `a`.
        Derivative: 1 for the largest element, shared equally over ties.
        Raises ValueError: if there is nothing to take the maximum of.
        Source: ``numpy.max``. JAX and autograd share over ties too.
        \"""

`documented` makes the five sections of it that NumPy's docstrings have. It adds what follows from
the signature: here the types, the texts for `axis` and `out`, and their errors.

A field is ``label: text``, or ``label (type): text``; its further lines are indented. The labels:

``a``, or ``x0, x1``
    Parameters. The type follows from the annotation, if it is not given.
``Returns``
    The result. For a Variable, shape and dtype are NumPy's, if nothing else is given.
``Derivative``, ``Derivative by `x```
    Goes to the result; after the formula of the sample's ``truth``, unless it begins with one.
``Raises ValueError``
    An error. Those that follow from parameters come before it, but for one of that type or text.
``Source``
    Where the derivative can be looked up: NumPy's function of that name, if nothing is given.
``Note``
    Goes below the source.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Of parameters, by name or by annotation: the type, and the text.
SHARED = """
Array (Variable or ndarray):
Axis (int, tuple of int, or None): the axes over which it is taken; all by default.
Mask (ndarray of bool, optional): which elements count. It broadcasts to `a`; a constant, copied.
Operand (Variable, ndarray or number):
Operand | None (Variable, ndarray, number or None):
dtype (data-type, optional): of the result, and of what is added up on the way.
keepdims (bool): leave the axes in the shape, of length 1.
out: refused: an ndarray cannot hold the graph.
overwrite_input: refused if true: the gradient is computed from the input.
"""


class Field(NamedTuple):
    """One field of a docstring, ``label (type): text``."""

    label: str = ""
    type: str = ""
    text: str = ""

    @property
    def sentence(self) -> str:
        """The text, with a capital letter."""
        return self.text[:1].upper() + self.text[1:]

    @property
    def raised(self) -> str:
        """The type of an error, and its bases."""
        return self.label.removeprefix("Raises ") + (f" ({self.type})" if self.type else "")


#: The errors that follow from parameters of that name; ``{}`` stands for the first parameter.
ERRORS = {
    "axis": Field("Raises AxisError", "ValueError, IndexError", "if `{}` has no such axis."),
    "out": Field("Raises VariableTypeError", "TypeError", "if `out` is given."),
}
NO_BROADCAST = Field("Raises ValueError", "", "if the shapes do not broadcast.")
NO_NUMBER = Field("Raises VariableTypeError", "TypeError", "if `{}` is no number.")

Fields = dict[str, Field]

_NO_FIELD = Field()
_KEYWORDS = {"Derivative", "Note", "Returns", "Source", "Without a derivative"}
_BEGINNINGS = "Derivative ", "Derivative, ", "Raises "
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def sharing(fields: str, error: Field = NO_NUMBER) -> Callable[[F], F]:
    """Return `documented` for functions that have fields in common.

    Parameters
    ----------
    fields : str
        Each holds for a function whose own docstring has none with that label.
    error : Field
        Of a function that raises nothing else.

    Returns
    -------
    callable
        The decorator. It raises a ValueError where a docstring has a field that is none.
    """
    common = _joined(_fields(SHARED.strip()), _fields(inspect.cleandoc(fields)))

    def complete(function: F, derivative: str = "") -> F:
        if function.__doc__ is not None:  # as it is under python -OO
            try:
                function.__doc__ = _Docstring(function, common, derivative).composed(error)
            except ValueError as slip:
                raise ValueError(f"the docstring of {function.__name__}(): {slip}") from None
        return function

    return complete


def _fields(text: str) -> Fields:
    """Return the fields in a text whose further lines, and they alone, are indented."""
    # Without regular expressions: to compile one takes as long as to compose ten docstrings.
    parts: list[str] = []
    for line in text.splitlines():
        if parts and line[:1] in ("", " "):
            parts[-1] += f"\n{line.strip()}"
        else:
            parts.append(line)
    found: Fields = {}
    for part in parts:
        head, colon, rest = part.partition(":")
        label, _, of_type = head.partition(" (")
        if not colon:
            raise ValueError(f"{part.strip()!r} is no field: it has no label with a colon.")
        for name in (label,) if _is_keyword(label) else label.split(", "):
            if name in found:
                raise ValueError(f"it has the field {name!r} twice.")
            found[name] = Field(name, of_type.removesuffix(")"), rest.strip())
    return found


def _is_keyword(label: str) -> bool:
    return label in _KEYWORDS or label.startswith(_BEGINNINGS)


def _joined(common: Fields, own: Fields) -> Fields:
    """Return the fields of both; of one that both have, the type and the text of the second."""
    found = dict(common)
    for label, (_, of_type, text) in own.items():
        _, shared_type, shared_text = common.get(label, _NO_FIELD)
        found[label] = Field(label, of_type or shared_type, text or shared_text)
    return found


def _item(head: str, text: str) -> str:
    return "\n    ".join((head, *text.splitlines()))


class _Docstring:
    """The docstring of one function, with the fields that it shares with others."""

    def __init__(self, function: Any, common: Fields, derivative: str) -> None:
        self.function, self.signature = function, inspect.signature(function)
        self.parameters = self.signature.parameters
        head, arrow, examples = inspect.cleandoc(function.__doc__).partition("\n>>> ")
        self.summary, _, fields = head.partition("\n\n")
        self.examples = f"{arrow}{examples}".strip()
        own = _fields(fields)
        for label in own:
            if label not in self.parameters and not _is_keyword(label):
                names = ", ".join(self.parameters)
                raise ValueError(f"{label!r} labels no field and is no parameter of {names}.")
        self.fields = _joined(common, own)
        more = self.fields.get("Derivative", _NO_FIELD).text
        if derivative and not more.startswith("``"):
            self.fields["Derivative"] = Field(
                "Derivative", "", f"``{derivative}``, {more}" if more else f"``{derivative}``."
            )
        #: Those of which it says nothing.
        self.operands = [
            name
            for name, parameter in self.parameters.items()
            if parameter.annotation == "Operand" and name not in self.fields
        ]

    def composed(self, error: Field) -> str:
        """Return all sections; `error` is for a function that raises nothing else."""
        sections = {
            "Parameters": self._parameters(),
            "Returns": self._returns(),
            "Raises": self._raises(error),
            "Notes": self._notes(),
            "Examples": self.examples,
        }
        texts = (f"{title}\n{'-' * len(title)}\n{text}\n" for title, text in sections.items())
        return "\n".join((f"{self.summary}\n", *texts))

    def _field(self, label: str, annotation: str) -> tuple[str, str]:
        """Return the type and the text of a field, or else those of the annotation."""
        given, kind = (self.fields.get(name, _NO_FIELD) for name in (label, annotation))
        of_type = given.type or kind.type or annotation.replace(" | ", " or ")
        if of_type == "Any":
            raise ValueError(f"{label!r} is annotated with Any; write {label} (its type): ...")
        return of_type, given.sentence or kind.sentence

    def _parameters(self) -> str:
        shapes = "Of shapes that broadcast." if len(self.operands) > 1 else "Any shape."

        def described(parameter: inspect.Parameter) -> tuple[str, str]:
            of_type, text = self._field(parameter.name, parameter.annotation)
            return of_type, shapes if parameter.name in self.operands else text

        items = []
        for (of_type, text), group in itertools.groupby(self.parameters.values(), described):
            names = ", ".join(f"{_STARS.get(p.kind, '')}{p.name}" for p in group)
            items.append(_item(f"{names} : {of_type}", text))
        return "\n".join(items)

    def _returns(self) -> str:
        of_type, text = self._field("Returns", self.signature.return_annotation)
        if not text and of_type == "Variable":
            first, *others = self.parameters.values()
            text = "Shape and dtype as NumPy gives them."
            if first.annotation == "Operand" and not others:
                text = f"Shape of `{first.name}`, dtype as NumPy gives it."
        derivatives = (
            f"{label}: {field.text}"
            for label, field in self.fields.items()
            if label.startswith(("Derivative", "Without"))
        )
        return _item(of_type, "\n".join(filter(None, (text, *derivatives))))

    def _raises(self, error: Field) -> str:
        given = [field for label, field in self.fields.items() if label.startswith("Raises ")]
        types = set(" ".join(field.label for field in given).replace(",", "").split())
        texts = {field.text for field in given}
        errors = [ERRORS[name] for name in self.parameters if name in ERRORS]
        broadcast = any("of shapes that broadcast" in field.text for field in self.fields.values())
        errors += [NO_BROADCAST] * (len(self.operands) > 1 or broadcast)
        first = next(iter(self.parameters))
        following = [field._replace(text=field.text.format(first)) for field in (*errors, error)]
        last = following.pop()
        found = [f for f in following if f.label.split()[1] not in types and f.text not in texts]
        found += given
        return "\n".join(_item(field.raised, field.sentence) for field in found or [last])

    def _notes(self) -> str:
        folders = self.function.__module__.split(".")
        namespace = "".join(f"{name}." for name in ("fft", "linalg") if name in folders)
        source = self.fields.get(
            "Source", Field(text=f"``numpy.{namespace}{self.function.__name__}``.")
        )
        notes = f"Source: {source.text}"
        return f"{notes}\n\n{self.fields['Note'].sentence}" if "Note" in self.fields else notes


documented = sharing("")
"""Decorator of an operation: completes its docstring."""
