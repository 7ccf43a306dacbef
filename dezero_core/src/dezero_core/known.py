"""Which distribution has which operation: for messages about what is not installed.

Names only; nothing is imported from them. A test holds them against what the
distributions really register.
"""

from __future__ import annotations

_NAMES = {
    "dezero-ops-basic": """
        absolute add astype broadcast_to conj conjugate contains div divide divmod equal
        float_power floor_divide floordiv getitem greater greater_equal imag iter less less_equal
        matmul mod mul multiply neg negative not_equal pos positive pow power real remainder sign
        sub subtract sum_to
    """,
    "dezero-ops-math": """
        all allclose amax amin angle any append arccos arccosh arcsin arcsinh arctan arctan2 arctanh
        argmax argmin argpartition argsort argwhere around array_equal array_equiv array_split
        atleast_1d atleast_2d atleast_3d average block broadcast_arrays can_cast cbrt ceil choose
        clip column_stack compress concatenate copy copysign cos cosh count_nonzero cross cumprod
        cumsum deg2rad degrees delete diag diagflat diagonal diff digitize dot dsplit dstack ediff1d
        einsum empty_like exp exp2 expand_dims expm1 extract fabs fix flatnonzero flatten flip
        fliplr flipud floor fmax fmin fmod full_like geomspace gradient heaviside hsplit hstack
        hypot inner insert interp isclose iscomplex iscomplexobj isfinite isin isinf isnan isneginf
        isposinf isreal isrealobj kron linear linspace log log10 log1p log2 log_softmax logaddexp
        logaddexp2 logical_and logical_not logical_or logical_xor logspace logsumexp
        matrix_transpose matvec max maximum mean median meshgrid min minimum moveaxis mT nan_to_num
        nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile
        nanprod nanquantile nanstd nansum nanvar nonzero ones_like outer pad partition percentile
        prod ptp quantile rad2deg radians ravel real_if_close reciprocal relu repeat reshape
        result_type rint roll rollaxis rot90 round searchsorted select signbit sin sinc sinh
        softmax_cross_entropy sort spacing split sqrt square squeeze stack std sum swapaxes T take
        take_along_axis tan tanh tensordot tile trace transpose trapezoid tril triu trunc unstack
        unwrap var vdot vecdot vecmat vsplit vstack where zeros_like fft.fft fft.fft2 fft.fftn
        fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft fft.irfft
        fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn linalg.cholesky linalg.cond linalg.cross
        linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv
        linalg.lstsq linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank
        linalg.matrix_transpose linalg.multi_dot linalg.norm linalg.outer linalg.pinv linalg.qr
        linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.tensorinv
        linalg.tensorsolve linalg.trace linalg.vecdot linalg.vector_norm
    """,
}
DISTRIBUTIONS = {distribution: frozenset(names.split()) for distribution, names in _NAMES.items()}
"""Distribution -> the names of its operations, methods and NumPy functions."""


_METHODS = """
    all any argmax argmin argpartition argsort astype broadcast_to clip compress conj conjugate
    copy cumprod cumsum diagonal dot flatten imag max mean min mT nonzero prod ravel real repeat
    reshape round searchsorted squeeze std sum sum_to swapaxes T take trace transpose var
"""
METHODS = frozenset(_METHODS.split())
"""Those of the names that are methods or properties of Variable."""


def distribution_of(operation: str) -> str | None:
    """Return the distribution that has an operation, a method or a NumPy function."""
    for distribution, names in DISTRIBUTIONS.items():
        if operation in names:
            return distribution
    return None
