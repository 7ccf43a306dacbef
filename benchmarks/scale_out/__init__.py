"""The benchmarks of dezero-dask: a file for each workload.

A workload has ``measure()``, which runs in a process of its own, compares its results with those
derived by hand, and returns the time or the memory of each figure, by name and by who computes it.
All who are compared take turns in that process, so that a ratio is taken within one run.
"""

WORKLOADS = (
    "one_process",
    "workers",
    "out_of_core",
    "variables",
    "logistic_regression",
)
