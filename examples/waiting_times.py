"""Fit a model to more data than the memory holds, on this machine or on a cluster, with Dask.

How long do machines run until they fail? Of each there are twenty measurements x, and the time that
it was seen to run: until it failed, or until the study ended while it still ran. The times have a
Weibull distribution: ``log(time) = bias + x @ weight + log(e) / shape``, where e has the standard
exponential distribution. The data are made with known parameters, so one sees whether the fit
finds them.

The machines are in partitions, each in two ``.npy`` files. A worker reads a partition when its turn
comes, and forgets it. The loss below is plain NumPy, and knows nothing of partitions: ``as_scipy``
of dezero_dask adds up values and gradients for ``scipy.optimize.minimize``, and the Hessian for the
standard errors.

    python examples/waiting_times.py [--size "1.2 GB"] [--memory "400 MB"] [--out out]

prints the estimates with their standard errors, and the most memory that a worker has taken. It
draws ``waiting_times.png`` into the folder ``out``. With ``--size "6 GB" --memory "2 GB"`` it takes
two minutes. The data are in a temporary folder, unless ``--data`` names one where they stay.

To run it on a cluster, change the line in ``main`` that makes the Client, and let ``--data`` name a
folder that all workers can reach.
"""

import argparse
import os
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

try:
    import numpy as np
    from dask.utils import format_bytes, parse_bytes
    from distributed import Client, progress

    import dezero_dask as dd

    if __name__ == "__main__":  # workers import this file as well, and do not need these
        from matplotlib.figure import Figure
        from scipy.optimize import minimize
except ModuleNotFoundError as error:
    needed = "dezero-dask dezero-ops-basic dezero-ops-math scipy matplotlib"
    sys.exit(f"waiting_times.py: {error}. It needs {needed}.")

COLUMNS = 20
ROWS = 50_000  # of a partition: 9 MB. This has to fit into the memory, not the data
TRUTH = {"weight": np.linspace(-0.5, 0.5, COLUMNS), "bias": 0.4, "log shape": np.log(1.7)}
NAMES = [*(f"weight {i}" for i in range(COLUMNS)), "bias", "log shape"]
YEARS = 6.0  # of the study; a machine is bought at any time in it
BLUE, GREY = "#1f4e79", "#9ca3af"


def make(number, folder):
    """Write the files of a partition, unless they are there."""
    random = np.random.default_rng([number, 17])
    x = random.standard_normal((ROWS, COLUMNS))
    noise = np.log(random.standard_exponential(ROWS)) / np.exp(TRUTH["log shape"])
    until_failure = TRUTH["bias"] + x @ TRUTH["weight"] + noise
    until_end = np.log(random.uniform(0.0, YEARS, ROWS))
    seen = np.minimum(until_failure, until_end), until_failure < until_end
    for kind, array in (("x", x), ("seen", np.stack(seen))):
        path = folder / f"{kind}{number}.npy"
        if not path.exists():
            np.save(path, array)


def read(number, folder):
    """Return a partition: measurements, logarithms of times, and 1.0 for a failure, else 0.0."""
    log_time, failed = np.load(folder / f"seen{number}.npy")
    return np.load(folder / f"x{number}.npy"), log_time, failed


def loss(params, x, log_time, failed):
    """Return the mean of -log(likelihood), but for a constant."""
    z = np.exp(params["log shape"]) * (log_time - x @ params["weight"] - params["bias"])
    return np.mean(np.exp(z) - failed * (params["log shape"] + z))


