"""A flipped byte in a file of ours: `check` names the file each time; what may happen without it is what docs say."""

import random
import shutil

import pytest

import lineage_kit
from lineage_kit import LineageKitError, RelationStore, SessionCorpus
from lineage_kit.engines.index.manifest import verify_files
from support.shared import DATA
from support.small import edge
from support.sources import frame

FLIPS = 100


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of each sort, and what to ask of it."""
    folder = tmp_path_factory.mktemp("made")
    imported = lineage_kit.read_claude_code(DATA / "transcripts" / "claude_code", progress=False)
    imported.write_parquet(folder / "import")
    imported.corpus().write_parquet(folder / "sessions")
    rows = [edge(f"d{number}", f"d{number + 1}", own=f"mine {number}") for number in range(200)]
    RelationStore.open(frame(rows)).build_index(folder / "index")
    return folder


def flipped(folder, chance):
    """One bit of one byte of one file, chosen by size, is another one; the name of the file."""
    paths = sorted(folder.iterdir())
    path = chance.choices(paths, [one.stat().st_size for one in paths])[0] if chance.random() < 0.7 else None
    path = path or chance.choice([one for one in paths if one.stat().st_size])
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return path.name


def named(open_folder, folder, column):
    """What the checks of a folder say; or what opening it says, if it cannot even be opened."""
    try:
        findings = open_folder(folder).check()
    except LineageKitError as error:
        return str(error)
    wanted = findings.filter(findings[column] == "damaged file")
    return " ".join(str(value) for row in wanted.rows() for value in row)


CHECKS = {
    "import": [(SessionCorpus.open, "rule"), (RelationStore.open, "finding")],
    "sessions": [(SessionCorpus.open, "rule")],
    "index": [(RelationStore.open, "finding")],
}


@pytest.mark.parametrize("sort", CHECKS)
def test_check_names_the_file_each_time(sort, made, tmp_path):
    for number in range(FLIPS):
        folder = tmp_path / f"{sort} {number}"
        shutil.copytree(made / sort, folder)
        name = flipped(folder, random.Random(number))
        for open_folder, column in CHECKS[sort]:
            assert name in named(open_folder, folder, column), (number, name)
        if sort == "index":
            with pytest.raises(LineageKitError, match=name):
                verify_files(folder)
        shutil.rmtree(folder)


def test_nothing_is_named_where_nothing_is_wrong(made):
    for sort, opens in CHECKS.items():
        for open_folder, column in opens:
            assert named(open_folder, made / sort, column) == ""


ASKED = {
    "find": lambda place: RelationStore.open(place).find("a", limit=1000),
    "all_events": lambda place: SessionCorpus.open(place).all_events(),
    "import_report": lambda place: SessionCorpus.open(place).import_report(),
}


def test_without_check_there_is_an_answer_or_one_of_our_errors(made, tmp_path):
    """Never another library's exception; the answer may be another one, as docs/indexing.md says."""
    expected = {name: ask(made / "import") for name, ask in ASKED.items()}
    right = 0
    for number in range(30):
        folder = tmp_path / f"import {number}"
        shutil.copytree(made / "import", folder)
        flipped(folder, random.Random(1000 + number))
        for name, ask in ASKED.items():
            try:
                right += ask(folder).equals(expected[name])
            except LineageKitError:
                continue
        shutil.rmtree(folder)
    assert right > 30
