"""The formulas of PQR (000 equations 1 to 6) for one report. Pure.

docs/metrics/pqr.md gives each with its reason, and where the published rule differs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drretail.eval.judging.criteria import Task
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value
from drretail.eval.pqr.judge import (
    AXES,
    FAMILY,
    PERSONALIZATION,
    QUALITY,
    SCORING,
    held_criteria,
    item_of,
    judge,
    scoring_prompt,
)
from drretail.eval.triplets.facts import Fact, JudgedFacts, Pair, judged_facts
from drretail.eval.triplets.triplet_support import triplet_hashes
from drretail.eval.weighted.axes import Axis
from drretail.eval.weighted.shares import weighted_mean
from drretail.eval.weighted.weighing import made_criteria, persona_of, weighing_prompts
from drretail.records.criteria import Criteria
from drretail.records.score import MetricDescription, Rules, Verdict, VerdictState

VERSION = 1
TOP = 10
S_P, S_Q, S_R, S_OVERALL = "S_P", "S_Q", "S_R", "S_overall"
FA, CC, FA_STRICT, N_TOTAL, N_CITED = "FA", "CC", "FA_strict", "N_total", "N_cited"
LITERAL = "_triplets"
"""What ends the names of variants by the paper's counting: each (fact, reference) once, whatever can't be read 0."""
VARIANTS = (
    S_OVERALL,
    S_P,
    S_Q,
    S_R,
    *(it.variant for axis in AXES for it in axis.dimensions),
    FA,
    CC,
    FA_STRICT,
    *(f"{it}{LITERAL}" for it in (S_OVERALL, S_R, FA, CC)),
    N_TOTAL,
    N_CITED,
)
_LACKING: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
"""The gravest reason for a value's absence first."""


def overall(p: float, q: float, r: float) -> float:
    """Equation 6."""
    return (p + q + r) / 3


def reliability(fa: float, cc: float) -> float:
    """Equation 5, third part."""
    return (fa + cc) / 2


def values(
    verdicts: Sequence[Verdict], criteria: Criteria | None, rules: Rules, *, knows_user: bool = True
) -> list[Value]:
    """A report's value in every variant, in the order of ``VARIANTS``; personalization is na where nobody is known."""
    scored = {it.item: it for it in verdicts if it.stage == SCORING}
    found: dict[str, Value] = {}
    for axis in AXES:
        without: VerdictState = "na" if axis.sees_profile and not knows_user else "failed"
        found |= {it.variant: it for it in _axis_values(axis, criteria, scored, without)}
    found |= {it.variant: it for it in _reliability_values(judged_facts(verdicts), rules)}
    for ending in ("", LITERAL):
        r = _joined(f"{S_R}{ending}", [found[f"{it}{ending}"] for it in (FA, CC)], reliability)
        found[r.variant] = r
        found[f"{S_OVERALL}{ending}"] = _joined(f"{S_OVERALL}{ending}", [found[S_P], found[S_Q], r], overall)
    return [found[variant] for variant in VARIANTS]


def _joined(variant: str, parts: Sequence[Value], formula: Callable[..., float]) -> Value:
    """What a formula makes of parts, or why there is none: the gravest reason of any part."""
    numbers = [it.value for it in parts if it.value is not None]
    if len(numbers) == len(parts):
        return Value(variant, "scored", formula(*numbers))
    return Value(variant, next(state for state in _LACKING if any(it.state == state for it in parts)))


def _axis_values(
    axis: Axis, criteria: Criteria | None, scored: Mapping[str, Verdict], without: VerdictState
) -> list[Value]:
    """The dimensions of an axis and their weighted mean (equations 1 and 2); ``without`` criteria all are that."""
    name = S_P if axis is PERSONALIZATION else S_Q
    if criteria is None:
        return [Value(it, without) for it in (*(d.variant for d in axis.dimensions), name)]
    found = [_dimension(it.variant, it.key, criteria, scored) for it in axis.dimensions]
    groups = [criteria.group(key) for key in axis.keys]
    weights = [0.0 if group is None else group.weight for group in groups]
    return [*found, _joined(name, found, lambda *scores: weighted_mean(zip(weights, scores, strict=True)))]


