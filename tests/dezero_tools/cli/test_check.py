"""``dezero check``: the conformance kit on installed plugins, whatever they do.

Promise: docs/how_to/publish_a_plugin.md
"""

import json
import os
import pty
import re
import subprocess

import pytest

OPERATIONS = """
import ctypes, os, sys, warnings
import numpy as np
from functools import partial
from dezero_core import Function, hookimpl

print("imported")
if {refuses_to_start} and sys.argv[:2] == ["-c", "{name}"]:
    os._exit(7)


class Cube(Function):
    def forward(self, x):
        print("applied")
        warnings.warn("a warning of an operation")
        return x * x * x

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * 3.0 * x * x


class Wrong(Cube):
    def backward(self, gy):
        x = self.inputs[0].data
        return gy * 3.01 * x * x


class Rounded(Cube):
    def forward(self, x):
        return x**3.0

    def backward(self, gy):
        return gy * self.inputs[0].data ** 2.0


class Ends(Cube):
    def forward(self, x):
        os.write(2, b"\\x1b[31m" + 10**5 * b"x" + b"\\nlast words\\n")
        os._exit(0)


class Faults(Cube):
    def forward(self, x):
        ctypes.string_at(0)


class Exits(Cube):
    def forward(self, x):
        sys.exit("goodbye")


class Raises(Cube):
    def backward(self, gy):
        raise ValueError("out of order")


class Panics(Cube):
    def forward(self, x):
        raise BaseException("no luck")


class Interrupts(Cube):
    def forward(self, x):
        raise KeyboardInterrupt


class Summed(Cube):
    elementwise = True  # it is not: elements of all examples would be added up

    def forward(self, x):
        return x * np.sum(x)


class Decides(Cube):
    def forward(self, x):
        return super().forward(x) if float(np.sum(x)) > 0.0 else x


class Known(Wrong):
    pass


class Mismarked(Cube):
    pass


class Unsampled(Cube):
    pass


def applied(cls):
    return lambda x, scale=None: cls()(x)


@hookimpl
def dezero_register_ops(register):
    known = dict.fromkeys(["gradient", "complex", "second order"], "1 % too large")
    options = {{
        Known: dict(known_failures=known),
        Mismarked: dict(known_failures={{"nonsense": "nobody knows"}}),
        Rounded: dict(ulps=0.0),
    }}
    for cls in {classes}:
        name = cls.__name__.lower()
        sample = None if cls is Unsampled else partial(sampled, options.get(cls, {{}}))
        register(name, applied(cls), cls, sample=sample)


def sampled(options, kit):
    calls = [kit.Call(kit.Draw(shape, (1.0, 3.0))) for shape in ((2, 3), ())]
    return kit.Sample(*calls, reference=lambda x: x * x * x, **options)
"""


@pytest.fixture
def operations(fake_distribution):
    """Return a function that installs a plugin with some of the operations above."""

    def install(name, classes, refuses_to_start=False):
        source = OPERATIONS.format(
            name=name, classes=f"[{classes}]", refuses_to_start=refuses_to_start
        )
        fake_distribution(f"{name}-ops", {f"{name}_ops.py": source}, {name: f"{name}_ops"})

    return install


def test_check_passes_a_right_plugin_with_the_count_of_checks(operations, dezero):
    operations("cubic", "Cube")
    done = dezero("check", "cubic-ops", DEZERO_PLUGINS="basic,cubic")
    assert done.returncode == 0
    title, count, *reasons, parameter = done.stdout.splitlines()
    assert title == "plugin 'cubic' (cubic-ops 1.0): passed"
    assert count.split(", ")[0] == "  1 operation"
    assert int(count.split(", ")[1].split()[0]) > 20
    assert "    2 skipped: it takes one array" in reasons
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert parameter.strip() == "parameters that no call passes: cube(scale=)"
    assert "imported" in done.stderr
    assert "warning" not in done.stderr


def test_check_prints_the_expected_and_the_actual_value_of_each_failure(operations, dezero):
    operations("cubic", "Cube, Wrong")
    done = dezero("check", "cubic", COLUMNS="300", DEZERO_PLUGINS="basic,cubic")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "plugin 'cubic' (cubic-ops 1.0): FAILED"
    gradient = "gradient: wrong gradient of input 0, off by 0.0033 relative, "
    assert lines[1].startswith(f"  wrong: {gradient}")
    assert lines[2] == "    called: wrong(Draw((2, 3), (1.0, 3.0)))"
    assert "expected: array(" in done.stdout
    assert "got:      array(" in done.stdout
    also = lines.index("    wrong fails also:")
    assert lines[also + 1].startswith("      complex: wrong gradient of input 0, off by 0.0033 ")
    assert lines[also + 2].startswith("      second order: wrong ")
    failed = lines.index("    1 of 2 operations failed: wrong")
    assert lines[failed - 1].startswith("  2 operations, ")
    assert lines[-1] == "1 of 1 plugin failed: cubic"


