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

from . import datasets, functions, layers, models, optimizers, transforms
from .checkpoints import load_checkpoint, save_checkpoint
from .dataloaders import DataLoader, SeqDataLoader
from .datasets import Dataset
from .layers import Layer
from .models import Model

__version__ = "0.1.0"

__all__ = [
    "Config",
    "DataLoader",
    "Dataset",
    "Function",
    "Layer",
    "Model",
    "Parameter",
    "SeqDataLoader",
    "Variable",
    "as_array",
    "as_variable",
    "datasets",
    "functions",
    "layers",
    "load_checkpoint",
    "models",
    "no_grad",
    "optimizers",
    "save_checkpoint",
    "test_mode",
    "transforms",
    "using_config",
]


def test_mode() -> using_config:
    """Switch ``Config.train`` off: ``with test_mode():`` or ``@test_mode()``."""
    return using_config("train", False)
