"""``python -m dezero_core`` lists the plugins, by the standard library alone.

Promise: docs/how_to/look_at_plugins.md
"""

import importlib
import json
import os

import pytest

from .. import interpreters


@pytest.fixture
def listed(fake_distribution, tmp_path, plugin_source):
    """Return a function that runs the module beside a plugin ``good`` and those installed."""
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})

    def run(*arguments):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("DEZERO_")}
        paths = [*map(str, fake_distribution.sites), kept.get("PYTHONPATH")]
        env = kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        return interpreters.run("-m", "dezero_core", *arguments, env=env, cwd=tmp_path)

    return run


def test_python_m_dezero_core_lists_each_plugin_in_a_line(listed):
    done = listed()
    assert (done.returncode, done.stderr) == (0, "")
    assert "plugin 'good' (good-ops 1.0): loaded, 1 operations" in done.stdout.splitlines()


def test_python_m_dezero_core_lists_json_and_fails_if_a_plugin_has_failed(
    listed, fake_distribution
):
    fake_distribution("bad-ops", {"bad.py": "raise ImportError('no luck')"}, {"bad": "bad"})
    done = listed("--json")
    assert done.returncode == 1
    states = {record["name"]: record["state"] for record in json.loads(done.stdout)}
    assert (states["bad"], states["good"]) == ("failed", "loaded")
    done = listed()
    assert done.returncode == 1
    assert "plugin 'bad' (bad-ops 1.0): failed, ImportError: no luck" in done.stdout


def test_output_of_plugins_at_exit_is_no_part_of_the_json_list(listed, fake_distribution):
    source = "import atexit, os\natexit.register(lambda: (print('bye'), os.write(1, b'BYE')))"
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"})
    done = listed("--json")
    assert {"bad", "good"} <= {record["name"] for record in json.loads(done.stdout)}
    assert "bye" in done.stderr
    assert "BYE" in done.stderr


def test_python_m_dezero_core_says_how_to_install_the_commands(listed):
    done = listed("doctor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'doctor'" in done.stderr
    assert "pip install 'dezero-tools[cli]'" in done.stderr


def test_importing_the_main_module_of_the_core_lists_no_plugins(capsys):
    assert callable(importlib.import_module("dezero_core.__main__").main)
    assert capsys.readouterr().out == ""


def test_python_m_dezero_core_says_that_no_plugin_is_installed(monkeypatch, capsys):
    module = importlib.import_module("dezero_core.__main__")
    monkeypatch.setattr(module, "plugins", tuple)
    monkeypatch.setattr(module.os, "dup2", lambda *_: None)
    assert module.main([]) == 0
    assert capsys.readouterr().out == "No plugin is installed.\n"
