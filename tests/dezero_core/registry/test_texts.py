"""Texts of others: in messages they are no more than text, and not without end.

Promise: docs/how_to/read_an_error.md
"""

import pytest

from dezero_core import PluginError
from dezero_core.extend import cause_of, shown

#: Colours, a bell, the start of the line, a null byte, text from right to left, half a character.
EVIL = "\x1b[31m\a\r\0\u202e\udcff\x9b2J"
WRITTEN = r"\x1b[31m\x07\r\x00\u202e\udcff\x9b2J"


def test_control_characters_in_messages_are_escaped_and_line_ends_stay():
    assert shown(EVIL) == WRITTEN
    assert shown("a\n\tb é 漢 😀 \\") == "a\n\tb é 漢 😀 \\"


@pytest.mark.parametrize("text", ["x" * 10**7, EVIL * 10**6, "x" * 501, "\0" * 499])
def test_the_middle_of_a_long_text_in_a_message_is_left_out(text):
    assert 490 <= len(shown(text)) <= 500
    assert " […] " in shown(text)
    assert len(shown(text, 40)) <= 40


@pytest.mark.parametrize("text", ["x" * 500, ""])
def test_a_text_within_the_limit_is_shown_whole_in_a_message(text):
    assert shown(text) == text


def raised(error):
    try:
        raise error
    except BaseException as caught:
        return caught


class Mute(BaseException):
    def __str__(self):
        raise SystemExit


class StoppedError(Exception):
    def __str__(self):
        raise KeyboardInterrupt


def test_the_cause_of_a_failure_has_a_bounded_length():
    assert cause_of(raised(OSError(EVIL))) == f"OSError: {WRITTEN}."
    assert len(cause_of(raised(OSError("x" * 10**7)))) < 600
    assert len(cause_of(raised(PluginError("x" * 10**7)))) <= 2000
    assert cause_of(raised(type("\x1b[31m", (OSError,), {})("x"))).isprintable()
    assert cause_of(raised(Mute())) == "Mute: (its message cannot be read)."
    with pytest.raises(KeyboardInterrupt):
        cause_of(StoppedError())


SOURCE = """
from dezero_core import Function, hookimpl

class Harmless(Function):
    approximate = "by \\x1b[31m" + 10**6 * "x"
    def forward(self, x):
        return x
    def backward(self, gy):
        return gy

def fails(self, x):
    raise ValueError

Evil = type("\\x1b[31m", (Harmless,), {"__module__": "\\x1b[32m", "forward": fails})

@hookimpl
def dezero_register_ops(register):
    register("doubled", lambda x: Harmless()(x), Harmless)
"""

SCENARIO = r"""
import numpy as np
import evil
from dezero_core import Variable, hookimpl, ops, plugins, register
(operation,) = ops()
out["approximate"] = operation.approximate
out["texts"] = [str(record) + record.origin + str(record.cause) for record in plugins()]
evil.Harmless()(Variable(np.array(1.0))).backward()
try:
    evil.Evil()(Variable(np.array(1.0)))
except ValueError as error:
    out["texts"] += error.__notes__

class refused:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        register("\x1b[31m", lambda x: x)

class seen:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        register.part("observer", "\x1b[31m", object)

class odd:
    @staticmethod
    @hookimpl
    def dezero_register_ops(register):
        register.part("setting", 10**6 * "x", "\x1b[31m")

class api:
    DEZERO_PLUGIN_API = 10**6 * "x"

out["texts"] += [failure(lambda: register(each))["message"] for each in (refused, seen, odd, api)]
"""


def test_texts_of_plugins_reach_messages_escaped_and_of_bounded_length(
    fake_distribution, run_python
):
    endless = "raise OSError('\\x1b[31m\\r\\0' + 10**7 * 'x')"
    fake_distribution("endless-ops", {"endless.py": endless}, {"endless": "endless"})
    named = {"\x1b[31mred": "surely_not_there", "x" * 1000: "surely_not_there"}
    fake_distribution("named-ops", {}, named, version="1.0\x1b[31m")
    fake_distribution("evil-ops", {"evil.py": SOURCE}, {"evil": "evil"})
    outcome = run_python(SCENARIO, warns=4)
    assert set(outcome.states.values()) == {"loaded", "failed"}
    assert r"\x1b[31mred" in outcome.states
    texts = [*outcome.warnings, *outcome.out.texts, *outcome.states, outcome.out.approximate]
    for text in texts:
        assert text.isprintable()
        assert len(text) < 2500
    assert any(r"1.0\x1b[31m" in text for text in texts)


def test_an_operation_of_a_plugin_that_waits_is_reported_as_not_loaded_yet(
    plugin_source, fake_distribution, run_python
):
    """It may be computed with while another one is imported."""
    source = "import numpy as np\nfrom dezero_core import Variable, prefer\n"
    chosen = source + "prefer(exp='zmath')\n"
    modules = {"early.py": f"{source}np.exp(Variable(np.array(1.0)))\n", "chosen.py": chosen}
    fake_distribution("early-ops", modules, {"early": "early", "chosen": "chosen"})
    math = {"zmath.py": plugin_source("exp", claims="numpy=np.exp")}
    fake_distribution("dezero-ops-math", math, {"zmath": "zmath"})
    outcome = run_python("import dezero_core", warns=2)
    assert outcome.states == {"chosen": "failed", "early": "failed", "zmath": "loaded"}
    assert "It is in dezero-ops-math, which is not loaded yet, at" in outcome.plugin("early").cause
    assert "(dezero-ops-math 1.0) is not loaded yet" in outcome.plugin("chosen").cause
