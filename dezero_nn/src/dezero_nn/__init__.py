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

from . import functions, layers, models, optimizers
from .checkpoints import load_checkpoint, save_checkpoint
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
    "functions",
    "layers",
    "load_checkpoint",
    "models",
    "no_grad",
    "optimizers",
    "save_checkpoint",
    "test_mode",
    "using_config",
]


def test_mode() -> using_config:
    """Switch ``Config.train`` off: ``with test_mode():`` or ``@test_mode()``."""
    return using_config("train", False)
