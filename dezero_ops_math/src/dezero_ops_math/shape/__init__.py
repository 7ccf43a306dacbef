"""Functions that move elements: shape, order, joining, picking."""

from __future__ import annotations

from . import (
    additions,
    axes,
    blocks,
    choices,
    conditions,
    copying,
    creation,
    diagonals,
    differences,
    dimensions,
    filling,
    finite_differences,
    grids,
    integration,
    interpolation,
    joining,
    logarithmic_ranges,
    matrices,
    minimum_dimensions,
    moving_axes,
    ordering,
    padding,
    picking,
    ranges,
    rearranging,
    removals,
    repeating,
    reshaping,
    selection,
    sorting,
    splitting,
    splitting_by_axis,
    stacking,
    triangles,
    turning,
    unstacking,
    unwrapping,
)
from .additions import append, insert
from .axes import matrix_transpose, swapaxes, transpose
from .blocks import block, column_stack
from .choices import choose
from .conditions import compress, extract
from .copying import copy
from .creation import empty_like, ones_like, zeros_like
from .diagonals import diagonal, trace
from .differences import diff, ediff1d
from .dimensions import expand_dims, squeeze
from .filling import full_like
from .finite_differences import gradient
from .grids import broadcast_arrays, meshgrid
from .integration import trapezoid
from .interpolation import interp
from .joining import concatenate, stack
from .logarithmic_ranges import geomspace, logspace
from .matrices import diag, diagflat
from .minimum_dimensions import atleast_1d, atleast_2d, atleast_3d
from .moving_axes import moveaxis, rollaxis
from .ordering import argpartition, argsort
from .padding import pad
from .picking import take, take_along_axis
from .ranges import linspace
from .rearranging import flip, fliplr, flipud
from .removals import delete
from .repeating import repeat, tile
from .reshaping import flatten, ravel, reshape
from .selection import select, where
from .sorting import partition, sort
from .splitting import array_split, split
from .splitting_by_axis import dsplit, hsplit, vsplit
from .stacking import dstack, hstack, vstack
from .triangles import tril, triu
from .turning import roll, rot90
from .unstacking import unstack
from .unwrapping import unwrap

FAMILIES = (
    additions,
    axes,
    blocks,
    choices,
    conditions,
    copying,
    creation,
    diagonals,
    differences,
    dimensions,
    filling,
    finite_differences,
    grids,
    integration,
    interpolation,
    joining,
    logarithmic_ranges,
    matrices,
    minimum_dimensions,
    moving_axes,
    ordering,
    padding,
    picking,
    ranges,
    rearranging,
    removals,
    repeating,
    reshaping,
    selection,
    sorting,
    splitting,
    splitting_by_axis,
    stacking,
    triangles,
    turning,
    unstacking,
    unwrapping,
)

__all__ = [
    "append",
    "argpartition",
    "argsort",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "broadcast_arrays",
    "choose",
    "column_stack",
    "compress",
    "concatenate",
    "copy",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "dsplit",
    "dstack",
    "ediff1d",
    "empty_like",
    "expand_dims",
    "extract",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "full_like",
    "geomspace",
    "gradient",
    "hsplit",
    "hstack",
    "insert",
    "interp",
    "linspace",
    "logspace",
    "matrix_transpose",
    "meshgrid",
    "moveaxis",
    "ones_like",
    "pad",
    "partition",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "select",
    "sort",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "trace",
    "transpose",
    "trapezoid",
    "tril",
    "triu",
    "unstack",
    "unwrap",
    "vsplit",
    "vstack",
    "where",
    "zeros_like",
]
