"""The probes. Position, length, own family and use of the scale only read verdicts. Justification asks the judge again,
blind, with its reasons alone; drift asks it the same texts again on later days, word for word.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from statistics import fmean
from typing import Literal

from pydantic import AliasChoices, ConfigDict, Field, ValidationError

from drretail.addons.lab.bias.probe import (
    HALF,
    TWICE,
    Case,
    Effects,
    Probe,
    ProbeQuestion,
    QuestionPlace,
    Report,
    Reports,
    Value,
    by_query,
    difference,
    differences,
    entropy,
    length_label,
    over_dimensions,
    question_on,
    share,
    shares,
)
from drretail.addons.lab.findings import BiasFound, Figure
from drretail.addons.lab.opinions import RATING, opinions_of
from drretail.errors import UnknownName, UserError
from drretail.eval.claims.claims import SUPPORT
from drretail.eval.compare.wording import family_of
from drretail.eval.judging.dimensions import DIMENSIONS, criterion_of
from drretail.eval.judging.readings import report_material, shopper_context
from drretail.eval.judging.subject import Subject
from drretail.eval.metrics.quality import STAGE, Rating, criteria, prompt_for
from drretail.eval.registry import PAIRWISE, load_metric
from drretail.eval.scores.gathering import Assessor, gather
from drretail.eval.scores.pair_rows import read_outcomes
from drretail.files import read_json, write_json
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Document, Record, sha256_of
from drretail.records.score import Verdict
from drretail.records.vote import about_report


def _position(case: Case) -> Effects | str:
    """The share of wins in first place minus that in second, and how often the winner changed with the order."""
    labels = {subject.label for subject in case.reports.subjects}
    if len(labels) < 2:
        return "the reports are of one system, and no two can be compared"
    by_pair = read_outcomes(case.folder, gather(case.folder, [])).get(Assessor(case.judge.ref, "default"), {})
    leaning, flips = list[Value](), list[Value]()
    for pair, by_dimension in by_pair.items():
        for dimension, outcomes in by_dimension.items() if labels.issuperset(pair) else ():
            for outcome in outcomes:
                if outcome.flipped is not None and outcome.first_preferred is not None:
                    flips.append((dimension, outcome.query_id, outcome.flipped))
                    leaning.append((dimension, outcome.query_id, 2 * outcome.first_preferred - 1))
    if not flips:
        return "no two reports were compared in both orders"
    return [
        *differences("first preferred minus second", leaning, case.clusters, unit="share"),
        *shares("flipped with the order", flips, case.clusters),
    ]


POSITION = Probe("position", (PAIRWISE,), _position)


def _length(case: Case) -> Effects | str:
    """How much a copy's rating differs from that of the report itself."""
    once = [(subject.label, subject.query.query_id) for subject in case.reports.subjects]
    changes: dict[str, list[Value]] = {
        length: [
            (dimension, query, rated[copy] - rated[label, query])
            for dimension, rated in case.ratings.items()
            for label, query in once
            if (copy := (length_label(label, length), query)) in rated and (label, query) in rated
        ]
        for length in (TWICE, HALF)
    }
    if not any(changes.values()):
        return "no copy was rated beside its report"
    by_length = (differences(f"{length} minus once", its, case.clusters) for length, its in changes.items())
    return [*chain.from_iterable(by_length)]


LENGTH = Probe("length", ("quality",), _length, with_lengths=True)


