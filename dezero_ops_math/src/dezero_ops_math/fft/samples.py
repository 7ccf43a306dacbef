"""How transforms are called in tests: even and odd lengths, cropped, padded, in each norm."""

from __future__ import annotations

from ..sampling import Call, Draw

_A, _B = Draw((2, 4)), Draw((3, 5, 2))
_NORMS = ("backward", "ortho", "forward")

_EITHER = (
    *(Call(_A), Call(_A, axis=0), Call(_A, None, -2), Call(_B, axis=1), Call(_B, 4, 1, "ortho")),
    *(Call(_A, n=1), Call(_A, n=2), Call(_A, n=3), Call(_A, n=4, axis=0), Call(_A, n=9, axis=-1)),
    *(Call(_A, 16), Call(Draw((0, 4))), Call(Draw((5,)), n=5)),
    *(Call(Draw((n,)), norm=norm) for n in (4, 5) for norm in _NORMS),
    *(Call(Draw((4,)), n=n, norm=norm) for n in (3, 6) for norm in _NORMS),
)

ONE_AXIS = (
    *_EITHER,
    *(Call(Draw((1,))), Call(Draw((1, 3)), axis=0), Call(Draw((2, 1)), n=4)),
    Call(Draw((2, 0)), n=3),
)

#: Of one bin it is not known how many numbers were transformed; of none, NumPy reads one.
ONE_AXIS_OF_BINS = (*_EITHER, Call(Draw((1,)), n=1), Call(Draw((1,)), 2), Call(Draw((2, 1)), n=5))

_SEVERAL = (
    Call(_A),
    Call(_B),
    Call(_B, axes=(1,)),
    Call(_B, axes=[1, 0]),
    Call(_B, axes=(-1, -2)),
    Call(_A, (3, 5), (0, 1)),
    Call(_A, s=(3, 3), axes=(1, 0)),
    Call(_A, s=[-1, 6], axes=[0, 1]),
    Call(_B, s=(2, 7), axes=(-2, 0), norm="ortho"),
    Call(_A, norm="forward"),
    Call(_A, None, None, "backward"),
    # An axis may come again, as long as the first transform has left it.
    Call(_B, axes=(1, 1)),
    Call(_B, axes=(1, 0, 1)),
    Call(_A, s=(3, 6), axes=(1, 1)),
    Call(_A, s=(5, 2, 3), axes=(1, 0, 1), norm="ortho"),
    Call(_A, s=(5, 3, 4), axes=(0, 0, 1)),
    Call(_A, s=(3, 7, 4), axes=(0, 0, 1), norm="forward"),
    Call(Draw((5,))),
    Call(Draw((0, 4)), axes=(1,)),
    Call(Draw((0, 4)), s=(2, 3), axes=(0, 1)),
)

SEVERAL_AXES = (*_SEVERAL, Call(Draw((1, 1))), Call(Draw((2, 0)), s=(2, 3), axes=(0, 1)))

NO_AXES = (Call(Draw()), Call(_A, axes=()))

SEVERAL_AXES_OF_BINS = (*_SEVERAL, Call(Draw((1, 2))), Call(Draw((3, 1)), s=(3, 1), axes=(0, 1)))

_TWO = (
    *(Call(_A), Call(_B), Call(_A, (3, 5)), Call(_A, s=(2, 7), norm="ortho")),
    *(Call(_B, axes=(0, 1)), Call(_B, None, (1, -3), "forward")),
    *(Call(_B, s=(5, 3), axes=(0, 1), norm="backward"), Call(_A, s=(-1, 3))),
    *(Call(_A, s=(3, 6), axes=(1, 1)), Call(Draw((0, 2, 4))), Call(Draw((0, 4)), s=(2, 3))),
)

TWO_AXES = (*_TWO, Call(Draw((1, 1))), Call(Draw((3, 1))))

TWO_AXES_OF_BINS = (*_TWO, Call(Draw((1, 2))), Call(Draw((2, 1)), s=(3, 1)))
