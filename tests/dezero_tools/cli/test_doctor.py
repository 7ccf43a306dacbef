"""``dezero doctor``: what a maintainer asks for in a report of a bug.

Promise: docs/how_to/look_at_plugins.md
"""

import json
import platform
import re

import numpy as np
import pluggy
import pytest

import dezero_core

FOR_THE_FUTURE = """
from dezero_core import hookimpl
DEZERO_PLUGIN_API = (99, 0)
@hookimpl
def dezero_register_ops(register): pass
"""


@pytest.fixture
def mixed(fake_distribution, plugin_source):
    """Install one good plugin, a broken one, one to be disabled, and two with one operation."""
    stated = f"DEZERO_PLUGIN_API = {dezero_core.PLUGIN_API}\n"
    plugins = {
        "good": stated + plugin_source("tripled"),
        "broken": "import surely_not_there",
        "idle": plugin_source("idled"),
        "first": plugin_source("shared", 2.0),
        "second": stated + plugin_source("shared", 3.0),
    }
    for name, source in plugins.items():
        fake_distribution(f"{name}-ops", {f"{name}.py": source}, {name: name}, version="0.7")


def test_doctor_lists_good_broken_disabled_and_contesting_plugins_on_one_screen(mixed, dezero):
    done = dezero("doctor", DEZERO_DISABLE_PLUGINS="idle,math", COLUMNS="100")
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    words = " ".join(done.stdout.split())
    plugin_api = ".".join(map(str, dezero_core.PLUGIN_API))
    for part in (
        f"Python {platform.python_version()} · NumPy {np.__version__} · dezero-core "
        f"{dezero_core.__version__} · plugin API {plugin_api} · pluggy {pluggy.__version__}",
        platform.platform(),
        "heap: up to 64 MiB of freed memory are kept",
        "environment: DEZERO_DISABLE_PLUGINS=idle,math",
        "Disabled idle: disabled by DEZERO_DISABLE_PLUGINS math: disabled by",
        "Failed broken: ModuleNotFoundError: No module named 'surely_not_there', at",
        "DEZERO_DISABLE_PLUGINS=broken leaves it out; dezero_core.register('broken') tries again "
        "and shows where it fails.",
        "Contested shared, Variable.shared: provided by 'first' and 'second'; using it raises. To "
        "choose: dezero_core.prefer(shared='second').",
        "1 of 8 plugins cannot be loaded.",
    ):
        assert part in words
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    assert rows["good"][:4] == ["good-ops", "0.7", "loaded", "1"]
    assert float(rows["good"][4]) > 0
    assert rows["good"][5:] == [plugin_api]
    assert rows["first"][:4] == ["first-ops", "0.7", "loaded", "1"]
    assert rows["broken"][:4] == ["broken-ops", "0.7", "failed", "0"]


def test_the_json_of_doctor_has_the_same_facts_as_its_text(mixed, dezero):
    environment = {"DEZERO_DISABLE_PLUGINS": "idle,nobdy", "DEZERO_STRICT_PLUGINS": "1"}
    done = dezero("doctor", "--json", **environment)
    assert (done.returncode, done.stderr) == (1, "")
    data = json.loads(done.stdout)
    assert (data["ok"], data["missing_operators"]) == (False, [])
    assert data["environment"] == environment
    (sentence,) = data["warnings"]
    assert "DEZERO_DISABLE_PLUGINS names 'nobdy'" in sentence
    plugins = {each["name"]: each for each in data["plugins"]}
    assert data["contested"] == [
        {
            "thing": "shared",
            "plugins": ["first", "second"],
            "in_use": None,
            "is_chosen": False,
            "choice": "shared='second'",
            "names": ["Variable.shared"],
            "elsewhere": {},
        }
    ]
    assert {name: each["api"] for name, each in plugins.items()} == {
        "basic": "2.0",
        "math": "2.0",
        "good": "2.0",
        "second": "2.0",
        "first": None,
        "idle": None,
        "broken": None,
        "tools": "2.0",
    }