def _own_family(case: Case) -> Effects | str:
    """How far the judge rates its own family's reports above others' ratings, minus the same for all other reports."""
    family = family_of(case.judge.ref.spec)
    own = {
        subject.label: any(family_of(model.spec) == family for model in subject.system.models.values())
        for subject in case.reports.subjects
    }
    if len({*own.values()}) < 2:
        which = "every system is" if any(own.values()) else "no system is"
        return f"{which} on a model of {family}, the judge's own family"
    # By dimension, the ratings of each report by people and by judges of other metrics.
    others: dict[str, dict[Report, list[float]]] = defaultdict(lambda: defaultdict(list))
    reports = {about_report(subject.run_id, subject.report_sha or "") for subject in case.reports.subjects}
    for opinion in opinions_of(case.experiment):
        is_other = opinion.kind == "person" or family_of(opinion.rater.partition(" ")[0]) != family
        if opinion.question.scale == RATING and is_other and opinion.item in reports:
            others[opinion.question.dimension][opinion.system, opinion.query_id].append(opinion.value)
    if not others:
        return f"nobody else rated these reports: neither people nor a judge that is not of {family}"
    gaps: list[Value] = []
    for dimension, rated in case.ratings.items():
        above: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
        rated_by_others = others.get(dimension, {})
        for (label, query), value in rated.items():
            if label in own and (label, query) in rated_by_others:
                above[query][own[label]].append(value - fmean(rated_by_others[label, query]))
        gaps += [
            (dimension, query, fmean(by_kind[True]) - fmean(by_kind[False]))
            for query, by_kind in above.items()
            if by_kind[True] and by_kind[False]
        ]
    if not gaps:
        return "on no query were reports of both kinds rated by the judge and by others"
    return differences(f"{family}'s reports above the others'", gaps, case.clusters)


OWN_FAMILY = Probe("own_family", ("quality",), _own_family)


