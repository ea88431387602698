"""Where the project and the material beside it lie, and how a test that needs the latter says that it is missing."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SHARED = ROOT.parent / "shared"


def shared_file(name):
    """The path of a file in ``../shared``; skips the test, saying so, where it is not there."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"../shared/{name} is not here: this test needs that file")
    return path
