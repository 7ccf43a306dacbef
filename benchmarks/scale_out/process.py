"""Measure one workload in this process, and print its values as JSON on the last line.

    python -m scale_out.process WORKLOAD

``python -m scale_out`` starts this program.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings

# dask-glm uses names of Dask and SciPy that have newer ones.
warnings.filterwarnings("ignore", "Dask configuration key 'fuse_ave_width'", FutureWarning)
warnings.filterwarnings("ignore", ".*`disp` and `iprint`", DeprecationWarning)

if __name__ == "__main__":
    workload = importlib.import_module(f"scale_out.{sys.argv[1]}")
    print(json.dumps(workload.measure()))
