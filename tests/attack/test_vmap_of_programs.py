"""Random programs over a batch, and their derivatives to second order: against a loop.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.batches.rules import RULES
from dezero_tools.functional import grad, hvp, jvp, vjp, vmap

from dezero_core import VariableTypeError

from .batches import BatchOfProgram
from .lengths import LONG, name_of, seeds
from .programs import quiet
from .test_programs import attack

#: Operations that a batch may refuse, by name. The first writes averages of the data into its
#: arguments. Of the others, NumPy does not look at all arguments for other arrays than its own.
REFUSED = {"batch_norm", "nanstd", "nanvar", "polyval", "select"}


def check(program):
    """Raise an AssertionError if a batch differs from a loop; return whether none was refused."""
    batch = BatchOfProgram(program)
    with quiet():
        first, second = batch.derivatives()
        try:
            assert_close("value", batch.values(), batch.looped(program.run))
            check_first_order(batch, first)
            check_second_order(batch, second)
            check_tangents(batch, first, second)
        except VariableTypeError as error:
            if "vmap(" not in str(error) or not REFUSED & {
                str(x).split()[0] for x in program.nodes
            }:
                raise
            return False
    return True


def check_first_order(batch, first):
    """Check gradients within the maps, and those of a sum of what the maps return."""
    xs, of_each = batch.arguments, grad(batch.loss, batch.argnums)
    assert_close("gradient of each example", batch.mapped(of_each)(*xs), first)
    of_sum = grad(batch.total(batch.loss), batch.argnums)
    assert_close("gradient of the sum", of_sum(*xs), batch.summed(first))


def check_second_order(batch, second):
    """Check two derivatives within the maps, two outside of them, and one on each side."""
    xs, directions = batch.arguments, batch.program.directions

    def of_each(*xs):
        return hvp(batch.loss, batch.argnums)(*xs, directions)

    assert_close("product of each example", batch.mapped(of_each)(*xs), second)
    of_sum = hvp(batch.total(batch.loss), batch.argnums)(*xs, batch.directions)
    assert_close("product of the sum", of_sum, batch.summed(second))
    of_slopes = grad(batch.total(batch.slope), batch.argnums)
    assert_close("gradient of the sum of slopes", of_slopes(*xs), batch.summed(second))


def check_tangents(batch, first, second):
    """Check forward mode, and maps over two directions through what the maps have recorded."""
    xs, directions = batch.arguments, batch.program.directions
    slopes = batch.slopes(first)

    def of_each(*xs):
        return jvp(batch.loss, *xs)[1](*directions)

    assert_close("slope of each example", [batch.mapped(of_each)(*xs)], [slopes])
    two = [np.stack([v, -2.0 * v]) for v in batch.directions]
    _, push_forward = jvp(batch.mapped(batch.loss), *xs)
    assert_close("two slopes", vmap(push_forward)(*two), [slopes, -2.0 * slopes])
    _, pull_back = vjp(grad(batch.total(batch.loss), batch.argnums), *xs)
    truth = [np.stack([gx, -2.0 * gx]) for gx in batch.summed(second)]
    assert_close("two products", vmap(lambda *vs: pull_back(vs))(*two), truth)


def assert_close(what, got, truth):
    for number, (y, expected) in enumerate(zip(got, truth, strict=True)):
        assert type(y) is np.ndarray, f"{what} {number} is of {type(y)}"
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype), f"form of {what} {number}"
        size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
        np.testing.assert_allclose(y, expected, 1e-9, 1e-10 * size, err_msg=f"{what} {number}")


# Long, these are a thousand programs.
@pytest.mark.parametrize("chunk", seeds(short=1, size=10 if LONG else 12), ids=name_of)
def test_random_programs_over_a_batch_agree_with_a_loop_to_second_order(chunk):
    attack(chunk, check, choices=True)


@pytest.mark.parametrize("chunk", seeds(short=1, size=8), ids=name_of)
def test_powers_at_zero_over_a_batch_agree_with_a_loop_to_second_order(chunk):
    attack(chunk, check, most=5, zeros=True)


def test_the_comparison_with_a_loop_notices_a_rule_for_another_axis(monkeypatch):
    def along_the_last(function, batch, x, axis=None, **options):
        return rule(function, batch, x, None if axis is None else -1, **options)

    rule = RULES[np.sum]
    monkeypatch.setitem(RULES, np.sum, along_the_last)
    with pytest.raises(AssertionError, match="of 8 programs"):
        attack(seeds(short=1, size=8)[0], check)