APART = 2
"""Points from which two ratings differ: a reader of a justification is as unsure by one point as its writer."""
_SUPPORTS: Mapping[str, float] = {"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0, "contradicted": 0.0}


class DerivedRating(Record):
    """The rating that a justification leads to."""

    reading: str
    rating: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


class DerivedSupport(Record):
    """The label that a justification leads to."""

    reading: str
    label: Literal["full_support", "partial_support", "no_support", "contradicted"]


@cache
def rating_prompt(dimension: str) -> Prompt:
    """The prompt for a justification of a rating in this dimension; its hash covers the criterion's wording too."""
    criterion = criteria()[dimension]
    shown = criterion_of({name: text for name, text in criterion.items() if name != "picks"})
    text = load_prompt(__file__, "derive_rating").text.replace("{{criterion}}", shown)
    return Prompt("derive_rating", text.replace("{{anchors}}", criterion["anchors"]))


def _reason_questions(case: Case) -> list[ProbeQuestion]:
    questions: list[ProbeQuestion] = []
    for subject in case.reports.subjects:
        verdicts = case.verdicts(load_metric("quality"), subject)
        rated = {verdict.item: verdict for verdict in verdicts if verdict.stage == STAGE}
        for dimension in DIMENSIONS:
            verdict = rated.get(dimension)
            reason = verdict.reason if verdict is not None and verdict.state == "scored" else ""
            if reason:
                prompt = rating_prompt(dimension)
                questions.append(_question(subject, f"{STAGE}/{dimension}", reason, prompt, DerivedRating))
        prompt = load_prompt(__file__, "derive_support")
        questions += [
            _question(subject, f"{SUPPORT}/{verdict.item}", verdict.reason, prompt, DerivedSupport)
            for verdict in _ruled(case, subject)
        ]
    return questions


def _ruled(case: Case, subject: Subject) -> list[Verdict]:
    ruled = case.verdicts(load_metric("faithfulness"), subject)
    return [verdict for verdict in ruled if verdict.stage == SUPPORT and verdict.state == "scored" and verdict.reason]


def _question(subject: Subject, place: str, reason: str, prompt: Prompt, answer: type[Record]) -> ProbeQuestion:
    """The item includes a hash of the reason, so that another reason is another question."""
    return question_on(
        QuestionPlace.of(subject),
        f"{place}/{sha256_of(reason)[:12]}",
        prompt,
        lambda: {"justification": tagged("justification", reason)},
        answer,
        lambda answer: float(answer.rating) if isinstance(answer, DerivedRating) else _SUPPORTS[answer.label],
    )


def _justification(case: Case) -> Effects | str:
    """How often a rating differs from the one that its reasons lead to, and by how much it is higher."""
    queries = {QuestionPlace.of(subject): subject.query.query_id for subject in case.reports.subjects}
    values: dict[tuple[QuestionPlace, str, str], float] = {}
    for subject in case.reports.subjects:
        rated = [verdict for verdict in case.verdicts(load_metric("quality"), subject) if verdict.state == "scored"]
        for verdict in (*rated, *_ruled(case, subject)):
            values[QuestionPlace.of(subject), verdict.stage, verdict.item] = float(verdict.value)
    ratings, support = list[Value](), list[tuple[str, float]]()
    for question, derived in case.answers("justification", _reason_questions(case)):
        what, item = question.asked.item.split("/")[:2]
        query, excess = queries[question.about], values[question.about, what, item] - float(derived)
        if what == STAGE:
            ratings.append((item, query, excess))
        else:
            support.append((query, excess))
    effects: list[Figure] = []
    if ratings:
        ratings.sort(key=lambda rating: DIMENSIONS.index(rating[0]))
        apart = [(dimension, query, float(abs(excess) >= APART)) for dimension, query, excess in ratings]
        effects += shares(f"ratings {APART} points or more off", apart, case.clusters)
        effects += differences("rating minus what its reasons lead to", ratings, case.clusters)
    if support:
        other = by_query((query, float(excess != 0)) for query, excess in support)
        effects.append(share("labels of claims that are others", other, case.clusters, dimension=SUPPORT))
        name, higher = "support minus what its reasons lead to", by_query(support)
        effects.append(difference(name, higher, case.clusters, dimension=SUPPORT, unit="share"))
    return effects or "no verdict with a justification was looked at"


JUSTIFICATION = Probe("justification", ("quality",), _justification, _reason_questions)


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


def _pinned_questions(case: Case) -> list[ProbeQuestion]:
    """On the first day each report is asked twice, to learn how often an answer changes at once; later once a day."""
    pinned = _pinned(case)
    if pinned is None:
        return []
    is_first = pinned.days(case.name) in ([], [case.day])
    times = [case.day, f"{case.day} {AGAIN}"] if is_first else [case.day]
    about = QuestionPlace("pinned", f"{pinned.sha[:12]}-r1", pinned.sha)
    return [
        question_on(
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


def _keep_pinned(case: Case) -> None:
    """Writes today's answers into the pinned set."""
    pinned = _pinned(case)
    if pinned is None or case.pin is None:
        return
    ratings_by_day = {day: dict(ratings) for day, ratings in pinned.ratings.get(case.name, {}).items()}
    for question, rating in case.answers("drift", _pinned_questions(case)):
        run_id, _, time = question.asked.item.partition(f" {case.day}")
        ratings_by_day.setdefault(AGAIN if time else case.day, {})[run_id] = float(rating)
    if ratings_by_day:
        document = pinned.model_copy(update={"ratings": {**pinned.ratings, case.name: ratings_by_day}})
        case.pin.parent.mkdir(parents=True, exist_ok=True)
        write_json(case.pin, document.model_dump(mode="json"))


def _drift(case: Case) -> Effects | str:
    """The latest day against the first: the mean shift, how often ratings changed, and by more than one step."""
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
    shift = by_query((queries[run_id], last[run_id] - first[run_id]) for run_id in both)
    differs = by_query((queries[run_id], changed[run_id]) for run_id in both)
    effects = [
        difference(f"shift since {days[0]}", shift, case.clusters, dimension=DIMENSION),
        share(f"changed since {days[0]}", differs, case.clusters, dimension=DIMENSION),
    ]
    if at_once:
        twice = by_query((queries[run_id], at_once[run_id]) for run_id in at_once)
        more = by_query((queries[run_id], changed[run_id] - at_once[run_id]) for run_id in at_once)
        effects += [
            share("changed when asked twice at once", twice, case.clusters, dimension=DIMENSION),
            difference("changed more than at once", more, case.clusters, dimension=DIMENSION, unit="share"),
        ]
    return effects


DRIFT = Probe("drift", (), _drift, _pinned_questions, _keep_pinned)


# Ratings are 0 to 10.
STEPS = 11
HIGH = 8


def _scale_use(case: Case) -> Effects | str:
    """How evenly the scale is used, and how often its commonest value and 8 or more."""
    labels = {subject.label for subject in case.reports.subjects}
    rated: list[Value] = [
        (dimension, query, value)
        for dimension, of in case.ratings.items()
        for (label, query), value in of.items()
        if label in labels
    ]
    if not rated:
        return "no report was rated"
    groups = over_dimensions(rated).items()
    most_used, high = list[Figure](), list[Figure]()
    for dimension, values in groups:
        ratings = Counter(value for inside in values.values() for value in inside)
        ((most, _),) = ratings.most_common(1)
        is_most = {query: [float(value == most) for value in its] for query, its in values.items()}
        is_high = {query: [float(value >= HIGH) for value in its] for query, its in values.items()}
        most_used.append(share("of its most used value", is_most, case.clusters, dimension=dimension))
        high.append(share(f"{HIGH} or more", is_high, case.clusters, dimension=dimension))
    evenness = [entropy(values, case.clusters, STEPS, case.seed, dimension) for dimension, values in groups]
    return [*evenness, *most_used, *high]


SCALE_USE = Probe("scale_use", ("quality",), _scale_use)


PROBES = {probe.name: probe for probe in (POSITION, LENGTH, OWN_FAMILY, JUSTIFICATION, DRIFT, SCALE_USE)}
FOLLOWS_RULES = (
    "it follows rules and has no opinions: what it can be probed for is its labels of claims, by lab card and lab plant"
)


def named_probes(names: Iterable[str]) -> list[Probe]:
    """The probes with these names; all without a name. Raises UnknownName."""
    wanted = [name.replace("-", "_") for name in names] or [*PROBES]
    for name in wanted:
        if name not in PROBES:
            raise UnknownName("probe", name, PROBES)
    return [probe for name, probe in PROBES.items() if name in wanted]


def metrics_of(probes: Iterable[Probe], *, with_pairs: bool) -> list[str]:
    """The metrics whose verdicts these probes read, each once; pairwise only ``with_pairs``."""
    metrics = dict.fromkeys(metric for probe in probes for metric in probe.metrics)
    return [metric for metric in metrics if with_pairs or metric != PAIRWISE]


def probe_found(case: Case, probe: Probe) -> list[Figure]:
    """The rows of a probe, from existing verdicts alone: what it lacks, then its effects or why there are none."""
    whole = Figure(of=probe.name, by=case.name)
    if not case.has_opinions:
        return [whole.model_copy(update={"note": FOLLOWS_RULES})]
    effects, (failed, unasked) = probe.find(case), case.unanswered(probe)
    whole = whole.model_copy(update={"failed": failed, "unasked": unasked})
    if isinstance(effects, str):
        return [whole.model_copy(update={"note": effects})]
    return [whole, *(effect.model_copy(update={"of": probe.name, "by": case.name}) for effect in effects)]


def bias_found(reports: Reports, rows_now: Sequence[Figure], earlier: BiasFound | None) -> BiasFound:
    """The new results, with earlier results on the same reports by other judges and other probes."""
    probed = {(row.by, row.of) for row in rows_now}
    earlier_rows = [
        row
        for row in (earlier.rows if earlier is not None and earlier.reports == reports.sha else ())
        if row.of in PROBES and (row.by, row.of) not in probed
    ]
    order = [*PROBES]
    rows = sorted([*earlier_rows, *rows_now], key=lambda row: (row.by, order.index(row.of)))
    return BiasFound(reports=reports.sha, rows=tuple(rows))
