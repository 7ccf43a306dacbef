"""Names of operations: where each is defined, how it is imported, and its names in NumPy."""

from __future__ import annotations

import numpy as np

from dezero_core import Operation

NAMESPACES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}


def module_of(operation: Operation) -> str:
    """Return the module that has the operation's function."""
    return operation.function.__module__


def folder_of(operation: Operation) -> str:
    """Return the folder of the plugin it is in: ``linalg``, or an empty string."""
    return ".".join(module_of(operation).split(".")[1:-1])


def public_name(operation: Operation) -> str:
    """Return the name to import the operation's function by."""
    package, *_ = module_of(operation).split(".")
    namespace = operation.name.rpartition(".")[0].removeprefix("scipy.")
    return ".".join(filter(None, (package, namespace, operation.function.__name__)))


def names_in_numpy(operation: Operation) -> list[str]:
    """Return every name that NumPy has for it: ``["np.abs", "np.absolute"]``."""
    functions = [id(function) for function in operation.numpy]
    return [
        f"{namespace}.{name}"
        for namespace, module in NAMESPACES.items()
        for name in sorted(dir(module))
        if id(getattr(module, name)) in functions
    ]
