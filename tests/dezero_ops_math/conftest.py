"""What these tests share with those of the contract."""

from ..operations.seal import nothing_leaks as nothing_leaks
