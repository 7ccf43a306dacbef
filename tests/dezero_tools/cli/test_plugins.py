"""``dezero plugins``: a table of every plugin that was seen.

Promise: docs/how_to/look_at_plugins.md
"""

import json
import os
import pty
import subprocess

import pytest

from ... import interpreters

BROKEN = {
    "raises": "raise ImportError('no luck, and a reason that is longer than a line can be')",
    "exits": "raise SystemExit('goodbye')",
    "misspelt": "def :",
}


@pytest.fixture
def installed(fake_distribution, plugin_source):
    """Install a good plugin, one that is to be disabled, and broken ones of every kind."""
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    fake_distribution("idle-ops", {"idle.py": plugin_source("idled")}, {"idle": "idle"})
    for name, source in BROKEN.items():
        modules = {f"{name}.py": source}
        folder = fake_distribution(f"{name}-ops", modules, {name: name}, version="0.3")
    return folder


@pytest.mark.parametrize("strict", ["", "1"])
def test_the_table_of_plugins_can_be_read_at_80_columns(strict, installed, dezero):
    done = dezero("plugins", DEZERO_DISABLE_PLUGINS="idle", DEZERO_STRICT_PLUGINS=strict)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    header, *rest = [line for line in lines if not line.startswith(" ")]
    assert header.split() == ["plugin", "distribution", "version", "state", "operations", "ms"]
    rows = {row.split()[0]: row.split()[1:5] for row in rest}
    assert rows["good"] == ["good-ops", "1.0", "loaded", "1"]
    assert rows["idle"] == ["idle-ops", "1.0", "disabled", "0"]
    for name in BROKEN:
        assert rows[name] == [f"{name}-ops", "0.3", "failed", "0"]
    text = "".join(line.strip() for line in lines)
    assert text.count(str(installed).replace(" ", "")) >= 5
    words = " ".join(done.stdout.split())
    for cause in (
        "disabled by DEZERO_DISABLE_PLUGINS",
        "ImportError: no luck, and a reason that is longer than a line can be, at",
        "SystemExit: goodbye, at",
        "SyntaxError: invalid syntax, at /",
    ):
        assert cause in words


def test_the_json_of_plugins_has_their_records(installed, dezero):
    done = dezero("plugins", "--json", DEZERO_DISABLE_PLUGINS="idle")
    assert (done.returncode, done.stderr) == (1, "")
    records = {record["name"]: record for record in json.loads(done.stdout)}
    assert records.keys() == {"basic", "math", "tools", "good", "idle", *BROKEN}
    good = records["good"]
    assert good.pop("milliseconds") > 0
    assert good == {
        "name": "good",
        "distribution": "good-ops",
        "version": "1.0",
        "origin": str(installed),
        "state": "loaded",
        "cause": None,
        "operations": ["tripled"],
    }
    assert "goodbye" in records["exits"]["cause"]


def test_the_origin_of_a_plugin_is_where_its_distribution_was_installed_from(
    fake_distribution, plugin_source, dezero
):
    """As PEP 610 records it; the folder, where nothing is recorded or it cannot be read."""
    recorded = {
        "editable": {"url": "file:///home/me/src", "dir_info": {"editable": True}},
        "archive": {"url": "https://example.org/a.whl", "archive_info": {}},
        "local": {"url": "file:///home/me/local", "dir_info": {}},
        "index": None,
        "broken": "no object",
    }
    for name, facts in recorded.items():
        modules = {f"{name}.py": plugin_source(f"op_{name}")}
        url = {} if facts is None else {"direct_url": json.dumps(facts)}
        folder = fake_distribution(f"{name}-ops", modules, {name: name}, **url)
    records = json.loads(dezero("plugins", "--json").stdout)
    origins = {record["name"]: record["origin"] for record in records}
    assert {name: origins[name] for name in recorded} == {
        "editable": "file:///home/me/src (editable)",
        "archive": "https://example.org/a.whl",
        "local": "file:///home/me/local",
        "index": str(folder),
        "broken": str(folder),
    }


def test_a_disabled_plugin_is_no_failure_of_the_command(dezero):
    done = dezero("plugins", DEZERO_PLUGINS="")
    assert done.returncode == 0
    assert done.stdout.count("not among those that DEZERO_PLUGINS lists") == 3


def test_without_any_other_plugin_the_tools_are_listed(environment, site, tmp_path):
    program = "import site, sys; site.addsitedir(sys.argv.pop(1)); "
    program += "import _dezero_command; sys.exit(_dezero_command.main())"
    arguments = ("-c", program, site, "plugins")
    done = interpreters.run(*arguments, site=site, env=environment(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    _, line, _ = done.stdout.splitlines()  # below it, the folder
    assert line.split()[:4] == ["tools", "dezero-tools", "0.1.0", "loaded"]


def test_the_states_of_plugins_are_coloured_on_a_terminal(script, environment):
    ours, theirs = pty.openpty()
    terminal = environment(TERM="xterm", DEZERO_DISABLE_PLUGINS="math")
    process = subprocess.Popen([script, "plugins"], env=terminal, stdout=theirs)
    os.close(theirs)
    assert process.wait() == 0
    printed = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "\x1b[32mloaded" in printed
    assert "\x1b[33mdisabled" in printed


EVIL = '''
"""Docs."""
import os
from dezero_core import Function, hookimpl

class Evil(Function):
    def forward(self, x):
        os.write(2, b"\\x1b[31mlast words\\n")
        os._exit(0)

def evil(x, how="\\x1b[31m"):
    """Evil \\x1b[31m in its documentation. Derivative: \\x1b[31m."""
    return Evil()(x)

@hookimpl
def dezero_register_ops(register):
    register("evil", evil, Evil, sample=lambda kit: kit.elementwise((0.0, 1.0)))
    register.later("evil_late", operations="late")
'''


@pytest.mark.parametrize(
    "arguments", [("plugins",), ("ops", "evil"), ("ops", "late"), ("check",), ("doctor",)]
)
def test_control_characters_and_markup_in_texts_of_plugins_are_printed_as_text(
    arguments, fake_distribution, dezero
):
    endless = "raise OSError('\\x1b[31m\\r\\0' + 10**7 * 'x')"
    fake_distribution("end-ops", {"end.py": endless}, {"end": "end", "\x1b[31m": "end"})
    late = "raise OSError('\\x1b[31m')"
    fake_distribution("evil-ops", {"evil.py": EVIL, "evil_late.py": late}, {"evil": "evil"})
    done = dezero(*arguments, DEZERO_DISABLE_PLUGINS="basic,math")
    printed = done.stdout + done.stderr
    assert r"\x1b[31m" in printed
    assert printed.replace("\n", "").isprintable()
    assert len(printed) < 10_000
    if arguments == ("ops", "evil"):
        assert r"Evil \x1b[31m in its documentation. Derivative: \x1b[31m." in printed
    assert "Traceback" not in printed


def test_the_command_plugins_lists_a_module_that_cannot_be_imported(fake_distribution, dezero):
    announced = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    announced += "    register.later('nowhere', operations='lately')\n"
    fake_distribution("late-ops", {"early.py": announced}, {"early": "early"})
    done = dezero("plugins", DEZERO_PLUGINS="early")
    assert (done.returncode, done.stderr) == (1, "")
    assert "its module 'nowhere' cannot be loaded" in " ".join(done.stdout.split())
    done = dezero("ops", "lately", DEZERO_PLUGINS="early")
    assert (done.returncode, done.stdout) == (1, "")
    assert "plugin 'early' (late-ops 1.0): its module 'nowhere' cannot be loaded" in done.stderr
