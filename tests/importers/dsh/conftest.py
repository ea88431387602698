"""Where a dsh log lies."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


@pytest.fixture
def home(tmp_path):
    """Writes the file of a session where dsh would."""

    def write(session, content, name="session.jsonl.zstd"):
        folder = tmp_path / "sessions" / "--w--" / session
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        return folder / name

    return write
