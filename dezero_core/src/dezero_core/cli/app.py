"""The commands together, and what is the same in each: ``--json``, errors, the exit status."""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from ..errors import DezeroError
from .plugins import plugins
from .result import Result
from .stubs import stubs

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class _Commands(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; for one that is not there, name those that are."""
        try:
            return super().resolve_command(ctx, args)
        except typer.BadParameter:
            raise
        except Exception as error:
            known = f" The commands are {', '.join(self.list_commands(ctx))}."
            error.message = getattr(error, "message", "") + known  # type: ignore[attr-defined]
            raise


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Operations for dezero_core: list, check, compare, draw and write them.",
)


@app.callback()
def _group() -> None:
    """Keep the commands a group, also while there is only one."""


def command(function: Callable[..., Result]) -> None:
    """Add a command that is called as `function`, with its docstring as help, and ``--json``.

    An error of ours is printed, without a traceback, and the exit status is then 1.
    """
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def run(*args: Any, as_json: bool = False, **kwargs: Any) -> None:
        try:
            result = function(*args, **kwargs)
        except DezeroError as error:
            _fail(error, as_json)
        if as_json:
            print(json.dumps(result.data, indent=2))
        else:
            text = Text(result.text) if isinstance(result.text, str) else result.text
            # Where nobody looks, lines are not to be broken: who reads them is a program.
            width = None if sys.stdout.isatty() else 200
            Console(width=width, highlight=False).print(text, soft_wrap=isinstance(text, Text))
        if not result.ok:
            raise typer.Exit(1)

    option = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False)
    option = option.replace(annotation=Json)
    parameters = [*signature.parameters.values(), option]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    app.command()(run)


def _fail(error: DezeroError, as_json: bool) -> None:
    if as_json:
        facts = {name: _plain(value) for name, value in vars(error).items()}
        print(json.dumps({"error": type(error).__name__, "message": str(error), **facts}))
    else:
        print(f"dezero: {error}", file=sys.stderr)
    raise typer.Exit(1)


def _plain(value: Any) -> Any:
    """Return a fact of an error as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


command(plugins)
command(stubs)
