"""Which plugin provides a name, and the errors where several do, or none.

A name is an attribute of Variable, ``"Variable.sum"``; a function of NumPy, ``"np.exp"``; or a part
of a tool, ``"observer.nan"``: as users write it. It is answered by the plugin that the user has
chosen; else by the only one that has it; else, if it is an operator, by the distribution that the
core advises for operators. Otherwise using it raises, and the error names the plugins; but code of
one of these plugins, as a `backward`, gets its own. `plugin_for` asks in this order.
"""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .errors import PACKAGES, ContestedOperationError, MissingOperationError, attempt, package_of

_BINARY = {
    "add": ("+", "add"),
    "sub": ("-", "subtract"),
    "mul": ("*", "multiply"),
    "truediv": ("/", "divide"),
    "floordiv": ("//", "floor_divide"),
    "mod": ("%", "remainder"),
    "divmod": ("divmod()", "divmod"),
    "pow": ("**", "power"),
    "matmul": ("@", "matmul"),
}
_OTHER = {
    "neg": ("unary -", "negative"),
    "pos": ("unary +", "positive"),
    "abs": ("abs()", "absolute"),
    "lt": ("<", "less"),
    "le": ("<=", "less_equal"),
    "gt": (">", "greater"),
    "ge": (">=", "greater_equal"),
    "eq": ("==", "equal"),
    "ne": ("!=", "not_equal"),
    "getitem": ("indexing", "getitem"),
    "setitem": ("x[i] = v", "setitem"),
    "iter": ("iteration", "iter"),
    "contains": ("in", "contains"),
}
OPERATORS: dict[str, tuple[str, str]] = {
    **{f"__{name}__": entry for name, entry in (_BINARY | _OTHER).items()},
    **{f"__r{name}__": entry for name, entry in _BINARY.items()},
}
"""The special methods a plugin may bind: how each is written, and its ufunc's name."""

CORE = "dezero_core"
"""The owner of all things that no plugin may replace."""

PLUGINS: list[Any] = []
"""Each plugin that was seen, loaded or not."""

FIRST_USE: list[Callable[[], None]] = []
"""Holds the function that loads the installed plugins, until the first Variable calls it. It stays
while the package of a plugin is being imported, and tries again."""

CHANGES = [0]
"""How often plugins were loaded, unloaded or preferred. Replay compares it with that of before."""

PREFERRED: ChainMap[str, str] = ChainMap({}, {})
"""Name or operation -> plugin: as `prefer` says, then as ``DEZERO_OPS`` does."""

IN_USE: ContextVar[Mapping[str, str]] = ContextVar("dezero_use_ops", default={})  # noqa: B039
"""Name or operation -> plugin, as `use_ops` says for this thread and task."""

ADVISERS: dict[str, Callable[[str, FrameType], str]] = {}
"""Name -> a function that knows what the users of other libraries mean, see `advice`."""

#: The distribution with the operators, and with these operations besides.
_WITH_OPERATORS = "dezero-ops-basic"
_OF_SCIPY = ("scipy.linalg.", "scipy.special.", "scipy.stats.")
_OF_THE_ENGINE = {"astype", "conjugate", "real", "sum_to"}
_CONVERSIONS = {*_OF_THE_ENGINE, "broadcast_to", "conj", "div", "float_power", "imag", "sign"}
_WRITING = {"add.at", "add_at", "copyto", "fill_diagonal", "place", "put", "put_along_axis"}
_WRITING |= {"putmask", "subtract.at", "subtract_at"}
#: Functions that count elements: no distribution differentiates them.
_COUNTING = {"bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"}
_UFUNCS = {ufunc for _, ufunc in OPERATORS.values()}
#: The names of operators, and of what the engine itself calls.
_OF_OPERATORS = {f"Variable.{name}" for name in {*OPERATORS, "__array_priority__", *_OF_THE_ENGINE}}
_OF_OPERATORS |= {f"np.{name}" for name in _UFUNCS | _OF_THE_ENGINE}


def load_plugins_first() -> None:
    """Load the installed plugins, before anything is said to be missing."""
    for load in tuple(FIRST_USE):
        load()


