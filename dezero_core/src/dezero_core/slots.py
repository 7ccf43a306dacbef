"""The slots of Variable: one for each name that plugins may bind.

If one plugin has a name, its plain function stands on Variable: ``x * y`` and ``np.exp(x)`` then
meet nothing of this module. In every other case a `Slot` stands there. The plugin system,
`registry`, is above this module; it notes the bindings in the tables here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .arrays import COUNTING, INSTEAD, WRITING, advice_for
from .contests import (
    NEVER_IN_DOUBT,
    PLUGINS,
    chosen_first,
    contesting,
    in_use,
    load_awaited,
)
from .errors import (
    PACKAGES,
    ContestedOperationError,
    MissingAttributeError,
    MissingOperationError,
    library_function,
    package_of,
)

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
    "iter": ("iteration", "iter"),
    "contains": ("in", "contains"),
}
OPERATORS: dict[str, tuple[str, str]] = {
    **{f"__{name}__": entry for name, entry in (_BINARY | _OTHER).items()},
    **{f"__r{name}__": entry for name, entry in _BINARY.items()},
}
"""The special methods a plugin may bind: how each is written, and its ufunc's name."""

NUMPY_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
}
"""Function of NumPy -> the function that the one plugin which has it calls for a Variable."""

CORE = "dezero_core"
"""The owner of all things that no plugin may replace."""


class Binding(NamedTuple):
    """The value that one plugin binds to a name.

    Attributes
    ----------
    operation : str or None
        The operation that it belongs to; None for a method that is no operation.
    value : object
        A function, a property, or for a protocol any value; the Announcement, until it is there.
    function : callable or None
        The function of NumPy that it stands for.
    load : callable or None
        Imports the module that is to bind it, where that is only announced.
    alternative : bool
        Whether it is in use only where the user has chosen it.
    """

    operation: str | None
    value: Any
    function: Callable[..., Any] | None = None
    load: Callable[[], None] | None = None
    alternative: bool = False


