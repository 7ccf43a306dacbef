"""Products, inverses, solutions, factors and determinants of matrices as steps of a region."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Instruction, Value

from . import lapack
from .addresses import Addresses
from .product_forms import as_matrices
from .steps import Array, Factorization, Map, NotNative, Product, dtype_of_value

FACTORIZATIONS: dict[Any, str] = {
    np.linalg.inv: "gesv",
    np.linalg.solve: "gesv",
    np.linalg.cholesky: "potrf",
    np.linalg.det: "getrf",
    np.linalg.slogdet: "getrf",
}
"""Functions of a matrix -> functions of LAPACK's."""

_LARGEST_MATRIX = {"gesv": 64, "getrf": 64, "potrf": 24}
"""The most rows of a matrix for which NumPy's call costs more than LAPACK's, and two copies."""


def product(region: Addresses, each: Instruction) -> None:
    """Add a product of matrices, of vectors, or of batches of matrices."""
    a, b = (region.operand(x, in_memory=True) for x in each.args)
    y = each.outputs[0]
    whole = region.new(y)
    a, b, out = as_matrices(each.call, a, b, whole)
    if not a.shape[-1]:
        region.fill(whole, 0.0)
        return
    size = sum(prod(x.shape[-2:]) * x.dtype.itemsize for x in (a, b))
    if size > region.machine.cache:
        raise NotNative(f"its operands have {size:,} bytes, more than the second-level cache")
    region.steps.append(Product(np.matmul, [a, b], (y.dtype, y.dtype), out))


def outer(region: Addresses, each: Instruction) -> None:
    """Multiply vectors as a column and a row."""
    a, b = (region.operand(x) for x in each.args)
    y = each.outputs[0]
    if not all(isinstance(x, Array) and len(x.shape) == 1 for x in (a, b)):
        raise NotNative("it is a product of flattened arrays")
    if not a.dtype == b.dtype == dtype_of_value(y) or y.dtype.kind != "f":
        raise NotNative("it is no product of floating-point numbers of one dtype")
    column = a._replace(shape=(*a.shape, 1), strides=(*a.strides, 0))
    region.steps.append(Map(np.multiply, [column, b], (y.dtype, y.dtype), region.new(y)))


def factorization(region: Addresses, each: Instruction) -> None:
    """Add a call of LAPACK's; a determinant is the product of a diagonal."""
    name, operands = FACTORIZATIONS[each.call], [region.operand(x) for x in each.args]
    y, (a, *b) = each.outputs[0], operands
    if any(not isinstance(x, Array) or x.dtype != y.dtype for x in operands):
        raise NotNative("it is not of arrays of one dtype")
    if y.dtype.kind != "f" or len(a.shape) != 2 or any(len(x.shape) > 2 for x in b):
        raise NotNative("it is of no single matrix of floating point")
    if not prod(y.shape or ()):
        raise NotNative("its result is empty")
    if a.shape[0] != a.shape[1] or not 0 < a.shape[0] <= _LARGEST_MATRIX[name]:
        raise NotNative(f"it is of no matrix of at most {_LARGEST_MATRIX[name]} rows")
    if not region.runs_again:
        raise NotNative("a program that draws random numbers cannot run again for its error")
    if not lapack.is_there():
        raise NotNative("SciPy, which has LAPACK's functions, is not installed")
    dtypes = (y.dtype,) * len(operands)
    if name != "getrf":
        region.steps.append(Factorization(name, operands, dtypes, region.new(y)))
        return
    diagonal = region.temporary(a.shape[:1], y.dtype)
    region.steps.append(Factorization(name, operands, dtypes, diagonal))
    if each.call is np.linalg.det:
        region.reduce(np.multiply, diagonal, (0,), None, region.new(y))
    else:
        _logarithm(region, diagonal, *each.outputs)


def _logarithm(region: Addresses, diagonal: Array, sign: Value, logarithm: Value) -> None:
    """Compute sign and logarithm of the product of a diagonal."""
    if not region.machine.has("log"):
        raise NotNative("the vector library of this machine has no log")
    dtypes = (diagonal.dtype,)
    signs, sizes, logs = (region.temporary(diagonal.shape, *dtypes) for _ in range(3))
    region.steps.append(Map(np.sign, [diagonal], dtypes, signs))
    region.steps.append(Map(np.absolute, [diagonal], dtypes, sizes))
    region.steps.append(Map(np.log, [sizes], dtypes, logs))
    region.reduce(np.multiply, signs, (0,), None, region.new(sign))
    region.reduce(np.add, logs, (0,), 0, region.new(logarithm))
