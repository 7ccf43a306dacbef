"""Operations declared by their class: the public function, its docstring and its registration.

Where a class says all, `operation` makes the function::

    class Sinh(Elementwise):
        \"""Hyperbolic sine, elementwise: ``np.sinh``. ...\"""

        def forward(self, x: Operand) -> Array: ...

        def backward(self, gy: Array) -> Array: ...

    sinh = operation(Sinh, elementwise((-3.0, 3.0), truth=("sinh(x)", "cosh(x)")))

It takes the operands of ``forward``, then the options of ``__init__``: their names, defaults and
annotations are those of NumPy. A function that does more is written, under ``@applying(Sinh,
...)``. The first one that is declared in a module gives it ``register_ops``: this registers
all of them, under the names that the table of families has: the ``names_in`` of ``families``, of
the package. Without one, as in another package, each has the name of its function alone.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from types import FrameType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Operand, call_by_type, explain_call, in_numpy

from .docstrings import Field, sharing
from .docstrings import documented as composed
from .sampling import Call as Call
from .sampling import Draw as Draw
from .sampling import Sample as Sample
from .sampling import analytic as analytic
from .sampling import elementwise as elementwise

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")

Booleans = Any
Integers = Any
Positions = Any

#: Public function -> what its registration says besides its names.
_DECLARED: dict[Any, dict[str, Any]] = {}


class Elementwise(Function):
    """A Function of each element by itself."""

    elementwise = True


class LinearMap(Function):
    """A Function that is linear, if only in pieces: its ``backward`` reads none of its operands."""

    saves: tuple[str, ...] = ()
    #: Whether ``forward`` is linear in all operands together: `jvp` then pushes tangents through.
    linear = True


class _OfOne(Protocol):
    """A Function of one operand, as a type checker tells it from others."""

    def forward(self, x: Any, /) -> Any: ...


class _OfTwo(Protocol):
    """A Function of two operands, as a type checker tells it from others."""

    def forward(self, x0: Any, x1: Any, /) -> Any: ...


class _OfThree(Protocol):
    """A Function of three operands, as a type checker tells it from others."""

    def forward(self, x0: Any, x1: Any, x2: Any, /) -> Any: ...


@overload
def operation(
    cls: Callable[P, _OfOne], *calls: Any, name: str = ..., methods: Any = ..., **demands: Any
) -> Callable[Concatenate[Operand, P], Variable]: ...


@overload
def operation(
    cls: Callable[P, _OfTwo], *calls: Any, name: str = ..., methods: Any = ..., **demands: Any
) -> Callable[Concatenate[Operand, Operand, P], Variable]: ...


@overload
def operation(
    cls: Callable[P, _OfThree], *calls: Any, name: str = ..., methods: Any = ..., **demands: Any
) -> Callable[Concatenate[Operand, Operand, Operand, P], Variable]: ...


def operation(cls: Any, *calls: Any, name: str = "", **demands: Any) -> Any:
    """Return the public function that applies a class, and declare it.

    Parameters
    ----------
    cls : type
        Its docstring is that of the function, and its name in lower case the name.
    *calls, **demands
        Its `Sample`, as of `applying`.
    name : str, optional
        A name of more words than one.
    """
    function = _applied(cls, name or cls.__name__.lower(), sys._getframe(1))
    function.__doc__ = cls.__doc__
    return applying(cls, *calls, **demands)(function)


def applying(
    cls: type[Function] | None,
    *calls: Any,
    methods: Any = (),
    differentiable: bool = True,
    documented: Callable[..., Any] | None = None,
    **demands: Any,
) -> Callable[[F], F]:
    """Return a decorator that declares a function which applies a class, or composes others.

    It completes the docstring, by the `documented` of its module if that has one of its own. The
    derivative in it is the formula of the sample, if that has one.

    Parameters
    ----------
    cls : type or None
    *calls, **demands
        Those of a `Sample`; or one sample. It takes complex numbers, too, unless it says
        ``complex=False`` or has no derivative.
    methods : mapping from str to callable, optional
        Those that are not the function itself.
    differentiable : bool
        As of a registration.
    documented : callable, optional
        In place of that of the module.
    """
    sample = calls[0] if calls else Sample()
    if len(calls) != 1 or sample.name == "Call" or demands:
        sample = Sample(*calls, **{"complex": differentiable} | demands)

    def declare(function: F) -> F:
        module = vars(sys.modules[function.__module__])
        complete = documented or module.get("documented", composed)
        _, *slopes = sample.kwargs.get("truth", [""])
        complete(function, *slopes[:1])
        _DECLARED[function] = {
            "function_class": cls,
            "sample": sample,
            "methods": methods,
            "differentiable": differentiable,
        }
        module.setdefault("register_ops", partial(_register_ops, module))
        return function

    return declare


_documented = sharing(
    """
    Booleans (bool, or ndarray of bool):
    Integers (int, or ndarray of int):
    int | None (int or None): the axis to look along; by default the elements in a row.
    Positions (ndarray of int):
    Without a derivative: nothing is recorded.
    """,
    error=Field("Raises TypeError", "", "if NumPy has no such function of that dtype."),
)


def without_derivative(*calls: Any, **demands: Any) -> Callable[[F], F]:
    """Return a decorator that lets a function of arrays take Variables, and declares it."""

    def of(function: F) -> F:
        @wraps(function)
        def of_values(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = values_of(args), values_of(kwargs)
            try:
                return call_by_type(function, args, kwargs)
            except Exception as error:
                explain_call(error, function.__name__, of_values, (*args, *kwargs.values()))
                raise

        declare = applying(None, *calls, differentiable=False, documented=_documented, **demands)
        return declare(of_values)  # type: ignore[return-value]

    return of


def values_of(x: Any) -> Any:
    """Return `x` with the data of every Variable in its place, also in lists and tuples."""
    if isinstance(x, Variable):
        return x.data
    if type(x) in (list, tuple):
        return type(x)(map(values_of, x))
    if type(x) is dict:
        return {key: values_of(value) for key, value in x.items()}
    return x


def _register_ops(module: dict[str, Any], register: Registrar) -> None:
    """Register the operations that are declared in a module."""
    for name, of_numpy, methods in _names_of(module["__name__"]):
        function = module[name.rpartition(".")[2]]
        numpy = [found for each in of_numpy if (found := _in_library(each)) is not None]
        declared = _DECLARED[function]
        bound = dict.fromkeys(methods, function) | dict(declared["methods"])
        register(name, function, **declared | {"numpy": numpy, "methods": bound})


def _names_of(module: str) -> list[tuple[str, list[str], list[str]]]:
    """Return the names of what a module declares; without a table, those of the functions."""
    families = sys.modules.get(f"{module.partition('.')[0]}.families")
    if families is not None and hasattr(families, "names_in"):
        return families.names_in(*module.split(".")[-2:])
    return [(each.__name__, [], []) for each in _DECLARED if each.__module__ == module]


def _in_library(name: str) -> Any:
    """Return a function of NumPy by its name, of SciPy by its full one; None if there is none."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last, None) if "scipy" in module else in_numpy(name)