def _dimension(variant: str, key: str, criteria: Criteria, scored: Mapping[str, Verdict]) -> Value:
    """S_d = Σ w_c · s_c over the criteria of a dimension."""
    verdict, group = scored.get(item_of(key, criteria)), criteria.group(key)
    if verdict is None:
        return Value(variant, "failed")
    if verdict.state != "scored" or group is None:
        return Value(variant, verdict.state)
    by_text = {it["criterion"]: float(it["target_score"]) for it in verdict.value}
    return Value(variant, "scored", weighted_mean((it.weight, by_text[it.text]) for it in group.criteria))


def _reliability_values(judged: JudgedFacts | None, rules: Rules) -> list[Value]:
    """FA and CC by the rules asked for and by the paper's counting, and how many facts there are."""
    names = (FA, CC, FA_STRICT, f"{FA}{LITERAL}", f"{CC}{LITERAL}", N_TOTAL, N_CITED)
    if judged is None:
        return [Value(it, "failed") for it in names]
    ours, literal = _by_fact(judged), _by_triplet(judged)
    chosen = literal if rules == "paper" else ours
    return [
        Value(FA, *chosen.accuracy),
        Value(CC, *chosen.coverage),
        Value(FA_STRICT, *_accuracy([_strict(*it) for it in _each(judged)], "na")),
        Value(f"{FA}{LITERAL}", *literal.accuracy),
        Value(f"{CC}{LITERAL}", *literal.coverage),
        Value(N_TOTAL, "scored", float(chosen.total)),
        Value(N_CITED, "scored", float(chosen.cited)),
    ]


Outcome = tuple[VerdictState | None, float]
"""What became of one fact or triplet: its state, None where it was not judged, and v."""
Scored = tuple[VerdictState, float | None]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A report's facts, or its triplets, as one rule counts them."""

    total: int
    cited: int
    accuracy: Scored

    @property
    def coverage(self) -> Scored:
        """CC = 10 · N_cited / N_total."""
        return ("scored", TOP * self.cited / self.total) if self.total else ("na", None)


def _each(judged: JudgedFacts) -> Iterable[tuple[Fact, Sequence[Pair]]]:
    return zip(judged.facts, judged.pairs, strict=True)


def _by_fact(judged: JudgedFacts) -> _Counted:
    """Ours: each fact once, cited where a reference of it comes to something, v the mean over what could be read."""
    outcomes = [_readable(pairs) for pairs in judged.pairs if pairs]
    return _Counted(len(judged.facts), len(outcomes), _accuracy(outcomes, "na"))


def _by_triplet(judged: JudgedFacts) -> _Counted:
    """Equations 3 to 5 to the letter: a fact counts once for each reference, and what can't be read is unsupported."""
    outcomes = [
        outcome
        for fact, pairs in _each(judged)
        for outcome in (*(_as_zero(it) for it in pairs), *[_ZERO] * len(fact.unresolved))
    ]
    uncited = sum(not fact.sources and not fact.unresolved for fact in judged.facts)
    accuracy = _accuracy(outcomes, "scored" if uncited else "na")
    return _Counted(len(outcomes) + uncited, len(outcomes), accuracy)


_ZERO: Outcome = ("scored", 0.0)


def _v(pair: Pair) -> float:
    """Equation 4: 1 where the source supports the fact, 0 where it does not or nobody knows."""
    return float(pair.support == 1)


def _readable(pairs: Sequence[Pair]) -> Outcome:
    """Of a fact: the mean over sources that could be read."""
    if any(it.state is None for it in pairs):
        return None, 0.0
    read = [_v(it) for it in pairs if it.state == "scored"]
    if read:
        return "scored", fmean(read)
    return next(state for state in _LACKING if any(it.state == state for it in pairs)), 0.0


def _strict(fact: Fact, pairs: Sequence[Pair]) -> Outcome:
    """The same, with sources that could not be read, and references that come to nothing, as 0."""
    every = [*(_as_zero(it) for it in pairs), *[_ZERO] * len(fact.unresolved)]
    if any(state is None for state, _ in every):
        return None, 0.0
    kept = [v for state, v in every if state == "scored"]
    return ("scored", fmean(kept)) if kept else ("failed" if every else "na", 0.0)


