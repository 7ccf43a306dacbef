"""The base of the datasets: items, their transforms, batches, and what is refused."""

import numpy as np
import pytest
from dezero_nn.datasets import Dataset
from dezero_nn.datasets.dataset import stacked


class Cubes(Dataset):
    """Rows of two numbers, with their cubes as labels."""

    size = 6

    def prepare(self):
        self.data = np.arange(2.0 * self.size).reshape(-1, 2)
        self.label = np.arange(self.size) ** 3


def test_an_item_is_a_datum_and_its_label():
    x, t = Cubes()[2]
    assert x.tolist() == [4.0, 5.0]
    assert t == 8
    assert len(Cubes()) == 6
    assert Cubes()[-1][1] == 125
    assert Cubes()[-6][1] == 0
    assert Cubes()[np.int64(1)][1] == 1


def test_transforms_are_applied_to_datum_and_label():
    x, t = Cubes(transform=lambda x: x * 10, target_transform=lambda t: t + 0.5)[1]
    assert x.tolist() == [20.0, 30.0]
    assert t == 1.5


def test_prepare_knows_whether_it_is_for_training():
    class Part(Dataset):
        def prepare(self):
            self.data = ["train"] if self.train else ["test"]

    assert Part()[0] == ("train", None)
    assert Part(train=False)[0] == ("test", None)


def test_a_for_loop_over_a_dataset_ends():
    assert [int(t) for _, t in Cubes()] == [0, 1, 8, 27, 64, 125]


@pytest.mark.parametrize("index", [6, -7, 10**30])
def test_an_index_out_of_range_is_an_index_error(index):
    with pytest.raises(IndexError, match=f"Cubes: there is no item {index}; the items are 0 to 5"):
        Cubes()[index]


@pytest.mark.parametrize("index", [slice(2), [0, 1], 1.0, "a", None])
def test_an_item_has_an_integer(index):
    with pytest.raises(TypeError, match="Cubes: an item has an integer as its number, got "):
        Cubes()[index]


def test_there_must_be_a_label_for_each_datum():
    class Short(Cubes):
        def prepare(self):
            super().prepare()
            self.label = self.label[:4]

    with pytest.raises(ValueError, match=r"Short: .* 6 data and 4 labels"):
        Short()


def test_a_dataset_without_data_says_what_to_define():
    with pytest.raises(TypeError, match=r"Dataset has no data: define prepare\(\)"):
        len(Dataset())
    with pytest.raises(TypeError, match="Dataset has no data"):
        Dataset()[0]


TRANSFORMS = {"none": None, "of items": lambda x: x * 2}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("target_transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("kind", [np.asarray, list])
def test_a_batch_is_its_items_along_a_new_axis(transform, target_transform, kind):
    cubes = Cubes(transform=transform, target_transform=target_transform)
    cubes.data, cubes.label = kind(cubes.data), kind(cubes.label)
    indices = np.array([4, 0, 4, -1])
    x, t = cubes.get_batch(indices)
    np.testing.assert_array_equal(x, [cubes[i][0] for i in indices])
    np.testing.assert_array_equal(t, [cubes[i][1] for i in indices])


def test_arrays_in_an_array_of_objects_are_stacked():
    cubes = Cubes()
    cubes.data = np.empty(6, object)
    cubes.data[:] = [np.full((2, 3), i) for i in range(6)]
    x, _ = cubes.get_batch(np.array([1, 5]))
    np.testing.assert_array_equal(x, [np.ones((2, 3)), np.full((2, 3), 5)])
    assert x.dtype != object


def test_a_batch_is_a_copy():
    cubes = Cubes()
    x, t = cubes.get_batch(np.arange(6))
    x[:], t[:] = -1, -1
    assert cubes[2][0].tolist() == [4.0, 5.0]
    assert cubes[2][1] == 8


def test_without_labels_a_batch_has_none():
    cubes = Cubes()
    cubes.label = None
    x, t = cubes.get_batch(np.array([1, 2]))
    assert x.shape == (2, 2)
    assert t is None


@pytest.mark.parametrize(
    "items", [[1, 2], [1, 2.5], [np.float32(1)], [np.zeros((2, 3)), np.ones((2, 3))], ["a", "bc"]]
)
def test_items_are_stacked_as_numpy_does(items):
    got, expected = stacked(items, "x"), np.array(items)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("items", "shapes"),
    [
        ([np.zeros((2, 3)), np.zeros((2, 4))], r"\(2, 3\), \(2, 4\)"),
        ([np.zeros(3), np.zeros(2), np.zeros(3)], r"\(2,\), \(3,\)"),
        ([1.0, np.zeros(2)], r"\(\), \(2,\)"),
        ([None, np.zeros(2)], r"\(\), \(2,\)"),
    ],
)
def test_items_of_different_shapes_are_named(items, shapes):
    with pytest.raises(ValueError, match=f"x has the shapes {shapes}"):
        stacked(items, "x")


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeError, match="t has items of NoneType, int"):
        stacked([None, 1], "t")


def test_an_error_of_numpy_that_is_not_of_shapes_is_left_as_it_is():
    class Wrong:
        def __array__(self, dtype=None, copy=None):
            raise ValueError("mine")

        shape = (1,)

    with pytest.raises(ValueError, match="mine"):
        stacked([Wrong()], "x")


def test_a_subclass_may_leave_out_the_init_of_the_base():
    class Pairs(Dataset):
        def __init__(self, n):
            self.data, self.label = np.arange(n), np.arange(n) ** 2

    assert Pairs(3)[2] == (2, 4)
    np.testing.assert_array_equal(Pairs(3).get_batch(np.array([1, 2])), [[1, 2], [1, 4]])
