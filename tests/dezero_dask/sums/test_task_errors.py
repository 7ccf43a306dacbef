"""Errors of a loss, in whatever process they are raised.

Promise: docs/how_to/more_data_than_memory.md
"""

import functools
import threading

import numpy as np
import pytest

import dezero_dask as dd

from .problems import linear, made, parts

W = np.ones(4)
X, Y = made()
LOCK = threading.Lock()


def test_an_error_keeps_its_type_and_says_where_it_was_raised(anywhere):
    def loss(w, x):
        raise ZeroDivisionError("as I like it")

    with pytest.raises(ZeroDivisionError, match="as I like it") as caught:
        dd.value_and_grad(loss)(1.0, parts(X, 2))
    note = caught.value.__notes__[0]
    assert note.startswith("in partition ")
    assert " of 2, with arrays of shapes (45, 4), on " in note


def test_an_error_of_a_function_that_reads_data_says_so_too(anywhere):
    def read(number):
        raise FileNotFoundError(f"no file {number}")

    with pytest.raises(FileNotFoundError, match="no file 0") as caught:
        dd.value_and_grad(linear, partitions=1)(1.0, read)
    assert caught.value.__notes__[0].startswith("in partition 0 of 1 on ")


def test_an_error_that_cannot_be_pickled_is_told(anywhere):
    class OddError(Exception):
        """Takes two arguments, and tells its base class of one."""

        def __init__(self, text, other):
            super().__init__(text)

    def imports(w, x):
        import distributed  # from now on, errors are pickled with those that they were raised in

        return np.sum(w * x) if distributed else 0

    def loss(w, x):
        raise OddError("what I have to say", 3)

    assert dd.value_and_grad(imports)(1.0, [np.ones(2)])[0] == 2

    with pytest.raises(
        dd.TaskError, match=r"OddError: what I have to say\. That was in part"
    ) as caught:
        dd.value_and_grad(loss)(1.0, parts(X, 1))
    assert (caught.value.kind, caught.value.partition) == ("OddError", 0)


class HostileError(Exception):
    """Says something that colours a terminal, and cannot be read where it arrives."""

    def __init__(self, text, other):
        super().__init__(text)


@pytest.mark.parametrize("text", ["\x1b[31mred", "\a"])
def test_the_text_of_an_error_of_others_reaches_no_terminal_as_it_is(text, anywhere):
    def loss(w, x):
        raise HostileError(text, 3)

    with pytest.raises(dd.TaskError, match="HostileError: ") as caught:
        dd.value_and_grad(loss)(1.0, [np.ones(2)])
    assert str(caught.value).isprintable()


class HostileObject:
    """Cannot be pickled, and its representation colours a terminal."""

    shape = ()

    def __repr__(self):
        return "\x1b[31mred"

    def __reduce__(self):
        raise RuntimeError("\x1b[31mred")

    def __call__(self, w, x):
        return np.sum(w * x)


def test_the_text_of_an_object_that_cannot_be_sent_reaches_no_terminal_as_it_is(client):
    hostile = HostileObject()
    hostile.__name__ = "hostile"
    with pytest.raises(dd.UnpicklableFunctionError, match=r"hostile .*: \\x1b\[31mred") as caught:
        dd.value_and_grad(hostile)(1.0, parts(X))
    assert str(caught.value).isprintable()


def test_an_object_that_is_no_partition_reaches_no_terminal_as_it_is():
    hostile = HostileObject()
    hostile.shape = None
    with pytest.raises(dd.PartitionError, match=r"it has \\x1b\[31mred") as caught:
        dd.value_and_grad(linear)(W, [hostile])
    assert str(caught.value).isprintable()


class WithoutNotesError(ValueError):
    """Takes no note."""

    def add_note(self, note):
        raise TypeError("no notes")


def test_an_error_that_takes_no_note_is_raised_as_it_is():
    def loss(w, x):
        raise WithoutNotesError("mine")

    with pytest.raises(WithoutNotesError, match="mine"):
        dd.value_and_grad(loss)(1.0, [np.ones(2)])


class Holder:
    """Has a lock, and a method that is a loss."""

    def __init__(self):
        self.lock = threading.Lock()

    def loss(self, w, x):
        return np.sum(w * x)

    __call__ = loss


def with_lock_in_a_closure():
    lock = threading.Lock()
    return lambda w, x: np.sum(w * x) if lock else 0


@pytest.mark.parametrize(
    ("loss", "captured"),
    [
        (with_lock_in_a_closure(), "lock"),
        (lambda w, x: np.sum(w * x) if LOCK else 0, "LOCK"),
        (lambda w, x, lock=LOCK: np.sum(w * x), "lock"),
        (functools.partial(lambda a, w, x: np.sum(w * x), LOCK), "argument 0 of the partial"),
        (functools.partial(lambda w, x, a: np.sum(w * x), a=LOCK), "argument 'a' of the partial"),
        (Holder().loss, "the object of the method"),
        (Holder(), "lock"),
    ],
)
def test_what_cannot_be_pickled_in_a_loss_is_named(loss, captured, client):
    with pytest.raises(dd.UnpicklableFunctionError, match=f"it holds {captured}, which") as caught:
        dd.value_and_grad(loss)(1.0, parts(X))
    assert caught.value.function is loss
    assert caught.value.captured == captured
    assert isinstance(caught.value, TypeError)


def test_a_function_that_reads_data_and_cannot_be_pickled_is_named(client):
    lock = threading.Lock()

    def read(number):
        with lock:
            return np.ones(3)

    with pytest.raises(dd.UnpicklableFunctionError, match=r"read is sent .* it holds lock"):
        dd.value_and_grad(lambda w, x: np.sum(w * x), partitions=2)(1.0, read)


def test_an_object_that_cannot_be_pickled_for_no_reason_is_named_with_the_error(client):
    class Loss:
        """Cannot be pickled."""

        __name__ = "stubborn"

        def __call__(self, w, x):
            return np.sum(w * x)

        def __reduce__(self):
            raise RuntimeError("never pickle me")

    with pytest.raises(
        dd.UnpicklableFunctionError, match=r"stubborn .*: never pickle me"
    ) as caught:
        dd.value_and_grad(Loss())(1.0, parts(X))
    assert caught.value.captured == ""


def test_a_loss_need_not_be_pickled_in_this_process():
    loss = with_lock_in_a_closure()
    assert dd.value_and_grad(loss)(1.0, [np.ones(2), np.ones(3)])[0] == 5
