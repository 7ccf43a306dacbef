"""Where neither typer nor rich is installed: what is there then, and what is said."""

import importlib
import json
import subprocess
import sys

COMMAND = "import _dezero_command; sys.exit(_dezero_command.main())"
MODULE = "import runpy; runpy.run_module('dezero_core', run_name='__main__', alter_sys=True)"


def test_the_command_says_what_to_install(without_extra):
    done = without_extra(COMMAND, "plugins")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'dezero-core[cli]'" in done.stderr
    assert "python -m dezero_core" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_module_lists_the_plugins(without_extra):
    done = without_extra(MODULE)
    assert (done.returncode, done.stderr) == (0, "")
    basic, math = done.stdout.splitlines()
    assert basic.startswith("plugin 'basic' (dezero-ops-basic ")
    assert "): loaded, " in math
    assert math.endswith(" operations")


def test_the_module_lists_the_plugins_as_json_and_fails_if_one_has_failed(
    without_extra, fake_distribution
):
    fake_distribution("bad-ops", {"bad.py": "raise ImportError('no luck')"}, {"bad": "bad"})
    done = without_extra(MODULE, "--json")
    assert done.returncode == 1
    states = {record["name"]: record["state"] for record in json.loads(done.stdout)}
    assert states == {"bad": "failed", "basic": "loaded", "math": "loaded"}
    done = without_extra(MODULE)
    assert done.returncode == 1
    assert "plugin 'bad' (bad-ops 1.0): failed, ImportError: no luck" in done.stdout


def test_what_a_plugin_prints_at_exit_is_no_part_of_the_json(without_extra, fake_distribution):
    source = "import atexit, os\natexit.register(lambda: (print('bye'), os.write(1, b'BYE')))"
    fake_distribution("bad-ops", {"bad.py": source}, {"bad": "bad"})
    done = without_extra(MODULE, "--json")
    assert {record["name"] for record in json.loads(done.stdout)} == {"bad", "basic", "math"}
    assert "bye" in done.stderr
    assert "BYE" in done.stderr


def test_the_module_says_what_the_other_commands_need(without_extra):
    done = without_extra(MODULE, "doctor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'doctor'" in done.stderr
    assert "pip install 'dezero-core[cli]'" in done.stderr


def test_to_import_the_module_runs_nothing():
    assert callable(importlib.import_module("dezero_core.__main__").list_plugins)


def test_with_the_extra_the_module_is_the_command(environment, tmp_path, dezero):
    done = subprocess.run(
        [sys.executable, "-m", "dezero_core", "ops", "np.add", "--json"],
        env=environment(DEZERO_PLUGINS="basic"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(
        dezero("ops", "np.add", "--json", DEZERO_PLUGINS="basic").stdout
    )


def test_an_extra_that_is_broken_is_not_taken_for_one_that_is_missing(
    dezero, environment, fake_distribution, tmp_path
):
    fake_distribution("typer-broken", {"typer.py": "import surely_not_there"})
    done = dezero("plugins")
    assert done.returncode == 1
    assert "No module named 'surely_not_there'" in done.stderr
    module = [sys.executable, "-m", "dezero_core"]
    done = subprocess.run(
        module, env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "No module named 'surely_not_there'" in done.stderr


def test_the_module_says_when_there_is_nothing_to_list(monkeypatch, capsys):
    module = importlib.import_module("dezero_core.__main__")
    monkeypatch.setattr(module, "plugins", tuple)
    assert module.list_plugins([]) == 0
    assert capsys.readouterr().out == "No plugin is installed.\n"
