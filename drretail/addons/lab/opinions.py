"""Votes, ratings and labels by people and judges in one shape, read from an experiment and from CSV files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Literal

from drretail.addons.lab.raters import Level
from drretail.addons.people.judged_claims import sheet_name
from drretail.errors import UnknownName, UserError, quoted
from drretail.eval.ballots import counted_votes, left_out_of_votes
from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.claims.claims import SUPPORT as SUPPORT_STAGE
from drretail.eval.judging.subject import Labels, meetings, pair_id
from drretail.eval.numbers.gathering import Gathered, gather
from drretail.eval.numbers.judges import Assessor, judge_spec
from drretail.eval.numbers.pairs import PairOutcome, read_outcomes
from drretail.eval.registry import load_metric
from drretail.experiments.experiment import read_runs
from drretail.parsing import read_sheet
from drretail.records.score import JudgeRef, Rules
from drretail.records.vote import Ballot, Rating, Vote, about_claim, about_report
from drretail.stats.agreement import sign
from drretail.viewer.judged import read_judgements
from drretail.viewer.output import say

Kind = Literal["person", "judge"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible answers as numbers, in their order."""

    name: str
    level: Level
    values: tuple[float, ...] = ()
    """All possible values; empty if any number may be given."""
    tie: float | None = None


PREFERENCE = Scale("preference", "nominal", (-1, 0, 1), tie=0)
"""Which of two reports is better: 1 for the first by label, -1 for the second."""
_PREFERENCES = {"a": 1.0, "b": -1.0, "tie": 0.0}
RATING = Scale("rating", "interval", tuple(range(11)))
SUPPORT = Scale("support", "ordinal", (0, 0.5, 1))
"""How far sources support a claim: none (or contradicted), partial, full."""
SUPPORT_OF = {"full": 1.0, "partial": 0.5, "none": 0.0, "contradicted": 0.0}
LABEL = "label"
"""The column of a sheet of ``lab sample`` that people fill in."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """What raters are asked about every item: a scale and a dimension."""

    scale: Scale
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One rater's answer on one item."""

    question: Aspect
    rater: str
    kind: Kind
    item: str
    value: float
    query_id: str = ""
    system: str = ""
    """The system whose report it is; empty if it is about no single report."""
    judge: JudgeRef | None = None
    """The judge; None for people, and for judges from files."""
    is_first_left: bool = True
    """False if a person was shown the first of two reports, by label, as B."""


def opinions_of(experiment: Path) -> list[Opinion]:
    """All answers that people gave in ``vote``, and judges' verdicts on the same reports, pairs and claims.

    Ratings and preferences of rule-based judges are left out: they are no opinions.

    Raises UserError as ``counted_votes`` and ``gather`` do.
    """
    ballots, account = counted_votes(experiment)
    for sentence in left_out_of_votes(account):
        say(sentence)
    opinions = [*map(_of_ballot, ballots)]
    quality = load_metric("quality")
    gathered = gather(experiment, [quality])
    for assessor in filter(_has_opinions, gathered.assessors(quality.name)):
        who = judge_name(assessor.judge, assessor.rules)
        for plan, outcome in gathered.judged_runs(quality.name, assessor):
            item, about = about_report(plan.run_id, plan.report_sha or ""), (plan.query.query_id, plan.label)
            opinions += [
                Opinion(Aspect(RATING, dimension), who, "judge", item, value.value, *about, judge=assessor.judge)
                for dimension, value in outcome.values.items()
                if value.value is not None and dimension not in quality.pooled
            ]
    for assessor, _, dimension, outcomes in judged_meetings(experiment, gathered):
        question, who = Aspect(PREFERENCE, dimension), judge_name(assessor.judge, assessor.rules)
        for item, outcome in outcomes:
            if outcome.result is not None:
                value, query_id = float(sign(outcome.result - 0.5)), outcome.query_id
                opinions.append(Opinion(question, who, "judge", item, value, query_id, judge=assessor.judge))
    for run in read_runs(experiment):
        for judged in read_judgements(experiment, FAITHFULNESS, run).by_judge:
            who = judge_name(judged.judge, judged.rules)
            for verdict in judged.stage(SUPPORT_STAGE):
                if (verdict.state, verdict.judge_repeat) == ("scored", 1):
                    # Ballots name the judge whose claims were labelled as it is shown to readers.
                    item = about_claim(run.run_id, run.report_sha or "", judged.by, verdict.item)
                    value, about = float(verdict.value), (run.query_id, run.system)
                    opinions.append(Opinion(Aspect(SUPPORT), who, "judge", item, value, *about, judge=judged.judge))
    return opinions