def _as_zero(pair: Pair) -> Outcome:
    return _ZERO if pair.state == "unverifiable" else (pair.state, _v(pair))


def _accuracy(outcomes: Sequence[Outcome], without: VerdictState) -> Scored:
    """FA = 10 · Σ v / N_cited over what was judged; ``without`` any citation it is that state, 0 where it is scored.

    A report that was not judged to the end has none: what was asked first is no sample of it.
    """
    states = {state for state, _ in outcomes}
    if None in states:
        return "failed", None
    if scored := [v for state, v in outcomes if state == "scored"]:
        return "scored", TOP * fmean(scored)
    for lacking in _LACKING:
        if lacking in states:
            return lacking, None
    return without, 0.0 if without == "scored" else None


MEANINGS = {
    S_OVERALL: "mean of S_P, S_Q and S_R, 0 to 10 (equation 6)",
    S_P: "personalization: weighted mean of GOAL, CONT, PRES and ACTI",
    S_Q: "quality: weighted mean of DEIN, LOGC and CLAR",
    S_R: "reliability: mean of FA and CC",
    "GOAL": "goal alignment: goals said and implied",
    "CONT": "content alignment: subjects, depth and breadth for this user",
    "PRES": "presentation fit: language and form for this user",
    "ACTI": "actionability and practicality",
    "DEIN": "depth and insight",
    "LOGC": "logical coherence",
    "CLAR": "clarity and readability",
    FA: "factual accuracy: share of the cited facts that their sources support, times 10",
    CC: "citation coverage: share of all facts that cite a source, times 10",
    FA_STRICT: "FA with what could not be read or found as 0",
    f"{S_OVERALL}{LITERAL}": "S_overall with S_R_triplets",
    f"{S_R}{LITERAL}": "mean of FA_triplets and CC_triplets",
    f"{FA}{LITERAL}": "FA as published: each reference of a fact counts, unreadable is 0",
    f"{CC}{LITERAL}": "CC as published: a fact counts once for each reference",
    N_TOTAL: "facts of a report, each once",
    N_CITED: "facts that cite a source",
}
DESCRIPTION = MetricDescription(
    title="PQR: personalization, quality, reliability",
    meanings=MEANINGS,
    headlines=(S_OVERALL, S_P, S_Q, S_R, FA, CC),
    compared=(S_OVERALL, S_P, S_Q, S_R),
    summaries=(S_OVERALL,),
    primary=(S_OVERALL,),
    groups={
        **dict.fromkeys((S_OVERALL, S_P, S_Q, S_R), "PQR"),
        **dict.fromkeys((it.variant for it in PERSONALIZATION.dimensions), "P"),
        **dict.fromkeys((it.variant for it in QUALITY.dimensions), "Q"),
        **dict.fromkeys((FA, CC, FA_STRICT), "R"),
        **dict.fromkeys((f"{it}{LITERAL}" for it in (S_OVERALL, S_R, FA, CC)), "by triplets"),
        **dict.fromkeys((N_TOTAL, N_CITED), "N"),
    },
    plots={"PQR by dimension": (*(it.variant for axis in AXES for it in axis.dimensions), FA, CC)},
    counts=(N_TOTAL, N_CITED),
    scale="rating",
    named_by_variant=True,
)


@dataclass(frozen=True, slots=True)
class Pqr:
    """PDR-Bench's three scores and their mean, under the rules default and paper."""

    name: str = FAMILY
    version: int = VERSION
    needs_judge: bool = True
    is_opinion: bool = True
    description: MetricDescription = DESCRIPTION
    rules: tuple[Rules, ...] = ("default", "paper")

    async def prepare(self, task: Task, judge_session: JudgeSession) -> Criteria | str:
        return await made_criteria(FAMILY, AXES, task, judge_session)

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        asked = (*(scoring_prompt(axis) for axis in AXES), *weighing_prompts(AXES))
        return frozenset({*triplet_hashes(), *(it.hash for it in asked)})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        knows_user = persona_of(subject.query, subject.profile) is not None
        return values(verdicts, held_criteria(subject), rules, knows_user=knows_user)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


METRIC: Metric = Pqr()