def test_check_shows_a_wrong_gradient_before_values_that_are_off_by_rounding(operations, dezero):
    operations("cubic", "Rounded")
    done = dezero("check", "cubic", DEZERO_PLUGINS="basic,cubic", COLUMNS="300")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1].startswith("  rounded: gradient: wrong gradient of input 0, off by 0.67 relati")
    also = lines.index("    rounded fails also:")
    end = next(n for n, line in enumerate(lines) if line.startswith("  1 operation, "))
    sized = re.compile(r" {6}[\w ]+: .*wrong (\w+)\b.*, off by ([\d.e-]+) relative, ")
    found = [match.groups() for match in map(sized.match, lines[also + 1 : end]) if match]
    values = [float(size) for what, size in found if what == "values"]
    assert len(values) > 1
    assert values == sorted(values, reverse=True)
    assert {what for what, _ in found[: -len(values)]} == {"derivative"}
    done = dezero("check", "cubic", "--json", DEZERO_PLUGINS="basic,cubic")
    ((first, *_),) = (plugin["failures"] for plugin in json.loads(done.stdout)["plugins"])
    assert (first["check"], first["order"], first["dtype"]) == ("gradient", 1, None)
    assert first["size"] == pytest.approx(2.0 / 3.0)


def test_check_shows_an_error_without_the_place_of_its_own_program(operations, dezero):
    """It calls the operation from no file. The lines of the operation are shown."""
    operations("cubic", "Raises")
    for plugins in "basic,cubic", "basic,cubic,tools":
        done = dezero("check", "cubic", COLUMNS="300", DEZERO_PLUGINS=plugins)
        lines = list(map(str.strip, done.stdout.splitlines()))
        assert lines[1].endswith(": ValueError: out of order")
        (note,) = {line for line in lines if line.startswith("in Raises.backward of plugin")}
        assert note == "in Raises.backward of plugin 'cubic' (cubic-ops 1.0), given float64[2, 3]"
        assert any(re.fullmatch(r'File ".*cubic_ops\.py", line \d+, in backward', s) for s in lines)


def test_check_reports_a_crash_and_checks_the_other_operations(operations, dezero):
    """By every way there is: the operation before, and those after, have their counts."""
    operations(
        "cubic", "Cube, Ends, Exits, Faults, Interrupts, Known, Mismarked, Panics, Unsampled"
    )
    operations("other", "")
    done = dezero("check", "cubic", "other", "--json", DEZERO_PLUGINS="basic,cubic,other")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    cubic, other = data["plugins"]
    assert (data["ok"], cubic["ok"], other["ok"]) == (False, False, False)
    assert (other["operations"], other["ran"]) == ([], 0)
    assert other["problem"].startswith("nothing was checked: it registers no operation. ")
    failures = {failure["operation"]: failure for failure in cubic["failures"]}
    crashed = {"ends", "exits", "faults", "interrupts", "mismarked", "panics"}
    assert failures.keys() == crashed | {"unsampled"}
    ends = failures["ends"]["failure"].splitlines()
    assert ends[0] == "ends: values: it ended the process (exit status 0)"
    assert ends[-2].startswith(r"  \x1b[31mxxx")
    assert max(map(len, ends)) < 510
    assert ends[-1] == "  last words"
    exits = failures["exits"]
    assert exits["check"] == "values"
    assert exits["failure"].startswith("exits: values: SystemExit: goodbye, at ")
    faults = failures["faults"]["failure"].splitlines()
    assert faults[0] == "faults: values: it ended the process (SIGSEGV)"
    assert faults[1].startswith("  Fatal Python error: Segmentation fault")
    assert any("cubic_ops.py" in line and "forward" in line for line in faults)
    interrupts = failures["interrupts"]["failure"].splitlines()
    assert interrupts[0] == "interrupts: values: it ended the process (SIGINT)"
    assert failures["panics"]["failure"].startswith("panics: values: BaseException: no luck, at ")
    assert "'nonsense'" in failures["mismarked"]["failure"]
    assert cubic["known_failures"] == {"1 % too large": 6}
    unsampled = "unsampled: nothing was checked: it was registered without a sample. "
    assert failures["unsampled"]["failure"].startswith(unsampled)
    assert cubic["unpassed"] == ["cube(scale=)", "known(scale=)"]
    assert cubic["ran"] > 40


