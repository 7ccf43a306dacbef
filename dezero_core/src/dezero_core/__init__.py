"""DeZero in plugins: the core. It records and differentiates, and knows no operation.

Operations come from installed plugins, which are loaded when the first Variable is made.
"""

from __future__ import annotations

import os
from contextlib import suppress

import numpy as np

from .arrays import as_array
from .backward import grad
from .config import Config, no_grad, using_config
from .errors import (
    ApproximateGradientWarning,
    ContestedOperationError,
    DezeroError,
    GradientError,
    GraphCopyError,
    GraphError,
    MissingAttributeError,
    MissingBackwardError,
    MissingOperationError,
    PluginApiError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    PluginWarning,
    UnknownOperationError,
    UnknownPluginError,
    VariableTypeError,
)
from .function import Function
from .registry import PLUGIN_API, hookimpl
from .registry.choices import prefer, use_ops
from .registry.plugins import load_plugins, ops, plugins, register, unregister
from .registry.records import PluginRecord
from .registry.registrar import Operation, Registrar
from .variable import Parameter, Variable, as_variable

__version__ = "0.1.0"

__all__ = [
    "PLUGIN_API", "ApproximateGradientWarning", "Config", "ContestedOperationError",
    "DezeroError", "Function", "GradientError", "GraphCopyError", "GraphError",
    "MissingAttributeError", "MissingBackwardError", "MissingOperationError", "Operation",
    "Parameter", "PluginApiError", "PluginConflictError", "PluginError", "PluginLoadError",
    "PluginRecord", "PluginWarning", "Registrar", "UnknownOperationError", "UnknownPluginError",
    "Variable", "VariableTypeError", "as_array", "as_variable", "grad", "hookimpl",
    "load_plugins", "no_grad", "ops", "plugins", "prefer", "register", "unregister", "use_ops",
    "using_config",
]  # fmt: skip

if os.environ.get("DEZERO_KEEP_HEAP") != "0":
    # From the blocks that are freed, glibc learns which sizes a program uses, and keeps twice as
    # much of its heap: 64 MiB after this one, which is the largest that it learns from. Otherwise
    # the memory of one graph is given back, and faulted in again page by page for the next.
    with suppress(MemoryError):
        np.empty(32 * 2**20 - 8192, np.uint8)