def _of_ballot(ballot: Ballot) -> Opinion:
    is_first_left = True
    if isinstance(ballot, Vote):
        question, item, system = Aspect(PREFERENCE, ballot.dimension), ballot.pair_id, ""
        value, is_first_left = _PREFERENCES[ballot.place], ballot.is_first_left
    else:
        item, system = ballot.about, ballot.run_id.partition("/")[0]
        if isinstance(ballot, Rating):
            question, value = Aspect(RATING, ballot.dimension), float(ballot.value)
        else:
            question, value = Aspect(SUPPORT), SUPPORT_OF[ballot.label]
    about = ballot.query_id, system
    return Opinion(question, ballot.annotator, "person", item, value, *about, is_first_left=is_first_left)


def _has_opinions(assessor: Assessor) -> bool:
    return assessor.judge.kind != "rule_based"


def judged_meetings(
    experiment: Path, gathered: Gathered
) -> Iterator[tuple[Assessor, Labels, str, list[tuple[str, PairOutcome]]]]:
    """For each judge with opinions, two systems and dimension: the outcome of each meeting, by the id in votes."""
    reports = {run.run_id: run.report for run in read_runs(experiment)}
    for assessor, by_pair in read_outcomes(experiment, gathered).items():
        if not _has_opinions(assessor):
            continue
        for labels, by_dimension in by_pair.items():
            met = meetings(experiment, gathered.definition, [labels])
            ids = [pair_id(meeting.run_ids, [reports.get(run_id) for run_id in meeting.run_ids]) for meeting in met]
            for dimension, outcomes in by_dimension.items():
                yield assessor, labels, dimension, list(zip(ids, outcomes, strict=True))


def judge_name(judge: JudgeRef, rules: Rules) -> str:
    """ "provider:model", with the rules if they are not the default ones."""
    return judge_spec(judge) if rules == "default" else f"{judge_spec(judge)} ({rules})"


def question_part(question: Aspect) -> str:
    """ "rating: overall", "support"."""
    return ": ".join(filter(None, [question.scale.name, question.dimension.replace("_", " ")]))


def by_question(opinions: Iterable[Opinion]) -> dict[Aspect, list[Opinion]]:
    """Opinions by question, in the order in which the questions first appear."""
    by_asked: dict[Aspect, list[Opinion]] = {}
    for opinion in opinions:
        by_asked.setdefault(opinion.question, []).append(opinion)
    return by_asked


