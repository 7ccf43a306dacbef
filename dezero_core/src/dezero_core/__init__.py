"""DeZero in plugins: the core. It records and differentiates, and knows no operation.

Operations come from installed plugins, which are loaded when this package is imported.
"""

from __future__ import annotations

import os

from .config import Config, no_grad, using_config
from .discovery import PluginRecord
from .engine import grad
from .errors import (
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
    UnknownPluginError,
    VariableTypeError,
)
from .function import Function
from .hookspecs import PLUGIN_API, hookimpl
from .memory import keep_heap
from .plugin_manager import load_plugins, ops, plugins, register, unregister
from .registry import Operation, Registrar
from .sampling import Call, Draw, Sample, elementwise
from .variable import Parameter, Variable, as_array, as_variable

__version__ = "0.1.0"

__all__ = [
    "PLUGIN_API",
    "Call",
    "Config",
    "DezeroError",
    "Draw",
    "Function",
    "GradientError",
    "GraphCopyError",
    "GraphError",
    "MissingAttributeError",
    "MissingBackwardError",
    "MissingOperationError",
    "Operation",
    "Parameter",
    "PluginApiError",
    "PluginConflictError",
    "PluginError",
    "PluginLoadError",
    "PluginRecord",
    "PluginWarning",
    "Registrar",
    "Sample",
    "UnknownPluginError",
    "Variable",
    "VariableTypeError",
    "as_array",
    "as_variable",
    "elementwise",
    "grad",
    "hookimpl",
    "load_plugins",
    "no_grad",
    "ops",
    "plugins",
    "register",
    "unregister",
    "using_config",
]

if os.environ.get("DEZERO_KEEP_HEAP") != "0":
    keep_heap()
load_plugins()
