"""What is the same in every command: ``--json``, errors, exit status, standard output.

Promise: docs/how_to/look_at_plugins.md
"""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest
from dezero_tools.cli.output import table

NOISY = """
import os, subprocess, sys, warnings
print("printed by Python")
os.write(1, b"printed by C\\n")
subprocess.run([sys.executable, "-c", "print('printed by a child')"])
warnings.warn("a warning of a plugin")
"""


def test_dezero_without_a_command_prints_the_help_with_all_commands(dezero):
    asked, nothing = dezero("--help"), dezero()
    assert (asked.returncode, nothing.returncode) == (0, 0)
    assert asked.stdout == nothing.stdout
    for command in ("plugins", "ops", "doctor", "check", "compare"):
        assert f"\n  {command} " in asked.stdout
    assert "...\n" not in asked.stdout.partition("Commands:")[2]


def test_the_command_dezero_prints_the_version_of_the_core(dezero):
    done = dezero("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"dezero-core {version('dezero-core')}\n"


def test_an_unknown_command_is_named_with_the_nearest_and_all_that_exist(dezero):
    done = dezero("plugns")
    assert (done.returncode, done.stdout) == (2, "")
    for part in ("dezero: No such command 'plugns'.", "'plugins'?", "doctor", "dezero --help"):
        assert part in done.stderr
    done = dezero("xyzzy", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    error = json.loads(done.stdout)
    assert error["error"] == "UsageError"
    assert "'xyzzy'" in error["message"]
    assert "plugins, ops" in error["message"]


def test_an_unknown_option_is_refused_with_the_command_that_lists_the_options(dezero):
    done = dezero("ops", "--plugn", "basic")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--plugn" in done.stderr
    assert "See dezero ops --help." in done.stderr


@pytest.mark.parametrize("command", ["ops", "check"])
def test_an_unknown_plugin_is_named_with_the_nearest_and_all_that_exist(command, dezero):
    option = ["--plugin"] if command == "ops" else []
    done = dezero(command, *option, "mth")
    assert (done.returncode, done.stdout) == (1, "")
    for part in ("dezero: ", "'mth'", "Installed: basic, math, tools.", "Did you mean 'math'?"):
        assert part in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_a_command_is_json_with_the_option_json(dezero):
    done = dezero("ops", "--plugin", "mth", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    error = json.loads(done.stdout)
    assert error["error"] == "UnknownPluginError"
    assert (error["plugin"], error["known"]) == ("mth", ["basic", "math", "tools"])
    assert "Did you mean 'math'?" in error["message"]


def test_output_of_plugins_during_import_is_not_among_the_results_of_a_command(
    dezero, fake_distribution, plugin_source
):
    announced = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    announced += "    register.later('late', operations='lately')\n"
    late = "def register_ops(register):\n    register('lately', lambda x: x)\n"
    modules = {"noisy.py": NOISY + announced, "late.py": NOISY + late}
    fake_distribution("noisy-ops", modules, {"noisy": "noisy"})
    done = dezero("ops", "--json", DEZERO_PLUGINS="noisy")
    assert done.returncode == 0
    assert "lately" in [each["name"] for each in json.loads(done.stdout)["operations"]]
    for what in ("printed by Python", "printed by C", "printed by a child"):
        assert done.stderr.count(what) == 2
    assert "warning" not in done.stderr


AT_THE_END = """
import atexit, os, subprocess, sys, threading, time
from dezero_core import Function, hookimpl

@atexit.register
def goodbye():
    print("printed at exit")
    os.write(1, b"written at exit\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child at exit')"])

def talk():
    while True:
        print("printed by a thread")
        time.sleep(0.001)

threading.Thread(target=talk, daemon=True).start()

class Cube(Function):
    def forward(self, x):
        return x * x * x
    def backward(self, gy):
        return 3.0 * gy * self.inputs[0].data * self.inputs[0].data

@hookimpl
def dezero_register_ops(register):
    register("cube", lambda x: Cube()(x), Cube, sample=sample)

def sample(kit):
    return kit.Sample(kit.Call(kit.Draw((2, 3), (1.0, 3.0))), reference=lambda x: x * x * x)
"""


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("plugins",), 0),
        (("check", "noisy"), 0),
        (("stubs", "--output", "."), 0),
        (("ops", "nosuch"), 1),
        (("nosuch",), 2),
    ],
)
def test_late_output_of_plugins_leaves_the_json_whole(arguments, status, dezero, fake_distribution):
    fake_distribution("noisy-ops", {"noisy.py": AT_THE_END}, {"noisy": "noisy"})
    done = dezero(*arguments, "--json", DEZERO_PLUGINS="basic,noisy")
    assert done.returncode == status
    json.loads(done.stdout)
    for what in ("at exit", "written at exit", "by a child at exit", "by a thread"):
        assert what in done.stderr


def test_late_output_of_plugins_leaves_the_text_whole(dezero, fake_distribution):
    fake_distribution("noisy-ops", {"noisy.py": AT_THE_END}, {"noisy": "noisy"})
    done = dezero("check", "noisy", DEZERO_PLUGINS="noisy")
    assert done.stdout.startswith("plugin 'noisy' (noisy-ops 1.0): passed\n")
    assert dezero("--version").stdout == f"dezero-core {version('dezero-core')}\n"
    for printed in (done.stdout, dezero("ops", "--help").stdout):
        assert "at exit" not in printed


def test_a_command_breaks_lines_of_its_output_only_for_a_known_width(dezero):
    narrow = dezero("ops", DEZERO_PLUGINS="basic", COLUMNS="60").stdout.splitlines()
    wide = dezero("ops", DEZERO_PLUGINS="basic", COLUMNS="").stdout.splitlines()
    assert max(map(len, narrow)) <= 60
    assert len(wide) < len(narrow)
    (add,) = [line for line in wide if line.startswith("add ")]
    assert add.split() == ["add", "basic", "any", "order", "+", "yes"]


def test_a_closed_pipe_ends_the_command_without_a_traceback(script, environment, tmp_path):
    process = subprocess.Popen(
        [script, "plugins", "--json"],
        env=environment(DEZERO_PLUGINS="basic"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_a_closed_standard_output_gives_no_traceback():
    """As by ``dezero plugins >&-`` in a shell."""
    code = "import os, sys; sys.stdout = None; os.close(1); import _dezero_command as c; "
    code += "sys.argv = ['dezero', '--version']; sys.exit(c.main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_a_table_aligns_cells_and_ends_each_line_where_its_last_cell_does():
    columns = {"name": ["a", "bb"], "n": ["1", "20"], "more": ["x", ""]}
    lines = [line.plain for line in table(columns, to_the_right=("n",))]
    assert lines == ["name   n  more", "a      1  x", "bb    20"]
