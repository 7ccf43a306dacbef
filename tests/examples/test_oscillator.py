"""The example with derivatives in its loss, run as a user runs it: in a process of its own.

Promise: docs/how_to/differential_equation_in_a_loss.md
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "oscillator.py"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    picture = tmp_path_factory.mktemp("picture") / "oscillator.png"
    command = [sys.executable, "-W", "error::RuntimeWarning", str(SCRIPT), "--plot", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, picture


def test_the_oscillator_network_learns_the_solution_from_the_equation_alone(finished):
    (error,) = re.findall(r"^Largest error at 1001 times: (\S+)$", finished[0], re.M)
    assert float(error) < 5e-3


def test_the_loss_of_the_oscillator_falls(finished):
    losses = [float(loss) for loss in re.findall(r"loss (\S+),", finished[0])]
    assert len(losses) == 4
    assert losses[-1] < losses[0] / 30


def test_the_solution_of_the_oscillator_is_drawn(finished):
    assert finished[1].read_bytes().startswith(b"\x89PNG")
