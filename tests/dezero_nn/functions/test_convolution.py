"""Convolution and its transpose, against loops over windows, in blocks of every kind."""

import tracemalloc

import numpy as np
import pytest
from dezero_nn.functions import conv2d, conv2d_simple, deconv2d, sliding_products
from dezero_tools.testing.array_types import registered

from dezero_core import Variable, VariableTypeError, grad, no_grad
from dezero_replay import compiled

rng = np.random.default_rng(0)


def windows_of(x, kernel, stride):
    """Yield row, column and view of each window of padded images."""
    (high, wide), (down, across) = kernel, stride
    for i, top in enumerate(range(0, x.shape[2] - high + 1, down)):
        for j, left in enumerate(range(0, x.shape[3] - wide + 1, across)):
            yield i, j, x[:, :, top : top + high, left : left + wide]


def padded(x, pad):
    return np.pad(x, ((0, 0), (0, 0), *((p, p) for p in pad)))


def truth(x, W, gy, stride, pad):  # noqa: N803
    """Return y, gx and gW of a convolution, by loops over the windows."""
    y, large = np.zeros(gy.shape, gy.dtype), padded(x, pad)
    glarge, gw = np.zeros_like(large), np.zeros_like(W)
    views = windows_of(glarge, W.shape[2:], stride)
    for (i, j, window), (_, _, gwindow) in zip(
        windows_of(large, W.shape[2:], stride), views, strict=True
    ):
        y[:, :, i, j] = np.einsum("ncij,ocij->no", window, W)
        gwindow += np.einsum("no,ocij->ncij", gy[:, :, i, j], W)
        gw += np.einsum("no,ncij->ocij", gy[:, :, i, j], window)
    gx = glarge[:, :, pad[0] : pad[0] + x.shape[2], pad[1] : pad[1] + x.shape[3]]
    return y, gx, gw


def operands(n, channels, size, outs, kernel, stride, pad, dtype=float):
    counts = [
        (m + 2 * p - k) // s + 1 for m, p, k, s in zip(size, pad, kernel, stride, strict=True)
    ]
    shapes = (n, channels, *size), (outs, channels, *kernel), (n, outs, *counts)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


#: Images, channels, size, channels of the result, kernel, stride, pad.
GEOMETRIES = {
    "square": (2, 3, (6, 7), 4, (3, 3), (1, 1), (1, 1)),
    "kernel that is no square": (3, 2, (7, 5), 2, (2, 4), (1, 1), (0, 2)),
    "stride that does not divide": (2, 2, (8, 9), 3, (3, 2), (3, 2), (1, 0)),
    "stride larger than the kernel": (2, 2, (9, 7), 3, (2, 1), (4, 3), (0, 0)),
    "stride along columns": (2, 2, (5, 9), 3, (2, 3), (1, 2), (0, 1)),
    "pad larger than the kernel": (2, 1, (2, 3), 2, (2, 2), (1, 1), (4, 3)),
    "one pixel at a time": (3, 4, (5, 6), 2, (1, 1), (1, 1), (0, 0)),
    "one pixel at a time, with pad": (2, 3, (4, 5), 2, (1, 1), (2, 1), (1, 1)),
    "kernel of the image's size": (3, 2, (4, 5), 3, (4, 5), (1, 1), (0, 0)),
    "many channels of one": (1, 1, (5, 5), 9, (3, 3), (1, 1), (1, 1)),
    "one channel of many": (5, 9, (5, 5), 1, (3, 3), (1, 1), (1, 1)),
    "one image": (1, 4, (6, 6), 4, (3, 3), (2, 2), (1, 1)),
}
#: Limits of the blocks, so that small images are split as large ones are.
LIMITS = {
    "as they are": {},
    "rows of one image": {"_BYTES": 1, "_LEAST": 10, "_SMALL": 1},
    "rows of one image, by rows of the kernel": {
        "_BYTES": 1,
        "_LEAST": 10,
        "_SMALL": 1,
        "_DEEP": 1,
    },
    "some images": {"_BYTES": 1, "_LEAST": 70, "_SMALL": 1},
    "some images, by rows of the kernel": {"_BYTES": 1, "_LEAST": 70, "_SMALL": 1, "_DEEP": 1},
    "some images side by side": {"_BYTES": 1, "_LEAST": 70, "_SMALL": 1000},
}


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", GEOMETRIES)
def test_values_and_gradients_are_those_of_loops_over_the_windows(name, limits, monkeypatch):
    for limit, value in LIMITS[limits].items():
        monkeypatch.setattr(sliding_products, limit, value)
    *_, stride, pad = GEOMETRIES[name]
    x, w, gy = operands(*GEOMETRIES[name])
    y, gx, gw = truth(x, w, gy, stride, pad)
    b = rng.normal(size=len(w))
    images, weights, bias = Variable(x), Variable(w), Variable(b)
    found = conv2d(images, weights, bias, stride, pad)
    np.testing.assert_allclose(found.data, y + b[:, None, None], 1e-12, 1e-12)
    found.grad = gy
    found.backward()
    np.testing.assert_allclose(images.grad, gx, 1e-12, 1e-12)
    np.testing.assert_allclose(weights.grad, gw, 1e-12, 1e-12)
    np.testing.assert_allclose(bias.grad, gy.sum((0, 2, 3)), 1e-12, 1e-12)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", GEOMETRIES)
