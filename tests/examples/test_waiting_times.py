"""The example with more data than memory, run as a user runs it: in a process of its own.

Promise: docs/how_to/more_data_than_memory.md
"""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dask.utils import parse_bytes
from distributed import LocalCluster

SCRIPT = Path(__file__).parents[2] / "examples" / "waiting_times.py"
WEIGHT, BIAS, SHAPE, YEARS = np.linspace(-0.5, 0.5, 20), 0.4, 1.7, 6.0
GIVE_UP = 300  # seconds; only workers that have paused for want of memory take as long
TRUTH = np.array([*WEIGHT, BIAS, np.log(SHAPE)])


def run(script, *arguments, **environment):
    # One thread for each process, as there are two workers.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | environment
    command = [sys.executable, "-W", "error::RuntimeWarning", str(script), *map(str, arguments)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=GIVE_UP
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("waiting_times")
    (folder / "temporary").mkdir()
    given = ("--size", "1.2 GB", "--memory", "400 MB", "--out", folder / "out")
    return run(SCRIPT, *given, TMPDIR=str(folder / "temporary")), folder


def table(output):
    """Return a row for each parameter: truth, estimate, standard error, difference by error."""
    rows = re.findall(r"^(?:weight \d+|bias|log shape) +(\S+) +(\S+) +(\S+) +(\S+)$", output, re.M)
    return np.array(rows, dtype=float).T


def test_the_estimates_of_waiting_times_are_within_four_standard_errors_of_the_truth(finished):
    truth, estimates, errors, ratios = table(finished[0])
    np.testing.assert_allclose(truth, TRUTH, atol=6e-6)
    assert np.all(np.abs(estimates - TRUTH) < 4.0 * errors)
    np.testing.assert_allclose(ratios, (estimates - TRUTH) / errors, atol=0.1)
    assert np.sum(ratios**2) > 5.0  # the truth itself would have 0


def test_the_standard_errors_of_waiting_times_are_those_of_fishers_information(finished):
    """By the second derivatives on paper, averaged over machines that are drawn here."""
    (rows,) = re.findall(r" partitions, (\S+) machines", finished[0])
    random = np.random.default_rng(0)
    n = 200_000
    x = np.column_stack([random.standard_normal((n, 20)), np.ones(n)])
    center = x @ TRUTH[:-1]
    failure = center + np.log(random.exponential(size=n)) / SHAPE
    end = np.log(random.uniform(0.0, YEARS, n))
    failed, z = failure < end, SHAPE * (np.minimum(failure, end) - center)
    information = np.empty((22, 22))
    information[:-1, :-1] = SHAPE**2 * (x.T * np.exp(z)) @ x
    information[-1, :-1] = -SHAPE * x.T @ (np.exp(z) - failed + z * np.exp(z))
    information[:-1, -1] = information[-1, :-1]
    information[-1, -1] = np.sum(z * np.exp(z) + z**2 * np.exp(z) - failed * z)
    information *= int(rows.replace(",", "")) / n
    _, _, errors, _ = table(finished[0])
    # To the five decimals that are printed, and to what the draw differs by.
    expected = np.sqrt(np.diag(np.linalg.inv(information)))
    np.testing.assert_allclose(errors, expected, atol=6e-6, rtol=0.02)


def test_the_workers_of_waiting_times_stay_below_a_limit_that_the_data_exceed(finished):
    found = re.findall(r" machines, (.+); the workers may take (.+)$", finished[0], re.M)
    size, limit = map(parse_bytes, found[0])
    assert size == pytest.approx(1.2e9, rel=0.02)
    assert limit == pytest.approx(4e8, rel=0.01)
    found = re.findall(
        r"A worker took (.+) at most, of (.+); 0 workers were restarted\.$", finished[0], re.M
    )
    peak, limit_of_one = map(parse_bytes, found[0])
    assert limit_of_one == pytest.approx(2e8, rel=0.01)
    assert 5e7 < peak < limit_of_one


def test_waiting_times_shows_the_progress_of_dask_and_a_loss_that_falls(finished):
    losses = list(map(float, re.findall(r"step +\d+: loss (\S+)$", finished[0], re.M)))
    assert len(losses) > 5
    # The data, each step, and the Hessian.
    assert finished[0].count("100% Completed") >= len(losses) + 2
    assert losses == sorted(losses, reverse=True)


def test_waiting_times_draws_its_picture_and_removes_its_data(finished):
    output, folder = finished
    picture = folder / "out" / "waiting_times.png"
    assert f"Wrote {picture}" in output
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert list((folder / "temporary").rglob("*.npy")) == []


def test_one_line_of_waiting_times_runs_it_on_a_cluster_where_the_data_are_made_once(tmp_path):
    example = runpy.run_path(str(SCRIPT), run_name="waiting_times")
    example["make"](0, tmp_path)
    made = (tmp_path / "x0.npy").stat().st_mtime_ns
    lines = SCRIPT.read_text("utf-8").splitlines(keepends=True)
    (number,) = (n for n, line in enumerate(lines) if line.strip().startswith("client = Client("))
    assert 'client = Client("scheduler:8786")' in lines[number - 1]
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        lines[number] = f'        client = Client("{cluster.scheduler_address}")\n'
        changed = tmp_path / "waiting_times.py"
        changed.write_text("".join(lines), "utf-8")
        given = ("--size", "17 MB", "--data", tmp_path, "--out", tmp_path)
        output = run(changed, *given)
    assert "2 partitions, 100,000 machines" in output
    truth, estimates, errors, _ = table(output)
    assert np.all(np.abs(estimates - truth) < 4.0 * errors)
    assert (tmp_path / "x0.npy").stat().st_mtime_ns == made
    assert (tmp_path / "x1.npy").exists()
