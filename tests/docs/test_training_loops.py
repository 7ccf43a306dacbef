"""Every training loop of the pages, eagerly and compiled: a hundred steps, equal to the bit.

Promise: docs/how_to/train_a_model.md
"""

import ast
import linecache
import re
from itertools import count

import numpy as np
import pytest

import dezero_replay
from dezero_core import Variable
from dezero_replay import Compiled, compiled
from tests.replayed import bits, state_of

from .pages import PAGES, ROOT, blocks_of

STEPS = 100
_numbers = count()

#: The pages with a training loop.
LOOPS = [
    "dezero_replay/README.md",
    "docs/coming_from/autograd.md",
    "docs/coming_from/jax.md",
    "docs/coming_from/mygrad.md",
    "docs/coming_from/pytorch.md",
    "docs/how_to/batches.md",
    "docs/how_to/make_it_faster.md",
    "docs/how_to/train_a_model.md",
    "docs/tutorial/higher_order.md",
    "docs/tutorial/operators.md",
]

#: Its loop is not compiled as a whole: dezero-dask replays each partition.
IN_PARTITIONS = "docs/how_to/more_data_than_memory.md"

#: Types whose instances a step may change, beside the classes of the page.
_STATE = (Variable, np.ndarray, np.generic, np.random.Generator, int, float, list, tuple)


def text_of(page):
    return (ROOT / page).read_text("utf-8")


def loop_in(block):
    """Return the loop of a block whose steps change parameters by gradients; None without one."""
    subtracts = re.search(r"-=| - 0", block.text) and re.search("grad|backward", block.text)
    if block.language != "python" or not subtracts:
        return None
    return next((node for node in ast.parse(block.text).body if isinstance(node, ast.For)), None)


def names(node, context):
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, context)}


def is_print(node):
    return any(isinstance(x, ast.Name) and x.id == "print" for x in ast.walk(node))


def function_of(body):
    """Return a loop's body as the source of a function, and the names that it takes and returns.

    It takes what a step has from the one before, and returns all that is assigned.
    """
    nodes = [x for each in body for x in ast.walk(each)]
    inner = (x.target for x in nodes if isinstance(x, (ast.For, ast.comprehension)))
    bound = {name for target in inner for name in names(target, ast.Store)}
    known, taken = set(), set()
    for each in body:
        updated = names(each, ast.Store) if isinstance(each, ast.AugAssign) else set()
        taken |= (names(each, ast.Load) | updated) - known
        known |= names(each, ast.Store) - bound
    taken = sorted(taken & known)
    returned = sorted(known)
    inside = "\n".join(map(ast.unparse, body)).replace("\n", "\n    ")
    head = f"def one_step({', '.join(taken)}):"
    return f"{head}\n    {inside}\n    return [{', '.join(returned)}]\n", taken, returned


def run(text, namespace):
    """Run code that is in no file, but in `linecache`, as a notebook has it."""
    file = f"<page {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), namespace)


class Training:
    """The training loop of a page, in a namespace of its own, in which all before it has run.

    Parameters
    ----------
    text : str
        Of the page.
    wrap : callable
        Takes the function of a step, and returns the one to be called.
    """

    def __init__(self, text, wrap):
        self.namespace = {"__name__": "__main__"}
        blocks = [block for block in blocks_of(text) if block.language == "python"]
        last = next(block for block in blocks if loop_in(block))
        loop = loop_in(last)
        before = "".join(last.text.splitlines(keepends=True)[: loop.lineno - 1])
        for each in (*(block.text for block in blocks[: blocks.index(last)]), before):
            run(each, self.namespace)
        body = [each for each in loop.body if not is_print(each)]
        source, self.taken, self.returned = function_of(body)
        run(source, self.namespace)
        function = self.namespace.pop("one_step")
        # On some pages the step is compiled, and what it is given is drawn outside of it.
        on_the_page = [x for x in self.namespace.values() if isinstance(x, Compiled)]
        self.step = function if "@compiled" in text else wrap(function)
        self.compiled = self.step if isinstance(self.step, Compiled) else (on_the_page or [None])[0]

    def take_a_step(self):
        found = self.step(*(self.namespace[name] for name in self.taken))
        self.namespace |= dict(zip(self.returned, found, strict=True))

    @property
    def state(self):
        found = self.namespace.items()
        kept = {k: x for k, x in found if isinstance(x, _STATE) or type(x).__module__ == "__main__"}
        return bits(state_of(kept))


def assert_same_training(text, monkeypatch):
    """Train eagerly and compiled side by side; return what was compiled."""
    with monkeypatch.context() as patch:
        patch.setattr(dezero_replay, "compiled", lambda function: function)
        eager = Training(text, lambda function: function)
    other = Training(text, compiled)
    for number in range(STEPS):
        eager.take_a_step()
        other.take_a_step()
        assert other.state == eager.state, f"after step {number}"
    return other.compiled


def test_the_table_has_each_training_loop_of_the_pages():
    pages = [page.relative_to(ROOT).as_posix() for page in PAGES]
    found = [page for page in pages if any(map(loop_in, blocks_of(text_of(page))))]
    assert found == sorted([*LOOPS, IN_PARTITIONS])


@pytest.mark.parametrize("page", LOOPS)
def test_the_training_loop_of_a_page_is_replayed_with_the_bits_of_eager_code(page, monkeypatch):
    step = assert_same_training(text_of(page), monkeypatch)
    assert step.stats["recorded"] == 2
    assert step.stats["replayed"] + step.stats["audits"] == STEPS - 2