def test_the_transpose_is_that_of_loops_over_the_windows(name, limits, monkeypatch):
    for limit, value in LIMITS[limits].items():
        monkeypatch.setattr(sliding_products, limit, value)
    *_, stride, pad = GEOMETRIES[name]
    x, w, gy = operands(*GEOMETRIES[name])
    y, gx, gw = truth(x, w, gy, stride, pad)
    b = rng.normal(size=x.shape[1])
    images, weights, bias = Variable(gy), Variable(w), Variable(b)
    found = deconv2d(images, weights, bias, stride, pad, x.shape[2:])
    np.testing.assert_allclose(found.data, gx + b[:, None, None], 1e-12, 1e-12)
    found.grad = x
    found.backward()
    np.testing.assert_allclose(images.grad, y, 1e-12, 1e-12)
    np.testing.assert_allclose(weights.grad, gw, 1e-12, 1e-12)
    np.testing.assert_allclose(bias.grad, x.sum((0, 2, 3)), 1e-12, 1e-12)


LARGE = {
    "rows of an image": (1, 20, (90, 90), 4, (3, 3), (1, 1), (1, 1)),
    "images of their own": (4, 40, (30, 31), 2, (3, 2), (1, 1), (1, 0)),
    "images side by side": (130, 8, (6, 6), 8, (3, 3), (1, 1), (1, 1)),
    "pixels side by side": (130, 64, (6, 6), 2, (1, 1), (1, 1), (0, 0)),
    "few channels": (2, 3, (40, 41), 4, (5, 5), (2, 2), (2, 2)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LARGE)
def test_large_images_are_right_in_the_blocks_that_they_are_split_into(name, dtype):
    *_, stride, pad = LARGE[name]
    x, w, gy = operands(*LARGE[name], dtype)
    expected = truth(*(a.astype(float) for a in (x, w, gy)), stride, pad)
    images, weights = Variable(x), Variable(w)
    found = conv2d(images, weights, None, stride, pad)
    found.grad = gy
    found.backward()
    for got, array in zip((found.data, images.grad, weights.grad), expected, strict=True):
        assert got.dtype == dtype
        off = np.abs(got - array).max() / np.abs(array).max()
        assert off < 100 * np.finfo(dtype).eps


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (conv2d, [(2, 2, 5, 5), (3, 2, 3, 3), (3,)]),
        (conv2d, [(1, 20, 12, 12), (3, 20, 3, 3), (3,)]),
        (conv2d_simple, [(2, 2, 5, 5), (3, 2, 3, 3), (3,)]),
        (deconv2d, [(2, 3, 3, 3), (3, 2, 3, 3), (2,)]),
    ],
    ids=["conv2d", "conv2d by rows of the kernel", "conv2d_simple", "deconv2d"],
)
def test_second_derivatives_are_differences_of_gradients(function, shapes):
    xs = [rng.normal(size=shape) for shape in shapes]
    steps = [rng.normal(size=shape) for shape in shapes]

    def gradients(arrays, graph=False):
        variables = [Variable(array) for array in arrays]
        y = np.sum(function(*variables, stride=2, pad=1) ** 3)
        return variables, grad(y, variables, graph)

    variables, found = gradients(xs, True)
    along = sum(np.sum(g * step) for g, step in zip(found, steps, strict=True))
    second = grad(along, variables)
    size = 1e-6
    (_, up), (_, down) = (
        gradients([x + sign * size * step for x, step in zip(xs, steps, strict=True)])
        for sign in (1, -1)
    )
    for got, high, low in zip(second, up, down, strict=True):
        expected = (high - low) / (2 * size)
        np.testing.assert_allclose(got, expected, 1e-6, 1e-6 * np.abs(expected).max())