class Slot:
    """Stands for one name while no plugin, one still to be imported, or several have it.

    It is the descriptor of an attribute of Variable. For a function of NumPy, `numpy_function`
    looks into it.

    Attributes
    ----------
    key : str or callable
        Name of an attribute, ``"__add__"`` or ``"sum"``; or `key_of` a function of NumPy.
    operands : tuple of type
        Given if every Variable answers the name, at least by an error that helps. For an operand
        of another type, that operand is asked instead.
    written : str
        As users write it: ``"Variable.sum"``, ``"np.sum"``.
    bindings : mapping from str to Binding
        Plugin -> its binding, in the order of loading. It is replaced and never changed.
    """

    __slots__ = ("bindings", "key", "operands", "written")

    def __init__(self, key: Any, operands: tuple[type, ...] = ()) -> None:
        self.key, self.operands = key, operands
        self.written = written(key)
        self.bindings: Mapping[str, Binding] = {}

    @property
    def is_attribute(self) -> bool:
        """Whether it is for an attribute of Variable, and not for a function of NumPy."""
        return isinstance(self.key, str) and not self.key.startswith("np.")

    def binding(self) -> Binding | None:
        """Return the binding of the plugin in use, None if no plugin has the name.

        Raises
        ------
        ContestedOperationError (AttributeError, TypeError)
            If several plugins have it, the user has chosen none, and none of them calls it.
        """
        load_awaited()
        tried: set[str] = set()
        while True:
            bindings = self.bindings  # once: another thread may unload a plugin
            plugin = in_use(self.written, bindings)
            wanted = chosen_first(bindings) if plugin is None else (plugin,)
            late = {name: load for name in wanted if (load := bindings[name].load) is not None}
            name = next((name for name in late if name not in tried), None)
            if name is None:
                break
            tried.add(name)
            late[name]()  # the module says which operation it binds: so the next one is asked then
        if not bindings:
            return None
        plugin = plugin or _of_the_caller(bindings)
        if plugin is None:
            raise contested(self.written, bindings)
        return None if plugin in late else bindings[plugin]

    def value(self) -> Any:
        """Return the value of this binding, None if there is none."""
        found = self.binding()
        return None if found is None else found.value

    def __get__(self, variable: Any, owner: type) -> Any:
        refused: ContestedOperationError | None = None
        try:
            found = self.binding()
        except ContestedOperationError as error:
            if self.key not in OPERATORS:
                raise
            found, refused = None, error.with_traceback(None)  # whose frame refers to the error
        if found is not None:
            value = found.value
        elif self.key in OPERATORS:
            value = self._refusing(refused)
        elif self.key in INSTEAD:
            library = library_function(sys._getframe(1))
            name = "'round()'" if self.key == "__round__" else repr(self.key)
            message = f"a Variable has no method {name}. Write {INSTEAD[self.key]}."
            if library:
                message = f"{advice_for(library)} A Variable has no method {name}."
            raise MissingAttributeError(message, operation=self.key, distribution=None)
        else:
            is_property = isinstance(vars(np.ndarray).get(self.key), GetSetDescriptorType)
            kind = "property" if is_property else "method"
            written = f"the {kind} {self.key!r} of Variable"
            raise missing(self.key, written, error=MissingAttributeError)
        get = getattr(type(value), "__get__", None)
        return value if get is None else get(value, variable, owner)

    def _refusing(self, refused: ContestedOperationError | None) -> Callable[..., Any]:
        """Return an operator that raises, or leaves the operation to the other operand."""
        special, operands = self.key, self.operands
        is_provided = bool(contesting(self.bindings))

        def operator(self: Any, *others: Any) -> Any:
            if special in ("__eq__", "__ne__") and not is_provided:
                return getattr(object, special)(self, *others)  # as any object: by identity
            if special not in ("__getitem__", "__contains__") and not all(
                isinstance(other, operands) for other in others
            ):
                return NotImplemented
            if refused is not None:
                raise refused
            symbol, name = OPERATORS[special]
            raise missing(name, f"{symbol!r} for a Variable")

        operator.__name__ = special
        operator.__qualname__ = f"Variable.{special}"
        return operator


SLOTS: dict[Any, Slot] = {}
"""Name of an attribute, or `key_of` a function of NumPy -> its slot."""


def put_slots(cls: type, operands: tuple[type, ...]) -> None:
    """Put a slot onto Variable for each operator, and for each method that it lacks.

    These are methods of ndarray, and those that other arrays make one look for, such as ``x.exp``:
    a ``__getattr__`` for the sake of their errors would slow down every read of ``.data``.
    """
    of_ndarray = {name for name in vars(np.ndarray) if not name.startswith("_")}
    methods = (of_ndarray | INSTEAD.keys()).difference(vars(cls)) | {"broadcast_to", "sum_to"}
    for name in (*OPERATORS, *sorted(methods)):
        SLOTS[name] = Slot(name, operands)
        setattr(cls, name, SLOTS[name])


def is_missing(attribute: str) -> bool:
    """Return whether an attribute of Variable is there only for the sake of its error."""
    slot = SLOTS.get(attribute)
    return slot is not None and not slot.bindings and attribute not in OPERATORS


