import pytest
from dezero_replay.passes import loops

from dezero_replay_llvm import compiler, native


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    """A folder for machine code of this test's own, and no choice of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DEZERO_REPLAY_CACHE", str(folder))
    monkeypatch.delenv("DEZERO_REPLAY_EXECUTOR", raising=False)
    return folder


@pytest.fixture
def own(cache_folder):
    """The folder of machine code, below the one that the environment names."""
    return cache_folder / "dezero-replay-llvm"


@pytest.fixture
def without_loops(monkeypatch):
    """Let what repeats stay as it is: for tests of long regions."""
    monkeypatch.setattr(loops, "_DEEPEST", 0)


@pytest.fixture
def made(monkeypatch):
    """The texts that LLVM has compiled."""
    texts, compile = [], compiler.object_code

    def object_code(text, machine):
        texts.append(text)
        return compile(text, machine)

    monkeypatch.setattr(compiler, "object_code", object_code)
    return texts


@pytest.fixture(autouse=True)
def refusals(monkeypatch):
    """The errors that made a program NumPy's: none, unless a test expects some and clears this.

    An error of ours would be hidden by the results of NumPy, which are right.
    """
    errors, compile = [], native.Native._compile

    def noticed(self):
        try:
            compile(self)
        except Exception as error:
            errors.append(error)
            raise

    monkeypatch.setattr(native.Native, "_compile", noticed)
    yield errors
    assert errors == []
