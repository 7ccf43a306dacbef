"""The command ``dezero stubs``."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from dezero_core import plugins

from ..stubs import PACKAGE, differences, write
from .output import Result

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Write into this folder, not into the site-packages of this environment.",
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Write nothing, and fail if the stubs are stale.")
]


def stubs(output: Output = None, check: Check = False) -> Result:
    """Write types for editors, mypy and pyright.

    With the types, these tools know the operators, methods and properties that the installed
    plugins bind onto Variable, with signatures and documentation. Without them, they know those of
    dezero-ops-basic and dezero-ops-math alone, if the former is installed.

    The command writes a stub package, dezero_core-stubs, in place of that of dezero-ops-basic.
    Write it again when plugins change. Every type checker finds the package in site-packages. In
    another folder, pyright finds it if the folder is its stubPath (by default typings), and mypy if
    the folder is on PYTHONPATH, but not on MYPYPATH.

    NumPy's own stubs do not change. They say that np.sin(x), and a + x with an ndarray a, are
    ndarrays, though the results are Variables. Write as_variable(np.sin(x)), which changes nothing
    when it runs, or use the methods and the functions of the plugins.
    """
    folder = Path(sysconfig.get_path("purelib")) if output is None else output
    if check:
        return _check_stubs(folder, output)
    write(folder, partial=output is None)
    records = plugins()
    loaded = [str(record) for record in records if record.state == "loaded"]
    left_out = [f"{record}: {record.cause}" for record in records if record.cause]
    lines = [f"Wrote {folder / PACKAGE}", *(f"  with {plugin}" for plugin in loaded)]
    lines += [f"  without {plugin}" for plugin in left_out]
    data = {"folder": str(folder / PACKAGE), "plugins": loaded, "left_out": left_out}
    return Result(data, "\n".join(lines), ok=not any(record.is_broken for record in records))


def _check_stubs(folder: Path, output: Path | None) -> Result:
    stale = differences(folder, partial=output is None)
    lines = [f"{folder / PACKAGE} is up to date."]
    if stale:
        again = "dezero stubs" if output is None else f"dezero stubs --output {quote(str(output))}"
        lines = [f"{folder / PACKAGE} is stale:", *(f"  {difference}" for difference in stale)]
        lines.append(f"Write it again: {again}")
    data = {"folder": str(folder / PACKAGE), "stale": stale}
    return Result(data, "\n".join(lines), ok=not stale)