def test_check_without_a_name_checks_all_loaded_plugins(operations, dezero):
    operations("cubic", "Cube")
    operations("other", "Unsampled")
    operations("idle", "Wrong")
    done = dezero("check", DEZERO_PLUGINS="cubic,other")
    assert done.returncode == 1
    titles = [line for line in done.stdout.splitlines() if line.startswith("plugin")]
    assert titles == [
        "plugin 'cubic' (cubic-ops 1.0): passed",
        "plugin 'other' (other-ops 1.0): FAILED",
    ]
    words = " ".join(done.stdout.split())
    advice = "Say how to call it: sample=lambda kit: kit.elementwise((0.5,"
    assert f"it was registered without a sample. {advice}" in words
    done = dezero("check", "--allow-empty", DEZERO_PLUGINS="cubic,other")
    assert done.returncode == 0
    titles = [line for line in done.stdout.splitlines() if line.startswith("plugin")]
    assert titles == [
        "plugin 'cubic' (cubic-ops 1.0): passed",
        "plugin 'other' (other-ops 1.0): nothing was checked",
    ]


def test_check_fails_for_a_plugin_that_is_not_loaded_and_checks_other_plugins(
    operations, fake_distribution, dezero
):
    announced = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    announced += "    register.later('late', operations='lately')\n"
    modules = {"early.py": announced, "late.py": "raise ImportError('too late')"}
    fake_distribution("late-ops", modules, {"early": "early"})
    fake_distribution("bad-ops", {"bad.py": "raise ImportError('no luck')"}, {"bad": "bad"})
    operations("stubborn", "Ends, Wrong", refuses_to_start=True)
    operations("cubic", "Cube")
    names = ("bad", "early", "math", "stubborn", "cubic")
    done = dezero("check", *names, DEZERO_DISABLE_PLUGINS="math")
    assert done.returncode == 1
    words = " ".join(done.stdout.split())
    for part in (
        "(bad-ops 1.0): FAILED it is not loaded (failed): ImportError: no luck",
        "(late-ops 1.0): FAILED plugin 'early' (late-ops 1.0): its module 'late' cannot be loaded",
        "FAILED it is not loaded (disabled): disabled by DEZERO_DISABLE_PLUGINS",
        "FAILED ends: the start of the checks: it ended the process (exit status 7)",
        "plugin 'cubic' (cubic-ops 1.0): passed",
        "4 of 5 plugins failed: bad, early, math, stubborn",
    ):
        assert part in words
    assert "wrong: the start" not in words


def test_check_with_op_checks_only_the_named_operations(operations, dezero):
    operations("cubic", "Cube, Wrong")
    operations("other", "Unsampled")
    done = dezero("check", "--op", "cube", "--json", DEZERO_PLUGINS="cubic,other")
    assert done.returncode == 0
    (cubic,) = json.loads(done.stdout)["plugins"]
    assert cubic["operations"] == ["cube"]
    done = dezero("check", "cubic", "--op", "cub", DEZERO_PLUGINS="cubic")
    assert (done.returncode, done.stdout) == (1, "")
    assert "There are 2 (cube, wrong). Did you mean 'cube'?" in done.stderr


def test_check_checks_a_plugin_that_is_named_twice_once(operations, dezero):
    operations("cubic", "Cube")
    done = dezero("check", "cubic", "Cubic", "cubic", "--json", DEZERO_PLUGINS="cubic")
    assert [plugin["plugin"] for plugin in json.loads(done.stdout)["plugins"]] == ["cubic"]


def test_check_checks_a_plugin_whose_operations_another_plugin_provides(operations, dezero):
    operations("cubic", "Cube, Wrong")
    operations("other", "Cube, Wrong")
    choice = {"DEZERO_OPS": "cube=cubic,wrong=other", "DEZERO_PLUGINS": "cubic,other"}
    done = dezero("check", "--op", "wrong", "--json", **choice)
    assert done.returncode == 1
    plugins = json.loads(done.stdout)["plugins"]
    assert [plugin["plugin"] for plugin in plugins] == ["cubic", "other"]
    for plugin in plugins:
        assert plugin["operations"] == ["wrong"]
        assert plugin["failures"][0]["check"] == "gradient"


