"""The cases of docs/edges, in families; `docs/make_edges.py` makes the pages of them."""

from __future__ import annotations

from . import (
    exponentials,
    jumps,
    lengths,
    matrices,
    nan,
    nothing,
    roots,
    statistics,
    ties,
)
from .case import Case, Family, written

__all__ = ["FAMILIES", "INTRODUCTION", "JAX", "TORCH", "Case", "Family", "written"]

TORCH, JAX = "2.13.0", "0.10.2"

INTRODUCTION = f"""
# Edge cases: ties, jumps, poles and nan

At a corner, a tie, a jump or a pole a function has no derivative, or more than one. Still,
`backward()` has to return something there. It follows these rules:

- **Corners** have the middle of the slopes on their sides: `abs(x)`, a norm, a distance, a
  standard deviation have 0 where they are 0, as PyTorch has. The second derivative of a length
  does not exist there: it is nan, and so is that of its square.
- **Ties** are shared equally: two numbers that both are the largest get one half each.
- **Jumps** have the slope beside the jump, if it is the same on both sides: 0 for steps.
- **Poles and vertical slopes** give inf, with NumPy's RuntimeWarning. By the chain rule it
  may meet a 0 and give nan: 0 times inf is any number.
- **nan**: the value is NumPy's. The gradient goes to the operand that the nan came from; a
  function that ignores nan gives that operand 0.
- **No answer** makes sense at some points: the gradient is nan, or `backward()` raises NumPy's
  exception.

A page for each family has its cases, and beside the gradients those of other libraries:

<!-- families -->

The other cases of PyTorch and JAX have no such function, or other values.

## How to read the tables

In the tables, the gradient is that of the sum of all elements of the value, with respect to each
input; *twice* is the gradient of the sum of all elements of these gradients. A star (\\*) stands
where NumPy warns on the way back; its warnings of the value itself are not marked. *same* are
the value and the gradient that are given here; where a value is another one, it is in brackets.
A dash (—) stands where there is no such function, or no gradient to compute. Numbers have four
digits.

The columns are of PyTorch {TORCH} and JAX {JAX} in double precision on a CPU; gradients by
complex inputs are in the convention of this project and of PyTorch, JAX's are conjugated.
`python docs/make_edges.py` makes the pages, and a test compares them with what happens.
"""

FAMILIES = tuple(
    module.FAMILY
    for module in (
        roots,
        lengths,
        ties,
        jumps,
        statistics,
        exponentials,
        matrices,
        nan,
        nothing,
    )
)
