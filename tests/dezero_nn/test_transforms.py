"""Transforms: values, of one item and of a batch, and what they refuse."""

import sys

import numpy as np
import pytest
from dezero_nn.transforms import (
    AsType,
    CenterCrop,
    Compose,
    Convert,
    Flatten,
    Normalize,
    RandomHorizontalFlip,
    Resize,
    ToArray,
    ToFloat,
    ToInt,
    ToPIL,
)
from dezero_nn.transforms.arrays import batch_form
from PIL import Image

PIXELS = np.random.default_rng(0).integers(0, 256, (3, 4, 6), np.uint8)


def image(mode="RGB", pixels=PIXELS):
    """Return an image whose pixel in column x and row y is ``pixels[:, y, x]``."""
    made = Image.new("RGB", pixels.shape[:0:-1])
    for y, x in np.ndindex(*pixels.shape[1:]):
        made.putpixel((x, y), tuple(int(value) for value in pixels[:, y, x]))
    return made.convert(mode)


def test_compose_applies_each_transform_to_the_result_of_the_one_before():
    assert Compose([lambda x: x + 1, lambda x: x * 2])(3) == 8
    assert Compose()(3) == 3


def test_a_transform_is_printed_with_what_it_does():
    shown = repr(Compose([Flatten(), CenterCrop(2)]))
    assert shown == "Compose(transforms=[Flatten(), CenterCrop(size=(2, 2))])"


def test_an_image_becomes_an_array_with_the_channels_first():
    array = ToArray()(image())
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array, PIXELS)
    assert ToArray(np.uint8)(image()).dtype == np.uint8


def test_a_grey_image_becomes_an_array_with_one_channel():
    array = ToArray()(image("L"))
    assert array.shape == (1, 4, 6)
    assert array[0, 1, 5] == image("L").getpixel((5, 1))


