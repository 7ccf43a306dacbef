"""The forms that several rows share: axes, shapes of matrices, indices, conditions."""

from __future__ import annotations

import numpy as np

from dezero_core import Variable

from .row import Form

A, B = (2, 3), (2, 3, 2)

REDUCTIONS = {
    "all": Form((A,)),
    "keepdims": Form((A,), kwargs={"keepdims": True}),
    "axis=0": Form((A,), kwargs={"axis": 0}),
    "axis by position": Form((A,), (1,)),
    "axis=-1, keepdims": Form((A,), kwargs={"axis": -1, "keepdims": True}),
    "axis=None": Form((A,), kwargs={"axis": None}),
    "two axes": Form((B,), kwargs={"axis": (0, -1)}),
    "two axes, keepdims": Form((B,), kwargs={"axis": (-2, 0), "keepdims": True}),
    "none of the axes": Form((A,), kwargs={"axis": ()}),
    "one element": Form(((1, 1),), kwargs={"axis": 1}),
    "no dimensions": Form(((),)),
    "empty beside the axis": Form(((0, 3),), kwargs={"axis": 1}),
}
OVER_NOTHING = {
    "empty along the axis": Form(((0, 3),), kwargs={"axis": 0}),
    "empty": Form(((0,),)),
}
SOFTMAX_AXES = {
    "last axis": Form((A,)),
    "axis=0": Form((A,), kwargs={"axis": 0}),
    "axis by position": Form((B,), (1,)),
    "all axes": Form((A,), kwargs={"axis": None}),
    "two axes": Form((B,), kwargs={"axis": (0, -1)}),
    "one element": Form(((1,),)),
    "no dimensions": Form(((),), kwargs={"axis": None}),
    "empty beside the axis": Form(((0, 3),)),
}

MATRICES = {
    "matrices": Form(((2, 3), (3, 2))),
    "square matrices": Form(((2, 2), (2, 2))),
    "vector, vector": Form(((3,), (3,))),
    "vector, matrix": Form(((3,), (3, 2))),
    "matrix, vector": Form(((2, 3), (3,))),
    "row, column": Form(((1, 3), (3, 1))),
    "column, row": Form(((3, 1), (1, 3))),
    "stack, stack": Form(((2, 2, 3), (2, 3, 2))),
    "stack, matrix": Form(((2, 2, 3), (3, 2))),
    "matrix, stack": Form(((2, 3), (2, 3, 2))),
    "stack of one, stack": Form(((1, 2, 3), (2, 3, 2))),
    "stack, stack of one": Form(((2, 2, 3), (1, 3, 2))),
    "both stacks broadcast": Form(((2, 1, 1, 3), (2, 3, 2))),
    "stack, vector": Form(((2, 2, 3), (3,))),
    "vector, stack": Form(((3,), (2, 3, 2))),
    "no rows": Form(((0, 3), (3, 2))),
    "sum over nothing": Form(((2, 0), (0, 2))),
    "empty stack": Form(((0, 2, 3), (3, 2))),
    "empty vectors": Form(((0,), (0,))),
}

SHAPES = {
    "tuple": Form((A,), ((3, 2),)),
    "int": Form((A,), (6,)),
    "NumPy int": Form((A,), (np.int64(6),)),
    "minus one": Form((A,), ((-1, 2),)),
    "list": Form((A,), ([1, 6],)),
    "by position": Form((A,), (3, 2), numpy=False),
    "by name": Form((A,), kwargs={"shape": (1, 2, 3)}),
    "order F": Form((A,), ((3, 2),), {"order": "F"}),
    "to no dimensions": Form(((1, 1),), ((),)),
    "from no dimensions": Form(((),), ((1, 1),)),
    "empty": Form(((0, 3),), ((3, 0),)),
}
AXES = {
    "reversed": Form((A,)),
    "three reversed": Form((B,)),
    "vector": Form(((3,),)),
    "no dimensions": Form(((),)),
    "empty": Form(((0, 3),)),
    "None": Form((A,), (None,)),
    "tuple": Form((B,), ((1, 2, 0),)),
    "list": Form((B,), ([2, 0, 1],)),
    "negative": Form((B,), ((-1, 0, 1),)),
    "by position": Form((B,), (1, 2, 0), numpy=False),
    "by name": Form((B,), kwargs={"axes": (2, 0, 1)}),
}
REPEATED_TO = {
    "the same shape": Form((A,), (A,)),
    "a new axis": Form((A,), ((2, 2, 3),)),
    "an axis of one": Form(((2, 1),), (A,)),
    "both": Form(((3, 1),), ((2, 3, 2),)),
    "int": Form(((1,),), (3,)),
    "NumPy int": Form(((1,),), (np.int64(3),)),
    "list": Form(((3,),), ([2, 3],)),
    "no dimensions": Form(((),), (A,)),
    "nothing": Form(((1, 3),), ((0, 3),)),
}
SUMMED_TO = {
    "the same shape": Form((A,), (A,)),
    "an axis less": Form((A,), ((3,),)),
    "an axis of one": Form((A,), ((2, 1),)),
    "both": Form((B,), ((3, 1),)),
    "int": Form((A,), (3,)),
    "NumPy int": Form((A,), (np.int64(3),)),
    "list": Form((A,), ([1, 3],)),
    "to no dimensions": Form((A,), ((),)),
    "from nothing": Form(((0, 3),), ((1, 3),)),
}

