"""Every kind of place as a target, of a file and of a folder: what is not ours is as it was, and told in one line."""

import os
import re
import socket
import stat
from pathlib import Path

import pytest

import lineage_kit
from lineage_kit import InvalidRequest, RelationStore, SessionCorpus
from support.commands import call
from support.session_small import live, log
from support.shared import DATA

TRANSCRIPTS = DATA / "transcripts"
PLACES = (
    "new",
    "no folder above",
    "file above",
    "file",
    "file of others",
    "folder",
    "empty folder",
    "folder of the user's",
    "link to a file",
    "link to a folder",
    "link to nothing",
    "link to itself",
    "character device",
    "block device",
    "named pipe",
    "socket",
    "a name of 300 letters",
    "a path of 5,000 letters",
    "a NUL",
    "half a pair",
)


def made(what, tmp_path):
    """A place of this kind, everything of the test's own making."""
    place, mine = tmp_path / "place", tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    if what == "no folder above":
        return tmp_path / "none" / "place"
    if what == "file above":
        return mine / "notes.txt" / "place"
    if what == "file":
        place.write_text("mine")
    elif what == "file of others":
        place.write_text("mine")
        os.link(place, mine / "other name")
    elif what in ("folder", "empty folder"):
        place.mkdir()
        if what == "folder":
            (place / "events.parquet").write_text("mine")
    elif what == "folder of the user's":
        place.mkdir()
        (place / "manifest.json").write_text('{"format": "a web page", "files": {}}')
        (place / "relations.parquet").write_text("mine")
    elif what.startswith("link"):
        targets = {"a file": mine / "notes.txt", "a folder": mine, "nothing": tmp_path / "gone", "itself": place}
        place.symlink_to(targets[what.removeprefix("link to ")])
    elif what.endswith("device"):
        if os.geteuid() != 0:
            pytest.skip("only root makes devices")
        kind = stat.S_IFCHR if what.startswith("character") else stat.S_IFBLK
        numbers = os.makedev(1, 3) if kind == stat.S_IFCHR else os.makedev(7, 250)
        try:
            os.mknod(place, kind | 0o600, numbers)
        except OSError as error:
            pytest.skip(f"no device can be made here: {error}")
    elif what == "named pipe":
        os.mkfifo(place)
    elif what == "socket":
        held = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        os.chdir(tmp_path)  # the name of a socket may only be short
        held.bind("place")
        os.chdir(here)
        held.close()
    elif what.startswith("a name"):
        return tmp_path / ("o" * 300)
    elif what.startswith("a path"):
        return tmp_path.joinpath(*["o" * 99] * 50)
    elif what == "a NUL":
        return tmp_path / "o\0o"
    elif what == "half a pair":
        return tmp_path / "o\udc00\ud800"
    return place


