"""Arguments with axes of one element, or of none: the results of NumPy, or its errors.

Promise: docs/dask_operations.md
"""

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, without_computing

RNG = np.random.default_rng(0)
X, ROW, POINT = RNG.standard_normal((3, 3)), RNG.standard_normal((1, 3)), np.array(2.0)
SHORT, NONE = np.arange(3, dtype=np.int8), np.zeros((0, 3))


def chunked(x, chunks):
    if isinstance(x, np.ndarray):
        return da.from_array(x, chunks=chunks)
    return type(x)(chunked(each, chunks) for each in x) if isinstance(x, (list, tuple)) else x


@pytest.mark.parametrize("chunks", [2, 1, -1])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        *((np.einsum, ("ii", X)), (np.einsum, ("...i,...i", X, ROW)), (np.einsum, (X, [0, 0]))),
        *((np.einsum, ("ij,ij->j", X, ROW)), (np.einsum, ("i->", np.zeros(0)))),
        *((np.fft.fftshift, (X, (0, 0))), (np.fft.ifftshift, (X, -1)), (np.fft.fftshift, (X, ()))),
        *((np.roll, (POINT, 1)), (np.roll, (X, (1, 2), 0)), (np.roll, (X, 1, (0, 1)))),
        *((np.block, ([[X, X[:, :0]], [ROW, ROW[:, :0]]],)), (np.block, ([[NONE], [X]],))),
        *((np.block, ([X[0], np.zeros(0)],)), (np.block, ([POINT, 1.5],)), (np.block, (X,))),
        *((np.block, ([[[X], [ROW]]],)), (np.block, ([[X, X], [np.zeros((3, 6))]],))),
        *((np.block, ([X[0], SHORT, SHORT.astype(np.uint8)],)), (np.block, ([NONE, NONE],))),
        (np.block, ([SHORT, SHORT.astype(np.float16), SHORT.astype(np.int16)],)),
    ],
)
def test_results_are_those_of_numpy(function, args, chunks):
    with without_computing():
        found = call(function, tuple(chunked(x, chunks) for x in args), {})
    wanted = np.asarray(function(*args))
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found.compute(), wanted, rtol=1e-12)


@pytest.mark.parametrize("chunks", [2, 1, -1])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        *((np.einsum, ("ii", ROW)), (np.einsum, ("ii->i", ROW)), (np.einsum, (ROW, [0, 0]))),
        *(
            (np.einsum, ("ij,jj->i", X, ROW)),
            (np.einsum, ("ii", X[:2])),
            (np.einsum, ("ii", X.T[:2])),
        ),
        *((np.fft.fftshift, (POINT,)), (np.fft.ifftshift, (POINT,)), (np.fft.fftshift, (X, 5))),
        *((np.roll, (X, 1, 3)), (np.roll, (X, (1, 2, 3), (0, 1)))),
        *((np.block, ([X, NONE],)), (np.block, ([[X], [np.zeros((0, 2))]],))),
        *(
            (np.block, ([[X, np.zeros((2, 0))]],)),
            (np.block, ([X, [X]],)),
            (np.block, ([[], [X]],)),
        ),
        *((np.block, ([[X, X], [X]],)), (np.block, ((X, X),)), (np.block, ([[X, 1.0]],))),
    ],
)
def test_errors_are_those_of_numpy(function, args, chunks):
    with pytest.raises((ValueError, IndexError, TypeError)) as by_numpy:
        function(*args)
    with without_computing(), pytest.raises(type(by_numpy.value)):
        call(function, tuple(chunked(x, chunks) for x in args), {})
