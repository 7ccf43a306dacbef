import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    """A folder for machine code of this test's own, and no choice of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DEZERO_REPLAY_CACHE", str(folder))
    monkeypatch.delenv("DEZERO_REPLAY_EXECUTOR", raising=False)
    return folder
