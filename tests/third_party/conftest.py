"""What these tests share with those of the contract."""

from importlib.util import find_spec

from ..operations.seal import nothing_leaks as nothing_leaks

# They are about an installed plugin; where it is not installed they do not exist.
collect_ignore = [] if find_spec("dezero_ops_softplus") else ["test_softplus.py"]
