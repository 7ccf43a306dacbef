"""Checkpoints: everything that a training needs to go on as if it had not stopped."""

from __future__ import annotations

from .checkpoint import load_checkpoint, save_checkpoint

__all__ = ["load_checkpoint", "save_checkpoint"]
