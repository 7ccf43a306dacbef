"""The advice for functions of other libraries that were given a Variable: the tools' adviser."""

from __future__ import annotations

import re
import sys
from types import FrameType, FunctionType

from dezero_core.extend import PACKAGES, PLUGINS, advice_on, in_numpy, package_of

#: Functions of NumPy that count: the sums of their weights alone have a gradient.
_COUNTING = {"bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"}
#: Functions that write into an array, or a file: there is no gradient to approximate.
_INTO_ARRAYS = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
_WRITING = {*_INTO_ARRAYS, "save", "savetxt", "savez", "savez_compressed"}

#: SciPy's modules whose functions do the same as operations of the same name. In other modules,
#: such as ndimage, they do something else.
_OF_SCIPY = ("integrate", "linalg", "special")


def for_library(attribute: str, frame: FrameType) -> str:
    """Return the advice for the library whose code runs in a frame, "" if that is the user's.

    A Variable does not give `attribute`: ``"__array__"``, the values without the gradient;
    ``"__getstate__"``, as for a copy; a method that it lacks; or an operation that no plugin has,
    ``"np.histogram"``.
    """
    if attribute.startswith("np."):  # an operation that no distribution is known to have
        operation = attribute.removeprefix("np.")
        if operation in _COUNTING:
            return (
                f"No gradient goes through counts. For the counts, write {attribute}(x.data); for "
                "sums of weights, w @ (i[:, None] == np.arange(n)), i = np.digitize(a, bins) - 1."
            )
        values = "No plugin known here has it; x.data gives the values without a gradient."
        approximate = " dezero_tools.numeric_op(f) gives an approximate one."
        return values + ("" if operation in _WRITING else approximate)
    function = _library_function(frame)
    if function is None or (attribute, function) == ("__array__", "numpy.full"):
        return ""
    package = function.partition(".")[0]
    name = function.rpartition(".")[2]
    if attribute == "__array__" and package == "numpy" and name in _INTO_ARRAYS:
        return f"{function} writes into an array: make that a Variable, a = Variable(np.zeros(n))."
    if attribute == "__array__" and package == "numpy":
        return (
            f"{function} takes arrays: for values alone, give it x.data; in place of a list of "
            "Variables, np.stack([x, y]), or import dezero_tools.numpy as np, which takes lists."
        )
    if attribute == "__array__" and package == "scipy":
        return _for_scipy(function)
    advice = f"{function} takes arrays: give it x.data."
    if package == "pandas":
        advice += " To keep the gradient, take the array of the table, as in df.to_numpy() * x."
    return advice


def _library_function(frame: FrameType | None) -> str | None:
    """Return the function of a library that the user has called, in which `frame` is, or None."""
    called = None
    while frame is not None:
        package = package_of(frame)
        if package not in sys.stdlib_module_names and package not in PACKAGES.values():
            if not re.search("(site|dist)-packages", frame.f_code.co_filename):
                break
            called = _function_in(frame) or called
        frame = frame.f_back
    return called


def _function_in(frame: FrameType) -> str | None:
    """Return the function that runs in a frame, as users write it, or that is wrapped there."""
    module, name = str(frame.f_globals["__name__"]), frame.f_code.co_qualname
    if "<" in name:  # of a decorator, which has it in a free variable
        values = map(frame.f_locals.get, frame.f_code.co_freevars)
        wrapped = next((value for value in values if isinstance(value, FunctionType)), None)
        if wrapped is None:
            return None
        module, name = wrapped.__module__, wrapped.__qualname__
    public = module.partition("._")[0]
    owner, dot, method = name.partition(".")
    if dot and public.startswith("scipy."):
        # Of an object that the module has by a name, as scipy.stats has norm, it is the name.
        itself = frame.f_locals.get("self")
        known = getattr(sys.modules.get(public), "__dict__", {})
        names = [getattr(each, "name", None) for each in (itself, getattr(itself, "dist", None))]
        found = (each for each, x in known.items() if x is itself or each in names)
        name = f"{next(found, owner)}.{method}"
    return f"{public}.{name.partition('.__')[0]}"


def _for_scipy(function: str) -> str:
    """Return the advice for a function of SciPy's, such as ``"scipy.linalg.inv"``."""
    module, (what_to_do, distribution) = function.split(".")[1], advice_on(function)
    if module == "sparse":
        return "a sparse matrix takes arrays: write S.toarray() @ x, or a Function for a large S."
    how = "write f(x) that calls it, and dezero_tools.numeric_op(f)(x). For a constant, x.data."
    if mirror := _mirror_of(function):
        how = f"use {mirror}. For a constant, x.data."
    elif operation := "np.fft" if module == "fft" else _namesake(function, module):
        how = f"{operation} has a gradient; its defaults may differ. For a constant, x.data."
    elif distribution is not None:
        how = f"for a constant, give it x.data. {what_to_do.rstrip('.')}."
    return f"{function} takes arrays: {how}"


def _mirror_of(function: str) -> str | None:
    """Return the mirror, in a loaded plugin, of a function or distribution of SciPy, or None."""
    for plugin in PLUGINS:
        if any(f"{name}.".startswith(f"{function}.") for name in plugin.record.operations):
            return PACKAGES.get(plugin.record.name, "") + function.removeprefix("scipy")
    return None


def _namesake(function: str, module: str) -> str | None:
    """Return the operation of that name of a loaded plugin, as users write it, or None."""
    name = function.rpartition(".")[2]
    for plugin in PLUGINS if module in _OF_SCIPY else ():
        package = PACKAGES.get(plugin.record.name, "")
        for operation in plugin.record.operations:
            if operation.rpartition(".")[2] == name:
                if callable(in_numpy(operation)):
                    return f"np.{operation}"
                if operation in dir(sys.modules.get(package)):
                    return f"{package}.{operation}"
    return None
