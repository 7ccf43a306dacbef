"""Where neither typer nor rich is installed: what is there then, and what is said.

Promise: docs/how_to/look_at_plugins.md
"""

import json

from ... import interpreters

COMMAND = "import _dezero_command; sys.exit(_dezero_command.main())"


def test_the_command_without_its_extra_names_the_package_to_install(without_extra):
    done = without_extra(COMMAND, "plugins")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'dezero-tools[cli]'" in done.stderr
    assert "python -m dezero_core" in done.stderr
    assert "Traceback" not in done.stderr


def test_python_m_dezero_tools_runs_the_command(environment, tmp_path, script, dezero):
    arguments = ("-m", "dezero_tools", "ops", "np.add", "--json")
    where = {"python": script.with_name("python"), "cwd": tmp_path}
    done = interpreters.run(*arguments, env=environment(DEZERO_PLUGINS="basic"), **where)
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(
        dezero("ops", "np.add", "--json", DEZERO_PLUGINS="basic").stdout
    )


def test_a_broken_extra_of_the_command_is_not_taken_for_a_missing_extra(
    dezero, environment, fake_distribution, tmp_path
):
    fake_distribution("typer-broken", {"typer.py": "import surely_not_there"})
    done = dezero("plugins")
    assert done.returncode == 1
    assert "No module named 'surely_not_there'" in done.stderr
    done = interpreters.run("-m", "dezero_tools", env=environment(), cwd=tmp_path)
    assert done.returncode == 1
    assert "No module named 'surely_not_there'" in done.stderr
