"""Optimizers, their hooks and schedules of the learning rate."""

from __future__ import annotations

from .adaptive import AdaDelta, AdaGrad, Adam, AdamW, RMSprop
from .hooks import ClipGrad, FreezeParam, WeightDecay
from .optimizer import Optimizer
from .schedules import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    Schedule,
    SequentialLR,
    StepLR,
)
from .sgd import SGD, MomentumSGD
from .targets import MissingGradientWarning

__all__ = [
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "ClipGrad",
    "CosineAnnealingLR",
    "ExponentialLR",
    "FreezeParam",
    "LambdaLR",
    "LinearLR",
    "MissingGradientWarning",
    "MomentumSGD",
    "MultiStepLR",
    "Optimizer",
    "RMSprop",
    "Schedule",
    "SequentialLR",
    "StepLR",
    "WeightDecay",
]
