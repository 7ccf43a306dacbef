"""Where neither typer nor rich is installed: what is there then, and what is said."""

import json
import subprocess
import sys

COMMAND = "import _dezero_command; sys.exit(_dezero_command.main())"


def test_the_command_without_its_extra_names_the_package_to_install(without_extra):
    done = without_extra(COMMAND, "plugins")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'dezero-tools[cli]'" in done.stderr
    assert "python -m dezero_core" in done.stderr
    assert "Traceback" not in done.stderr


def test_python_m_dezero_tools_runs_the_command(environment, tmp_path, dezero):
    done = subprocess.run(
        [sys.executable, "-m", "dezero_tools", "ops", "np.add", "--json"],
        env=environment(DEZERO_PLUGINS="basic"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
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
    module = [sys.executable, "-m", "dezero_tools"]
    done = subprocess.run(
        module, env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "No module named 'surely_not_there'" in done.stderr
