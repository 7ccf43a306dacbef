"""DeZero in plugins: the core. It records and differentiates, and knows no operation.

Operations come from installed plugins, which are loaded when this package is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .array_types import ArrayType
from .arrays import as_array
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
    PluginRequirementError,
    PluginWarning,
    UnknownOperationError,
    UnknownPluginError,
    VariableTypeError,
)
from .extend import lazily
from .function import Function
from .memory import keep_heap
from .registry.choices import prefer, use_ops
from .registry.discovery import PluginRecord
from .registry.hookspecs import PLUGIN_API, hookimpl
from .registry.manager import (
    load_installed,
    load_plugins,
    ops,
    plugins,
    providers,
    register,
    unregister,
)
from .registry.operation import Operation
from .registry.registrar import Registrar
from .variable import Parameter, Variable, as_variable

__version__ = "0.1.0"

__all__ = [
    "PLUGIN_API",
    "ApproximateGradientWarning",
    "ArrayType",
    "Call",
    "Config",
    "ContestedOperationError",
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
    "PluginRequirementError",
    "PluginWarning",
    "Registrar",
    "Sample",
    "UnknownOperationError",
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
    "prefer",
    "providers",
    "register",
    "unregister",
    "use_ops",
    "using_config",
]

if TYPE_CHECKING:
    from ._bound import grad
    from .registry.sampling import Call, Draw, Sample, elementwise
else:  # registrations need samples, and no calculation
    from .engine import grad

    __getattr__, __dir__ = lazily(__name__, {"registry.sampling": "Call Draw Sample elementwise"})

keep_heap()
load_installed()
