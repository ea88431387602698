"""Files made of bytes, and their records as a test looks at them."""

import msgspec

from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.json_lines import records_of


class AnyRecord(msgspec.Struct):
    """A record of which only one field is looked at, as an importer would."""

    n: object = None


DECODE = msgspec.json.Decoder(AnyRecord).decode


def log_of(tmp_path, content, name="log.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    return LogFile(path, name)


def read(file, **options):
    """The values of n, unparsed pieces as (size, reason), and the report as {kind: (line, count)}."""
    findings = Findings()
    found = list(records_of(file, DECODE, findings, **options))
    values = [one.value.n if isinstance(one.value, AnyRecord) else (one.value.size, one.value.reason) for one in found]
    report = {kind: (line, count) for _, kind, line, count, _, _ in findings.frame().rows()}
    return values, report, found
