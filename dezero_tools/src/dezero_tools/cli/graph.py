"""The command ``dezero graph``."""

from __future__ import annotations

import sys
import traceback
import warnings
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from dezero_core import Variable
from dezero_tools.guessing import did_you_mean

from ..drawing import draw, to_dot, to_mermaid
from ..drawing.graph import LIMIT
from ..errors import DrawingError
from .output import Result


class Language(StrEnum):
    """The language of the text that is printed if no file is written."""

    mermaid = "mermaid"
    dot = "dot"


def graph(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:VARIABLE",
            help="A program, which is run as by python FILE.py, and a Variable in it.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to save: .svg, .pdf, .png, .dot or .mmd (Mermaid)."
        ),
    ] = None,
    language: Annotated[
        Language, typer.Option("--format", help="Language to print if no file is saved.")
    ] = Language.mermaid,
    limit: Annotated[int, typer.Option(help="Largest number of nodes to draw.")] = LIMIT,
    constants: Annotated[bool, typer.Option(help="Draw constant operands, too.")] = False,
) -> Result:
    """Draw the graph of a Variable of a program.

    The command runs the program. The output of the program goes to standard error.
    """
    file, separator, name = target.rpartition(":")
    if not separator or not name.isidentifier():
        raise DrawingError(
            "dezero graph needs a program and the name of a Variable in it, such as "
            f"train.py:loss, got {target!r}.",
            target=target,
        )
    y = _variable(_namespace(Path(file)), name, file)
    data = {"file": file, "variable": name, "format": language.value}
    if output is None:
        write = to_dot if language is Language.dot else to_mermaid
        text = write(y, limit=limit, constants=constants)
        return Result(data | {"text": text}, text.rstrip("\n"))
    try:
        picture = draw(y, output, limit=limit, constants=constants)
    except OSError as error:
        raise DrawingError(f"{output} cannot be written: {error}.", file=str(output)) from error
    data |= {"format": output.suffix.lower()[1:], "output": str(output)}
    by_hand = output.suffix.lower() == ".svg" and not picture.by_graphviz
    note = ", laid out without Graphviz, whose program dot was not found" if by_hand else ""
    return Result(data | {"by_graphviz": picture.by_graphviz}, f"{output} is written{note}.")


def _namespace(file: Path) -> dict[str, Any]:
    """Run a program, and return its global names.

    It runs as ``__main__``, with the part behind ``if __name__ == "__main__":``. ``runpy`` is not
    used, since it loses the names if the program ends by ``sys.exit()``.
    """
    try:
        source = file.read_bytes()
    except OSError as error:
        raise DrawingError(f"{file} cannot be read: {error}.", file=str(file)) from error
    module = ModuleType("__main__")
    module.__file__ = str(file)
    sys.modules["__main__"] = module
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with warnings.catch_warnings():
            # The command ignores warnings of plugins; those of the user's program are shown.
            warnings.simplefilter("default")
            exec(compile(source, str(file), "exec", dont_inherit=True), vars(module))
    except SystemExit as error:
        if error.code:
            raise DrawingError(
                f"{file} ended with exit status {error.code} before its graph could be drawn.",
                file=str(file),
            ) from error
    except Exception as error:
        of_the_program = error.__traceback__ and error.__traceback__.tb_next
        lines = traceback.format_exception(error.with_traceback(of_the_program))
        raise DrawingError(
            f"{file} raised {type(error).__name__}, so its graph is not drawn.\n"
            + "".join(lines).rstrip(),
            file=str(file),
        ) from error
    return vars(module)


def _variable(names: dict[str, Any], name: str, file: str) -> Any:
    found = names.get(name)
    variables = found if isinstance(found, (list, tuple)) else [found]
    if variables and all(isinstance(each, Variable) for each in variables):
        return found
    known = [key for key, value in names.items() if isinstance(value, Variable)]
    what = f"{file} has no {name!r}"
    if name in names:
        what = f"{name!r} in {file} is of type {type(found).__name__}"
    raise DrawingError(
        f"{what}. Its Variables: {', '.join(known) or 'none'}. "
        f"{did_you_mean(name, known)}".rstrip(),
        file=file,
        variable=name,
        known=known,
    )
