"""Neural networks for DeZero in plugins: the second half of the book.

Its programs run with ``dezero`` replaced by ``dezero_nn`` in their imports::

    import dezero_nn as dezero
    import dezero_nn.functions as F
    import dezero_nn.layers as L
    from dezero_nn import DataLoader, optimizers
    from dezero_nn.models import MLP
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
    from . import (
        cuda,
        dataloaders,
        datasets,
        functions,
        layers,
        models,
        optimizers,
        transforms,
        utils,
    )
    from .checkpoints import load_checkpoint, save_checkpoint
    from .dataloaders import DataLoader, SeqDataLoader
    from .datasets import Dataset
    from .layers import Layer
    from .models import Model
else:  # the plugin is loaded with the core, maybe while an op package is being imported
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "checkpoints": "load_checkpoint save_checkpoint",
            "dataloaders": "DataLoader SeqDataLoader",
            "datasets": "Dataset",
            "layers": "Layer",
            "models": "Model",
            **dict.fromkeys(("cuda", "functions", "optimizers", "transforms", "utils"), ""),
        },
    )

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
    "cuda",
    "dataloaders",
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
    "utils",
]


def test_mode() -> using_config:
    """Return a block that switches ``Config.train`` off: ``with test_mode():`` or ``@test_mode()``.

    In the block `dropout` returns its input, and `batch_norm` takes the running mean and variance.
    It is ``using_config("train", False)``, for one thread and one asyncio task. Source: step 54 of
    the book.

    Examples
    --------
    >>> with test_mode():
    ...     Config.train
    False
    """
    return using_config("train", False)


test_mode.__test__ = False  # type: ignore[attr-defined]  # else pytest takes it for a test
