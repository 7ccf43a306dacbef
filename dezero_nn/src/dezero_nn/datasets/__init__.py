"""Datasets: pairs of a datum and its label, under the book's names."""

from __future__ import annotations

from .cifar import CIFAR10
from .curves import SinCurve, Spiral, get_spiral
from .dataset import Dataset
from .digits import Digits
from .mnist import MNIST

__all__ = ["CIFAR10", "MNIST", "Dataset", "Digits", "SinCurve", "Spiral", "get_spiral"]
