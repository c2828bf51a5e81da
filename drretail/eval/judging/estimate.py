"""What judging is likely to take: from what this experiment's judging took, else by the length of its reports."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import mean, stdev

from drretail.eval.error_causes.judge import FAMILY as ERROR_CAUSES
from drretail.eval.faithfulness.claims import REPORT, SUPPORT, Claim, stages_of, unit_of
from drretail.eval.fault_place.judge import FAMILY as FAULT_PLACE
from drretail.eval.judging.criteria import unprepared
from drretail.eval.judging.session import Judge, judging_usage
from drretail.eval.judging.subject import planned_runs
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.metric import Metric, is_judged
from drretail.eval.pairwise.dimensions import DIMENSIONS as COMPARED
from drretail.eval.pairwise.dimensions import prompt_hashes as compared_prompts
from drretail.eval.pairwise.judge import check_rules
from drretail.eval.pairwise.pairs import BETWEEN, choose_pairs, meetings, pair_name
from drretail.eval.quality.judge import DIMENSIONS as RATED
from drretail.eval.registry import PAIRWISE, load_metric, load_metrics
from drretail.eval.weighted.weighing import persona_of
from drretail.experiment import Definition, read_definition, read_run, run_folder
from drretail.grounding.text.wording import split_words
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.prices import BATCH
from drretail.records.base import Rules, sha256_of
from drretail.records.models import Price
from drretail.records.run import BASELINES, Usage
from drretail.records.score import Verdict


@dataclass(frozen=True, slots=True)
class Taken:
    """Calls and tokens of one report, or of one reading of a pair."""

    calls: Range
    input: Range
    output: Range


NOTHING = Taken(Range(0, 0), Range(0, 0), Range(0, 0))


@dataclass(frozen=True, slots=True)
class Growth:
    """What is taken of any report, and how much more for each of its words."""

    any: Range
    word: Range

    def at(self, words: int) -> Range:
        return self.any.plus(self.word.times(words))


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one family, by the words of a report, or of both reports of a pair."""

    calls: Growth
    input: Growth
    output: Growth
    asks_of_empty: bool = True
    """False where an empty report is settled without a question."""

    def of(self, words: int) -> Taken:
        if not words and not self.asks_of_empty:
            return NOTHING
        return Taken(self.calls.at(words), self.input.at(words), self.output.at(words))


