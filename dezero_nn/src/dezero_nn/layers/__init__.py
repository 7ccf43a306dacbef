"""Layers: functions with parameters, under the book's names."""

from __future__ import annotations

from .convolution import Conv2d, Deconv2d
from .layer import Layer, State
from .linear import EmbedID, Linear
from .normalization import BatchNorm, Dropout, LayerNorm
from .recurrent import GRU, LSTM, RNN

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BatchNorm",
    "Conv2d",
    "Deconv2d",
    "Dropout",
    "EmbedID",
    "Layer",
    "LayerNorm",
    "Linear",
    "State",
]
