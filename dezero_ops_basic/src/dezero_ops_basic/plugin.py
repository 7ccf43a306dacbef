"""What this distribution registers: the operators."""

from __future__ import annotations

import numpy as np

from dezero_core import Registrar, hookimpl

from . import arithmetic as a
from . import broadcasting, casting, comparison, indexing, matrix_product, power, unary

DEZERO_PLUGIN_API = (1, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Bind every operator to its operation."""
    wide, positive = (-3.0, 3.0), (0.5, 3.0)
    # For libraries that look at it to decide whose operator is tried first.
    add = {"__add__": a.add, "__radd__": a.add, "__array_priority__": 200}
    register("add", a.add, a.Add, dunders=add, numpy=np.add, sample=(wide, wide))
    register(
        "sub",
        a.sub,
        a.Sub,
        dunders={"__sub__": a.sub, "__rsub__": a.rsub},
        numpy=np.subtract,
        sample=(wide, wide),
    )
    register(
        "mul",
        a.mul,
        a.Mul,
        dunders=("__mul__", "__rmul__"),
        numpy=np.multiply,
        sample=(wide, wide),
    )
    register(
        "div",
        a.div,
        a.Div,
        dunders={"__truediv__": a.div, "__rtruediv__": a.rdiv},
        numpy=np.divide,
        sample=(wide, positive),
    )
    register(
        "floordiv",
        a.floordiv,
        a.FloorDiv,
        dunders={"__floordiv__": a.floordiv, "__rfloordiv__": a.rfloordiv},
        numpy=np.floor_divide,
        sample=(wide, positive),
    )
    register(
        "mod",
        a.mod,
        a.Mod,
        dunders={"__mod__": a.mod, "__rmod__": a.rmod},
        numpy=np.remainder,
        sample=(wide, positive),
    )
    register(
        "pow",
        power.pow,
        power.Pow,
        dunders={"__pow__": power.pow, "__rpow__": power.rpow},
        numpy=np.power,
        sample=(positive, wide),
    )
    register(
        "matmul",
        matrix_product.matmul,
        matrix_product.MatMul,
        dunders={"__matmul__": matrix_product.matmul, "__rmatmul__": matrix_product.rmatmul},
        numpy=np.matmul,
        sample=(wide, wide),
    )
    register("neg", unary.neg, unary.Neg, dunders="__neg__", numpy=np.negative, sample=(wide,))
    register("pos", unary.pos, unary.Pos, dunders="__pos__", numpy=np.positive, sample=(wide,))
    register(
        "absolute", unary.absolute, unary.Abs, dunders="__abs__", numpy=np.absolute, sample=(wide,)
    )
    register("sign", unary.sign, unary.Sign, numpy=np.sign, sample=(wide,))
    for function, dunder, numpy in (
        (comparison.less, "__lt__", np.less),
        (comparison.less_equal, "__le__", np.less_equal),
        (comparison.greater, "__gt__", np.greater),
        (comparison.greater_equal, "__ge__", np.greater_equal),
        (comparison.equal, "__eq__", np.equal),
        (comparison.not_equal, "__ne__", np.not_equal),
    ):
        register(function.__name__, function, dunders=dunder, numpy=numpy, sample=(wide, wide))
    register(
        "getitem",
        indexing.getitem,
        indexing.GetItem,
        dunders={
            "__getitem__": indexing.getitem,
            "__iter__": indexing.iterate,
            "__contains__": indexing.contains,
        },
        sample=(wide,),
    )
    register(
        "broadcast_to",
        broadcasting.broadcast_to,
        broadcasting.BroadcastTo,
        methods="broadcast_to",
        numpy=np.broadcast_to,
        sample=(wide,),
    )
    register("sum_to", broadcasting.sum_to, broadcasting.SumTo, methods="sum_to", sample=(wide,))
    register("astype", casting.astype, casting.Astype, methods="astype", sample=(wide,))
