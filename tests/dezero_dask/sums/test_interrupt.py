"""Ctrl-C ends a step, and leaves the workers ready for the next one.

Promise: docs/how_to/more_data_than_memory.md
"""

import os
import re
import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys, time
import numpy as np
import dezero_dask as dd
from dask.distributed import Client, LocalCluster

folder, progress = sys.argv[1], sys.argv[2] == "progress"

def say(what):
    print(f"<{what}>", flush=True)  # among what the progress bar prints

def slow(w, x):
    open(f"{folder}/{int(x[0])}", "w").close()
    time.sleep(1)
    return np.sum(w * x)

def fast(w, x):
    return np.sum(w * x)

if __name__ == "__main__":
    # The tests may run in the background, where a shell lets programs ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    x = [np.full(2, float(number)) for number in range(40)]
    options = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        say(dd.value_and_grad(fast)(1.0, x)[0])
        try:
            dd.value_and_grad(slow, replay=False, progress=progress)(1.0, x)
        except KeyboardInterrupt:
            say("interrupted")
        say(dd.value_and_grad(fast)(1.0, x)[0])
        say(sum(map(len, client.processing().values())))
    say(len(os.listdir(folder)) < 10)
"""


@pytest.mark.parametrize("progress", ["progress", "silent"])
def test_the_next_step_can_be_taken_after_ctrl_c(progress, tmp_path):
    (tmp_path / "started").mkdir()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "started"), progress],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while not os.listdir(tmp_path / "started"):
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=50)
    finally:
        run.kill()
    assert re.findall("<(.*?)>", out) == ["1560.0", "interrupted", "1560.0", "0", "True"]
    assert run.returncode == 0