def _applied(cls: Any, name: str, caller: FrameType) -> Any:
    """Return ``def name(operands, options): return cls(options)(operands)``.

    It is compiled: one that takes ``*args`` would be another call in each operation, and would not
    answer to the names of NumPy.
    """
    operands, options = (_parameters(method) for method in (cls.forward, cls.__init__))
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in (*operands, *options)]
    defaults = [p.default for p in bare if p.default is not empty and p.kind != p.KEYWORD_ONLY]
    bare = [p if p.default is empty else p.replace(default=None) for p in bare]
    given = ", ".join(f"{p.name}={p.name}" if p.kind == p.KEYWORD_ONLY else p.name for p in options)
    taken = ", ".join(p.name for p in operands)
    source = f"def {name}{inspect.Signature(bare)}: return {cls.__name__}({given})({taken})"
    # At the line of the declaration, which tracebacks show.
    lines = "\n" * (caller.f_lineno - 1)
    made: dict[str, Any] = {}
    exec(compile(lines + source, caller.f_code.co_filename, "exec"), caller.f_globals, made)
    function = made[name]
    function.__defaults__ = tuple(defaults)
    by_name = [p for p in options if p.kind == p.KEYWORD_ONLY and p.default is not empty]
    function.__kwdefaults__ = {p.name: p.default for p in by_name}
    function.__annotations__ = {p.name: p.annotation for p in (*operands, *options)}
    function.__annotations__["return"] = "Variable"
    return function


def _parameters(method: Any) -> list[inspect.Parameter]:
    """Return the parameters of a method without ``self``; none of an ``__init__`` of object."""
    if method is object.__init__:
        return []
    return list(inspect.signature(method).parameters.values())[1:]
