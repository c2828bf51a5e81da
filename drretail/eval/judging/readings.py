"""The reading of a run's report that all metrics by code use, kept beside the runs."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from drretail.eval.claims.claims import EXTRACT, FAITHFULNESS, claims_in
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.confirming import confirmed_in, reading_by
from drretail.eval.claims.extraction import extraction_prompts
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.metrics.reading.score import BY_FORM, ITEM, NAME, STAGE, VERSION, prompts
from drretail.files import check_replaceable, write_json
from drretail.grounding.verify.checks import read_report
from drretail.records.base import file_name
from drretail.records.reading import DECLARED, Pick, Reading
from drretail.records.score import Verdict

_PICKS_DECLARED = "picks declared"


def reading_of(subject: Subject) -> Reading:
    """The report's picks (declared, or a judge's, or by form) and its verified values. Writes nothing."""
    return read_report(subject.case, judges_reading(subject))


def picks_of(subject: Subject) -> tuple[tuple[Pick, ...] | None, str]:
    """The report's picks and who read them, as in its reading; declared picks are known without one."""
    if subject.run is not None and subject.run.picks is not None:
        return subject.run.picks, _PICKS_DECLARED
    reading = reading_of(subject)
    return reading.picks, picks_by(reading)


def keep_reading(subject: Subject, reading: Reading) -> None:
    """Writes exp/readings/<reader>/<label>/<query_id>-r<k>.json if it is new or changed."""
    if subject.folder is None:
        return
    folder = subject.folder / "readings" / file_name(reading.reader) / file_name(subject.label)
    path, existing = folder / f"{file_name(subject.run_name)}.json", None
    if path.exists():
        with suppress(ValidationError):  # a damaged one is made again
            existing = Reading.model_validate_json(path.read_bytes())
    if existing != reading:
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, reading.model_dump(mode="json", exclude_none=True))


def judges_reading(subject: Subject) -> Reading | None:
    """The reading of this report by the first judge, in the order of their folders; None if no judge read it."""
    if subject.folder is None or subject.report_sha is None:
        return None
    verdicts = subject.folder / "verdicts"
    claims_wording, picks_wording = ({prompt.hash for prompt in made} for made in (extraction_prompts(), prompts()))
    for folder in sorted((verdicts / NAME).glob("*/")):
        picks = _living(verdicts / NAME, folder.name, subject, (NAME, VERSION, STAGE), picks_wording)
        if picks is None or picks.reason == BY_FORM:
            continue
        place = (FAITHFULNESS, FAITHFULNESS_VERSION, EXTRACT)
        claims = _living(verdicts / FAITHFULNESS, folder.name, subject, place, claims_wording)
        if claims is None and picks.state != "scored":
            continue
        read = claims_in(claims) if claims is not None else None
        denials = confirmed_in(_all_living(verdicts / NAME, folder.name, subject, picks_wording))
        return reading_by(folder.name, read or (), picks, denials)
    return None


def _living(
    root: Path, slug: str, subject: Subject, place: tuple[str, int, str], wordings: Collection[str]
) -> Verdict | None:
    """The current verdict of a metric's version and stage on this report, by today's prompts or without a prompt."""
    living = _all_living(root, slug, subject, wordings)
    mine = (each for each in living if (each.metric, each.version, each.stage) == place and each.item == ITEM)
    return next(mine, None)


def _all_living(root: Path, slug: str, subject: Subject, wordings: Collection[str]) -> list[Verdict]:
    path = root / slug / file_name(subject.label) / f"{file_name(subject.run_name)}.jsonl"
    return VerdictFile(path).living(subject.report_sha or "", frozenset({"", *wordings}))


def how_read(reading: Reading) -> str:
    """ "31 of 44 numbers beside citations could be checked (13 not decided), picks declared"."""
    return f"{reading.looked_at.in_words}, {picks_by(reading)}{' (none)' if reading.picks == () else ''}"


def picks_by(reading: Reading) -> str:
    """Who read the picks: "picks declared", "picks by form", "picks by model:…", "picks unknown"."""
    if reading.picks is None:
        return "picks unknown"
    return _PICKS_DECLARED if reading.reader == DECLARED else f"picks by {reading.reader}"