# Measured with offline:judge, with room for longer sources and for judges that explain. Of faithfulness null agents'
# 28 to 82 words took 1 to 4 calls, 1,400 to 5,600 and 90 to 450 tokens, an oracle's 57 words 5 calls, 6,100 and 460;
# 56 reports of 560 words 15 calls, 21,100 and 3,300 each, by the paper's rules 28 calls; 720 to 810 words 18 to 24
# calls, 28,600 to 37,500 and 3,600 to 5,000. Of quality every report takes 7 calls, 0 words 10,500 tokens and 560 words
# 18,800; one order of two reports of some 560 words each 7 calls and 26,300 tokens (benchmarks/judging.py), of which
# Claude reads three quarters from its cache.
BY_LENGTH = {
    "faithfulness": Figures(
        Growth(Range(1, 2), Range(0.02, 0.06)),
        Growth(Range(1_400, 2_000), Range(30, 130)),
        Growth(Range(50, 200), Range(5, 20)),
        asks_of_empty=False,
    ),
    # One question of picks, and an extraction that faithfulness has no need to ask again.
    "reading": Figures(
        Growth(Range(1, 2), Range(0, 0.001)),
        Growth(Range(1_300, 2_200), Range(2, 5)),
        Growth(Range(50, 200), Range(6, 20)),
        asks_of_empty=False,
    ),
    "quality": Figures(
        Growth(Range(7, 10), Range(0, 0)),
        Growth(Range(10_500, 16_000), Range(12, 50)),
        Growth(Range(700, 5_000), Range(0, 0)),
    ),
    # Grades, six pairs of sections or thirty of paragraphs, and a label for each sentence and source. Twenty reports of
    # 3,575 words took 10 calls and 30,400 tokens each without labels, and have 107 of these, each asked with its page;
    # 80 reports of 460 to 640 words with their pages 10 to 46 calls and 8,400 to 33,300 tokens.
    "report_eval": Figures(
        Growth(Range(1, 31), Range(0, 0.06)),
        Growth(Range(1_500, 3_000), Range(1.2, 150)),
        Growth(Range(150, 4_000), Range(0.05, 8)),
    ),
    # The following of the same 80, in which half of the sentences were facts, and of two of 4,719 and 5,826 words of
    # which no page was there, which is the low end; 5 criteria in each dimension. 5 to 10 calls, 9,400 to 17,600
    # tokens; 4 calls and 7,700 to 8,700 of the long ones.
    "pqr": Figures(
        Growth(Range(3, 5), Range(0, 0.015)),
        Growth(Range(2_500, 7_000), Range(1, 60)),
        Growth(Range(400, 3_000), Range(0.8, 6)),
    ),
    # 8 to 10 calls and 12,500 to 19,000 tokens; of the reference itself, and in one order, fewer.
    "race": Figures(
        Growth(Range(2, 6), Range(0, 0.015)),
        Growth(Range(1_500, 9_000), Range(2, 60)),
        Growth(Range(100, 4_000), Range(0.5, 6)),
    ),
    # 5 to 11 calls and 9,200 to 20,100 tokens, 4 calls and 9,200 to 10,900 of the long ones.
    "dr3": Figures(
        Growth(Range(3, 7), Range(0, 0.02)),
        Growth(Range(2_500, 8_000), Range(1, 80)),
        Growth(Range(300, 1_500), Range(1.2, 15)),
    ),
    # One question for each of seven ratings that is low: none, or seven of 550 tokens.
    "failure_modes": Figures(
        Growth(Range(0, 7), Range(0, 0)),
        Growth(Range(0, 5_500), Range(0, 0)),
        Growth(Range(0, 1_500), Range(0, 0)),
    ),
    # A rubric of 15 criteria in 2 calls: 4,300 to 4,700 tokens, 5,200 to 6,300 of the long ones.
    "rubrics": Figures(
        Growth(Range(1, 3), Range(0, 0)),
        Growth(Range(1_500, 5_000), Range(0.7, 5)),
        Growth(Range(400, 3_000), Range(0, 0)),
    ),
    PAIRWISE: Figures(
        Growth(Range(7, 10), Range(0, 0)),
        Growth(Range(10_500, 16_000), Range(10, 60)),
        Growth(Range(700, 4_000), Range(0, 0)),
    ),
}
MAKING: Mapping[str, tuple[int, int]] = {"pqr": (4, 9), "race": (5, 5), "dr3": (2, 2), "rubrics": (1, 1)}
"""Questions that make the criteria of a query: where nothing is known of who asks, and where something is."""
A_QUESTION = Taken(Range(1, 1.3), Range(450, 1_800), Range(150, 1_500))
"""What one of them takes: 460 to 1,400 tokens and 200 to 1,100 of the same queries."""
UNKNOWN_METRIC = "faithfulness"
"""Whose figures stand in for a family that nothing is known of: the dearest."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge took on one report or pair so far, and how many times it has judged it, parts as shares."""

    kind: str
    usage: Usage
    times: float


def measured(judged: Sequence[Judged]) -> Mapping[str, Taken]:
    """What judging once took, by kind of report: mean ± standard deviation; of a single report, ± half of it."""
    kinds = dict.fromkeys(one.kind for one in judged if one.times)
    return {kind: _taken([one for one in judged if one.kind == kind and one.times]) for kind in kinds}


def _taken(judged: Sequence[Judged]) -> Taken:
    read = [(it.usage.input_uncached + it.usage.cache_read + it.usage.cache_creation) / it.times for it in judged]
    calls = [it.usage.calls / it.times for it in judged]
    written = [it.usage.output / it.times for it in judged]
    return Taken(_range(calls), _range(read), _range(written))


