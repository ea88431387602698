"""Files as JSON values: whole, or a line at a time; what is none is counted, and nothing else is lost."""

import gzip
import json

import pytest

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.relation_pipeline.documents import document_of, values_of
from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS


def read(path, data, how=values_of):
    path.write_bytes(data)
    findings = Findings(RELATION_KINDS)
    found = how(LogFile(path, path.name), findings)
    values = list(found) if how is values_of else found
    return values, dict(findings.frame().select("kind", "count").rows())


@pytest.mark.parametrize(
    ("data", "values", "found"),
    [
        (b'{"a": 1}\n{"a": 2}\n', [({"a": 1}, 1), ({"a": 2}, 2)], {}),
        (b'{"a": 1}\n\n  \n{"a": 2}', [({"a": 1}, 1), ({"a": 2}, 4)], {}),
        (b'\n{\n "a": 1\n}\n', [({"a": 1}, None)], {}),
        (b"[\n1,\n2]", [([1, 2], None)], {}),
        (b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n', [({"a": 1}, 1), ({"a": 2}, 2)], {}),
        (b'{"a": 1}\nno\n{"a": 2}', [({"a": 1}, 1), ({"a": 2}, 3)], {"unparsed_line": 1}),
        (b'no\n{"a": 2}\n', [({"a": 2}, 2)], {"unparsed_line": 1}),
        (b'{"a": 1}\n{"a": ', [({"a": 1}, 1)], {"torn_tail": 1}),
        (b'{"a": 1}{"a": 2}\n', [({"a": 1}, 1), ({"a": 2}, 1)], {"glued_records": 1}),
        (b'{"a": NaN}\n{"a": 2}', [({"a": "NaN"}, 1), ({"a": 2}, 2)], {}),
        (b'{"a": "\\ud800"}\n', [({"a": "\ufffd"}, None)], {"replaced_surrogates": 1}),
        (b'{"a": "\xff"}\n{"a": 2}', [({"a": "\ufffd"}, 1), ({"a": 2}, 2)], {"invalid_utf8": 1}),
        (b"null\nnull\n", [(None, 1), (None, 2)], {}),
        (b"", [], {"empty_file": 1}),
        (b" \n\n", [], {"empty_file": 1}),
        (b"[" * 100_000, [], {"torn_tail": 1}),
    ],
)
def test_values(data, values, found, tmp_path):
    got, kinds = read(tmp_path / "a.json", data)
    assert ([tuple(one) for one in got], kinds) == (values, found)


def test_a_packed_file_that_is_damaged_is_read_to_the_damage(tmp_path):
    lines = b"".join(json.dumps({"a": number}).encode() + b"\n" for number in range(20_000))
    packed = gzip.compress(lines)
    got, kinds = read(tmp_path / "a.jsonl.gz", packed[: len(packed) // 2])
    assert 0 < len(got) < 20_000
    assert kinds["corrupt_log"] == 1


@pytest.mark.parametrize(
    ("data", "value", "found"),
    [
        (b'{"a": 1}', {"a": 1}, {}),
        (b'{"a": 1}\n{"a": 2}', None, {"unparsed_file": 1}),
        (b"nothing", None, {"unparsed_file": 1}),
        (b'{"a": Infinity}', {"a": "Infinity"}, {}),
        (b"", None, {"empty_file": 1}),
    ],
)
def test_a_document(data, value, found, tmp_path):
    got, kinds = read(tmp_path / "a.json", data, document_of)
    assert (None if got is None else got.value, kinds) == (value, found)
