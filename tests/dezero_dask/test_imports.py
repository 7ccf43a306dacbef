"""The package is loaded with the core, so it imports nothing of Dask before it is needed."""

import json
import pkgutil
import subprocess
import sys

import dezero_dask


def test_nothing_of_dask_is_imported_with_the_plugin():
    code = (
        "import sys, json, dezero_core, dezero_dask;"
        "dezero_core.plugins();"
        "print(json.dumps([m for m in sys.modules if m.split('.')[0] in "
        "('dask', 'distributed', 'cloudpickle')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_each_name_is_there():
    for name in dezero_dask.__all__:
        assert getattr(dezero_dask, name).__doc__
    assert set(dezero_dask.__all__) <= set(dir(dezero_dask))


def test_no_module_of_the_package_has_the_name_of_a_function_of_it():
    """Its import would put the module in the place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(dezero_dask.__path__)}
    assert not modules & set(dezero_dask.__all__)