def test_the_first_version_of_the_book_gives_the_same():
    x, w, b = rng.normal(size=(2, 3, 6, 7)), rng.normal(size=(4, 3, 2, 3)), rng.normal(size=4)
    given = {"stride": (2, 1), "pad": (0, 2)}
    np.testing.assert_allclose(conv2d_simple(x, w, b, **given), conv2d(x, w, b, **given), 1e-12)
    np.testing.assert_allclose(conv2d_simple(x, w), conv2d(x, w), 1e-12)


def test_the_book_s_example_has_the_book_s_shape():
    """Step 57: its example of sizes."""
    y = conv2d(np.ones((1, 5, 15, 15)), np.ones((8, 5, 3, 3)), stride=1, pad=1)
    assert y.shape == (1, 8, 15, 15)
    assert y[0, 0, 7, 7] == 45.0


@pytest.mark.parametrize(
    ("x", "w", "b", "expected"),
    [
        ("f", "f", "f", "f"),
        ("f", "d", "f", "d"),
        ("d", "f", "f", "d"),
        ("f", "f", "d", "d"),
        ("e", "e", "e", "e"),
        ("e", "e", "f", "f"),
        ("g", "d", "f", "g"),
        ("F", "f", "f", "F"),
        ("i", "f", "f", "d"),
        ("B", "B", "B", "B"),
        ("i", "h", "d", "d"),
        ("?", "?", "?", "?"),
        (">f", "f", "f", "f"),
    ],
)
@pytest.mark.parametrize("function", [conv2d, deconv2d])
def test_the_dtype_is_that_of_numpy_for_a_product_and_a_sum(function, x, w, b, expected):
    arrays = (1, 1, 3, 3), (1, 1, 2, 2), (1,)
    made = [np.ones(shape, dtype) for shape, dtype in zip(arrays, (x, w, b), strict=True)]
    assert function(*made).dtype == np.dtype(expected)
    whole = np.result_type(made[0].dtype, made[1].dtype)
    y = function(*made[:2])
    assert y.dtype == whole
    assert y[0, 0, 1, 1] == (1 if whole.kind == "b" else 4)


def test_in_half_precision_sums_are_rounded_once():
    x, w = np.ones((1, 48, 12, 12), "e"), np.zeros((1, 48, 3, 1), "e")
    w[0, 0, :, 0] = [2048.0, 1.0, 1.0]  # 2048 + 1 is 2048 in half precision
    assert (conv2d(x, w) == 2050.0).all()


def test_pixels_that_no_window_covers_get_no_gradient():
    x = Variable(np.ones((1, 1, 5, 5)))
    conv2d(x, np.ones((1, 1, 2, 2)), stride=2).backward()
    assert x.grad[0, 0].tolist() == [[1.0, 1.0, 1.0, 1.0, 0.0]] * 4 + [[0.0] * 5]


def test_a_nan_reaches_those_windows_that_it_is_in():
    x = np.zeros((1, 1, 4, 4))
    x[0, 0, 0, 0] = np.nan
    found = np.isnan(conv2d(x, np.ones((1, 1, 2, 2))))
    assert np.argwhere(found).tolist() == [[0, 0, 0, 0]]


def test_only_a_part_of_the_columns_is_in_memory():
    x, w = np.ones((32, 16, 32, 32), "f"), np.ones((4, 16, 3, 3), "f")
    columns = 9 * x.nbytes
    with no_grad():
        tracemalloc.start()
        conv2d(x, w, pad=1)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < columns / 4