class Binding(NamedTuple):
    """The value that one plugin binds to a name."""

    #: The operation that it belongs to; empty for a method or part. Of a module that is imported
    #: later, each that it may be.
    operations: tuple[str, ...]
    #: A function, a property, or whatever a protocol or a part asks for.
    value: Any
    #: The function of NumPy that it stands for.
    function: Callable[..., Any] | None = None
    #: Imports the module that will bind the name, if the module is only announced.
    load: Callable[[], None] | None = None
    #: Whether it is in use only where the user has chosen it.
    alternative: bool = False


class Kind(NamedTuple):
    """A kind of parts that the core uses: only one plugin may register a part of each name."""

    #: Name -> the part, as long as a plugin with it is loaded.
    parts: dict[str, Any]
    #: ``rule(name, part)`` returns the rule that a part breaks, ``""`` if none.
    rule: Callable[[str, Any], str]


KINDS: dict[str, Kind] = {
    "adviser": Kind(ADVISERS, lambda name, part: "" if callable(part) else "it must be a function")
}
"""Name of a kind -> the kind; other modules put more of them there."""


def plugin_in_use(name: str, bindings: Mapping[str, Any]) -> str | None:
    """Return which of some plugins provides a name; None if the user has to choose.

    `bindings` maps each of the plugins to its Binding or Operation.
    """
    for choices in filter(None, (IN_USE.get(), *PREFERRED.maps)):
        if choices.get(name) in bindings:
            return choices[name]
        for plugin, bound in bindings.items():
            if any(choices.get(operation) == plugin for operation in bound.operations):
                return plugin
    several = contesting(bindings)
    if len(several) > 1 and name in _OF_OPERATORS:
        records = [plugin.record for plugin in PLUGINS if plugin.record.state == "loaded"]
        advised = [each.name for each in records if each.distribution == _WITH_OPERATORS]
        several = [plugin for plugin in several if plugin in advised]
    return several[0] if len(several) == 1 else None


def plugin_for(name: str, bindings: Mapping[str, Binding]) -> str:
    """Return which of some plugins provides a name, or is to be imported to know that."""
    late = (plugin for plugin, bound in bindings.items() if bound.load is not None)
    plugin = plugin_in_use(name, bindings) or next(late, None) or _plugin_that_calls(bindings)
    if plugin is None:
        raise contested(name, bindings)
    return plugin


def _plugin_that_calls(bindings: Mapping[str, Binding]) -> str | None:
    """Return which of some plugins calls: its `backward` means its own operation."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and package_of(frame) == CORE:
        frame = frame.f_back
    package = "" if frame is None else package_of(frame)
    own = [plugin for plugin, bound in bindings.items() if bound.operations]
    return next((plugin for plugin in own if PACKAGES.get(plugin) == package), None)


def contesting(bindings: Mapping[str, Any]) -> list[str]:
    """Return the plugins of these that are no alternatives."""
    return [plugin for plugin, bound in bindings.items() if not bound.alternative]


def in_numpy(name: str) -> Any:
    """Return the function of NumPy of that name, None if there is none, as in an older version."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def numpy_name(function: Callable[..., Any]) -> str:
    """Return a NumPy function as users write it, without ``np.``: ``linalg.inv``, ``add.at``."""
    if isinstance(ufunc := getattr(function, "__self__", None), np.ufunc):
        return f"{ufunc.__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{getattr(function, '__name__', function)}".removeprefix("numpy.")


def home_of(function: Callable[..., Any]) -> str:
    """Return the name of the module that the users of a function import: ``scipy.special``.

    A ufunc does not know its module, so all imported modules are looked through.
    """
    name = getattr(function, "__name__", "")
    for module in sorted(sys.modules, key=len):
        names = getattr(sys.modules[module], "__dict__", {})
        if names.get(name) is function and name in names.get("__all__", ()):
            return module
    return getattr(function, "__module__", None) or "numpy"


def public_name(function: Callable[..., Any]) -> str:
    """Write a function as its users do, who import its library: ``scipy.special.erf``."""
    name = f"{home_of(function)}.{getattr(function, '__name__', function)}"
    return f"np.{name.removeprefix('numpy.')}" if name.startswith("numpy.") else name


