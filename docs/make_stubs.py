"""Write the stubs that wheels of this repository have: members of Variable, NumPy's, SciPy's names.

    python docs/make_stubs.py            # writes them
    python docs/make_stubs.py --check    # exits with 1 if they are stale

The members are those that the plugins of the two packages of operations bind, without docstrings.
`dezero stubs` writes the same of all plugins that are installed.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from inspect import Parameter
from pathlib import Path
from typing import Any

import numpy as np
from dezero_tools.stubs.bound import bound_stub
from dezero_tools.stubs.package import PACKAGE, files_with
from dezero_tools.stubs.signatures import Source

from dezero_core import plugins
from dezero_core.extend import operations_of

ROOT = Path(__file__).parents[1]
MEMBERS = ROOT / "dezero_ops_basic" / "src" / PACKAGE
NAMESPACE = ROOT / "dezero_tools" / "src" / "dezero_tools" / "numpy"
MIRROR = ROOT / "dezero_ops_scipy" / "src" / "dezero_ops_scipy"
DISTRIBUTIONS = ("dezero-ops-basic", "dezero-ops-math")
OF_SCIPY = "dezero-ops-scipy"


MODULES = {"__init__": np, "fft": np.fft, "linalg": np.linalg}
"""Name of each stub -> the namespace of NumPy."""

HEAD = """\
# Written by `python docs/make_stubs.py`, with NumPy {version}.
# ruff: noqa
# fmt: off

from typing import Any, overload

from dezero_core import Variable
from {numpy} import (
{names})
from numpy.typing import NDArray

from ._own import Operand as _Operand
from ._own import Variables as _Variables
{own}
"""
#: Of the package: its modules, and what it has in place of NumPy's. `_own.pyi` is written by hand.
OWN = {"fft": ".", "linalg": ".", "random": "."} | dict.fromkeys(
    (
        *("array", "asarray", "c_", "empty", "empty_like", "full", "full_like", "ones"),
        *("ones_like", "r_", "zeros", "zeros_like"),
    ),
    "._own",
)
ANYTHING = ("(*args: Any, **kwargs: Any)", "Any")
#: The annotations of parameters that may be Variables.
OPERANDS = {"Array", "Operand", "Operand | None"}


MIRROR_HEAD = """\
# Written by `python docs/make_stubs.py`.
# ruff: noqa
# fmt: off

from typing import Any, overload

from dezero_core import Variable
from numpy.typing import NDArray

_Variables = Variable
_Operand = NDArray[Any] | complex

def __getattr__(name: str) -> Any: ...
"""


def stubs() -> dict[Path, str]:
    """Return the text of each file; those of SciPy's mirror, if that is installed.

    Raises
    ------
    SystemExit
        If a distribution is not loaded: the stubs would lack its members and functions.
    """
    loaded = {record.distribution: record.name for record in plugins() if record.state == "loaded"}
    missing = [distribution for distribution in DISTRIBUTIONS if distribution not in loaded]
    if missing:
        raise SystemExit(f"not installed, or not loaded: {', '.join(missing)}")
    ours = {loaded[distribution]: distribution for distribution in DISTRIBUTIONS}
    members = files_with(bound_stub(ours, documented=False), ours.values(), partial=True)
    return {
        **{MEMBERS / name: text for name, text in members.items()},
        **{NAMESPACE / f"{module}.pyi": namespace_stub(module, ours) for module in MODULES},
        **(mirror_stubs(loaded[OF_SCIPY]) if OF_SCIPY in loaded else {}),
    }


def mirror_stubs(plugin: str) -> dict[Path, str]:
    """Return the stubs of the modules that mirror SciPy's: a Variable for each Variable."""
    from dezero_ops_scipy.families import ALIASES

    parts: dict[str, dict[str, list[Any]]] = {}
    for operation in operations_of(plugin):
        _, module, name, *_ = operation.name.split(".")
        parts.setdefault(module, {}).setdefault(name, []).append(operation)
    return {
        MIRROR / module / "__init__.pyi": MIRROR_HEAD
        + "".join(mirrored_stub(name, operations) for name, operations in sorted(names.items()))
        + "".join(f"{alias} = {name}\n" for alias, name in ALIASES.items() if name in names)
        for module, names in parts.items()
    }