def _range(values: Sequence[float]) -> Range:
    deviation = stdev(values) if len(values) > 1 else values[0] / 2
    return Range.around(mean(values), deviation)


FAITHFULNESS, QUALITY = "faithfulness", "quality"


def work_done(metric: str, verdicts: Iterable[Verdict]) -> float:
    """How many times a report was judged, or a pair was read in one order, the parts of one time as shares of it.

    All repeats count, each by the set of rules that came farthest. A family of which nobody knows its parts is done
    once it has any verdict.
    """
    every = list(verdicts)
    known: set[Rules] = {verdict.rules for verdict in every}
    repeats = {verdict.judge_repeat for verdict in every}
    return sum(max(done_by_repeat(metric, every, rules).get(repeat, 0.0) for rules in known) for repeat in repeats)


def done_by_repeat(metric: str, verdicts: Iterable[Verdict], rules: Rules) -> Mapping[int, float]:
    """The same for each repeat of the judge under these rules; what other rules asked as well is not asked again."""
    groups: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.judge_repeat].append(verdict)
    return {repeat: _done(metric, rules, held) for repeat, held in groups.items()}


def _done(metric: str, rules: Rules, verdicts: Sequence[Verdict]) -> float:
    if metric == PAIRWISE:  # an order may be drawn for each dimension, so that half of both is one reading
        return len({(verdict.item, verdict.order) for verdict in verdicts}) / len(COMPARED)
    if metric == QUALITY:
        return len({verdict.item for verdict in verdicts} & {*RATED}) / len(RATED)
    if metric == FAITHFULNESS:
        return _borne_out(rules, verdicts)
    return float(any(verdict.rules == rules for verdict in verdicts))


def _borne_out(rules: Rules, verdicts: Sequence[Verdict]) -> float:
    """The share of extractions and, once the claims are known, of all that cite something that were judged."""
    stages = stages_of(rules)
    extracted = {verdict.stage: verdict for verdict in verdicts if verdict.stage in stages and verdict.item == REPORT}
    judged = extracted.get(stages[0])
    if judged is None:
        return 0.0  # how many claims there are nobody knows, and these are most of the work
    claims = [Claim.model_validate(value) for value in judged.value] if judged.state == "scored" else []
    wanted = {unit.item for claim in claims if (unit := unit_of(claim, rules)) is not None}
    supported = {verdict.item for verdict in verdicts if verdict.stage == SUPPORT}
    return (len(extracted) + len(wanted & supported)) / (len(stages) + len(wanted))


RESEARCHED = "researched"
"""The kind of all reports that are not of a null agent or of the oracle, whose names are kinds of their own."""
REPORTS, PAIRS = "reports", "pairs"


