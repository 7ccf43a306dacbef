"""An audit: NumPy runs a program beside the machine code, and the results are compared.

Each value is let go of after its last comparison, so that an audit takes little more memory than
eager code.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from dezero_replay.passes.aliasing import VIEW, relation
from dezero_replay.passes.forms import OPERATORS
from dezero_replay.passes.rounds import Counter, Loop, at_round, run
from dezero_replay.tape.instructions import (
    Guard,
    Instruction,
    Method,
    Of,
    Value,
    as_array,
    written,
)

from .functions import EXACT
from .partition import Part
from .product_forms import PRODUCTS
from .region import Region
from .steps import Factorization, Map, Product, Reduction, Rounds, Step

ULP = 16
"""Units in the last place, of each function of the vector library that a result went through."""

_SUMS = {"d": 1e-12, "f": 1e-5}
"""By dtype: the error of a sum, as a part of the sum of the absolute values of its terms."""

_AMPLIFIED = {"d": 1e-8, "f": 1e-3}
"""By dtype: the error of a sum whose bound overflows, as a part of the largest result."""

Values = dict[int, Any]
"""Number of a Value -> what it is."""

Calls = list[tuple[Instruction, list[int]]]
"""Instructions, with the numbers of the Values that no later one reads."""

Counts = dict[Counter, int]
"""The rounds of the loops around a call."""


def last_uses(steps: list[list[Instruction]], kept: set[int]) -> list[list[int]]:
    """Return for each step the numbers of the Values that no later one reads, but for the kept."""
    last = {
        value.number: index
        for index, instructions in enumerate(steps)
        for each in instructions
        for value in (*each.reads(), *each.outputs)
    }
    found: list[list[int]] = [[] for _ in steps]
    for number, index in last.items():
        if number not in kept:
            found[index].append(number)
    return found


def with_sizes(instructions: list[Instruction], values: Values, kept: set[int]) -> dict[int, Any]:
    """Make calls with NumPy; return for each result that is kept the sizes of its terms.

    The size of a sum is the sum of the sizes of its terms, which may cancel each other: the error
    of the sum is a part of that. The calls put the results that are kept among the `values`.
    """
    sizes: Values = {}
    _make(_with_last_uses(instructions, kept), values, sizes, {})
    return sizes


def _with_last_uses(instructions: list[Instruction], kept: set[int]) -> Calls:
    return [*zip(instructions, last_uses([[x] for x in instructions], kept), strict=True)]


def _make(calls: Calls, values: Values, sizes: Values, rounds: Counts) -> None:
    """Make calls, find the sizes of their results, and let go of what no later one reads."""
    for each, dead in calls:
        _with_size(each, values, sizes, rounds)
        for number in sizes.keys() & dead:
            del sizes[number], values[number]


def _with_size(each: Instruction, values: Values, sizes: Values, rounds: Counts) -> None:
    """Make a call in a round of the loops around it, and find the size of its result."""
    each = at_round(each, rounds)
    if type(each.call) is Loop:
        _sizes_of_loop(each, values, sizes, rounds)
        return
    run(each, values, {})
    if type(each) is not Guard:
        with np.errstate(all="ignore"):
            operands = [_operand(x, values, sizes) for x in each.args]
            for y in each.outputs:
                sizes[y.number] = _size(each, values[y.number], operands)


def _sizes_of_loop(each: Instruction, values: Values, sizes: Values, rounds: Counts) -> None:
    """Make the calls of a loop, round by round; lists of values have lists of sizes."""
    loop, body = each.call, each.call.body
    given = [_operand(x, values, sizes) for x in each.args]
    own = {x.number: size for x, (_, size) in zip(body.inputs, given, strict=True)}
    inside = {x.number: content for x, (content, _) in zip(body.inputs, given, strict=True)}
    inside = {**body.constants, **inside}
    lists: dict[int, tuple[list[Any], list[Any]]] = {n: ([], []) for n in loop.collected}
    calls = _with_last_uses(body.instructions, _of([*body.inputs, *body.wanted]))
    for number in range(loop.rounds):
        _make(calls, inside, own, {**rounds, loop.counter: number})
        found = [_operand(value, inside, own) for value in body.wanted]
        for n, both in lists.items():
            for items, x in zip(both, found[n], strict=True):
                items.append(x)
        for param, (content, size) in zip(body.inputs[: loop.carried], found, strict=False):
            inside[param.number], own[param.number] = content, size
    for n, y in enumerate(each.outputs):
        values[y.number], sizes[y.number] = lists.get(n, found[n])


def _of(values: list[Value]) -> set[int]:
    return {value.number for value in values}


def _operand(x: Any, values: Values, sizes: Values) -> tuple[Any, Any]:
    """Return an operand, and its size."""
    content = values[x.number] if type(x) is Value else x
    if type(x) is Value and x.number in sizes:
        return content, sizes[x.number]
    if type(content) in (list, tuple):  # arrays that are put together
        sizes_of_items = [_operand(item, values, sizes)[1] for item in content]
        return content, sizes_of_items
    is_number = isinstance(content, (np.ndarray, np.generic, int, float))
    return content, np.abs(content) if is_number else content


def _size(each: Instruction, y: Any, operands: list[tuple[Any, Any]]) -> Any:
    call = OPERATORS.get(each.call, each.call)
    sizes = [size for _, size in operands]
    if call in (np.add, np.subtract):
        return sizes[0] + sizes[1]
    if call in (np.multiply, np.outer) or call in PRODUCTS:
        return call(*sizes)
    if call in _SIZES_OF_MATRICES:
        return _SIZES_OF_MATRICES[call](y, operands[0][0], *sizes)
    if call is np.true_divide:
        (_, a), (divisor, b) = operands
        return (a + np.abs(y) * b) / np.abs(divisor)
    if call is np.square:
        return sizes[0] * sizes[0]
    if call in (np.negative, np.positive, np.absolute):
        return sizes[0]
    if type(call) is Of and call.name == "reduce":
        ufunc = np.maximum if call.ufunc is np.minimum else call.ufunc
        return ufunc.reduce(sizes[0], **each.kwargs)
    is_structure = relation(each) == VIEW or call in _STRUCTURE
    if is_structure or call is as_array or type(call) is Method:
        return call(sizes[0], *each.args[1:], **each.kwargs) if len(sizes) else np.abs(y)
    if call is written:
        return written(sizes[0], each.args[1], sizes[2])
    if call is np.where:
        return np.where(operands[0][0], sizes[1], sizes[2])
    return np.maximum(np.abs(y), _of_function(y, operands))


_STRUCTURE = {operator.getitem, np.copy, np.roll, np.pad, np.concatenate, np.stack}
"""Calls that move elements, and compute nothing."""


def _of_solution(y: Any, a: Any, size: Any, size_of_right: Any = None) -> Any:
    right = np.eye(len(a)) if size_of_right is None else size_of_right
    return np.abs(np.linalg.inv(a)) @ (size @ np.abs(y) + right)


def _of_determinant(y: Any, a: Any, size: Any) -> Any:
    return np.abs(y) * (len(a) + np.sum(np.abs(np.linalg.inv(a)).T * size))


def _of_logarithm(y: Any, a: Any, size: Any) -> Any:
    return np.abs(y) + _of_determinant(1.0, a, size)


def _of_factor(y: Any, a: Any, size: Any) -> Any:
    inverse = np.abs(np.linalg.inv(y))
    return np.abs(y) @ (inverse @ size @ inverse.T)


_SIZES_OF_MATRICES: dict[Any, Any] = {
    np.linalg.inv: _of_solution,
    np.linalg.solve: _of_solution,
    np.linalg.det: _of_determinant,
    np.linalg.slogdet: _of_logarithm,
    np.linalg.cholesky: _of_factor,
}
"""Functions of a matrix -> the size of the result: errors grow with the condition."""


def _of_function(y: Any, operands: list[tuple[Any, Any]]) -> Any:
    """Return the size of a function's result: errors of operands may grow by its slope."""
    found: Any = 0.0
    for x, size in operands:
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f":
            is_bound = ~np.isfinite(x)  # as of a relu, which is infinite
            relative = np.where((x == 0.0) | is_bound, 1.0, size / np.abs(x))
            size = np.where(is_bound, 1.0, size)
            found = np.maximum(found, np.abs(y) * np.maximum(relative, size) + relative - 1.0)
    return found


