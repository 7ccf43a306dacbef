"""What all tests of operations share."""

from .seal import nothing_leaks as nothing_leaks
