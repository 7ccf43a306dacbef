"""Loaders: batches, epochs, what they take for a dataset, and going on where they were."""

import numpy as np
import pytest
from dezero_nn.datasets import Spiral
from dezero_nn.transforms import Compose, Flatten, Normalize, RandomHorizontalFlip, ToFloat

from dezero_nn import DataLoader, Dataset, SeqDataLoader

PAIRS = [(n, n * n) for n in range(10)]


class Images(Dataset):
    def prepare(self):
        self.data = np.random.default_rng(0).integers(0, 256, (10, 1, 2, 3), np.uint8)
        self.label = np.arange(10)


def epoch(loader):
    """Return the batches of an epoch as lists."""
    return [(x.tolist(), t.tolist()) for x, t in loader]


def numbers(loader):
    """Return the data of an epoch in their order."""
    return [n for x, _ in epoch(loader) for n in x]


def test_without_shuffling_batches_are_in_order_and_the_last_is_smaller():
    expected = [([0, 1, 2, 3], [0, 1, 4, 9]), ([4, 5, 6, 7], [16, 25, 36, 49]), ([8, 9], [64, 81])]
    loader = DataLoader(PAIRS, 4, shuffle=False)
    assert epoch(loader) == expected
    assert epoch(loader) == expected
    assert (loader.data_size, loader.max_iter, len(loader)) == (10, 3, 3)


@pytest.mark.parametrize(
    ("batch_size", "sizes"), [(5, [5, 5]), (10, [10]), (11, [10]), (1, [1] * 10)]
)
def test_an_epoch_has_each_item_once(batch_size, sizes):
    loader = DataLoader(PAIRS, np.int64(batch_size), seed=0)
    batches = epoch(loader)
    assert [len(x) for x, _ in batches] == sizes
    assert sorted(n for x, _ in batches for n in x) == list(range(10))
    assert all(t == [n * n for n in x] for x, t in batches)


def test_each_epoch_has_another_order():
    loader = DataLoader(PAIRS, 4, seed=0)
    orders = [numbers(loader) for _ in range(5)]
    assert len({tuple(order) for order in orders}) == 5
    assert all(sorted(order) == list(range(10)) for order in orders)


def test_every_order_comes_up():
    """Each of six in 600 epochs: 100 times, within five standard deviations of 9.1."""
    loader = DataLoader(PAIRS[:3], 3, seed=0)
    orders = [tuple(numbers(loader)) for _ in range(600)]
    assert {orders.count(order) for order in set(orders)} <= set(range(54, 147))
    assert len(set(orders)) == 6


def test_the_order_is_that_of_the_seed_or_of_the_generator():
    expected = [numbers(DataLoader(PAIRS, 4, rng=np.random.default_rng(3))) for _ in range(2)]
    assert expected[0] == expected[1] == numbers(DataLoader(PAIRS, 4, seed=3))
    assert expected[0] != numbers(DataLoader(PAIRS, 4, seed=4))
    old = [numbers(DataLoader(PAIRS, 4, rng=np.random.RandomState(3))) for _ in range(2)]
    assert old[0] == old[1]


def test_by_default_each_loader_has_another_order_and_the_global_generator_is_left_alone():
    np.random.seed(0)
    before = np.random.get_state()[1].tolist()
    orders = {tuple(numbers(DataLoader(PAIRS * 3, 4))) for _ in range(5)}
    assert len(orders) == 5
    assert np.random.get_state()[1].tolist() == before


def test_the_loader_is_its_own_iterator_as_in_the_book():
    loader = DataLoader(PAIRS, 5, shuffle=False)
    assert iter(loader) is loader
    assert next(loader)[0].tolist() == [0, 1, 2, 3, 4]
    assert loader.next()[0].tolist() == [5, 6, 7, 8, 9]
    with pytest.raises(StopIteration):
        next(loader)
    assert next(loader)[0].tolist() == [0, 1, 2, 3, 4]


def test_a_loop_that_was_left_early_is_followed_by_a_whole_epoch():
    loader = DataLoader(PAIRS, 4, seed=0)
    for _ in loader:
        break
    assert sorted(numbers(loader)) == list(range(10))