def _of_the_caller(bindings: Mapping[str, Binding]) -> str | None:
    """Return the plugin of these whose code is running: its `backward` means its own operation."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and package_of(frame) == CORE:
        frame = frame.f_back
    package = "" if frame is None else package_of(frame)
    installed = [each for each in list(PLUGINS.values()) if PACKAGES.get(each.key) == package]
    return next((each.record.name for each in installed if each.record.name in bindings), None)


def contested(thing: str, providers: Mapping[str, Any]) -> ContestedOperationError:
    """Return the error for a thing that several plugins provide, or one as an alternative."""
    plugins = contesting(providers) or tuple(providers)
    name, choices = to_choose(thing, providers)
    symbol, _ = OPERATORS.get(thing.removeprefix("Variable."), ("", ""))
    shown = f"{symbol!r} for a Variable" if symbol else thing
    rule = f"{providing(plugins)} {shown}, and none is chosen"
    if len(plugins) == 1:
        rule = f"plugin {plugins[0]!r} provides {shown} as an alternative, and is not chosen"
    prefer = " or ".join(f"dezero_core.prefer({choice})" for choice in choices)
    return ContestedOperationError(
        f"{rule}. Choose: {prefer}; for a block, dezero_core.use_ops({choices[-1]}); outside of "
        f"the program, DEZERO_OPS={name}={plugins[-1]}.",
        operation=name,
        plugins=tuple(providers),
        distribution=None,
    )


def providing(plugins: Sequence[str]) -> str:
    """Begin a sentence: ``plugins 'a' and 'b' both provide``."""
    *others, last = map(repr, plugins)
    both = "both" if len(others) == 1 else "all"
    return f"plugins {', '.join(others)} and {last} {both} provide"


def to_choose(thing: str, providers: Mapping[str, Binding]) -> tuple[str, list[str]]:
    """Return the name to choose a provider by, ``"exp"``, and each choice, ``"exp='fast'"``."""
    bound = providers.values()
    possible = [set(b.value.operations) if b.load else {b.operation} for b in bound]
    shared = set.intersection(*possible)
    name = (next(iter(shared)) if len(shared) == 1 else None) or thing
    before, after = (f"{name}=", "") if name.isidentifier() else (f"**{{{name!r}: ", "}")
    return name, [f"{before}{plugin!r}{after}" for plugin in contesting(providers) or providers]


def numpy_function(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the function that is called in place of one of NumPy, None if no plugin has it."""
    found = NUMPY_FUNCTIONS.get(function)
    if found is not None:
        return found
    load_awaited()
    name, key = numpy_name(function), key_of(function)
    announced = SLOTS.get(f"np.{name}") if in_numpy(name) is None else None
    if announced is not None:  # a ufunc of another library is announced by its name
        announced.binding()
    slot = SLOTS.get(key)
    return None if slot is None else slot.value()


def written(key: Any) -> str:
    """Write the key of a slot as users do: ``Variable.sum``, ``np.sum``.

    A ufunc of another library is written by its name, by which it is also announced.
    """
    name = key if isinstance(key, str) else f"np.{numpy_name(key)}"
    return name if name.startswith("np.") else f"Variable.{name}"


def key_of(function: Callable[..., Any]) -> Any:
    """Return ``"np.linalg.inv"`` for a function of NumPy, and any other as it is."""
    name = numpy_name(function)
    return f"np.{name}" if in_numpy(name) is function else function


def in_numpy(name: str) -> Any:
    """Return the function of NumPy of that name, None if there is none, as in an older version."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def numpy_name(function: Callable[..., Any]) -> str:
    """Return a NumPy function as users write it, without the ``np.``: ``linalg.inv``."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{getattr(function, '__name__', function)}".removeprefix("numpy.")


for _function, _answer in NUMPY_FUNCTIONS.items():
    SLOTS[key_of(_function)] = Slot(key_of(_function))
    SLOTS[key_of(_function)].bindings = {CORE: Binding(None, _answer, _function)}


def public_name(function: Callable[..., Any]) -> str:
    """Write a function as its users do, who import its library: ``scipy.special.erf``."""
    name = f"{home_of(function)}.{getattr(function, '__name__', function)}"
    return f"np.{name.removeprefix('numpy.')}" if name.startswith("numpy.") else name


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


def missing(
    name: str,
    written: str,
    advice: str = "",
    error: type[MissingOperationError] = MissingOperationError,
) -> MissingOperationError:
    """Return the error for an operation that no plugin provides, as the user has `written` it.

    The `advice` is added if no known distribution has it.
    """
    what_to_do, distribution = advice_on(name)
    if distribution is None:
        what_to_do = f"{what_to_do} {advice}".rstrip()
    return error(
        f"no loaded plugin provides {written}. {what_to_do}",
        operation=name,
        distribution=distribution,
    )