def peak():
    """Return the most memory that this process has taken, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: elsewhere the number of now has to do
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    from psutil import Process

    return Process().memory_info().rss


def fit(problem):
    """Minimise the loss by L-BFGS; return the estimates, and the loss after each step."""
    losses = [problem.fun(problem.x0)]

    def report(intermediate_result):
        losses.append(intermediate_result.fun)
        print(f"step {len(losses) - 1:>2}: loss {losses[-1]:.6f}")

    # Far below 1 / sqrt(rows), which is how much the gradient at the truth differs from 0.
    options = {"gtol": 1e-5, "ftol": 0.0}
    found = minimize(
        problem.fun,
        problem.x0,
        jac=problem.jac,
        method="L-BFGS-B",
        callback=report,
        options=options,
    )
    return found.x, losses


def flat(params):
    """Return parameters as one array, in the order of NAMES."""
    return np.concatenate([params["weight"], [params["bias"], params["log shape"]]])


def draw(differences, errors, losses, path):
    """Draw estimates minus truth with two standard errors, and how the loss fell."""
    figure = Figure(figsize=(9.0, 4.2), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    left.axhline(0.0, color=GREY, linewidth=1.0)
    left.errorbar(
        range(len(NAMES)), differences, 2.0 * errors, fmt="o", markersize=4.0, color=BLUE, capsize=2
    )
    left.set_xticks(range(len(NAMES)), NAMES, rotation=90)
    left.set_title("Estimate minus truth, with two standard errors")
    right.semilogy(np.array(losses[:-1]) - losses[-1], "o-", markersize=4.0, color=BLUE)
    right.set_title("Loss above its minimum")
    right.set_xlabel("step")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=parse_bytes, default="1.2 GB", help="of the data")
    parser.add_argument("--memory", type=parse_bytes, default="400 MB", help="of all workers")
    parser.add_argument("--data", type=Path, help="folder where the data stay")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    count = -(-options.size // (8 * ROWS * (COLUMNS + 2)))

    with ExitStack() as stack:
        # The one line that a cluster needs instead: client = Client("scheduler:8786")
        client = Client(n_workers=2, threads_per_worker=1, memory_limit=options.memory // 2)
        stack.callback(client.close)
        folder = options.data or Path(stack.enter_context(TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        before = client.run(os.getpid)

        made = client.map(make, range(count), folder=folder.resolve(), pure=False)
        progress(made)
        client.gather(made)
        size = sum(path.stat().st_size for path in folder.glob("*.npy"))
        limit = sum(w["memory_limit"] for w in client.scheduler_info()["workers"].values())
        print(
            f"{count} partitions, {count * ROWS:,} machines, {format_bytes(size)}; "
            f"the workers may take {format_bytes(limit)}"
        )

        start = perf_counter()
        first = {"weight": np.zeros(COLUMNS), "bias": 0.0, "log shape": 0.0}
        data = partial(read, folder=folder.resolve())
        problem = dd.as_scipy(loss, first, data, mean=True, partitions=count, progress=True)
        estimates, losses = fit(problem)
        fitted = perf_counter() - start
        covariance = np.linalg.inv(problem.hess(estimates) * count * ROWS)
        errors = np.sqrt(np.diag(covariance))
        estimates = flat(problem.unflatten(estimates))
        errors = flat(problem.unflatten(errors))
        took = perf_counter() - start - fitted
        memory, after = client.run(peak), client.run(os.getpid)

    differences = estimates - flat(TRUTH)
    print(f"{'':<10} {'truth':>9} {'estimate':>10} {'std. error':>10} {'difference / error':>19}")
    for row in zip(NAMES, flat(TRUTH), estimates, errors, differences / errors, strict=True):
        print("{:<10} {:>9.5f} {:>10.5f} {:>10.5f} {:>19.1f}".format(*row))
    print(f"The fit took {fitted:.1f} s, the Hessian {took:.1f} s.")
    print(
        f"A worker took {format_bytes(max(memory.values()))} at most, "
        f"of {format_bytes(limit // len(memory))}; "
        f"{len(before.items() - after.items())} workers were restarted."
    )
    options.out.mkdir(parents=True, exist_ok=True)
    draw(differences, errors, losses, options.out / "waiting_times.png")
    print("Wrote", options.out / "waiting_times.png")


if __name__ == "__main__":
    main()