def contested(name: str, bindings: Mapping[str, Binding]) -> ContestedOperationError:
    """Return the error for a name that several plugins have, or one as an alternative."""
    plugins = contesting(bindings) or list(bindings)
    *others, last = map(repr, plugins)
    symbol, _ = OPERATORS.get(name.removeprefix("Variable."), ("", ""))
    what = f"{symbol!r} for a Variable" if symbol else name
    both = "both" if len(others) == 1 else "all"
    rule = f"plugins {', '.join(others)} and {last} {both} provide {what}, and none is chosen"
    if not others:
        rule = f"plugin {last} provides {what} as an alternative, and is not chosen"
    thing, choices = to_choose(name, bindings)
    prefer = " or ".join(f"dezero_core.prefer({choice})" for choice in choices)
    return ContestedOperationError(
        f"{rule}. Choose: {prefer}; for a block, dezero_core.use_ops({choices[-1]}); outside of "
        f"the program, DEZERO_OPS={thing}={plugins[-1]}.",
        operation=thing,
        plugins=tuple(bindings),
        distribution=None,
    )


def to_choose(name: str, bindings: Mapping[str, Binding]) -> tuple[str, list[str]]:
    """Return the name in a choice of a provider, ``"exp"``, and the choices, ``"exp='fast'"``."""
    shared = set.intersection(*(set(bound.operations) for bound in bindings.values()))
    thing = next(iter(shared)) if len(shared) == 1 else name
    before, after = (f"{thing}=", "") if thing.isidentifier() else (f"**{{{thing!r}: ", "}")
    return thing, [f"{before}{plugin!r}{after}" for plugin in contesting(bindings) or bindings]


def advice(name: str, frame: FrameType) -> str:
    """Return a sentence of an adviser for an error: Variables lack a method or NumPy function.

    An adviser gets the name, as ``"__array__"`` or ``"np.histogram"``, and the frame that asks.
    """
    advisers = list(ADVISERS.values())
    found = filter(None, [attempt(partial(advise, name, frame)) for advise in advisers])
    return next((f"{sentence} " for sentence in found), "")


def missing(
    operation: str, what: str, error: type[MissingOperationError] = MissingOperationError
) -> MissingOperationError:
    """Return the error for an operation that no plugin provides; `what` is as users write it."""
    remedy, distribution = advice_on(operation)
    if distribution is None:
        remedy = advice(f"np.{operation}", sys._getframe(1)) or remedy
    message = f"no loaded plugin provides {what}. {remedy.rstrip()}"
    return error(message, operation=operation, distribution=distribution)


def missing_numpy_function(function: Callable[..., Any], method: str = "") -> MissingOperationError:
    """Return the error for a NumPy function, or for a ``".reduce"`` of a ufunc."""
    name, public = numpy_name(function) + method, public_name(function) + method
    symbols = (f"{symbol!r} ({public})" for symbol, ufunc in OPERATORS.values() if ufunc == name)
    name = public if public.startswith("scipy.") else name
    return missing(name, f"{next(symbols, public)} for a Variable")


def distribution_of(operation: str) -> str | None:
    """Return the distribution that has an operation, by a rule: the core has no list of them.

    The operators and conversions are in one distribution, all else that NumPy's functions and the
    methods of an ndarray do is in the other.
    """
    if operation in _CONVERSIONS | _WRITING | _UFUNCS | _BINARY.keys() | _OTHER.keys():
        return _WITH_OPERATORS
    if operation.startswith(_OF_SCIPY):
        return "dezero-ops-scipy"
    *modules, name = operation.split(".")
    found = in_numpy(".".join(modules)) if modules else np
    function = vars(found).get(name) if isinstance(found, ModuleType) else None
    is_method = not modules and not name.startswith("_") and hasattr(np.ndarray, name)
    is_numpys = is_method or (callable(function) and not isinstance(function, type))
    is_numpys = is_numpys and name not in _COUNTING
    return "dezero-ops-math" if is_numpys else None


def advice_on(operation: str) -> tuple[str, str | None]:
    """Return the advice on a missing operation, and the distribution that has it, if any."""
    distribution = distribution_of(operation)
    records = [plugin.record for plugin in PLUGINS if plugin.record.distribution == distribution]
    where = "Many such are in" if operation.startswith("scipy.") else "It is in"
    if distribution is not None and not records:
        return f"{where} {distribution}: pip install {distribution}", distribution
    if distribution is not None and records[0].state != "loaded":
        return f"{where} {distribution}, which {records[0].why_not}", distribution
    if distribution is not None and records[0].version != sys.modules[CORE].__version__:
        return f"It may be in another one: pip install --upgrade {distribution}", distribution
    return "No plugin known here has it; x.data gives the values without a gradient.", None
