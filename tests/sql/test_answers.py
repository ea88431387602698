"""Whatever type of value a query gives, `lineage-kit sql` writes it, or says in one line that it cannot."""

import pytest

from support.commands import call
from support.shared import DATA

PEP = DATA / "pep_relations.parquet"
WRITTEN = {
    "1::hugeint": "1",
    "'a,b'": '"a,b"',
    "1.50::decimal(10, 2)": "1.50",
    "true": "true",
    "null": "",
    "date '2026-01-31'": "2026-01-31",
    "timestamptz '2026-01-31 12:00:00.5+01'": "2026-01-31T11:00:00.500000Z",
    "uuid '00000000-0000-0000-0000-00000000000a'": "00000000-0000-0000-0000-00000000000a",
    "'a'::enum('a', 'b')": "a",
    "'inf'::double": "inf",
    "[1, 2]": '"[1, 2]"',
    "{'a': [1.5::double]}": '"{""a"": [1.5]}"',
    "map {'a': 1}": '"{""a"": 1}"',
    "array_value(1, 2)": '"[1, 2]"',
}
AWKWARD = [
    "interval '1 day'",
    "'ab'::blob",
    "'101'::bit",
    "union_value(a := 1)",
    "1::variant",
    "time '10:00:00'",
    "'infinity'::timestamptz",
    "'4714-11-24 (BC)'::date",
]


@pytest.mark.parametrize("value", WRITTEN)
def test_values_in_csv(value, capsys):
    code, out, err = call(capsys, "sql", f"select {value} as v", "--data", PEP, "--format", "csv")
    assert (code, out, err) == (0, f"v\n{WRITTEN[value]}\n", "")


@pytest.mark.parametrize("shape", ["table", "json", "csv", "parquet"])
@pytest.mark.parametrize("value", [*WRITTEN, *AWKWARD])
def test_no_value_ends_in_a_traceback(value, shape, tmp_path, capsys):
    command = ["sql", f"select {value} as v", "--data", PEP, "--format", shape, "--output", tmp_path / "o"]
    code, out, err = call(capsys, *command)
    assert out == ""
    if code == 0:
        assert err == ""
        assert (tmp_path / "o").stat().st_size > 0
    else:
        assert (code, len(err.splitlines())) == (2, 1)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shape", ["table", "json", "csv"])
def test_columns_of_one_name_stay_apart(shape, capsys):
    code, out, err = call(capsys, "sql", "select 1 as a, 2 as a", "--data", PEP, "--format", shape)
    assert (code, err) == (0, "")
    assert "1" in out
    assert "2" in out