def test_check_without_any_plugin_has_nothing_to_check(dezero):
    done = dezero("check", DEZERO_PLUGINS="")
    assert done.returncode == 1
    message = (
        "No plugin is loaded: there is nothing to check. With --allow-empty that is no failure."
    )
    assert done.stdout == f"{message}\n"
    assert dezero("check", "--allow-empty", DEZERO_PLUGINS="").returncode == 0


def test_check_fails_for_a_plugin_without_operations_unless_that_is_allowed(operations, dezero):
    operations("idle", "")
    done = dezero("check", "idle", DEZERO_PLUGINS="idle", COLUMNS="100")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "plugin 'idle' (idle-ops 1.0): FAILED",
        "  nothing was checked: it registers no operation. With --allow-empty that is no failure.",
    ]
    done = dezero("check", "idle", "--allow-empty", DEZERO_PLUGINS="idle")
    assert done.returncode == 0
    assert done.stdout.startswith("plugin 'idle' (idle-ops 1.0): nothing was checked\n")


def everything_on(terminal):
    """Return the text that a program has written to a terminal, once it has ended."""
    written = b""
    try:
        while part := os.read(terminal, 4096):  # a terminal gives no more of it at once
            written += part
    except OSError:  # so Linux says that nobody can write any more
        pass
    finally:
        os.close(terminal)
    return written.decode()


def test_check_shows_a_progress_bar_on_a_terminal_and_not_in_the_results(
    script, environment, operations
):
    operations("cubic", "Cube")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [script, "check", "cubic", "--json"],
        env=environment(TERM="xterm", DEZERO_PLUGINS="basic,cubic"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    results = process.stdout.read()
    process.stdout.close()
    assert process.wait() == 0
    assert json.loads(results)["ok"]
    shown = everything_on(ours)
    assert "cubic: cube: " in shown
    assert "0/1" in shown


def test_check_without_a_name_fails_for_a_plugin_that_failed_to_load(
    fake_distribution, plugin_source, dezero
):
    """Nobody would miss its checks otherwise; one that is disabled nobody expects."""
    fake_distribution("good-ops", {"good.py": plugin_source("tripled")}, {"good": "good"})
    fake_distribution("bad-ops", {"bad.py": "import surely_not_there"}, {"bad": "bad"})
    off = {"DEZERO_DISABLE_PLUGINS": "basic,math"}
    done = dezero("check", "--allow-empty", **off)
    assert done.returncode == 1
    assert "it is not loaded (failed): ModuleNotFoundError" in done.stdout
    assert "1 of 2 plugins failed: bad" in done.stdout
    off["DEZERO_DISABLE_PLUGINS"] += ",bad"
    assert dezero("check", "--allow-empty", **off).returncode == 0


def test_check_with_array_batched_passes_a_right_operation_and_finds_one_that_mixes_examples(
    operations, dezero
):
    operations("cubic", "Cube, Summed")
    plugins = {"DEZERO_PLUGINS": "basic,cubic,tools", "COLUMNS": "300"}
    done = dezero("check", "cubic", "--array", "batched", "--json", **plugins)
    assert done.returncode == 1
    (failures,) = (plugin["failures"] for plugin in json.loads(done.stdout)["plugins"])
    assert {each["operation"] for each in failures} == {"summed"}
    (found,) = [each["failure"] for each in failures if each["check"] == "batched arrays"]
    assert "summed: batched arrays: wrong value 0 over a batch" in found


def test_check_with_array_batched_skips_an_operation_that_decides_with_the_reason(
    operations, dezero
):
    operations("cubic", "Decides")
    plugins = {"DEZERO_PLUGINS": "basic,cubic,tools", "COLUMNS": "300"}
    done = dezero("check", "cubic", "--array", "batched", **plugins)
    assert done.returncode == 0
    assert "2 skipped: float() needs one value, and within vmap(f) an array has one" in done.stdout


def test_check_refuses_an_unknown_type_of_arrays_once_with_the_known_ones(operations, dezero):
    operations("cubic", "Cube, Wrong")
    for name, advice in ("batchd", "Did you mean 'batched'?"), ("round", "Known: batched, strict."):
        options = {"DEZERO_PLUGINS": "basic,cubic,tools", "COLUMNS": "300"}
        done = dezero("check", "cubic", "--array", name, **options)
        assert (done.returncode, done.stdout) == (1, "")
        said = f"no loaded plugin registers arrays called {name!r}. {advice}"
        assert done.stderr.count(said) == 1
    done = dezero("check", "cubic", "--array", "batched", DEZERO_PLUGINS="basic,cubic")
    assert "Known: strict." in done.stderr  # without the plugin of the tools
