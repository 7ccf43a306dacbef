"""Ctrl-C ends a step, and leaves the workers ready for the next one."""

import os
import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, time
import numpy as np
import dezero_dask as dd
from dask.distributed import Client, LocalCluster

folder, progress = sys.argv[1], sys.argv[2] == "progress"

def slow(w, x):
    open(f"{folder}/{int(x[0])}", "w").close()
    time.sleep(1)
    return np.sum(w * x)

def fast(w, x):
    return np.sum(w * x)

if __name__ == "__main__":
    x = [np.full(2, float(number)) for number in range(40)]
    options = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        print(dd.value_and_grad(fast)(1.0, x)[0], flush=True)
        try:
            dd.value_and_grad(slow, replay=False, progress=progress)(1.0, x)
        except KeyboardInterrupt:
            print("\\ninterrupted", flush=True)
        print(dd.value_and_grad(fast)(1.0, x)[0], flush=True)
        print(sum(map(len, client.processing().values())), flush=True)
    print(len(os.listdir(folder)) < 10)
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
    lines = out.replace("\r", "\n").splitlines()
    told = [line for line in lines if line and "Completed" not in line]
    assert told == ["1560.0", "interrupted", "1560.0", "0", "True"]
    assert run.returncode == 0