def beside(
    parts: list[Any], wanted: list[Value], values: Values
) -> Iterator[tuple[Part, list[Any]]]:
    """Run a program by NumPy, of which the `values` have the inputs and constants.

    Yield each region, with the sizes of its results, while the values at its edges are there. In
    the end, the results of the program are.
    """
    steps = [
        [part] if isinstance(part, Instruction) else [*part.region.instructions, *part.views]
        for part in parts
    ]
    for part, dead in zip(parts, last_uses(steps, _of(wanted)), strict=True):
        if isinstance(part, Instruction):
            run(part, values, {})
        else:
            seen = (x for each in part.views for x in each.reads())
            sizes = with_sizes(part.region.instructions, values, _of([*part.wanted, *seen]))
            yield part, [sizes.get(x.number, 0.0) for x in part.wanted]
            for each in part.views:
                run(each, values, {})
        for number in dead:
            values.pop(number, None)


def difference(region: Region, values: list[Any], expected: list[Any], sizes: list[Any]) -> str:
    """Return a difference from NumPy's results that is larger than allowed; "" if there is none.

    `sizes` has for each result the sums of the absolute values of its terms.
    """
    steps = [*_with_times(region)]
    # The patches of one root are of one call.
    calls = {
        (step.function, step.out.root): times for step, times in steps if isinstance(step, Map)
    }
    inexact = sum(times for (function, _), times in calls.items() if function not in EXACT)
    sums = any(
        isinstance(step, (Product, Factorization))
        or (isinstance(step, Reduction) and step.function is np.add)
        for step, _ in steps
    )
    sums |= inexact > 0 and len(steps) > 1  # of a function and more, which may cancel it
    problems = (
        _difference(np.asarray(found), np.asarray(right), inexact, sums, size)
        for found, right, size in zip(values, expected, sizes, strict=True)
    )
    return next(filter(None, problems), "")


