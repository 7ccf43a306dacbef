"""Neural networks for DeZero in plugins: the second half of the book.

Its programs run with ``dezero`` replaced by ``dezero_nn`` in their imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core import (
    Config,
    Function,
    Parameter,
    Variable,
    as_array,
    as_variable,
    no_grad,
    using_config,
)
from dezero_core.extend import lazily

if TYPE_CHECKING:
    from . import cuda, functions, layers, models, optimizers, utils
    from .layers import Layer
    from .models import Model
else:  # the plugin is loaded with the core, maybe while an op package is being imported
    homes = dict.fromkeys(["cuda", "functions", "optimizers", "utils"], "")
    homes |= {"layers": "Layer", "models": "Model"}
    __getattr__, __dir__ = lazily(__name__, homes)

__version__ = "0.1.0"

__all__ = [
    "Config",
    "Function",
    "Layer",
    "Model",
    "Parameter",
    "Variable",
    "as_array",
    "as_variable",
    "cuda",
    "functions",
    "layers",
    "models",
    "no_grad",
    "optimizers",
    "test_mode",
    "using_config",
    "utils",
]


def test_mode() -> using_config:
    """Switch ``Config.train`` off: ``with test_mode():`` or ``@test_mode()``."""
    return using_config("train", False)
