"""DeZero in plugins: the core. It records and differentiates, and knows no operation.

Operations come from installed plugins, which are loaded when this package is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .config import Config, no_grad, using_config
from .discovery import PluginRecord
from .engine import grad
from .errors import (
    DezeroError,
    DrawingError,
    GradientError,
    GraphCopyError,
    GraphError,
    GraphvizError,
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
from .exports import lazily
from .function import Function
from .hookspecs import PLUGIN_API, hookimpl
from .memory import keep_heap
from .plugin_manager import load_installed, load_plugins, ops, plugins, register, unregister
from .registrar import Operation, Registrar
from .variable import Parameter, Variable, as_array, as_variable

__version__ = "0.1.0"

__all__ = [
    "PLUGIN_API",
    "Call",
    "Config",
    "DezeroError",
    "Draw",
    "DrawingError",
    "Function",
    "GradientError",
    "GraphCopyError",
    "GraphError",
    "GraphvizError",
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
    "draw",
    "elementwise",
    "grad",
    "hookimpl",
    "load_plugins",
    "no_grad",
    "ops",
    "plugins",
    "register",
    "to_dot",
    "to_mermaid",
    "unregister",
    "using_config",
]

if TYPE_CHECKING:
    from .drawing import draw, to_dot, to_mermaid
    from .sampling import Call, Draw, Sample, elementwise
else:  # only tests need samples, and the modules of operations, for their tests
    _LATER = {"drawing": "draw to_dot to_mermaid", "sampling": "Call Draw Sample elementwise"}
    __getattr__, __dir__ = lazily(__name__, _LATER)

keep_heap()
load_installed()