def test_to_array_gives_an_array_back():
    assert ToArray()(PIXELS) is PIXELS


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_an_array_becomes_an_image_and_back(channels):
    array = np.random.default_rng(1).integers(0, 256, (channels, 4, 6), np.uint8)
    made = ToPIL()(array)
    assert made.mode == {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    assert np.ravel(made.getpixel((5, 1))).tolist() == array[:, 1, 5].tolist()
    np.testing.assert_array_equal(ToArray(np.uint8)(made), array)


def test_convert_changes_the_mode():
    assert Convert("L")(image()).mode == "L"
    assert Convert()(image("L")).mode == "RGB"
    np.testing.assert_array_equal(ToArray()(Convert("BGR")(image())), PIXELS[::-1])


def test_resize_takes_width_and_height():
    assert Resize((3, 2))(image()).size == (3, 2)
    assert Resize(5)(image()).size == (5, 5)
    nearest = Resize((12, 8), Image.Resampling.NEAREST)(image())
    np.testing.assert_array_equal(ToArray()(nearest), PIXELS.repeat(2, axis=1).repeat(2, axis=2))


def test_resize_is_bilinear_by_default():
    """Halfway between two pixels is their mean."""
    two = ToPIL()(np.array([[[0, 100]]], np.uint8))
    assert ToArray()(Resize((3, 1))(two))[0, 0, 1] == 50


@pytest.mark.parametrize("size", [(4, 2), (6, 4), (1, 1), 3])
def test_a_centre_crop_leaves_out_as_much_on_each_side(size):
    got = ToArray()(CenterCrop(size)(image()))
    w, h = size if isinstance(size, tuple) else (size, size)
    assert got.shape == (3, h, w)
    left, up = (6 - w) // 2, (4 - h) // 2
    np.testing.assert_array_equal(got, PIXELS[:, up : up + h, left : left + w])


def test_a_flip_exchanges_left_and_right_of_images_and_arrays():
    always, never = RandomHorizontalFlip(1.0), RandomHorizontalFlip(0.0)
    np.testing.assert_array_equal(ToArray()(always(image())), PIXELS[..., ::-1])
    np.testing.assert_array_equal(always(PIXELS), PIXELS[..., ::-1])
    np.testing.assert_array_equal(ToArray()(never(image())), PIXELS)
    np.testing.assert_array_equal(never(PIXELS), PIXELS)


def test_a_flip_happens_as_often_as_its_probability_says():
    """Of 4,000 with 0.25: within five standard deviations, 27.4 each, of 1,000."""
    flip = RandomHorizontalFlip(0.25, np.random.default_rng(0))
    flipped = flip.apply_to_batch(np.tile([0.0, 1.0], (4000, 1)))[:, 0].sum()
    assert abs(flipped - 1000) < 137


def test_a_flip_draws_from_the_global_generator_if_there_is_no_other():
    flip = RandomHorizontalFlip()
    np.random.seed(3)
    draws = np.random.random(20) < 0.5
    np.random.seed(3)
    got = [flip(np.array([0, 1]))[0] == 1 for _ in range(20)]
    assert got == draws.tolist()


def test_normalize_subtracts_the_mean_and_divides_by_the_deviation():
    x = np.random.default_rng(2).random((3, 4, 6))
    mean, std = [0.1, 0.2, 0.3], [1.0, 2.0, 4.0]
    got = Normalize(mean, std)(x)
    for channel in range(3):
        np.testing.assert_array_equal(got[channel], (x[channel] - mean[channel]) / std[channel])
    np.testing.assert_array_equal(Normalize(0.5, [2.0])(x), (x - 0.5) / 2.0)
    np.testing.assert_array_equal(Normalize()(x), x)


def test_normalize_keeps_float32_and_does_not_wrap_small_integers():
    assert Normalize([0.5], 0.5)(np.ones((3, 2, 2), np.float32)).dtype == np.float32
    assert Normalize()(np.array([2**24 + 1])).tolist() == [2**24 + 1]
    np.testing.assert_array_equal(Normalize(128, 1)(np.array([0, 255], np.uint8)), [-128.0, 127.0])


def test_flatten_makes_one_axis_and_a_copy():
    flat = Flatten()(PIXELS)
    assert flat.shape == (72,)
    assert not np.shares_memory(flat, PIXELS)


@pytest.mark.parametrize(
    ("transform", "dtype"),
    [
        (AsType(), np.float32),
        (AsType(np.int8), np.int8),
        (ToFloat(), np.float32),
        (ToFloat(np.float64), np.float64),
        (ToInt(), int),
        (ToInt(np.int16), np.int16),
    ],
)
def test_a_dtype_is_changed_by_as_type_to_float_and_to_int(transform, dtype):
    got = transform(np.array([1.75, -1.75]))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.array([1.75, -1.75]).astype(dtype))
    assert transform(3) == 3


ON_BATCHES = [
    Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)]),
    Compose([ToFloat(), Normalize([1.0, 2.0, 3.0], 2.0), Compose([ToInt()])]),
    Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
    Normalize([5.0], 2.0),
    Compose(),
]


@pytest.mark.parametrize("transform", ON_BATCHES, ids=repr)
def test_a_batch_comes_to_the_same_as_its_items(transform):
    batch = np.random.default_rng(3).integers(0, 256, (5, 3, 4, 6), np.uint8)
    got, one_by_one = batch_form(transform)(batch), np.array([transform(x) for x in batch])
    assert got.dtype == one_by_one.dtype
    np.testing.assert_array_equal(got, one_by_one)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_batch_is_flipped_with_the_numbers_that_its_items_would_get(make):
    batch = np.random.default_rng(3).random((50, 2, 3))
    one_by_one = [RandomHorizontalFlip(rng=rng)(x) for rng in [make(7)] for x in batch]
    got = RandomHorizontalFlip(rng=make(7)).apply_to_batch(batch)
    np.testing.assert_array_equal(got, one_by_one)


