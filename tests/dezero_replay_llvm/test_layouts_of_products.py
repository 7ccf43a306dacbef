"""Products in which vectors do not lie as tiles need them: copied strips, and sums in vectors.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay_llvm.machine import Machine, this_machine

from dezero_replay import compiled
from dezero_replay_llvm import native

LONGEST = this_machine().bytes_of_vector
SIZES = [(33, 70, 1), (1, 70, 33), (1, 37, 1), (40, 19, 21), (40, 16, 48), (1, 5, 70), (9, 1, 10)]
FORMS = {
    "in order": lambda x: x,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second column, from the end": lambda x: np.repeat(x[:, ::-1], 2, axis=1)[:, ::-2],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("length", [each for each in (64, 32, 16) if each <= LONGEST])
@pytest.mark.parametrize("form", FORMS)
def test_a_product_is_as_near_to_the_truth_as_its_layout_lets_it(form, length, dtype, monkeypatch):
    monkeypatch.setattr(native, "this_machine", lambda: Machine(length))
    rng = np.random.default_rng(0)
    for rows, depth, columns in SIZES:
        a = rng.normal(size=(rows, depth)).astype(dtype)
        b = FORMS[form](rng.normal(size=(depth, columns)).astype(dtype))
        step = compiled(lambda a, b: a @ b, executor="llvm", wait=True, audit=None)
        for _ in range(3):
            found = step(a, b)
        assert f"products of {rows}x{depth} by {depth}x{columns}" in step.explain()
        truth = a.astype(np.longdouble) @ b.astype(np.longdouble)
        most = depth * np.finfo(dtype).eps * (np.abs(a) @ np.abs(b))
        assert (np.abs(found - truth) <= most).all()
