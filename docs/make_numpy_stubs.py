"""Write the stubs of `dezero_tools.numpy`: what its functions give for Variables, and for arrays.

    python docs/make_numpy_stubs.py            # writes them
    python docs/make_numpy_stubs.py --check    # exits with 1 if they are stale

The names are NumPy's, and so are the types, but for functions that a plugin of this repository
differentiates: these get a Variable for each Variable. All plugins of it must be installed.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from inspect import Parameter
from pathlib import Path
from typing import Any

import numpy as np
from make_coverage import NUMPY, our_operations

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "dezero_tools" / "src" / "dezero_tools" / "numpy"

#: Stub -> the namespace of NumPy.
MODULES = {"__init__": np, "fft": np.fft, "linalg": np.linalg}

OPERANDS = {"Array", "Operand", "Operand | None"}
"""The annotations of parameters that may be Variables."""

HEAD = """\
# Written by `python docs/make_numpy_stubs.py`, with NumPy {version}.
# ruff: noqa
# fmt: off

from collections.abc import Sequence
from typing import Any, overload

from dezero_core import Variable
from {numpy} import {names}
from numpy.typing import NDArray

_Variables = Variable | Sequence[Variable] | Sequence[Sequence[Variable]]
_Operand = NDArray[Any] | complex
"""

TOP = """
from . import fft as fft
from . import linalg as linalg
from . import random as random

class _Joining:
    def __getitem__(self, key: Any) -> Any: ...

r_: _Joining
c_: _Joining

"""

#: Functions of `dezero_tools.numpy` itself -> the parameters of each of their signatures.
OWN = {
    "array": (
        "object: _Variables, dtype: Any = ..., *, copy: Any = ..., ndmin: int = ...",
        "object: _Numbers, *args: Any, **kwargs: Any",
    ),
    "asarray": (
        "a: _Variables, dtype: Any = ..., *, copy: Any = ...",
        "a: _Numbers, *args: Any, **kwargs: Any",
    ),
    "full": (
        "shape: Any, fill_value: _Variables, dtype: Any = ...",
        "shape: Any, fill_value: _Numbers, *args: Any, **kwargs: Any",
    ),
}
NUMBERS = "_Numbers = _Operand | Sequence[complex] | Sequence[Sequence[complex]]\n"

STARS: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
ANYTHING = "*args: Any, **kwargs: Any"


def differentiable() -> dict[Any, Callable[..., Any]]:
    """Return the function of a plugin for each function of NumPy that has a derivative."""
    return {
        of_numpy: operation.function
        for operation in our_operations()
        if operation.differentiable
        for of_numpy in operation.numpy
    }


def stub(module: str) -> str:
    """Return the text of a stub."""
    namespace, provided = MODULES[module], differentiable()
    found = {name: getattr(namespace, name) for name in sorted(namespace.__all__)}
    ours = {name for name, value in found.items() if is_function(value) and value in provided}
    if module == "__init__":
        ours |= {*OWN, "r_", "c_", "fft", "linalg", "random"}
    # By name: to mypy, a name of NumPy that came by * could not be defined again.
    lines = [f"    {name} as {name},\n" for name in found if name not in ours]
    names = f"(\n{''.join(lines)})"
    lines = [HEAD.format(version=NUMPY, numpy=namespace.__name__, names=names)]
    if module == "__init__":
        lines += [NUMBERS, TOP]
        for name, (of_variables, of_numbers) in OWN.items():
            types = (of_variables, "Variable"), (of_numbers, "NDArray[Any]"), (ANYTHING, "Any")
            lines += overloads(name, types)
    for name, value in found.items():
        if is_function(value) and value in provided:
            lines += overloads(name, signatures(provided[value], isinstance(value, np.ufunc)))
    return "".join(lines)


def is_function(value: Any) -> bool:
    """Return whether NumPy asks a Variable for what a function gives."""
    return isinstance(value, np.ufunc) or hasattr(value, "_implementation")


def overloads(name: str, types: Any) -> Iterator[str]:
    """Yield the lines of a function, given the parameters and the result of each signature."""
    for parameters, result in types:
        yield f"@overload\ndef {name}({parameters}) -> {result}: ...\n"


def signatures(function: Callable[..., Any], is_ufunc: bool) -> Iterator[tuple[str, str]]:
    """Yield the signatures of a function of NumPy, of which a plugin has this one.

    For each operand that is a Variable there is one; of a ufunc also for each that is an array.
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    operands = [p for p in parameters if p.annotation in OPERANDS] or parameters[:1]
    for operand in operands:
        yield written(parameters, operand, "_Variables", "Any"), result_of(signature)
    if is_ufunc:
        for operand in operands:
            given = written(parameters, operand, "NDArray[Any]", "_Operand")
            yield f"{given}, **kwargs: Any", "NDArray[Any]"
    yield ANYTHING, "Any"


def written(parameters: list[Parameter], operand: Parameter, its: str, others: str) -> str:
    """Return parameters as source text, with the types of one operand and of the others."""
    parts, named = [], False
    for index, parameter in enumerate(parameters):
        of_type = its if parameter is operand else others if parameter.annotation else "Any"
        kind, optional = parameter.kind, parameter.default is not Parameter.empty
        if kind in STARS:
            parts.append(f"{STARS[kind]}{parameter.name}: {of_type}")
            named = True
            continue
        if index and parameters[index - 1].kind is Parameter.POSITIONAL_ONLY is not kind:
            parts.append("/")
        required = parameter is operand
        if not named and (kind is Parameter.KEYWORD_ONLY or (required and optional)):
            parts.append("*")  # one that must be given cannot follow one that need not
            named = True
        default = " = ..." if optional and not required else ""
        parts.append(f"{parameter.name}: {of_type}{default}")
    if parameters[-1].kind is Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return ", ".join(parts)


def result_of(signature: inspect.Signature) -> str:
    """Return the result of a plugin's function, Any if a stub has no name for it."""
    text = str(signature.return_annotation)
    known = {"Variable", "list", "tuple"}
    return text if set(re.findall(r"\w+", text)) <= known else "Any"


def main(arguments: list[str]) -> int:
    """Write the stubs, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 if they are stale")
    check = parser.parse_args(arguments).check
    texts = {FOLDER / f"{module}.pyi": stub(module) for module in MODULES}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if not check:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    elif stale:
        names = ", ".join(path.name for path in stale)
        print(f"{names} stale: run python docs/make_numpy_stubs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
