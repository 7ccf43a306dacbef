"""The tests of the examples."""

from importlib.util import find_spec

# One is about a plugin; where it is not installed its test does not exist.
collect_ignore = [] if find_spec("dezero_ops_special") else ["test_gamma_fit.py"]
