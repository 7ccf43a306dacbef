"""All commands, and the parts that they share: ``--json``, errors, the exit status."""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from dezero_core import DezeroError, UnknownPluginError, __version__
from dezero_core.extend import shown
from dezero_tools.guessing import did_you_mean

from . import output
from .check import check
from .compare import compare
from .doctor import doctor
from .graph import graph
from .new import new
from .ops import ops
from .output import Result, drawn, print_result
from .plugins import plugins
from .stubs import stubs

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class _Commands(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command. The error for an unknown command lists the known ones."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            error.message += f" The commands are {', '.join(self.list_commands(ctx))}."
            raise


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Operations for dezero_core: list, check, compare, draw and write them.",
)


def _print_version(asked: bool) -> None:
    if asked:
        print_result(f"dezero-core {__version__}")
        raise typer.Exit


_VERSION = typer.Option(
    "--version", callback=_print_version, is_eager=True, help="Print the version of the core."
)


@app.callback()
def _dezero(version: Annotated[bool, _VERSION] = False) -> None:
    pass


def main(arguments: list[str], results: TextIO, load_warnings: Sequence[str]) -> int:
    """Run a command: the words after ``dezero``. Without words the help is printed.

    `results` and `load_warnings` are what the start of the command returns. Return the exit status:
    0; 1 if something failed; 2 if the command was not understood.
    """
    arguments = arguments or ["--help"]
    output.begin(results, load_warnings)
    try:
        with redirect_stdout(results if "--help" in arguments else sys.stdout):
            return app(arguments, prog_name="dezero", standalone_mode=False) or 0
    except typer.TyperException as error:
        context = vars(error).get("ctx")
        see = f"See {context.command_path if context else 'dezero'} --help."
        message = f"{error.format_message().rstrip('.')}. {see}"
        _print_error(error, message, "--json" in arguments)
        return 2


def command(function: Callable[..., Result]) -> None:
    """Add a command with the name and the parameters of `function`, and the option ``--json``.

    The help of the command is the docstring, up to its first section. If `function` raises a
    `DezeroError`, the command prints the error without a traceback, and the exit status is 1.
    """
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def run(*args: Any, as_json: bool = False, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings(action="ignore"):
                result = function(*args, **kwargs)
        except DezeroError as error:
            message = str(error)
            if isinstance(error, UnknownPluginError):
                message = f"{message} {did_you_mean(error.plugin, vars(error)['known'])}".rstrip()
            _print_error(error, message, as_json)
            raise typer.Exit(1) from None
        print_result(json.dumps(result.data, indent=2) if as_json else drawn(result.text))
        if not result.ok:
            raise typer.Exit(1)

    option = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False)
    option = option.replace(annotation=Json)
    parameters = [*signature.parameters.values(), option]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    help_text = re.split(r"\n\n\w+\n---", inspect.getdoc(function) or "")[0]
    # Without short_help, typer cuts the summary in the list of commands.
    app.command(help=help_text, short_help=help_text.split("\n\n")[0])(run)


def _print_error(error: Exception, message: str, as_json: bool) -> None:
    if as_json:
        facts = vars(error) if isinstance(error, DezeroError) else {}
        facts = {"error": type(error).__name__, "message": message, **facts}
        print_result(json.dumps(facts, indent=2, default=repr))
    else:
        print(f"dezero: {shown(message, sys.maxsize)}", file=sys.stderr)


for _each in (plugins, ops, doctor, new, check, compare, stubs, graph):
    command(_each)