def mirrored_stub(name: str, operations: list[Any]) -> str:
    """Return the stub of a function, or of a distribution, whose methods are the operations."""
    if operations[0].name.count(".") == 2:
        function = operations[0].function
        return overloads(name, signatures(function, bool(operations[0].numpy)), "")
    methods = "".join(
        overloads(each.function.__name__, signatures(each.function, False), "self, ")
        for each in operations
    ).replace("\n", "\n    ")
    own = "    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...\n"
    own += "    def __getattr__(self, name: str) -> Any: ...\n"
    return f"class _{name}:\n    {methods.rstrip(' ')}{own}{name}: _{name}\n"


def overloads(name: str, found: Iterable[tuple[str, str]], first: str) -> str:
    """Return the overloads of a function, or of a method with a `first` parameter."""
    return "".join(
        f"@overload\ndef {name}({first}{parameters[1:]} -> {result}: ...\n"
        for parameters, result in found
    )


def namespace_stub(module: str, plugins: Collection[str]) -> str:
    """Return the text of a stub of `MODULES`, with types for the operations of some plugins.

    The names are NumPy's, and so are the types, but for functions that a plugin differentiates:
    these get a Variable for each Variable.
    """
    namespace, own = MODULES[module], OWN if module == "__init__" else {}
    provided = {
        function: operation.function
        for plugin in plugins
        for operation in operations_of(plugin)
        if operation.differentiable
        for function in operation.numpy
    }
    found = {name: getattr(namespace, name) for name in sorted(namespace.__all__)}
    typed = {name: each for name, each in found.items() if callable(each) and each in provided}
    # By name: to mypy, a name of NumPy that came by * could not be defined again.
    head = HEAD.format(
        version=".".join(np.__version__.split(".")[:2]),
        numpy=namespace.__name__,
        names="".join(f"    {name} as {name},\n" for name in found if name not in typed | own),
        own="\n".join(f"from {where} import {name} as {name}" for name, where in own.items()),
    )
    return head + "".join(
        overloads(name, signatures(provided[of_numpy], isinstance(of_numpy, np.ufunc)), "")
        for name, of_numpy in typed.items()
    )


def signatures(function: Any, is_ufunc: bool) -> Iterator[tuple[str, str]]:
    """Yield the parameters and results of a function of NumPy, of which a plugin has this one.

    For each operand that is a Variable there is one; of a ufunc also for each that is an array.
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    operands = [p for p in parameters if p.annotation in OPERANDS] or parameters[:1]
    # Any if a stub has no name for the result.
    result = str(signature.return_annotation)
    result = result if set(re.findall(r"\w+", result)) <= {"Variable", "list", "tuple"} else "Any"
    for operand in operands:
        yield written(parameters, operand, "_Variables", "Any"), result
    if is_ufunc:
        for operand in operands:
            given = written(parameters, operand, "NDArray[Any]", "_Operand")
            yield f"{given[:-1]}, **kwargs: Any)", "NDArray[Any]"
    yield ANYTHING


def written(parameters: list[Parameter], operand: Parameter, its: str, others: str) -> str:
    """Return parameters as source text, with the types of one operand and of the others."""
    written, by_name = [], False
    for p in parameters:
        optional = p.default is not Parameter.empty
        by_name |= optional and p is operand  # what must be given cannot follow what need not
        positional = p.kind is Parameter.POSITIONAL_OR_KEYWORD
        written.append(
            p.replace(
                kind=Parameter.KEYWORD_ONLY if by_name and positional else p.kind,
                default=Source("...") if optional and p is not operand else Parameter.empty,
                annotation=Source(its if p is operand else others),
            )
        )
    return str(inspect.Signature(written))


def main(arguments: list[str]) -> int:
    """Write the stubs, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 if they are stale")
    check = parser.parse_args(arguments).check
    texts = stubs()
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if not check:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    elif stale:
        names = ", ".join(path.relative_to(ROOT).as_posix() for path in stale)
        print(f"{names} stale: run python docs/make_stubs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
