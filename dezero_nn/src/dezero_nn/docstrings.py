"""Docstrings of classes, methods and helpers: written in fields, as those of operations are.

The source of such a docstring has a description, then fields, then examples::

    @described
    class MomentumSGD(Optimizer):
        \"""Gradient descent with momentum: ``v = momentum * v - lr * grad; p += v``.

        lr: the learning rate.
        momentum: the part of the velocity that is kept, at least 0 and less than 1.
        Attribute t (int): the number of updates.
        Raises TypeError, ValueError: if a number is none, or out of its range.
        Source: step 46 of the book.
        \"""

`described` makes of it the sections that NumPy's docstrings have, but for empty ones; and of those
of the class's methods that have fields. The fields are those of `dezero_ops_math.docstrings`, and
``Attribute``, ``Yields`` and ``Warns``. Parameters and errors that a class does not describe are
described as by its base class, and other parameters as in `SHARED`.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Mapping
from textwrap import indent
from typing import Any, TypeVar

from dezero_ops_math.docstrings import Field

T = TypeVar("T")
Fields = dict[str, Field]
Parameters = Mapping[str, inspect.Parameter]

#: Of parameters that several classes have.
SHARED = {
    "batch": Field(type="ndarray", text="its first axis is that of the items."),
    "dtype": Field(type="data-type"),
    "in_size": Field(type="int, optional", text="by default that of the first input."),
    "lr": Field(text="the learning rate."),
    "rng": Field(
        type="numpy.random.Generator or RandomState, optional",
        text="draws the first weights; by default ``np.random``.",
    ),
}

#: The labels of fields that are sections of their own, and the sections.
_TITLES = {"Attribute": "Attributes"} | {t: t for t in ("Returns", "Yields", "Raises", "Warns")}
_KINDS = {*_TITLES, "Note", "Source"}

#: The fields of each class that was described.
_OF_CLASSES: dict[type, Fields] = {}


def described(item: T) -> T:
    """Complete the docstring of a function, or of a class and of its methods that have fields.

    Raises ValueError: if a line is no field, or a parameter or a result has no type.
    """
    for member in vars(item).values() if isinstance(item, type) else ():
        method = getattr(member, "__func__", member)  # of a static method
        if inspect.isfunction(method) and _has_fields(method):
            described(method)
    if item.__doc__ is not None:  # as it is under python -OO
        try:
            item.__doc__ = _composed(item, inspect.cleandoc(item.__doc__))
        except ValueError as slip:
            name = getattr(item, "__qualname__", item)
            raise ValueError(f"the docstring of {name}: {slip}") from None
    return item


def _has_fields(method: Any) -> bool:
    parameters = inspect.signature(method).parameters
    return any(_labels(line, parameters) for line in (inspect.getdoc(method) or "").splitlines())


def _composed(item: Any, text: str) -> str:
    signature = inspect.signature(item)
    parameters = {name: each for name, each in signature.parameters.items() if name != "self"}
    head, arrow, examples = text.partition("\n>>> ")
    description, fields = _parts(head, parameters)
    known, returned = SHARED | fields, signature.return_annotation
    if isinstance(item, type):
        _OF_CLASSES[item], returned = fields, "None"
        for base in reversed(item.__mro__):
            known |= _OF_CLASSES.get(base, {})
        fields = {label: known[label] for label in known if label.startswith("Raises ")} | fields
    sections = {"Parameters": _described_parameters(parameters.values(), known)}
    sections |= {title: [] for title in _TITLES.values()}
    for field in fields.values():
        kind = field.label.partition(" ")[0]
        if kind in _TITLES:
            sections[_TITLES[kind]].append(_item(_head(field, returned), field.sentence))
    if returned not in ("None", "NoReturn") and not sections["Returns"] + sections["Yields"]:
        sections["Returns"] = [_type_text("Returns", returned)]
    source, note = (fields.get(label, Field()) for label in ("Source", "Note"))
    notes = f"Source: {source.text}" if source.text else "", note.sentence
    sections["Notes"] = ["\n\n".join(filter(None, notes))]
    sections["Examples"] = [f"{arrow}{examples}".strip()]
    texts = ((title, "\n".join(items)) for title, items in sections.items())
    parts = (f"{title}\n{'-' * len(title)}\n{text}\n" for title, text in texts if text)
    return "\n".join((f"{description}\n", *parts))


def _parts(head: str, parameters: Parameters) -> tuple[str, Fields]:
    """Return the description, and the fields below it: only their further lines are indented."""
    description: list[str] = []
    parts: list[list[str]] = []
    for line in head.splitlines():
        if _labels(line, parameters):
            parts.append([line])
        elif not parts:
            description.append(line)
        elif line[:1] in ("", " "):
            parts[-1].append(line[4:])
        else:
            names = ", ".join(parameters)
            raise ValueError(f"{line!r} begins with no label, and with no parameter of {names}.")
    fields: Fields = {}
    for first, *more in parts:
        label, _, text = first.partition(":")
        of_type = label.partition(" (")[2].removesuffix(")")
        for name in _labels(first, parameters):
            if name in fields:
                raise ValueError(f"it has the field {name!r} twice.")
            fields[name] = Field(name, of_type, "\n".join((text.strip(), *more)).strip())
    return "\n".join(description).strip(), fields


def _labels(line: str, parameters: Parameters) -> list[str]:
    """Return the labels that begin a field: several, if it is of several parameters."""
    before, colon, _ = line.partition(":")
    label = before.partition(" (")[0]
    if label.partition(" ")[0] in _KINDS:
        return [label] if colon else []
    names = label.split(", ")
    return names if colon and parameters.keys() >= set(names) else []


def _described_parameters(parameters: Iterable[inspect.Parameter], known: Fields) -> list[str]:
    def said(parameter: inspect.Parameter) -> tuple[str, str]:
        field = known.get(parameter.name, Field())
        is_optional = parameter.default is None
        of_type = field.type or _type_text(parameter.name, parameter.annotation, is_optional)
        return of_type, field.sentence

    items = []
    for (of_type, text), group in itertools.groupby(parameters, said):
        bare = (each.replace(annotation=each.empty, default=each.empty) for each in group)
        names = ", ".join(map(str, bare))  # with their stars
        items.append(_item(f"{names} : {of_type}", text))
    return items


def _type_text(label: str, annotation: str, is_optional: bool = False) -> str:
    """Return an annotation as people write it."""
    if annotation == "Any":
        raise ValueError(f"{label!r} is annotated with Any; write {label} (its type): ...")
    if is_optional:
        annotation = annotation.replace(" | None", ", optional")
    return annotation.replace(" | ", " or ")


def _head(field: Field, returned: str) -> str:
    """Return the line above the text of a field: a name, a type or both."""
    kind, _, name = field.label.partition(" ")
    if not name:
        return field.type or _type_text(kind, returned)
    if kind in ("Raises", "Warns"):
        return f"{name} ({field.type})" if field.type else name
    return f"{name} : {field.type}"


def _item(head: str, text: str) -> str:
    return f"{head}\n{indent(text, '    ')}".rstrip()