@dataclass(frozen=True, slots=True)
class Place:
    """A report that is to be judged, or two that are to be compared."""

    label: str
    """The system's, or the pair's."""
    run: str
    kind: str
    words: int
    shas: tuple[str, ...]
    """Of the report, or of both."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """How a judge is to be asked: ``readings`` are the orders in which it reads a pair, 1 of a single report."""

    rules: Rules
    judge_repeats: int
    anew: bool
    readings: int

    def missing(self, metric: str, verdicts: Sequence[Verdict]) -> float:
        """How many times a judge has yet to read what these verdicts are about, the rest of one time as its share."""
        if self.anew:
            return self.judge_repeats * self.readings
        done = done_by_repeat(metric, verdicts, self.rules)
        repeats = range(1, self.judge_repeats + 1)
        return sum(max(0.0, self.readings - done.get(repeat, 0.0)) for repeat in repeats)


def estimate_judging(
    experiment: Path,
    metrics: Sequence[str | Metric],
    judges: Sequence[Judge],
    *,
    anew: bool = False,
    judge_repeats: int = 1,
    rules: Rules = "default",
    pairs: Sequence[str] = (),
    rate_floors: bool = False,
) -> list[Estimate]:
    """One estimate for each family that needs a model and each judge, over what it has not judged to the end.

    A report counts once for each of the ``judge_repeats`` that is missing, and one that was judged in part by the rest
    of it. ``anew`` counts what is there as well. Of "pairwise", which compares ``pairs``, two reports of one query
    count as one. Who is not asked for opinions, and of which reports nobody is, is as in ``score``. Raises UserError as
    ``load_metric``, ``choose_pairs``, ``check_rules`` and ``read_definition`` do.
    """
    if PAIRWISE in metrics:
        check_rules(rules)
    definition = read_definition(experiment)
    reports = list(_reports(experiment, definition))
    by_code = (FAULT_PLACE, ERROR_CAUSES)
    families = [metric for metric in load_metrics(metrics) if metric.needs_judge and metric.name not in by_code]
    wanted = {
        metric.name: [it for it in reports if is_judged(metric, definition.systems[it.label], floors=rate_floors)]
        for metric in families
    }
    compared = {PAIRWISE: _pairs(experiment, definition, reports, pairs)} if PAIRWISE in metrics else {}
    opinions = {*compared, *(metric.name for metric in families if metric.is_opinion)}
    made = _unmade(experiment, definition, families, judges)
    return [
        _with_criteria(
            _estimate(
                experiment, definition, name, judge, places, _Asking(rules, judge_repeats, anew, _readings(name, rules))
            ),
            made[name, judge.slug],
            _price(judge),
        )
        for name, places in (wanted | compared).items()
        for judge in judges
        if name not in opinions or judge.ref.kind != "rule_based"
    ]


def _unmade(
    experiment: Path, definition: Definition, families: Sequence[Metric], judges: Sequence[Judge]
) -> Mapping[tuple[str, str], list[int]]:
    """By family and judge's folder, of every query without criteria how many questions will make them."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for task, family, judge in unprepared(experiment, definition, families, judges, None):
        if judge.ref.kind != "rule_based":
            known = persona_of(task.query, task.profile) is not None
            found[family.name, judge.slug].append(MAKING.get(family.name, (1, 1))[known])
    return found


def _with_criteria(estimate: Estimate, made: Sequence[int], price: Price | None) -> Estimate:
    """The same with the questions that make criteria before any report is judged, one after the other."""
    if not made:
        return estimate
    asked = sum(made)
    read, written = A_QUESTION.input.times(asked), A_QUESTION.output.times(asked)
    extra = dollars_of(read, written, [] if price is None else [price])
    return replace(
        estimate,
        calls=estimate.calls.plus(A_QUESTION.calls.times(asked)),
        input=estimate.input.plus(read),
        output=estimate.output.plus(written),
        dollars=None if extra is None or estimate.dollars is None else estimate.dollars.plus(extra),
        basis=f"{estimate.basis}; and first the criteria of {len(made):,} {'query' if len(made) == 1 else 'queries'}",
    )


def _readings(metric: str, rules: Rules) -> int:
    return 2 if metric == PAIRWISE and rules != "paper" else 1


def _reports(experiment: Path, definition: Definition) -> Iterator[Place]:
    for planned in planned_runs(experiment, definition):
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        report = read_run(folder).report if (folder / "run.json").exists() else None
        if report is not None:
            kind, words = _kind(definition, planned.label), len(split_words(report))
            yield Place(planned.label, folder.name, kind, words, (sha256_of(report),))


def _pairs(experiment: Path, definition: Definition, reports: Sequence[Place], named: Sequence[str]) -> list[Place]:
    """Every pair of reports that a judge is to compare."""
    there = {(place.label, place.run): place for place in reports}
    made: list[Place] = []
    for met in meetings(experiment, definition, choose_pairs(definition, named)):
        a, b = (there.get((label, met.run)) for label in met.labels)
        if a is not None and b is not None:
            kind = _kind(definition, *met.labels)
            made.append(Place(pair_name(met.labels), met.run, kind, a.words + b.words, (*a.shas, *b.shas)))
    return made


def _kind(definition: Definition, *labels: str) -> str:
    """What a report is like before it is read; of a pair, what its two are."""
    agents = (definition.systems[label].agent for label in labels if label in definition.systems)
    return BETWEEN.join(sorted(agent if agent in BASELINES else RESEARCHED for agent in agents))


