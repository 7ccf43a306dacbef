"""Neural networks for DeZero in plugins: the second half of the book.

Its programs run with ``dezero`` replaced by ``dezero_nn`` in their imports.
"""

from __future__ import annotations

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

from . import cuda, functions, layers, models, optimizers, utils
from .layers import Layer
from .models import Model

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