def test_reset_begins_a_new_epoch():
    loader = DataLoader(PAIRS, 4, seed=0)
    first = loader.index
    next(loader)
    loader.reset()
    assert loader.iteration == 0
    assert loader.index.tolist() != first.tolist()


class Torchlike:
    """As a dataset of PyTorch: it counts from 0, by integers of Python, and has no base class."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        assert type(index) is int
        return self.items[index]


@pytest.mark.parametrize("kind", [list, tuple, Torchlike])
def test_any_sequence_of_pairs_is_a_dataset(kind):
    assert epoch(DataLoader(kind(PAIRS), 6, shuffle=False)) == epoch(
        DataLoader(PAIRS, 6, shuffle=False)
    )
    assert epoch(DataLoader(kind([list(p) for p in PAIRS]), 10, shuffle=False))[0][0][3] == 3


def test_batches_have_the_dtypes_of_their_items():
    x, t = next(DataLoader([(np.float32(1), 2), (np.float32(3), 4)], 2))
    assert (x.dtype, t.dtype) == (np.float32, np.array([2]).dtype)


def test_items_without_labels_give_none():
    x, t = next(DataLoader([(1, None), (2, None)], 2, shuffle=False))
    assert x.tolist() == [1, 2]
    assert t is None


@pytest.mark.parametrize(
    "transform", [None, Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)]), lambda x: x * 2]
)
def test_a_batch_of_a_dataset_is_what_its_items_are(transform):
    images = Images(transform=transform, target_transform=lambda t: t + 0.5)
    for x, t in DataLoader(images, 4, seed=0):
        expected = [images[int(n)] for n in t]
        assert x.dtype == expected[0][0].dtype
        np.testing.assert_array_equal(x, [image for image, _ in expected])
        np.testing.assert_array_equal(t, [label for _, label in expected])


def test_transforms_are_applied_to_a_batch_at_once():
    class Counted(Flatten):
        batches = 0

        def __call__(self, array):
            raise AssertionError("one by one")

        def apply_to_batch(self, batch):
            self.batches += 1
            return super().apply_to_batch(batch)

    transform = Counted()
    epoch(DataLoader(Images(transform=transform), 4))
    assert transform.batches == 3


def test_a_dataset_that_defines_its_items_anew_is_asked_for_each():
    class Negative(Images):
        def __getitem__(self, index):
            x, t = super().__getitem__(index)
            return -x.astype(int), t

    x, t = next(DataLoader(Negative(), 10))
    np.testing.assert_array_equal(x, -Images().data[t].astype(int))


def test_a_dataset_too_large_for_memory_needs_no_data():
    class Big(Dataset):
        def __getitem__(self, index):
            return np.full(2, index), index

        def __len__(self):
            return 10**6

    x, t = next(DataLoader(Big(), 3, seed=0))
    np.testing.assert_array_equal(x, np.stack([t, t], axis=1))


def test_there_is_no_gpu():
    loader = DataLoader(PAIRS, 4)
    loader.to_cpu()
    with pytest.raises(RuntimeError, match=r"DataLoader: .* cannot be on a GPU"):
        loader.to_gpu()


def test_the_rows_of_a_sequence_are_equally_far_apart():
    loader = SeqDataLoader(PAIRS, 3)
    expected = [[0, 3, 6], [1, 4, 7], [2, 5, 8], [3, 6, 9]]
    assert [x for x, _ in epoch(loader)] == expected
    assert [x for x, _ in epoch(loader)] == expected
    whole = SeqDataLoader(PAIRS, 10)
    assert epoch(whole) == [(list(range(10)), [n * n for n in range(10)])]
    assert numbers(SeqDataLoader(PAIRS, 1)) == list(range(10))


def test_rows_that_are_too_many_for_the_sequence_overlap_by_one_item():
    loader = SeqDataLoader([(n, n) for n in range(5)], 4)  # 2 batches, of steps of 1
    assert [x for x, _ in epoch(loader)] == [[0, 1, 2, 3], [1, 2, 3, 4]]
    loader = SeqDataLoader([(n, n) for n in range(3)], 2)
    assert [x for x, _ in epoch(loader)] == [[0, 1], [1, 2]]


def test_a_sequence_in_arrays_is_taken_at_once():
    x, _ = next(SeqDataLoader(Spiral(), 4))
    np.testing.assert_array_equal(x, Spiral().data[[0, 75, 150, 225]])


def test_a_sequence_cannot_be_shuffled():
    with pytest.raises(ValueError, match=r"SeqDataLoader: .* cannot shuffle"):
        SeqDataLoader(PAIRS, 3, shuffle=True)
    assert len(SeqDataLoader(PAIRS, 3, shuffle=False)) == 4


def test_a_sequence_shorter_than_a_batch_is_refused():
    with pytest.raises(ValueError, match="11 rows are more than the 10 items"):
        SeqDataLoader(PAIRS, 11)


LOADERS = [DataLoader, SeqDataLoader]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("size", [0, -1, np.int64(0)])
def test_a_batch_size_below_1_is_refused(loader, size):
    with pytest.raises(
        ValueError, match=f"{loader.__name__}: batch_size must be 1 or more, got {size}"
    ):
        loader(PAIRS, size)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("size", [2.0, "2", None, [2]])
def test_a_batch_size_is_an_integer(loader, size):
    with pytest.raises(TypeError, match=f"{loader.__name__}: batch_size must be an integer, got "):
        loader(PAIRS, size)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    ("dataset", "kind"),
    [((n for n in PAIRS), "generator"), (set(PAIRS), "set"), (dict(PAIRS), "dict"), (3, "int")],
    ids=["generator", "set", "dict", "int"],
)
def test_what_has_no_items_by_number_is_refused(loader, dataset, kind):
    with pytest.raises(TypeError, match=f"{loader.__name__}: .* but {kind} does not"):
        loader(dataset, 2)


def test_a_dataset_without_a_length_is_refused():
    class Endless:
        def __getitem__(self, index):
            return index, index

    with pytest.raises(TypeError, match="a dataset must have a length, but Endless has no __len__"):
        DataLoader(Endless(), 2)


def test_an_empty_dataset_is_refused():
    with pytest.raises(ValueError, match="DataLoader: there are no items in this list"):
        DataLoader([], 2)


def test_a_number_is_a_seed_and_no_generator():
    with pytest.raises(TypeError, match=r"DataLoader: rng must be a generator .* got 0\. .* seed="):
        DataLoader(PAIRS, 2, rng=0)


def test_a_seed_and_a_generator_are_one_too_many():
    with pytest.raises(TypeError, match="rng= or seed="):
        DataLoader(PAIRS, 2, rng=np.random.default_rng(0), seed=0)


@pytest.mark.parametrize(
    ("dataset", "what"),
    [
        ([1, 2], "a int"),
        (np.ones((4, 2)), "a ndarray"),
        ([(1, 2, 3)], "a tuple of 3"),
        ((np.ones((3, 2)), np.ones(3)), "a ndarray"),
        (["ab"], "a str"),
    ],
    ids=str,
)
def test_an_item_that_is_no_pair_is_refused(dataset, what):
    with pytest.raises(
        TypeError,
        match=rf"item 0 of this \w+ is {what}\. To make a dataset of two arrays, write list\(zip",
    ):
        next(DataLoader(dataset, 2, shuffle=False))


def test_items_of_different_shapes_are_refused_and_the_loader_stays_where_it_is():
    loader = DataLoader([(np.zeros(2), 0), (np.zeros(3), 1)], 2)
    with pytest.raises(ValueError, match=r"x has the shapes \(2,\), \(3,\)"):
        next(loader)
    assert loader.iteration == 0


def loaders(rng=np.random.default_rng):
    """Return a loader after an epoch and a bit, and another that has done something else."""
    one, other = DataLoader(PAIRS * 2, 3, rng=rng(1)), DataLoader(PAIRS * 2, 3, rng=rng(2))
    epoch(one)
    next(other)
    return one, other


@pytest.mark.parametrize("given", [0, 1, 4, 7])
@pytest.mark.parametrize("rng", [np.random.default_rng, np.random.RandomState])
def test_a_loader_goes_on_where_another_was(given, rng):
    one, other = loaders(rng)
    for _ in range(given):
        next(one)
    state = one.state_dict()
    expected = [epoch(one_by_one(one)), epoch(one), epoch(one)]
    other.load_state_dict(state)
    assert [epoch(other), epoch(other), epoch(other)] == expected
    assert len(expected[0]) == 7 - given


def one_by_one(loader):
    """Yield the rest of an epoch, without beginning another."""
    while loader.iteration < loader.max_iter:
        yield next(loader)
    with pytest.raises(StopIteration):
        next(loader)


def test_a_state_is_read_from_a_file_of_numpy_without_pickle(tmp_path):
    one, other = loaders()
    next(one)
    np.savez(tmp_path / "state.npz", **one.state_dict())
    with np.load(tmp_path / "state.npz") as state:
        other.load_state_dict(dict(state))
    assert epoch(other) == epoch(one_by_one(one))


def test_a_state_is_a_copy():
    one, other = loaders()
    state = one.state_dict()
    other.load_state_dict(state)
    state["index"][:] = 0
    for loader in (one, other):
        assert sorted(numbers(loader)) == sorted([*range(10), *range(10)])


def test_a_loop_left_after_going_on_is_followed_by_a_whole_epoch():
    one, other = loaders()
    next(one)
    other.load_state_dict(one.state_dict())
    for _ in other:
        break
    assert sorted(numbers(other)) == sorted([*range(10), *range(10)])


def test_after_the_end_of_the_epoch_that_went_on_a_loop_begins_another():
    one, other = loaders()
    next(one)
    other.load_state_dict(one.state_dict())
    list(one_by_one(other))
    next(other)
    assert len(epoch(other)) == 7


@pytest.mark.parametrize(
    "kind", [lambda: SeqDataLoader(PAIRS, 3), lambda: DataLoader(PAIRS, 3, False)]
)
def test_a_loader_in_order_goes_on_too(kind):
    one, other = kind(), kind()
    next(one)
    state = one.state_dict()
    assert state == {"data_size": 10, "batch_size": 3, "iteration": 1}
    other.load_state_dict(state)
    assert epoch(other) == epoch(one_by_one(one))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data_size": 21}, "this loader has data_size 20, but the given state has 21"),
        ({"batch_size": 4}, "this loader has batch_size 3, but the given state has 4"),
        ({"iteration": 8}, "an epoch has 7 batches, but in the given state 8"),
        ({"iteration": -1}, "an epoch has 7 batches, but in the given state -1"),
        ({"index": np.zeros(20, int)}, "index must hold each of the 20 items once"),
        ({"index": np.arange(19)}, "index must hold each of the 20 items once"),
        (
            {"rng": DataLoader(PAIRS, 2, rng=np.random.RandomState(0)).state_dict()["rng"]},
            "MT19937",
        ),
        ({"rng": "{"}, "Expecting property name"),
    ],
    ids=str,
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(change, message):
    one, other = loaders()
    state = one.state_dict() | change
    before = other.state_dict()
    with pytest.raises(ValueError, match=message):
        other.load_state_dict(state)
    after = other.state_dict()
    np.testing.assert_array_equal(before.pop("index"), after.pop("index"))
    assert before == after
    assert sorted(numbers(other)) == sorted([*range(10), *range(10)])


def test_a_state_of_another_kind_of_loader_is_refused():
    one, other = DataLoader(PAIRS, 3), DataLoader(PAIRS, 3, shuffle=False)
    for loader, state in ((one, other.state_dict()), (other, one.state_dict()), (one, {})):
        with pytest.raises(
            ValueError, match=r"this loader's state has data_size, .* same shuffle="
        ):
            loader.load_state_dict(state)


def test_random_transforms_go_on_with_a_generator_that_the_loader_shares():
    def loader(seed):
        rng = np.random.default_rng(seed)
        return DataLoader(Images(transform=RandomHorizontalFlip(rng=rng)), 4, rng=rng)

    one, other = loader(0), loader(1)
    next(one)
    other.load_state_dict(one.state_dict())
    assert epoch(other) == epoch(one_by_one(one))
