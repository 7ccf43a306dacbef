"""The digits example, run as a user runs it: in a process of its own.

Promise: README.md
"""

import importlib.metadata
import os
import pty
import re
import runpy
import signal
import subprocess
import sys
import termios
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.datasets import load_digits

from tests.replayed import bits, state_of

SCRIPT = Path(__file__).parents[2] / "examples" / "digits.py"
# A RuntimeWarning is a number gone wrong, or a plugin that was left out.
COMMAND = [sys.executable, "-W", "error::RuntimeWarning", str(SCRIPT)]
PICTURES = ("digits_loss.png", "digits_predictions.png")
GRAPH = "digits_graph.svg"
GIVE_UP = 300  # seconds; only a run that hangs takes as long


def run(*arguments, folder, **environment):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=GIVE_UP,
    )


def accuracy_in(output):
    found = re.search(r"^Test accuracy.*: (\d\.\d{4}) \(on 599 digits held out\)$", output, re.M)
    assert found, output
    return float(found[1])


def assert_pictures(folder):
    """Two are PNGs that decode, of a size to look at, and with something drawn in red."""
    assert sorted(path.name for path in folder.iterdir()) == sorted([*PICTURES, GRAPH])
    for name in PICTURES:
        assert (folder / name).read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        red, green, blue = np.moveaxis(imread(folder / name)[..., :3], -1, 0)
        height, width = red.shape
        assert width >= 800
        assert height >= 400
        assert 0.02 < np.mean(red + green + blue < 2.9) < 0.98
        assert np.sum((red > 0.7) & (green < 0.25) & (blue < 0.25)) > 100


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("short")
    return run("--epochs", 2, "--out", folder / "new" / "pictures", folder=folder), folder


def test_two_epochs_of_digits_read_four_digits_in_five(short_run):
    finished, _ = short_run
    assert finished.returncode == 0, finished.stderr
    assert accuracy_in(finished.stdout) > 0.8


def test_digits_writes_its_pictures_into_the_given_folder(short_run):
    finished, folder = short_run
    assert finished.returncode == 0, finished.stderr
    assert_pictures(folder / "new" / "pictures")
    assert [path.name for path in folder.iterdir()] == ["new"]


def test_digits_prints_the_times_of_an_eager_and_of_a_replayed_step(short_run):
    finished, _ = short_run
    line = r"^A training step took \d+ µs eagerly and \d+ µs replayed\.$"
    assert re.search(line, finished.stdout, re.M), finished.stdout


def test_a_hundred_replayed_steps_of_digits_have_the_bits_of_eager_ones():
    digits = runpy.run_path(str(SCRIPT))
    random = np.random.default_rng(0)
    images, labels = load_digits(return_X_y=True)
    models = [digits["MLP"](np.random.default_rng(0), 64, 128, 64, 10) for _ in range(2)]
    eager, replayed = digits["training_step"](models[0]).eager, digits["training_step"](models[1])
    for number in range(100):
        batch = random.permutation(len(images))[: 48 if number % 24 == 23 else 50]
        noisy = images[batch] / 16.0 + random.normal(0.0, digits["NOISE"], (len(batch), 64))
        eager(noisy, labels[batch])
        replayed(noisy, labels[batch])
        losses = [digits["cross_entropy"](model(noisy), labels[batch]) for model in models]
        assert bits(losses[0]) == bits(losses[1]), f"after step {number}"
        assert bits(state_of(models[0])) == bits(state_of(models[1])), f"after step {number}"
    assert replayed.stats["recorded"] == 4  # twice for each of two shapes
    assert replayed.stats["replayed"] + replayed.stats["audits"] == 96


def test_digits_names_the_plugins_of_its_operations(short_run):
    finished, _ = short_run
    for name, distribution in (("basic", "dezero-ops-basic"), ("math", "dezero-ops-math")):
        version = importlib.metadata.version(distribution)
        assert f"plugin '{name}' ({distribution} {version})" in finished.stdout
    assert "plugin 'tools'" not in finished.stdout  # it has no operation


def test_digits_draws_the_graph_of_a_loss_with_operations_of_three_plugins(short_run):
    finished, folder = short_run
    assert f"Wrote {folder / 'new' / 'pictures' / GRAPH}" in finished.stdout
    drawing = ElementTree.parse(folder / "new" / "pictures" / GRAPH).getroot()
    texts = {text for text in drawing.itertext() if text.strip()}
    assert {"scores", "loss", "Sort", "LogSoftmax", "Softplus"} <= texts
    assert float(drawing.get("height")) <= 1000  # it is printed on a page
    basic, math = (
        f"{name} (dezero-ops-{name} {importlib.metadata.version(f'dezero-ops-{name}')})"
        for name in ("basic", "math")
    )
    assert {basic, math} <= texts
    assert any(text.startswith("doubt (") for text in texts)


def test_digits_uses_the_operation_of_a_plugin_of_its_own(short_run):
    finished, _ = short_run
    said = " ".join(finished.stdout.split())
    found = re.search(
        r"0 is sure, and 0\.69 is a tie of two digits\. The mean is (0\.\d\d)\. The largest value, "
        r"(0\.\d\d), is that of an image of the digit \d\.",
        said,
    )
    assert found, said
    mean, most = map(float, found.groups())
    assert 0.0 < mean < most <= 0.69


def test_digits_ends_with_the_message_that_the_network_gives_without_math(short_run):
    finished, _ = short_run
    last = finished.stdout.splitlines()[-1]
    missing = "no loaded plugin provides np.maximum for a Variable. It is in dezero-ops-math"
    assert last.startswith(f"Without the plugin 'math': {missing}")


def test_the_default_run_of_digits_reads_ninety_six_of_a_hundred_digits(tmp_path):
    finished = run(folder=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert accuracy_in(finished.stdout) >= 0.96
    assert finished.stderr == ""
    assert_pictures(tmp_path / "out")


def test_ctrl_c_ends_digits_with_the_results_up_to_the_interrupt(tmp_path):
    """On a terminal, where a bar shows how far it is."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(
        [*COMMAND, "--epochs", "1000000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    progress = b""
    try:
        while not re.search(rb" [1-9]\d*/1000000 ", progress):
            progress += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=GIVE_UP)
        with suppress(OSError):  # so Linux says that nobody can write any more
            while more := os.read(ours, 4096):
                progress += more
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert process.returncode == 130, progress.decode()
    assert b"Traceback" not in progress
    stop = re.search(r"^Test accuracy, interrupted after epoch (\d+): ", output, re.M)
    assert stop, output
    assert 1 <= int(stop[1]) < 1_000_000
    assert accuracy_in(output) > 0.5
    assert_pictures(tmp_path / "out")


@pytest.mark.parametrize("plugin", ["basic", "math"])
def test_digits_without_one_of_its_plugins_names_the_missing_plugin(plugin, tmp_path):
    others = ",".join({"basic", "math", "replay", "tools"} - {plugin})
    finished = run("--epochs", 1, folder=tmp_path, DEZERO_PLUGINS=others)
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert "no loaded plugin provides" in finished.stderr
    assert f"dezero-ops-{plugin}" in finished.stderr
    assert list(tmp_path.iterdir()) == []