MASK = np.array([[True, False, True], [False, True, False]])
CHOICES = {
    "array": Form((A, A), (MASK,), alone=True),
    "nested list": Form((A, A), (MASK.tolist(),), alone=True),
    "Variable": Form((A, A), (Variable(MASK),), alone=True),
    "numbers": Form((A, A), (MASK * 2.0,), alone=True),
    "True": Form((A, A), (True,), alone=True),
    "condition broadcast": Form((A, A), (MASK[0],), alone=True),
    "operands broadcast": Form(((3,), (2, 1)), (MASK,)),
    "all broadcast": Form(((), (3,)), (MASK[:, :1],)),
    "no dimensions": Form(((), ()), (np.True_,), alone=True),
    "empty": Form(((0, 3), (3,)), (MASK[:0],)),
}

_PICKED = {
    "int": 1,
    "negative int": -1,
    "NumPy int": np.int64(2),
    "array of no dimensions": np.array(1),
    "slice": slice(1, 3),
    "everything": slice(None),
    "step": slice(None, None, 2),
    "negative step": slice(None, None, -1),
    "empty slice": slice(0, 0),
    "ellipsis": ...,
    "new axis": None,
    "empty tuple": (),
    "one element": (1, 2),
    "slices": (slice(0, 2), slice(1, None, 2)),
    "ellipsis, int": (..., -1),
    "int, new axis, slice": (0, None, slice(None, 2)),
    "list": [0, 2],
    "repeated": [0, 0, 2, 0],
    "nested list": [[0, 1], [1, 1]],
    "empty list": [],
    "range": range(2),
    "int array": np.array([2, 0]),
    "repeated in an array": np.array([[1, 1], [-2, 1]]),
    "unsigned, repeated": np.array([0, 0], dtype=np.uint8),
    "empty int array": np.zeros((0, 2), dtype=int),
    "slice, repeated": (slice(None), [1, 1, 3]),
    "repeated, slice": ([2, 2], slice(1, 3)),
    "pairs, one repeated": ([0, 1, 0], [3, 2, 3]),
    "one element by two names": ([0, -3], [3, -1]),
    "arrays that broadcast": (np.array([[0], [2]]), np.array([1, 1, 0])),
    "int, array": (1, np.array([3, 3])),
    "array, new axis, ellipsis": (np.array([1, 1]), None, ...),
    "mask": np.arange(12).reshape(3, 4) % 3 == 0,
    "mask of rows": np.array([True, False, True]),
    "mask as a list": [False, True, True],
    "slice, mask of columns": (slice(None), np.array([True, False, True, True])),
    "mask, repeated": (np.array([True, False, True]), [1, 1]),
    "mask of nothing": np.zeros(3, dtype=bool),
    "True": True,
    "NumPy False": np.False_,
    "Variable": Variable(np.array([1, 1, 2])),
    "Variable of no dimensions": Variable(np.array(2)),
    "Variable in a tuple": (slice(None), Variable(np.array([0, 0]))),
    "Variable mask": Variable(np.array([True, True, False])),
}
INDICES = {name: Form(((3, 4),), (index,)) for name, index in _PICKED.items()} | {
    "no dimensions, empty tuple": Form(((),), ((),)),
    "no dimensions, new axes": Form(((),), ((None, ..., None),)),
    "vector, repeated": Form(((3,),), ([2, 2],)),
    "empty, slice": Form(((0, 3),), ((slice(None), slice(1)),)),
    "slice between arrays": Form((B,), (([0, 0], slice(None), [1, 1]),)),
}
