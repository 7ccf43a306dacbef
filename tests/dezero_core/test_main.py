"""``python -m dezero_core`` lists the plugins, by the standard library alone.

Promise: docs/how_to/look_at_plugins.md
"""

import importlib
import os

import pytest

from .. import interpreters


@pytest.fixture
def listed(fake_distribution, tmp_path, plugin_source):
    """Return a function that runs the module beside a plugin ``good`` and those installed."""
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})

    def run():
        kept = {k: v for k, v in os.environ.items() if not k.startswith("DEZERO_")}
        paths = [*map(str, fake_distribution.sites), kept.get("PYTHONPATH")]
        env = kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        return interpreters.run("-m", "dezero_core", env=env, cwd=tmp_path)

    return run


def test_python_m_dezero_core_lists_each_plugin_in_a_line(listed):
    done = listed()
    assert (done.returncode, done.stderr) == (0, "")
    assert "plugin 'good' (good-ops 1.0): loaded, 1 operations" in done.stdout.splitlines()


def test_python_m_dezero_core_fails_if_a_plugin_has_failed(listed, fake_distribution):
    fake_distribution("bad-ops", {"bad.py": "raise ImportError('no luck')"}, {"bad": "bad"})
    done = listed()
    assert done.returncode == 1
    assert "plugin 'bad' (bad-ops 1.0): failed, ImportError: no luck" in done.stdout
    assert "plugin 'good' (good-ops 1.0): loaded, 1 operations" in done.stdout


def test_importing_the_main_module_of_the_core_lists_no_plugins(capsys):
    assert callable(importlib.import_module("dezero_core.__main__").main)
    assert capsys.readouterr().out == ""


def test_python_m_dezero_core_says_that_no_plugin_is_installed(monkeypatch, capsys):
    module = importlib.import_module("dezero_core.__main__")
    monkeypatch.setattr(module, "plugins", tuple)
    assert module.main() == 0
    assert capsys.readouterr().out.startswith("No plugin is installed. The operators are in: pip ")
