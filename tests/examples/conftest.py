"""The tests of the examples."""

from importlib.util import find_spec

# Some are about a package of their own; where it is not installed their test does not exist.
TESTS_OF = {
    "dezero_ops_scipy": "test_gamma_fit.py",
    "dezero_dask": "test_waiting_times.py",
    "dezero_nn": "book",
}
collect_ignore = [test for package, test in TESTS_OF.items() if not find_spec(package)]
