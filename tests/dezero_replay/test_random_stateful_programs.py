"""Random stateful programs, eager beside compiled: all that can be seen is equal to the bit.

They write in place and into views, alias their arguments, learn, count, branch, draw; between their
calls attributes and methods are replaced, dtypes and shapes change. A thousand of them run always;
``make test-long`` runs ten thousand, from another seed each time.

Promise: docs/how_replay_works.md
"""

import warnings
from contextlib import suppress

import pytest

from ..attack.lengths import LONG, SEED, name_of
from .stateful import Writer
from .worlds import program, side_by_side, with_source

SIZE, CALLS = 50, 6
CHUNKS = 200 if LONG else 20


def seeds():
    """Return ranges of seeds, of so many programs each."""
    return [
        range(SEED * 1_000_000 + n, SEED * 1_000_000 + n + SIZE)
        for n in range(0, CHUNKS * SIZE, SIZE)
    ]


def plan(seed):
    """Return the source of a program, the changes before its calls, and their arguments."""
    writer = Writer(seed)
    source = writer.program()
    changes = [
        writer.change() if number > 2 and writer.rng.random() < 0.5 else ""
        for number in range(CALLS)
    ]
    usual = writer.arguments()
    return source, changes, [usual if n < 4 else writer.arguments() for n in range(CALLS)]


def told(seed, source, changes, given):
    """Return a program and its changes as a text, to be read."""
    calls = [f"{each or '-'}; step{x}" for each, x in zip(changes, given, strict=True)]
    return "\n".join([f"seed {seed}", source[source.index("def step") :], *calls])


def run(seed):
    """Run a random program in two worlds; return how many calls were replayed."""
    source, changes, given = plan(seed)
    codes = [each and with_source(each) for each in changes]

    def change(number, state):
        with suppress(Exception):  # an index that another change has made too large
            exec(codes[number], state)

    def arguments(number, state):
        return eval(given[number], state)

    audit = None if seed % 4 else "geometric"
    try:
        report = side_by_side(
            program(source), CALLS, arguments=arguments, change=change, audit=audit
        )
    except BaseException as error:
        error.add_note(told(seed, source, changes, given))
        raise
    return report.replayed


@pytest.mark.parametrize("chunk", seeds(), ids=name_of)
def test_random_stateful_programs_do_the_same_eager_and_compiled(chunk):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        replayed = [run(seed) for seed in chunk]
    assert sum(replayed) > len(chunk), "most calls are to be replayed, or nothing is tested"