def _estimate(
    experiment: Path, definition: Definition, metric: str, judge: Judge, places: Sequence[Place], asking: _Asking
) -> Estimate:
    by_kind, basis = _measured(experiment, definition, metric, judge)
    calls, read, written, missing = Range(0, 0), Range(0, 0), Range(0, 0), 0.0
    lacking: set[str] = set()
    prompts = _prompts(metric, asking.rules)
    for place in places:
        path = verdict_path(experiment, metric, judge.slug, place.label, place.run)
        times = asking.missing(metric, _living(path, place, prompts))
        one = by_kind.get(place.kind) or _by_length(metric, place.words)
        calls, read = calls.plus(one.calls.times(times)), read.plus(one.input.times(times))
        written, missing = written.plus(one.output.times(times)), missing + times
        lacking |= {place.kind} - by_kind.keys() if times else set()
    price = _price(judge)
    return Estimate(
        f"{metric} by {judge.ref.spec}",
        ceil(round(missing / asking.readings, 6)),
        calls,
        read,
        written,
        dollars_of(read, written, [] if price is None else [price]),
        _told(metric, basis, lengths=bool(lacking)) + (", at half the price in batches" if judge.in_batches else ""),
        () if price is not None else (judge.ref.spec,),
        PAIRS if metric == PAIRWISE else REPORTS,
    )


def _price(judge: Judge) -> Price | None:
    price = None if judge.model is None else judge.model.price
    return price.times(BATCH) if price is not None and judge.in_batches else price


def _by_length(metric: str, words: int) -> Taken:
    return BY_LENGTH.get(metric, BY_LENGTH[UNKNOWN_METRIC]).of(words)


def _told(metric: str, basis: str, *, lengths: bool) -> str:
    """What an estimate rests on."""
    known = "" if metric in BY_LENGTH else f"nothing known of {metric}; "
    if not basis:
        return f"{known}the length of the reports, by what judging took on the demo"
    return f"{basis}, others by their length" if lengths else basis


def _measured(experiment: Path, definition: Definition, metric: str, judge: Judge) -> tuple[Mapping[str, Taken], str]:
    """What this judge took here on each kind of report, else another judge; nothing, and no basis, without any."""
    folder = experiment / "verdicts" / metric
    others = sorted(path.name for path in folder.glob("*/") if path.name != judge.slug)
    for slug in (judge.slug, *others):
        journals = sorted((folder / slug).glob("*/*.journal.jsonl"))
        judged = [_judged(definition, metric, journal) for journal in journals]
        if any(one.times for one in judged):
            count = sum(bool(one.times) for one in judged)
            what = "pair" if metric == PAIRWISE else "report"
            return measured(judged), f"{count:,} {what}{'' if count == 1 else 's'} judged here by {slug}"
    return {}, ""


def _judged(definition: Definition, metric: str, journal: Path) -> Judged:
    kind = _kind(definition, *journal.parent.name.split(BETWEEN))
    verdicts = journal.with_name(journal.name.replace(".journal.jsonl", ".jsonl"))
    times = work_done(metric, VerdictFile(verdicts).lasts() if verdicts.exists() else ())
    return Judged(kind, judging_usage(journal), times)


def _prompts(metric: str, rules: Rules) -> frozenset[str]:
    """Of today's wording, and "" for what was recorded without a question."""
    if metric == PAIRWISE:
        return frozenset({""}.union(*compared_prompts(rules).values()))
    return load_metric(metric).prompt_hashes()


def _living(path: Path, place: Place, prompts: frozenset[str]) -> list[Verdict]:
    """The verdicts on these very reports, asked in today's words."""
    held = VerdictFile(path).lasts() if path.exists() else []
    return [
        verdict
        for verdict in held
        if (verdict.report_sha, verdict.other_report_sha or verdict.report_sha) == (place.shas[0], place.shas[-1])
        and verdict.prompt_hash in prompts
    ]
