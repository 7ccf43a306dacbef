"""Datasets: pairs of a datum and its label, under the book's names."""

from __future__ import annotations

from .dataset import Dataset, SinCurve, Spiral, get_spiral
from .images import CIFAR10, MNIST, Digits

__all__ = ["CIFAR10", "MNIST", "Dataset", "Digits", "SinCurve", "Spiral", "get_spiral"]