def test_flat_items_of_no_size_stay_items():
    assert Flatten().apply_to_batch(np.zeros((3, 0, 2))).shape == (3, 0)


class Doubled(ToFloat):
    def __call__(self, array):
        return 2 * super().__call__(array)


class DoubledInBatches(Doubled):
    def apply_to_batch(self, batch):
        return self(batch)


def test_a_subclass_is_applied_to_items_until_it_says_how_to_take_a_batch():
    assert batch_form(Doubled()) is None
    assert batch_form(Compose([Flatten(), Doubled()])) is None
    assert batch_form(lambda x: x) is None
    np.testing.assert_array_equal(batch_form(DoubledInBatches())(np.ones(2)), [2.0, 2.0])


def test_transforms_of_images_refuse_arrays_and_say_what_makes_an_image():
    for transform in (Convert(), Resize(2), CenterCrop(2)):
        name = type(transform).__name__
        with pytest.raises(TypeError, match=rf"{name}: .* got ndarray\. ToPIL\(\)"):
            transform(PIXELS)
    with pytest.raises(TypeError, match=r"ToArray: .* got list"):
        ToArray()([1, 2])
    with pytest.raises(TypeError, match=r"RandomHorizontalFlip: .* got float"):
        RandomHorizontalFlip()(1.0)


@pytest.mark.parametrize("size", [0, -1, (1, 0), (1, 2, 3), 2.5, "4", None])
def test_a_size_that_is_none_is_refused(size):
    for transform in (Resize, CenterCrop):
        with pytest.raises(ValueError, match=f"{transform.__name__}: size must be .*, got "):
            transform(size)


def test_a_crop_larger_than_the_image_is_refused():
    for size in ((7, 4), (6, 5)):
        with pytest.raises(ValueError, match="this image has only 6 x 4"):
            CenterCrop(size)(image())


def test_an_image_with_a_palette_must_be_converted():
    with pytest.raises(ValueError, match=r"'P' .* Convert\(\"RGB\"\)"):
        ToArray()(image().quantize(4))


def test_an_image_is_made_of_bytes_with_channels_only():
    with pytest.raises(TypeError, match=r"float32.*AsType\(np\.uint8\)"):
        ToPIL()(PIXELS.astype(np.float32))
    for shape in ((4, 6), (2, 4, 6), (1, 3, 4, 6)):
        with pytest.raises(ValueError, match="this one is of shape"):
            ToPIL()(np.zeros(shape, np.uint8))


def test_numbers_cannot_be_flipped():
    with pytest.raises(ValueError, match="got numbers"):
        RandomHorizontalFlip()(np.array(1.0))
    with pytest.raises(ValueError, match="got numbers"):
        RandomHorizontalFlip().apply_to_batch(np.arange(3))


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_probability_is_from_0_to_1(p):
    with pytest.raises(ValueError, match="p is a probability"):
        RandomHorizontalFlip(p)


@pytest.mark.parametrize(("mean", "std"), [(0, 0), (0, [1, 0]), ([[1]], 1), (0, [[1]])])
def test_a_deviation_of_zero_or_a_matrix_of_them_is_refused(mean, std):
    with pytest.raises(ValueError, match="std must not be zero"):
        Normalize(mean, std)


def test_a_mean_for_another_number_of_channels_is_refused():
    for transform in (Normalize([1, 2]), Normalize(0, [1, 2])):
        with pytest.raises(ValueError, match=r"2 channels, but the array is of shape \(3, 4, 6\)"):
            transform(PIXELS)
        with pytest.raises(ValueError, match=r"of shape \(\)"):
            transform.apply_to_batch(np.arange(2.0))


def test_without_pillow_only_images_are_missed(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        Resize(2)(None)
    assert RandomHorizontalFlip(1.0)(np.array([1, 2])).tolist() == [2, 1]
