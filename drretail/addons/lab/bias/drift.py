"""Drift: whether the judge rates a pinned set as it did before. The same texts are asked again, word for word."""

from functools import partial

from pydantic import AliasChoices, ConfigDict, Field, ValidationError

from drretail.addons.lab.bias.probe import (
    Case,
    Effects,
    Probe,
    ProbeQuestion,
    QuestionPlace,
    by_query,
    difference,
    share,
)
from drretail.errors import UserError
from drretail.eval.judging.readings import report_material, shopper_context
from drretail.eval.metrics.quality import Rating, prompt_for
from drretail.files import read_json, write_json
from drretail.llm.prompt import Prompt
from drretail.records.base import Document, Record, sha256_of

NAME = "drift"
DIMENSION = "overall"
AGAIN = "again"
_ASKED = Prompt("pinned", "{{question}}")
"""Only the pinned text is sent, without any current prompt."""


class PinnedReport(Record):
    """The whole question about one report, as it was first sent."""

    run_id: str
    query_id: str
    question: str


class Pinned(Document):
    """A pinned set, with each judge's ratings on each day."""

    model_config = ConfigDict(serialize_by_alias=True)

    sha: str
    """A hash of the reports' questions; a file whose reports were changed is refused."""
    reports: tuple[PinnedReport, ...]
    ratings: dict[str, dict[str, dict[str, float]]] = Field(
        default_factory=dict[str, dict[str, dict[str, float]]],
        validation_alias=AliasChoices("said", "ratings"),
        serialization_alias="said",
    )
    """By judge, day and run id: the rating. Day "again" holds the ratings of a second question on the first day."""

    def days(self, judge: str) -> list[str]:
        return sorted(day for day in self.ratings.get(judge, {}) if day != AGAIN)


def _pinned(case: Case) -> Pinned | None:
    """The set in the pin file, or a new one made of these reports; None if there is no pin file.

    Raises UserError for a file that is no pinned set, and for one that was changed.
    """
    path = case.pin
    if path is None:
        return None
    if not path.exists():
        prompt = prompt_for(DIMENSION)
        reports = tuple(
            PinnedReport(
                run_id=subject.run_id,
                query_id=subject.query.query_id,
                question=prompt.render(**{**shopper_context(subject), **report_material(subject)}),
            )
            for subject in case.reports.subjects
        )
        return Pinned(sha=_sha(reports), reports=reports)
    try:
        pinned = Pinned.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is no pinned set: name another file with --pin, and one is made there.") from problem
    if pinned.sha != _sha(pinned.reports):
        raise UserError(
            f"{path} was changed since it was pinned, so nothing can be compared with it: name another file with --pin."
        )
    return pinned


def _sha(reports: tuple[PinnedReport, ...]) -> str:
    return sha256_of([report.model_dump() for report in reports])


def _questions(case: Case) -> list[ProbeQuestion]:
    """On the first day each report is asked twice, to learn how often an answer changes at once; later once a day."""
    pinned = _pinned(case)
    if pinned is None:
        return []
    is_first = pinned.days(case.name) in ([], [case.day])
    times = [case.day, f"{case.day} {AGAIN}"] if is_first else [case.day]
    about = QuestionPlace("pinned", f"{pinned.sha[:12]}-r1", pinned.sha)
    return [
        ProbeQuestion(
            about,
            f"{report.run_id} {time}",
            _ASKED,
            partial(dict[str, str], question=report.question),
            Rating,
            lambda answer: answer.rating,
        )
        for report in pinned.reports
        for time in times
    ]


def _keep(case: Case) -> None:
    """Writes today's answers into the pinned set."""
    pinned = _pinned(case)
    if pinned is None or case.pin is None:
        return
    ratings_by_day = {day: dict(ratings) for day, ratings in pinned.ratings.get(case.name, {}).items()}
    for question, rating in case.answers(NAME, _questions(case)):
        run_id, _, time = question.item.partition(f" {case.day}")
        ratings_by_day.setdefault(AGAIN if time else case.day, {})[run_id] = float(rating)
    if ratings_by_day:
        document = pinned.model_copy(update={"ratings": {**pinned.ratings, case.name: ratings_by_day}})
        case.pin.parent.mkdir(parents=True, exist_ok=True)
        write_json(case.pin, document.model_dump(mode="json"))


def _find(case: Case) -> Effects | str:
    """The latest day against the first: the mean shift, and how often ratings changed, also beyond two
    answers at once.
    """
    pinned = _pinned(case)
    if pinned is None:
        return "it needs --pin FILE, in which the set is frozen at its first use"
    days, by_day = pinned.days(case.name), pinned.ratings.get(case.name, {})
    if len(days) < 2:
        when = f"first asked on {days[0]}" if days else "not asked yet"
        return f"the pinned set ({len(pinned.reports):,} reports) was {when}: asked on a later day, it shows drift"
    first, last, again = by_day[days[0]], by_day[days[-1]], by_day.get(AGAIN, {})
    queries = {report.run_id: report.query_id for report in pinned.reports}
    both = [run_id for run_id in first if run_id in last]
    changed = {run_id: float(first[run_id] != last[run_id]) for run_id in both}
    at_once = {run_id: float(first[run_id] != again[run_id]) for run_id in both if run_id in again}
    since = f"since {days[0]}"
    effects = [
        difference(
            f"shift {since}",
            by_query((queries[run_id], last[run_id] - first[run_id]) for run_id in both),
            case.clusters,
            dimension=DIMENSION,
        ),
        share(
            f"changed {since}",
            by_query((queries[run_id], changed[run_id]) for run_id in both),
            case.clusters,
            dimension=DIMENSION,
        ),
    ]
    if at_once:
        more = by_query((queries[run_id], changed[run_id] - at_once[run_id]) for run_id in at_once)
        effects += [
            share(
                "changed when asked twice at once",
                by_query((queries[run_id], at_once[run_id]) for run_id in at_once),
                case.clusters,
                dimension=DIMENSION,
            ),
            difference("changed more than at once", more, case.clusters, dimension=DIMENSION, unit="share"),
        ]
    return effects


PROBE = Probe(NAME, "Does it say of a pinned set what it said before?", (), _find, _questions, _keep)
