"""docs/array_types.md lists every operation once; what it says of each is tested beside that.

Promise: docs/array_types.md
"""

import re

import pytest

from dezero_core import ops
from tests.array_types import PAGE, Rows, on_the_page, on_the_page_for_batches

OURS = {operation.name for operation in ops() if operation.plugin in ("basic", "math")}
OF_NETWORKS = {operation.name for operation in ops() if operation.plugin == "nn"}

#: Of the operations that a Variable has, so many may ask for ndarrays.
MOST_REFUSED = 18

#: Of all operations, so many may be refused over a batch.
MOST_REFUSED_OVER_A_BATCH = 8


def test_the_page_of_array_types_lists_every_operation_once():
    listed = re.findall(r"\[`([\w.]+)`\]", PAGE)
    assert sorted(listed) == sorted(OURS), "run python docs/make_array_types.py"


def test_an_operation_without_a_row_fails_with_the_program_that_writes_the_page():
    with pytest.raises(
        pytest.fail.Exception, match=r"no row of 'new': run python docs/make_it\.py"
    ):
        Rows({"old": []}, "docs/make_it.py")["new"]


def test_the_page_of_array_types_counts_right_and_gives_each_refusal_a_reason():
    found = on_the_page()
    counts = [int(number) for number in re.findall(r"^## .*: (\d+)$", PAGE, re.MULTILINE)]
    alone = [reason for reason in found.values() if reason]
    refused = [why for how, why in on_the_page_for_batches().values() if how == "refused"]
    assert counts == [len(found) - len(alone), len(alone), len(refused)]
    assert len(alone) <= MOST_REFUSED
    assert len(refused) <= MOST_REFUSED_OVER_A_BATCH
    assert all(refused)


def test_the_page_says_of_every_operation_how_it_is_computed_over_a_batch():
    assert on_the_page_for_batches().keys() == OURS | OF_NETWORKS