NEEDED = ("item", "rater", "value")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a file, with its cells as written."""

    place: str
    item: str
    rater: str
    value: str
    column: str
    """The column of the value."""
    dimension: str = ""
    query_id: str = ""
    system: str = ""


def read_all(paths: Iterable[Path], judges: Sequence[str] = (), known_claims: Iterable[str] = ()) -> list[Opinion]:
    """The opinions of several files, each read by ``read_opinions``.

    ``known_claims`` are the ids of an experiment's claims, which sheets of ``lab sample`` name without system and
    judge. Raises UnknownName for a judge that is in none of the files.
    """
    claims = {sheet_name(claim): claim for claim in known_claims}
    read = (opinion for path in paths for opinion in read_opinions(path, judges))
    opinions = [replace(opinion, item=claims.get(opinion.item, opinion.item)) for opinion in read]
    raters = {opinion.rater for opinion in opinions}
    for name in judges:
        if name not in raters:
            raise UnknownName("rater (--judges)", name, raters)
    return opinions


def read_opinions(path: Path, judges: Sequence[str] = ()) -> list[Opinion]:
    """The opinions of a CSV file, in its order; a cell without a value is no answer.

    Its columns are item, rater and value, and optionally dimension, query and system. A sheet of ``lab sample`` has
    the column ``LABEL`` instead; where it names no rater, that is the file's name. ``judges`` are the raters that are
    not people.

    Values are numbers, full | partial | none | contradicted, a | b | tie, or any words. Raises UserError if a column is
    missing, for an answer that a sheet of ``lab sample`` does not know, or if a rater gives two different values for
    one item.
    """
    rows = list(_rows(path))
    first_rows: dict[tuple[str, ...], _Row] = {}
    for row in rows:
        for what, cell in (("rater", row.rater), ("item", row.item)):
            if not cell:
                raise UserError(f"{row.place}, has a value and no {what}: fill the cell, or delete the row.")
        before = first_rows.setdefault((row.column, row.rater, row.item, row.dimension), row)
        if before.value != row.value:
            raise UserError(f"{row.place}: {row.rater} says {row.value} of {row.item}, and {before.value} before.")
    opinions: list[Opinion] = []
    for column, dimension in dict.fromkeys((row.column, row.dimension) for row in rows):
        same = [row for row in rows if (row.column, row.dimension) == (column, dimension)]
        scale, numbers = (SUPPORT, SUPPORT_OF) if column == LABEL else _scale(same)
        question = Aspect(scale, dimension)
        for row in same:
            value = numbers.get(row.value.casefold())
            if value is None:
                raise UnknownName(f"{column} ({row.place})", row.value, numbers)
            kind = "judge" if row.rater in judges else "person"
            opinions.append(Opinion(question, row.rater, kind, row.item, value, row.query_id, row.system))
    return opinions


def _rows(path: Path) -> Iterator[_Row]:
    sheet = read_sheet(path)
    of_claims = LABEL in sheet.columns and not {"rater", "value"} <= {*sheet.columns}
    lacking = [name for name in (["item"] if of_claims else NEEDED) if name not in sheet.columns]
    if lacking:
        present = ", ".join(sheet.columns) or "it is empty"
        raise UserError(f"{path} has no column {' and no '.join(lacking)} (it has: {present}).")
    if not sheet.rows:
        raise UserError(f"{path} holds no opinion: it needs rows below its heading.")
    for number, cells in sheet.rows:
        rater = cells.get("rater", "") or (path.stem if of_claims else "")
        about = [cells.get(name, "") for name in ("dimension", "query", "system")]
        column = LABEL if of_claims else "value"
        if value := " ".join(cells[column].split()):
            yield _Row(f"{path}, row {number}", cells["item"], rater, value, column, *about)


def _scale(rows: Sequence[_Row]) -> tuple[Scale, dict[str, float]]:
    """The scale of a column of values, and the number of each value as written.

    Raises UserError if a few values are not on the scale of most: the odd cell would make them all words.
    """
    written = list(dict.fromkeys(row.value.casefold() for row in rows))
    numbers = {text: value for text in written if (value := _number(text)) is not None}
    for name, words in (("full, partial …", SUPPORT_OF), ("a, b, tie", _PREFERENCES), ("numbers", numbers)):
        others = [row for row in rows if row.value.casefold() not in words]
        if 0 < len(others) * 2 < len(rows):
            odd = others[0]
            raise UserError(f"{odd.place}, says {quoted(odd.value)}, and most rows say {name}: mend the cell.")
    for scale, words in ((SUPPORT, SUPPORT_OF), (PREFERENCE, _PREFERENCES)):
        if {*written} <= words.keys():
            return scale, {text: words[text] for text in written}
    if len(numbers) < len(written):
        return Scale("label", "nominal"), {text: float(at) for at, text in enumerate(sorted(written))}
    # If all are whole numbers, the scale is every whole number from lowest to highest; otherwise any number.
    low, high = min(numbers.values()), max(numbers.values())
    whole = all(number == int(number) for number in numbers.values()) and high - low <= 100
    steps = tuple(map(float, range(int(low), int(high) + 1))) if whole else ()
    return Scale("number", "interval", steps), numbers


def _number(text: str) -> float | None:
    """The finite number, with a point or a comma; None for any other text."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if isfinite(number) else None
