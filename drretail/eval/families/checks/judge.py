"""The verdicts of one report: how it was read, and for each kind of fault the list of its findings."""

from collections import defaultdict
from collections.abc import Iterator

from drretail.eval.families.checks.codes import CHECKS
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.readings import case_of, how_read, keep_reading, picks_by, reading_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.verify.checks import Case, check_report
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.reading import Reading

STAGE = "check"
READ = "read"
"""The stage whose one verdict says how the report was read."""
REPORT = "report"


class HowRead(Record):
    """The value of that verdict."""

    picks_by: str
    """ "picks declared", "picks by form" …"""
    values_by: str
    picks: int | None
    seen: int
    read: int


def judge_checks(subject: Subject, judge_session: JudgeSession) -> None:
    """Records how the report was read and what was found, and anew what comes out differently.

    Without the world, verdicts that were made with it are left, unless the report is now read by another reader or a
    setting decides them.
    """
    case = case_of(subject)
    reading = reading_of(subject, case)
    read = CodeVerdict("scored", how(reading).model_dump(mode="json"), how_read(reading))
    existing = judge_session.existing(READ, REPORT)
    blind = case.lookup is None and existing is not None and existing.value["picks_by"] == read.value["picks_by"]
    if not blind:
        keep_reading(subject, reading)
        judge_session.record_if_changed(READ, REPORT, read)
    for code, outcome in outcomes(case, reading):
        if not blind or CHECKS[code].of_settings or judge_session.existing(STAGE, code) is None:
            judge_session.record_if_changed(STAGE, code, outcome)


def how(reading: Reading) -> HowRead:
    return HowRead(
        picks_by=picks_by(reading),
        values_by=reading.values_by or reading.reader if reading.reader != "declared" else reading.values_by or "form",
        picks=None if reading.picks is None else len(reading.picks),
        seen=reading.seen,
        read=reading.read,
    )


def outcomes(case: Case, reading: Reading) -> Iterator[tuple[str, CodeVerdict]]:
    """What every check comes to; one that finds something applies in any case."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    for finding in check_report(case, reading):
        findings[finding.code].append(finding)
    for code, check in CHECKS.items():
        found = findings.get(code, ())
        lacking = None if found else check.lacks(case, reading)
        if lacking is not None:
            yield code, CodeVerdict("na", None, lacking)
        else:
            lines = [each.model_dump(mode="json", exclude_none=True) for each in found]
            yield code, CodeVerdict("scored", lines, f"{len(lines)} found" if lines else "nothing found")
