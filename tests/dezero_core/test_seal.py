"""The fixture that seals every test of this folder really fails one that leaks.

Promise: CONTRIBUTING.md
"""

import shutil
import subprocess
import sys
from pathlib import Path

TESTS = """
import gc

from dezero_core import Config, Variable, hookimpl, prefer, register, unregister
from dezero_core.extend import PREFERRED

class Plugin:
    @hookimpl
    def dezero_register_ops(self, register):
        register("noted", lambda x: x, methods="noted")

def test_leaks_a_switch():
    Config.enable_backprop = False

def test_leaks_a_plugin():
    register(Plugin(), name="left-behind")

def test_leaks_a_method():
    Variable.left_behind = None

def test_leaks_an_operator():
    Variable.__add__ = lambda x, other: None

def test_leaks_a_collector_that_is_off():
    gc.disable()

def test_leaks_a_preference():
    register(Plugin(), name="preferred")
    prefer(noted="preferred")
    unregister("preferred")

def test_leaks_nothing(operators, no_collector):
    pass

def test_finds_everything_as_it_was():
    assert Config.enable_backprop
    assert gc.isenabled()
    assert not hasattr(Variable, "left_behind")
    assert not hasattr(Variable, "noted")
    assert Variable.__add__.__name__ != "<lambda>"
    assert not PREFERRED.maps[0]
"""


def test_a_test_that_leaks_fails_and_the_next_test_passes(tmp_path):
    folder = tmp_path / "tests" / "core"
    folder.mkdir(parents=True)
    for file in Path(__file__).parents[1].glob("*.*"):
        shutil.copy(file, folder.parent)
    (folder / "test_leaks.py").write_text(TESTS)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-v",
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
            "--rootdir",
            ".",
            folder,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith("tests/") and " ERROR " in line]
    assert len(failed) == 6, done.stdout
    assert all("::test_leaks_a" in line for line in failed)
    assert "8 passed, 6 errors" in lines[-1]
