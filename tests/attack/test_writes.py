"""Random programs that write into Variables agree with the same programs without a write.

Promise: docs/how_to/write_into_arrays.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, value_and_grad

from dezero_core import using_config
from dezero_replay import compiled

from ..replayed import bits
from .lengths import name_of, seeds
from .writes import Program

ALL = (0, 1, 2)


def close(got, expected, program, what):
    for number, (a, b) in enumerate(zip(got, expected, strict=True)):
        np.testing.assert_allclose(a, b, 1e-11, 1e-12, err_msg=f"{what} {number} of\n{program}")


def check_derivatives(program, xs):
    """Values, gradients and second derivatives are those of the functional form."""
    writes, computes = program.function(True), program.function(False)
    value, gradients = value_and_grad(writes, ALL)(*xs)
    expected, truth = value_and_grad(computes, ALL)(*xs)
    close([value, *gradients], [expected, *truth], program, "gradient")

    def slope(f):
        return lambda *xs: sum(np.sum(np.sin(gx) * 0.7) for gx in grad(f, ALL)(*xs))

    close(grad(slope(writes), ALL)(*xs), grad(slope(computes), ALL)(*xs), program, "second")
    return value, gradients


def check_compiled(program, executor, same):
    """Programs that were recorded give the results of eager code, for other arguments too."""
    f = value_and_grad(program.function(True), ALL)
    step = compiled(f, executor=executor, wait=True, audit=None)
    for number in (0, 1, 2, 3):
        xs = program.arrays(number)
        same(step(*xs), f(*xs), program)
    assert step.stats["replayed"], f"{step.explain()}\n{program}"


def same_bits(got, expected, program):
    assert bits(got) == bits(expected), str(program)


def nearly_same(got, expected, program):
    close([got[0], *got[1]], [expected[0], *expected[1]], program, "native")


@pytest.fixture(autouse=True)
def some_results_depend_on_nothing():
    with using_config("warn_of_independence", False):
        yield


@pytest.mark.parametrize("chunk", seeds(short=6, size=5), ids=name_of)
def test_programs_that_write_have_the_derivatives_of_their_functional_form(chunk):
    for seed in chunk:
        program = Program(seed)
        check_derivatives(program, program.arrays())


@pytest.mark.parametrize("chunk", seeds(short=6, size=5), ids=name_of)
def test_programs_that_write_are_replayed_with_the_bits_of_eager_code(chunk):
    for seed in chunk:
        check_compiled(Program(seed), "numpy", same_bits)


@pytest.mark.parametrize("chunk", seeds(short=6, size=5), ids=name_of)
def test_programs_that_write_run_as_machine_code(chunk):
    for seed in chunk:
        check_compiled(Program(seed), "llvm", nearly_same)
