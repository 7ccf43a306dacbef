"""Recorded programs as machine code, by LLVM."""

__version__ = "0.1.0"
