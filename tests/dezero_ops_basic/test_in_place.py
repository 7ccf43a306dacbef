"""Writes are made in place where nobody else sees the array, and nobody else does after a copy.

Promise: docs/how_to/write_into_arrays.md
"""

import threading
import weakref

import numpy as np
import pytest
from dezero_ops_basic.in_place import write_by
from dezero_ops_basic.writing import SetItem

import dezero_ops_basic
from dezero_core import Function, Variable


def addresses(x, writes):
    for write in writes:
        write(x)
        yield x.data.ctypes.data


def test_writes_are_made_in_place_where_nobody_else_sees_the_array():
    x = Variable(np.zeros(3))
    first = x.data.ctypes.data
    writes = [
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.__setitem__(1, Variable(np.array(2.0))),
        lambda x: np.add.at(x, [0, 0], 1.0),
        lambda x: x.__setitem__([2], [3.0]),
    ]
    assert set(addresses(x, writes)) == {first}
    np.testing.assert_array_equal(x.data, [3.0, 2.0, 3.0])


HOLDERS = {
    "a view": lambda x: x[1:],
    "a node": lambda x: x * x,
    "its array": lambda x: x.data,
    "a view of its array": lambda x: x.data[1:],
    "another Variable": lambda x: Variable(x.data),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_write_copies_an_array_that_somebody_else_sees(holder):
    x = Variable(np.arange(3.0))
    held = HOLDERS[holder](x)
    before = np.array(getattr(held, "data", held), copy=True)
    x[1] = 7.0
    np.testing.assert_array_equal(getattr(held, "data", held), before)
    np.testing.assert_array_equal(x.data, [0.0, 7.0, 2.0])


def test_a_write_copies_a_view_and_an_array_that_cannot_be_written_into():
    base = np.arange(4.0)
    view, read_only = Variable(base[:3]), Variable(np.arange(3.0))
    read_only.data.flags.writeable = False
    for x in (view, read_only):
        x[0] = 9.0
        np.testing.assert_array_equal(x.data, [9.0, 1.0, 2.0])
    assert base[0] == 0.0


def test_a_write_copies_an_array_that_somebody_takes_while_it_is_written():
    _, y = (x := Variable(np.array([1.0, 2.0])), x * 1.0)
    taken = []

    class Takes(SetItem):
        def forward(self, x, value):
            taken.append(x)
            return x

    write_by(dezero_ops_basic.setitem, Takes, y, 0, 5.0)
    np.testing.assert_array_equal(taken[0], [1.0, 2.0])
    np.testing.assert_array_equal(y.data, [5.0, 2.0])


def test_a_thread_that_takes_an_array_while_numpy_writes_into_it_is_warned_of():
    _, y = (x := Variable(np.array([1.0, 2.0])), x * 1.0)
    taken = []

    class Lets(SetItem):
        """Lets other threads run, as NumPy does while it writes many elements."""

        @staticmethod
        def writes(array, index, value):
            threads = [threading.Thread(target=lambda: taken.append(y.data))]
            threads[0].start()
            threads[0].join()
            array[index] = value

    with pytest.warns(RuntimeWarning, match=r"another thread has read .* Use a lock") as caught:
        write_by(dezero_ops_basic.setitem, Lets, y, 0, 5.0)
    assert caught[0].filename == __file__
    assert y.data is taken[0]
    np.testing.assert_array_equal(y.data, [5.0, 2.0])


def test_a_thread_that_reads_between_writes_saves_arrays_that_stay(many_switches):
    x = Variable(np.zeros(20)) * 1.0
    reads, changed = 20_000, []

    def read():
        for _ in range(reads):
            y = x * x  # it saves the array of x
            (array,) = {id(a): a for a in y.creator.saved_arrays()[0]}.values()
            if not np.array_equal(array * array, y.data):
                changed.append(array)

    reader = threading.Thread(target=read)
    reader.start()
    writes = 0
    while reader.is_alive():
        x[writes % 20] = float(writes)
        writes += 1
    assert (changed, writes > 100) == ([], True)


class Shares(Function):
    """Gives one gradient to both inputs, and keeps it."""

    saves = ()
    kept = None

    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        Shares.kept = gy = gy * 1.0
        return gy, gy


def test_a_gradient_that_somebody_else_has_is_not_written_into():
    x = Variable(np.array([1.0, 2.0, 3.0]))
    y, z = x * 1.0, x * 1.0
    y[0] = 0.0
    z[1] = 0.0
    Shares()(y, z).backward()
    np.testing.assert_array_equal(Shares.kept, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 2.0])


def test_a_backward_pass_through_writes_copies_no_gradient(monkeypatch):
    x, out = Variable(np.array(3.0)), Variable(np.zeros(50))
    for i in range(50):
        out[i] = x * float(i)
    y, copies = out * 2.0, []
    copy = np.copy
    monkeypatch.setattr(np, "copy", lambda *args, **kw: copies.append(args) or copy(*args, **kw))
    y.backward()
    assert (x.grad, copies) == (2.0 * sum(range(50)), [])


def test_a_loop_of_writes_is_freed_without_the_collector(no_collector):
    x, w = Variable(np.arange(4.0)), Variable(np.full(4, 0.5))
    u = x * 1.0
    for i in range(1, 4):
        u[i] = (w * u * u)[0] + (w * u * u)[i]  # of which the products save u
    expected = u.data.copy()
    u.backward()
    nodes, node = [weakref.ref(u)], u.creator
    while node is not None:
        nodes.append(weakref.ref(node))
        node = node._edges[0].creator
    del node, u
    assert [each() is None for each in nodes] == [True] * len(nodes)
    assert len(nodes) == 5
    np.testing.assert_array_equal(expected[:2], [0.0, 0.5])