def test_doctor_says_that_no_plugin_failed(dezero):
    done = dezero("doctor", DEZERO_KEEP_HEAP="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nNo plugin failed.\n")
    assert "heap: as the C library has it (DEZERO_KEEP_HEAP=0)" in done.stdout
    for title in ("Disabled", "Failed", "Slow", "Contested", "Operators"):
        assert title not in done.stdout


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"OPENBLAS_CORETYPE": "Prescott"}, ["OPENBLAS_CORETYPE=Prescott is set in", "Unset it."]),
        ({"OPENBLAS_L2_SIZE": "512"}, ["OPENBLAS_L2_SIZE=512 is set in", "Unset it."]),
        (
            {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_L2_SIZE": "512"},
            ["OPENBLAS_CORETYPE=Prescott OPENBLAS_L2_SIZE=512 are set in", "Unset them."],
        ),
        ({}, []),
    ],
)
def test_doctor_says_that_the_environment_chooses_the_kernels_of_matrix_products(
    variables, said, dezero
):
    """OpenBLAS takes an empty value for none."""
    variables = {"OPENBLAS_L2_SIZE": "", "COLUMNS": "100"} | variables
    done = dezero("doctor", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert ("often slower ones." in words) == bool(said)
    for part in said:
        assert part in words
    sentences = json.loads(dezero("doctor", "--json", **variables).stdout)["warnings"]
    assert all(sentence in words for sentence in sentences)
    assert len(sentences) == (1 if said else 0)


OPERATORS = """
import numpy as np
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register("add", np.add, dunders="__add__", numpy=np.add)
    for number in range(20):
        register(f"own{number}", abs, methods=f"own{number}")
"""


def test_doctor_says_who_answers_contested_things_now_and_that_is_no_failure(
    fake_distribution, dezero
):
    """An operator stays in use, a choice is named; of many things only some are listed."""
    for name in ("fast", "zulu"):
        fake_distribution(f"{name}-ops", {f"{name}.py": OPERATORS}, {name: name})
    choice = {"DEZERO_OPS": "own7=zulu", "COLUMNS": "100"}
    done = dezero("doctor", **choice)
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    for part in (
        "add, Variable.__add__, np.add: provided by 'basic' and 'fast' and 'zulu'; 'basic' is in "
        "use. To choose: dezero_core.prefer(add='zulu').",
        "own7, Variable.own7: provided by 'fast' and 'zulu'; 'zulu' is chosen. To choose: "
        "dezero_core.prefer(own7='zulu').",
        "own0, Variable.own0; own1, Variable.own1; own10, Variable.own10; ",
        "; …: provided by 'fast' and 'zulu'; using it raises. To choose: dezero_core.prefer(own0=",
        "No plugin failed.",
    ):
        assert part in words
    assert "own6" not in words
    data = json.loads(dezero("doctor", "--json", **choice).stdout)
    assert data["ok"]
    answers = {each["thing"]: (each["in_use"], each["is_chosen"]) for each in data["contested"]}
    assert len(answers) == 21
    assert (answers["add"], answers["own7"]) == (("basic", False), ("zulu", True))
    assert answers["own0"] == (None, False)


def test_doctor_points_at_a_plugin_that_is_slow_to_import(fake_distribution, plugin_source, dezero):
    slow = "import time\ntime.sleep(0.3)\n" + plugin_source("slowly")
    fake_distribution("slow-ops", {"slow.py": slow}, {"slow": "slow"})
    done = dezero("doctor", DEZERO_PLUGINS="slow", COLUMNS="100")
    assert done.returncode == 0
    ((took, leave_out, advice),) = re.findall(
        r"Slow slow: took (\d+) ms to import\. (.*? out\.) (.*?\.later,)",
        " ".join(done.stdout.split()),
    )
    assert int(took) >= 300
    assert leave_out == "DEZERO_DISABLE_PLUGINS=slow leaves it out."
    assert advice == "Its author can announce modules by register.later,"


PARTIAL = """
import numpy as np
from dezero_core import hookimpl
@hookimpl
def dezero_register_ops(register):
    register("std", np.std, numpy=np.std)
"""


def test_doctor_and_ops_say_which_names_of_a_chosen_operation_stay_with_another_plugin(
    fake_distribution, dezero
):
    fake_distribution("part-ops", {"part.py": PARTIAL}, {"part": "part"})
    choice = {"DEZERO_OPS": "std=part", "COLUMNS": "100"}
    words = " ".join(dezero("doctor", **choice).stdout.split())
    contested = "std, np.std: provided by 'math' and 'part'; "
    assert f"{contested}'part' is chosen, and 'math' answers Variable.std. To choose: " in words
    ((contest),) = json.loads(dezero("doctor", "--json", **choice).stdout)["contested"]
    assert contest["elsewhere"] == {"Variable.std": "math"}
    assert f"{contested}using it raises. To choose: " in " ".join(dezero("doctor").stdout.split())
    answers = {"np.std": "part", "Variable.std": "math"}
    assert json.loads(dezero("ops", "std", "--json", **choice).stdout)["answers"] == answers
    words = " ".join(dezero("ops", "std", **choice).stdout.split())
    assert "also by math: see dezero compare in use part: np.std math: Variable.std " in words


def test_doctor_advises_to_register_again_only_what_may_then_show_its_traceback(
    fake_distribution, dezero
):
    fake_distribution("future-ops", {"future.py": FOR_THE_FUTURE}, {"future": "future"})
    words = " ".join(dezero("doctor", DEZERO_PLUGINS="future").stdout.split())
    assert "DEZERO_DISABLE_PLUGINS=future leaves it out." in words
    assert "register(" not in words
    fake_distribution("bad-ops", {"bad.py": "1 / 0"}, {"bad": "bad"})
    words = " ".join(dezero("doctor", DEZERO_PLUGINS="bad,future").stdout.split())
    assert "DEZERO_DISABLE_PLUGINS=bad,future leaves them out; dezero_core.register('bad')" in words


def test_doctor_names_missing_operators_with_their_distribution(
    fake_distribution, plugin_source, dezero
):
    source = plugin_source("tripled", claims="dunders='__add__'")
    fake_distribution("plus-ops", {"plus.py": source}, {"plus": "plus"})
    done = dezero("doctor", DEZERO_PLUGINS="plus,nobdy")
    words = " ".join(done.stdout.split())
    assert done.returncode == 0
    assert "DEZERO_PLUGINS names 'nobdy': no plugin is called 'nobdy'. Installed: basic," in words
    assert "provides -, *, /, //, %, divmod(), **, @, unary -" in words
    assert "indexing, x[i] = v, iteration, in, + (reflected): It is in dezero-ops-basic" in words
    (missing,) = json.loads(dezero("doctor", "--json", DEZERO_PLUGINS="plus").stdout)[
        "missing_operators"
    ]
    assert missing["distribution"] == "dezero-ops-basic"
    assert {"__radd__", "__getitem__"} <= set(missing["operators"])
    assert "__add__" not in missing["operators"]


def test_doctor_cuts_a_long_cause_and_counts_a_broken_module_that_is_imported_later(
    fake_distribution, dezero
):
    announced = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    announced += "    register.later('late', operations='lately')\n"
    modules = {"early.py": announced, "late.py": "raise ImportError('too late')"}
    fake_distribution("late-ops", modules, {"early": "early"})
    source = "raise ImportError('no luck ' + '\\n'.join(map(str, range(1000))))"
    fake_distribution("wordy-ops", {"wordy.py": source}, {"wordy": "wordy"})
    unreadable = "DEZERO_PLUGIN_API = 'one'\n" + announced
    fake_distribution("future-ops", {"future.py": FOR_THE_FUTURE}, {"future": "future"})
    fake_distribution("unread-ops", {"unread.py": unreadable}, {"unread": "unread"})
    done = dezero("doctor", COLUMNS="100", DEZERO_DISABLE_PLUGINS="math")
    assert done.returncode == 1
    words = " ".join(done.stdout.split())
    assert "early: its module 'late' cannot be loaded: ImportError: too late, at" in words
    assert "3 of 7 plugins cannot be loaded. Of early a module cannot be imported." in words
    assert "wordy: ImportError: no luck 0 1 2" in words
    assert "[…]" in words
    assert "wordy.py:1." in "".join(done.stdout.split())  # wherever the line is broken
    assert " 500 " not in words
    assert "future: it needs plugin API 99.0" in words
    done = dezero("doctor", "--json", DEZERO_DISABLE_PLUGINS="math")
    apis = {each["name"]: each["api"] for each in json.loads(done.stdout)["plugins"]}
    assert (apis["future"], apis["unread"]) == ("99.0", "'one'")
