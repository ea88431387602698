"""Where the material beside the project lies, and how a test that needs it says that it is missing."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_file(name):
    """The path of a file in ``../shared``; skips the test, saying so, where it is not there."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"../shared/{name} is not here: this test needs that file")
    return path
