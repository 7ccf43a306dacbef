"""This project, compiled to machine code: steps as in `adapters.replayed`, by another executor.

The machine code is there before a step is timed: `wait` lets the call that compiles it wait.
"""

from __future__ import annotations

from dezero_replay.passes.passes import simplified

from adapters.replayed import (  # noqa: F401 - for the workloads
    DERIVATIVES,
    Steps,
    arrays,
    constant,
    conv2d,
    filled,
    gradients_of,
    hessian_product,
    instructions,
    leaf,
    linear,
    log_loss,
    loop,
    max_pool2d,
    pad,
    program,
    relu,
    softmax_cross_entropy,
    solve_lower,
    value_and_gradients,
    weight,
    xp,
)
from dezero_core.extend import parts_of

OPTIONS = {"executor": "llvm", "wait": True}

_steps = Steps(**OPTIONS)
compiling = _steps.compiling
recorded, gradient, gradient_sparing = _steps.recorded, _steps.gradient, _steps.gradient_sparing
forward_no_grad, descent, hvp = _steps.forward_no_grad, _steps.descent, _steps.hvp
differentiated = _steps.differentiated
lstm_gradient, training = _steps.lstm_gradient, _steps.training

gradient_by_two_threads = Steps(threads=2, **OPTIONS).gradient


def lowering(step, name):
    """Return a step that lowers the program of another one by an executor, and what that gives."""
    executor = parts_of("executor")[name].value()(threads=1, wait=True)
    return lambda: executor.lower(simplified(step.program.usual))
