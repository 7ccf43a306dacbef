"""Dask: gradients of data that do not fit in memory, or on one machine."""

from __future__ import annotations

__version__ = "0.1.0"
