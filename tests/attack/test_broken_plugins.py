"""A hundred broken plugins, alone and side by side: the core, basic and math work beside them.

Promise: CONTRIBUTING.md
"""

import json
import os
import subprocess
import sys
import unicodedata

import numpy as np
import pytest

from .broken import EVERYTHING, LOADED, REFUSED, install
from .lengths import LONG

USE = """
import json, sys
import dezero_core
import numpy as np
x = dezero_core.Variable(np.array([0.5, 2.0]))
y = np.sum(np.exp(x) + x)
y.backward()
found = {
    "value": float(y),
    "gradient": x.grad.tolist(),
    "operations": [operation.name for operation in dezero_core.ops()],
    "plugins": [(p.name, p.distribution, p.state, p.cause, str(p)) for p in dezero_core.plugins()],
}
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
"""

COMMAND = "import _dezero_command, sys; sys.exit(_dezero_command.main())"

#: How many letters a message may have, with the path of its file.
BOUND = 3000
SHORT = np.random.default_rng(5).permutation(len(EVERYTHING))[:10].tolist()


def run(arguments, site, folder):
    """Run Python with what is installed in `site`; return what it writes, as a terminal gets it."""
    ours = ("DEZERO_", "PYTHON", "COVERAGE_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return subprocess.run(
        [sys.executable, *arguments],
        env=kept | {"PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def use(site, folder):
    """Import the core and compute; return what came of it, and what was written."""
    done = run(["-c", USE, "found.json"], site, folder)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((folder / "found.json").read_text())
    assert found["value"] == pytest.approx(np.sum(np.exp([0.5, 2.0])) + 2.5)
    assert found["gradient"] == pytest.approx(np.exp([0.5, 2.0]) + 1.0)
    assert {"add", "exp", "linalg.svd"} <= set(found["operations"])
    states = {name: state for name, _, state, _, _ in found["plugins"]}
    assert (states["basic"], states["math"]) == ("loaded", "loaded")
    return found, done


def assert_readable(text, bound):
    """A terminal shows it as it is, and a reader sees the end of it."""
    odd = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"}
    assert not odd, f"{odd} in {text[:2000]!r}"
    assert len(text) < bound, f"{len(text)} letters: {text[:500]!r}"


def assert_fate(number, module, found, done):
    """It is refused and named, or loaded, as its table says."""
    broken = EVERYTHING[number]
    states = {
        state
        for name, distribution, state, _, _ in found["plugins"]
        if module in (distribution or "") or module in name
    }
    if broken.fate == LOADED:
        assert states == {"loaded"}, broken.what
    if broken.fate == REFUSED:
        assert states & {"failed", "incompatible"}, broken.what
        assert module in done.stderr, broken.what


@pytest.mark.parametrize(
    "number",
    range(len(EVERYTHING)) if LONG else SHORT,
    ids=lambda number: EVERYTHING[number].what.replace(" ", "-"),
)
def test_a_randomly_broken_plugin_is_named_and_all_other_plugins_work(number, tmp_path):
    site = tmp_path / "site"
    module = install(site, number)
    found, done = use(site, tmp_path)
    assert_fate(number, module, found, done)
    assert_readable(done.stderr + done.stdout, BOUND)
    for *_, cause, text in found["plugins"]:
        assert_readable(f"{cause} {text}", BOUND)


@pytest.fixture(scope="module")
def side_by_side(tmp_path_factory):
    """Return a folder in which all of them are installed, and the names of their modules."""
    site = tmp_path_factory.mktemp("site")
    return site, [install(site, n, before=n % 2 == 0) for n in range(len(EVERYTHING))]


def test_a_hundred_broken_plugins_are_each_named_and_all_other_plugins_work(side_by_side, tmp_path):
    site, modules = side_by_side
    assert len(modules) >= 100
    found, done = use(site, tmp_path)
    for number, module in enumerate(modules):
        assert_fate(number, module, found, done)
    assert_readable(done.stderr + done.stdout, BOUND * len(modules))


def test_the_list_of_a_hundred_broken_plugins_can_be_read(side_by_side, tmp_path):
    site, modules = side_by_side
    done = run(["-c", COMMAND, "plugins"], site, tmp_path)
    assert_readable(done.stdout + done.stderr, 2 * BOUND * len(modules))
    assert done.returncode == 1  # since some have failed
    assert "dezero-ops-math" in done.stdout


def test_a_command_prints_json_beside_a_hundred_broken_plugins(side_by_side, tmp_path):
    site, modules = side_by_side
    done = run(["-c", COMMAND, "plugins", "--json"], site, tmp_path)
    json.loads(done.stdout)
    for number, module in enumerate(modules):
        if EVERYTHING[number].fate == REFUSED:
            assert module in done.stdout