X, W, B = np.ones((2, 3, 5, 6)), np.ones((4, 3, 2, 2)), np.ones(4)
WRONG = {
    "x of three axes": (lambda: conv2d(X[0], W), ValueError, r"\(3, 5, 6\).*x\[np\.newaxis\]"),
    "x of a number": (lambda: conv2d(2.0, W), ValueError, r"shape \(\)"),
    "W of a matrix": (lambda: conv2d(X, W[0]), ValueError, r"\(OC, C, KH, KW\).*\(3, 2, 2\)"),
    "W of no pixel": (lambda: conv2d(X, W[:, :, :0]), ValueError, r"\(4, 3, 0, 2\)"),
    "channels": (lambda: conv2d(X[:, :2], W), ValueError, r"conv2d.* 3 channels, got images of 2"),
    "kernel": (lambda: conv2d(X, np.ones((1, 3, 6, 2))), ValueError, "6 x 2 is larger.* 5 x 6"),
    "no kernel after pad": (
        lambda: conv2d(X, np.ones((1, 3, 8, 9)), pad=1),
        ValueError,
        "8 x 9 is larger.*pad of 1 x 1",
    ),
    "stride of 0": (lambda: conv2d(X, W, stride=0), ValueError, "stride 1 or more, got 0"),
    "stride of a float": (lambda: conv2d(X, W, stride=1.0), TypeError, "stride integers, got 1.0"),
    "stride of three": (lambda: conv2d(X, W, stride=(1, 1, 1)), ValueError, "one or two integers"),
    "pad of a string": (lambda: conv2d(X, W, pad="same"), ValueError, "one or two integers"),
    "pad below 0": (lambda: conv2d(X, W, pad=(0, -1)), ValueError, "pad 0 or more, got -1"),
    "b of a number": (lambda: conv2d(X, W, 0.5), ValueError, r"b of shape \(4,\).*shape \(\)"),
    "b of a row": (lambda: conv2d(X, W, B[:3]), ValueError, r"b of shape \(4,\).*shape \(3,\)"),
    "deconv2d: x": (lambda: deconv2d(X[0], W), ValueError, r"deconv2d\(\) takes images"),
    "deconv2d: W": (lambda: deconv2d(X, W[0]), ValueError, r"\(C, OC, KH, KW\)"),
    "deconv2d: channels": (lambda: deconv2d(X, W), ValueError, r"4 channels, got images of 3"),
    "deconv2d: b": (lambda: deconv2d(X, W[:3], B), ValueError, r"b of shape \(3,\)"),
    "deconv2d: outsize too large": (
        lambda: deconv2d(X, W[:3], stride=2, outsize=(12, 12)),
        ValueError,
        "10 x 12 to 11 x 13 here, got outsize=12 x 12",
    ),
    "deconv2d: outsize too small": (
        lambda: deconv2d(X, W[:3], outsize=5),
        ValueError,
        "6 x 7 to 6 x 7 here, got outsize=5 x 5",
    ),
    "deconv2d: outsize of a float": (
        lambda: deconv2d(X, W[:3], outsize=6.0),
        TypeError,
        "outsize integers",
    ),
    "deconv2d: pad": (lambda: deconv2d(X, W[:3], pad=3), ValueError, "0 x 1.*nothing is left"),
    "simple: W": (lambda: conv2d_simple(X, W[0]), ValueError, r"conv2d_simple.*\(3, 2, 2\)"),
    "simple: channels": (lambda: conv2d_simple(X[:, :2], W), ValueError, "conv2d_simple.*of 2"),
    "simple: b": (lambda: conv2d_simple(X, W, B[:3]), ValueError, "broadcast"),
    "list": (lambda: conv2d([[[["1.0"]]]], W), TypeError, "is not supported"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_with_what_is_right(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("function", [conv2d, conv2d_simple, deconv2d])
def test_arrays_of_another_type_are_refused(function):
    plain = np.ones((2, 2, 3, 3))
    with registered("strict") as kind:
        strict = kind.from_numpy(plain)
        for x, w in ((strict, strict), (Variable(strict), plain), (strict, Variable(plain))):
            with pytest.raises(VariableTypeError, match=r"takes ndarrays alone.*strict"):
                function(x, w)


def test_a_compiled_training_step_gives_the_same_bits():
    def training():
        draws = np.random.default_rng(1)
        w, v = Variable(draws.normal(size=(4, 2, 3, 3))), Variable(draws.normal(size=(4, 1, 2, 2)))

        def step(x):
            y = np.sum(deconv2d(conv2d(x, w, pad=1) ** 2, v, stride=2) ** 2)
            w.cleargrad()
            v.cleargrad()
            y.backward()
            w.data -= 1e-5 * w.grad
            v.data -= 1e-5 * v.grad
            return y

        return step, w, v

    (eager, *mine), (step, *others) = training(), training()
    step = compiled(step, strict=True)
    draws = np.random.default_rng(2)
    for _ in range(5):
        x = draws.normal(size=(2, 2, 5, 5))
        assert step(x).data == eager(x).data
        for a, b in zip(mine, others, strict=True):
            assert a.data.tobytes() == b.data.tobytes()
    assert step.stats["replayed"] > 0