def everything(folder):
    """What stands below a folder: kinds, names, numbers, and what is in the files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_rdev, status.st_ino, content)
    return found


def told(place, tmp_path, write):
    """The error of writing there, which is one line and leaves everything as it was."""
    before = everything(tmp_path)
    with pytest.raises(InvalidRequest) as raised:
        write(place)
    assert everything(tmp_path) == before
    assert "\n" not in str(raised.value)
    return str(raised.value)


STORE = RelationStore.open(DATA / "decisions.parquet")
TRACE = STORE.trace_lineage("decision", "dec-2026-0417", 2)
FILES = {
    "report": lambda place: TRACE.report(place, format="md"),
    "to_html": TRACE.to_html,
    "explorer": lambda place: lineage_kit.LineageExplorer(STORE, "decision", "dec-2026-0417").to_html(place),
}
FILE_WORDS = {
    "no folder above": "there is no folder .*none. Hint: make it first",
    "file above": "is a file, not a folder|Not a directory",
    "folder": "it is a folder, and nothing is written over that. Hint: name a file in it",
    "empty folder": "it is a folder",
    "folder of the user's": "it is a folder",
    "link to a file": "it is a link to .*notes.txt.* Hint: name that instead",
    "link to a folder": "it is a link to .*mine.* Hint: name that instead",
    "link to nothing": "it is a link to .*gone.* Hint: name that instead",
    "link to itself": "it is a link to .*place",
    "character device": "it is a device, and nothing is written over that. Hint: name a regular file",
    "block device": "it is a device",
    "named pipe": "it is a named pipe",
    "socket": "it is a socket",
    "a name of 300 letters": "File name too long",
    "a path of 5,000 letters": "File name too long|there is no folder",
    "a NUL": "null byte",
    "half a pair": "surrogates not allowed",
}


@pytest.mark.parametrize("write", FILES.values(), ids=FILES)
@pytest.mark.parametrize("what", PLACES)
def test_a_file_goes_to_a_new_name_or_over_a_regular_file_only(what, write, tmp_path):
    place = made(what, tmp_path)
    if what in FILE_WORDS:
        message = told(place, tmp_path, write)
        assert re.search(FILE_WORDS[what], message), message
        return
    write(place)
    assert stat.S_ISREG(place.lstat().st_mode)
    assert place.stat().st_size > 1000
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"
    if what == "file of others":
        assert (tmp_path / "mine" / "other name").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "place"}


@pytest.mark.parametrize("option", ["--output", "--report"])
@pytest.mark.parametrize("what", ["character device", "named pipe", "link to nothing", "link to a file", "folder"])
def test_the_command_line_refuses_before_anything_is_read(what, option, tmp_path, capsys):
    place = made(what, tmp_path)
    if option == "--report":
        place = place.rename(tmp_path / "place.md")
    before = everything(tmp_path)
    words = ("trace", "decision", "d1", "--data", tmp_path / "no such data.parquet", option, place)
    code, out, err = call(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"lineage-kit: {option} {place}: it is a ")
    assert everything(tmp_path) == before


IMPORTED = lineage_kit.read_dsh(TRANSCRIPTS / "dsh", progress=False)
FOLDERS = {
    "import": IMPORTED.write_parquet,
    "sessions": live(log("s1")).write_parquet,
    "index": STORE.build_index,
}
FOLDER_WORDS = {
    "file above": "Not a directory",
    "file": "is a file, and nothing is written over that. Hint: name a new folder, e.g. .*place-2",
    "file of others": "is a file",
    "folder": "files that this package did not make.* Hint: name a new folder, e.g. .*place-2",
    "folder of the user's": "files that this package did not make",
    "link to a file": "is a link to .*notes.txt. Hint: name that instead",
    "link to a folder": "is a link to .*mine. Hint: name that instead",
    "link to nothing": "is a link to .*gone. Hint: name that instead",
    "link to itself": "is a link to .*place",
    "character device": "is a device, and nothing is written over that",
    "block device": "is a device",
    "named pipe": "is a named pipe",
    "socket": "is a socket",
    "a name of 300 letters": "File name too long",
    "a path of 5,000 letters": "File name too long",
    "a NUL": "null byte",
    "half a pair": "surrogates not allowed",
}


@pytest.mark.parametrize("write", FOLDERS.values(), ids=FOLDERS)
@pytest.mark.parametrize("what", PLACES)
def test_a_folder_is_new_or_empty_or_ours(what, write, tmp_path):
    place = made(what, tmp_path)
    if what in FOLDER_WORDS:
        message = told(place, tmp_path, write)
        assert re.search(FOLDER_WORDS[what], message), message
        return
    for _ in range(2):  # the second time over the first
        write(place)
        assert (place / "manifest.json").is_file()
    (place / "my notes.txt").write_text("mine")
    assert "holds 'my notes.txt', which this package did not put there" in told(place, tmp_path, write)
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", FOLDERS)
def test_one_sort_of_folder_is_not_written_over_another(name, tmp_path):
    FOLDERS[name](tmp_path / "out")
    for other in FOLDERS.keys() - {name}:
        assert "out-2" in told(tmp_path / "out", tmp_path, FOLDERS[other])


def test_what_an_earlier_version_wrote_is_read_and_not_written_over(tmp_path):
    """Tables without a manifest."""
    place = IMPORTED.write_parquet(tmp_path / "out")
    (place / "manifest.json").unlink()
    assert SessionCorpus.open(place).sessions().height == IMPORTED.counts["sessions"]
    assert RelationStore.open(place).check().filter(finding="damaged file").height == 0
    assert "files that this package did not make, or not as one whole" in told(place, tmp_path, IMPORTED.write_parquet)


def test_import_refuses_before_anything_is_read(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sessions.parquet").write_text("mine")
    code, out, err = call(capsys, "import", "dsh", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "did not make" in err
    assert (tmp_path / "out" / "sessions.parquet").read_text() == "mine"


def test_there_is_no_force(capsys):
    for command in (("import",), ("index", "build"), ("trace",)):
        assert "--force" not in call(capsys, *command, "--help")[1]