def _with_times(region: Region) -> Iterator[tuple[Step, int]]:
    """Go through the steps of a region, and those of its loops, with how often each is done."""
    for step in region.steps:
        yield step, 1
        if isinstance(step, Rounds):
            for inner, times in _with_times(step.body):
                yield inner, times * step.loop.rounds


def _difference(found: Any, right: Any, inexact: int, sums: bool, size: Any) -> str:
    far = ~((found == right) | ((found != found) & (right != right)))
    if found.dtype.kind == "f" and (inexact or sums):
        with np.errstate(all="ignore"):
            limit = ULP * inexact * np.spacing(np.abs(right))
            if sums:
                # Rounds of an iteration may amplify errors, or forget them.
                largest = np.max(np.abs(right[np.isfinite(right)]), initial=0.0)
                most = _AMPLIFIED[found.dtype.char] * largest
                bound = np.where(np.isfinite(size), _SUMS[found.dtype.char] * size, most)
                limit = np.maximum(limit, bound)
            far &= ~(np.abs(found - right) <= limit)
    if not far.any():
        return ""
    where = np.unravel_index(int(np.argmax(far)), far.shape)
    at = f" at {tuple(map(int, where))}" if far.ndim else ""
    return f"{found[where]!r} in place of {right[where]!r}{at}"