def missing_numpy_function(function: Callable[..., Any], method: str = "") -> MissingOperationError:
    """Return the error for a NumPy function, or for a ``".reduce"`` of a ufunc."""
    name, written = numpy_name(function) + method, public_name(function) + method
    name = written if written.startswith("scipy.") else name
    if name in COUNTING:
        message = f"no gradient goes through counts. For the counts, write {written}(x.data); for "
        message += (
            "sums of weights, w @ (i[:, None] == np.arange(n)), i = np.digitize(a, bins) - 1."
        )
        return MissingOperationError(message, operation=name, distribution=None)
    symbols = (symbol for symbol, ufunc in OPERATORS.values() if ufunc == name)
    written = next((f"{symbol!r} ({written})" for symbol in symbols), written)
    advice = "dezero_tools.numeric_op(f) gives an approximate one."
    return missing(name, f"{written} for a Variable", "" if name in WRITING else advice)


#: Operations of the distribution that has the operators, which are no operators themselves.
_CONVERSIONS = {
    *("astype", "broadcast_to", "conj", "conjugate", "div", "float_power"),
    *("imag", "real", "sign", "sum_to"),
}
_OF_THE_ENGINE = ("astype", "conjugate", "real", "sum_to")
_BESIDE_OPERATORS = {*_BINARY, *_OTHER, *(ufunc for _, ufunc in OPERATORS.values()), *_CONVERSIONS}


def distribution_of(operation: str) -> str | None:
    """Return the distribution that has an operation, by a rule: the core has no list of them.

    The operators and conversions are in one distribution, all else that NumPy's functions and the
    methods of an ndarray do is in the other. If that lacks one, it is known once it is loaded.
    """
    if operation in _BESIDE_OPERATORS:
        return "dezero-ops-basic"
    if operation.startswith("scipy.special."):
        return "dezero-ops-special"
    return "dezero-ops-math" if _is_of_numpy(operation) else None


def _is_of_numpy(operation: str) -> bool:
    """Return whether there is a function of that name, as ``linalg.inv``, or a method."""
    *modules, name = operation.split(".")
    found = in_numpy(".".join(modules)) if modules else np
    function = vars(found).get(name) if isinstance(found, ModuleType) else None
    if callable(function) and not isinstance(function, type):
        return True
    return not name.startswith("_") and not modules and hasattr(np.ndarray, name)


def advice_on(operation: str) -> tuple[str, str | None]:
    """Return the advice on a missing operation, and the distribution that has it, if any."""
    distribution = distribution_of(operation)
    if distribution is not None:
        records = [plugin.record for plugin in PLUGINS.values()]
        record = next((each for each in records if each.distribution == distribution), None)
        if record is None:
            where = "Many such are in" if operation.startswith("scipy.") else "It is in"
            return f"{where} {distribution}: pip install {distribution}", distribution
        if record.state != "loaded":
            return f"It is in {distribution}, which {record.why_not}", distribution
        if release(record.version) < release(sys.modules[CORE].__version__):
            return f"It is in a newer one: pip install --upgrade {distribution}", distribution
    return "No plugin known here has it; x.data gives the values without a gradient.", None


def release(version: str | None) -> tuple[int, ...]:
    """Return the numbers of a version's release, ``(1, 2)`` of ``1.2.0``; none if it has none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", version or "")
    numbers = [int(number) for number in found[1].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


# An ndarray on the left asks the ufunc: ``a + x`` is ``np.add(a, x)``.
_ATTRIBUTES = (*OPERATORS, "__array_priority__", *_OF_THE_ENGINE)
_FUNCTIONS = (*(ufunc for _, ufunc in OPERATORS.values()), *_OF_THE_ENGINE)
for _thing in (*(f"Variable.{a}" for a in _ATTRIBUTES), *(f"np.{f}" for f in _FUNCTIONS)):
    NEVER_IN_DOUBT[_thing] = distribution_of("add")
