"""DeZero in plugins: the core. It records and differentiates, and knows no operation.

Operations come from installed plugins, which are loaded when this package is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .config import Config, no_grad, using_config
from .discovery import PluginRecord
from .engine import grad
from .errors import (
    ApproximateGradientWarning,
    DezeroError,
    DrawingError,
    GradientError,
    GraphCopyError,
    GraphError,
    GraphvizError,
    MissingAttributeError,
    MissingBackwardError,
    MissingOperationError,
    NotFiniteError,
    PluginApiError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    PluginRequirementError,
    PluginWarning,
    UnknownObserverError,
    UnknownOperationError,
    UnknownPluginError,
    VariableTypeError,
    WrittenArrayError,
)
from .exports import lazily
from .function import Function
from .hookspecs import PLUGIN_API, hookimpl
from .memory import keep_heap
from .plugin_manager import (
    load_installed,
    load_plugins,
    ops,
    plugins,
    providers,
    register,
    unregister,
)
from .preferences import prefer, use_ops
from .registrar import Operation, Registrar
from .variable import Parameter, Variable, as_array, as_variable

__version__ = "0.1.0"

__all__ = [
    "PLUGIN_API",
    "ApproximateGradientWarning",
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
    "NotFiniteError",
    "Observer",
    "Operation",
    "Parameter",
    "PluginApiError",
    "PluginConflictError",
    "PluginError",
    "PluginLoadError",
    "PluginRecord",
    "PluginRequirementError",
    "PluginWarning",
    "Registrar",
    "Sample",
    "UnknownObserverError",
    "UnknownOperationError",
    "UnknownPluginError",
    "Variable",
    "VariableTypeError",
    "WrittenArrayError",
    "as_array",
    "as_variable",
    "checked",
    "draw",
    "elementwise",
    "grad",
    "hookimpl",
    "load_plugins",
    "no_grad",
    "numeric_op",
    "observe",
    "ops",
    "plugins",
    "prefer",
    "providers",
    "register",
    "to_dot",
    "to_mermaid",
    "unregister",
    "use_ops",
    "using_config",
]

if TYPE_CHECKING:
    from .drawing import draw, to_dot, to_mermaid
    from .numeric import numeric_op
    from .observers import Observer, checked, observe
    from .sampling import Call, Draw, Sample, elementwise
else:  # what no calculation needs
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "drawing": "draw to_dot to_mermaid",
            "numeric": "numeric_op",
            "observers": "Observer checked observe",
            "sampling": "Call Draw Sample elementwise",
        },
    )

keep_heap()
load_installed()
