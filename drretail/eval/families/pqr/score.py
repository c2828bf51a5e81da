"""The formulas of PQR (000 equations 1 to 6) for one report. Pure.

docs/metrics/pqr.md gives each with its reason, and where the published rule differs.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from drretail.eval.families.pqr.judge import (
    AXES,
    FAMILY,
    NO_PERSONA,
    PERSONALIZATION,
    QUALITY,
    SCORING,
    item_of,
    judge,
    scoring_prompt,
)
from drretail.eval.families.pqr.reliability import CC, FA, FA_STRICT, LITERAL, N_CITED, N_TOTAL, reliability_values
from drretail.eval.family import Family
from drretail.eval.judging.subject import Subject
from drretail.eval.triplets.facts import judged_facts
from drretail.eval.triplets.triplet_support import triplet_prompts
from drretail.eval.values import Value, joined, lacking
from drretail.eval.weighted.axis import Axis
from drretail.eval.weighted.shares import checked_criteria, weighted_mean
from drretail.eval.weighted.weighing import made_criteria, persona_of, weighing_prompts
from drretail.records.criteria import Criteria
from drretail.records.score import MetricDescription, Rules, Verdict, VerdictState
from drretail.records.scoreboard import BoardColumn

VERSION = 1
S_P, S_Q, S_R, S_OVERALL = "S_P", "S_Q", "S_R", "S_overall"
VARIANTS = (
    S_OVERALL,
    S_P,
    S_Q,
    S_R,
    *(dimension.variant for axis in AXES for dimension in axis.dimensions),
    FA,
    CC,
    FA_STRICT,
    *(f"{literal}{LITERAL}" for literal in (S_OVERALL, S_R, FA, CC)),
    N_TOTAL,
    N_CITED,
)


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
    scored = {verdict.item: verdict for verdict in verdicts if verdict.stage == SCORING}
    found: dict[str, Value] = {}
    for axis in AXES:
        without: VerdictState = "na" if axis.sees_profile and not knows_user else "failed"
        found |= {value.variant: value for value in _axis_values(axis, criteria, scored, without)}
    found |= {value.variant: value for value in reliability_values(judged_facts(verdicts), rules)}
    for ending in ("", LITERAL):
        r = joined(f"{S_R}{ending}", [found[f"{literal}{ending}"] for literal in (FA, CC)], lambda it: reliability(*it))
        found[r.variant] = r
        found[f"{S_OVERALL}{ending}"] = joined(
            f"{S_OVERALL}{ending}", [found[S_P], found[S_Q], r], lambda it: overall(*it)
        )
    return [found[variant] for variant in VARIANTS]


def _axis_values(
    axis: Axis, criteria: Criteria | None, scored: Mapping[str, Verdict], without: VerdictState
) -> list[Value]:
    """The dimensions of an axis and their weighted mean (equations 1 and 2); ``without`` criteria all are that."""
    name = S_P if axis is PERSONALIZATION else S_Q
    if criteria is None:
        return [lacking(each, without, NO_PERSONA) for each in (*(d.variant for d in axis.dimensions), name)]
    found = [_dimension(dimension.variant, dimension.key, criteria, scored) for dimension in axis.dimensions]
    groups = [criteria.group(key) for key in axis.keys]
    weights = [0.0 if group is None else group.weight for group in groups]
    return [*found, joined(name, found, lambda scores: weighted_mean(zip(weights, scores, strict=True)))]


def _dimension(variant: str, key: str, criteria: Criteria, scored: Mapping[str, Verdict]) -> Value:
    """S_d = Σ w_c · s_c over the criteria of a dimension."""
    verdict, group = scored.get(item_of(key, criteria)), criteria.group(key)
    if verdict is None:
        return Value(variant, "failed")
    if verdict.state != "scored" or group is None:
        return lacking(variant, verdict.state, verdict.reason)
    by_text = {each["criterion"]: float(each["target_score"]) for each in verdict.value}
    return Value(
        variant, "scored", weighted_mean((criterion.weight, by_text[criterion.text]) for criterion in group.criteria)
    )


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
    scoreboard=(
        BoardColumn(variant=S_OVERALL, name="pqr", meaning="mean of personalization, quality and reliability, 0 to 10"),
    ),
    groups={
        **dict.fromkeys((S_OVERALL, S_P, S_Q, S_R), "PQR"),
        **dict.fromkeys((dimension.variant for dimension in PERSONALIZATION.dimensions), "P"),
        **dict.fromkeys((dimension.variant for dimension in QUALITY.dimensions), "Q"),
        **dict.fromkeys((FA, CC, FA_STRICT), "R"),
        **dict.fromkeys((f"{literal}{LITERAL}" for literal in (S_OVERALL, S_R, FA, CC)), "by triplets"),
        **dict.fromkeys((N_TOTAL, N_CITED), "N"),
    },
    plots={"PQR by dimension": (*(dimension.variant for axis in AXES for dimension in axis.dimensions), FA, CC)},
    counts=(N_TOTAL, N_CITED),
    scale="rating",
    named_by_variant=True,
)


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    knows_user = persona_of(subject.query, subject.profile) is not None
    return values(verdicts, checked_criteria(subject, FAMILY, AXES), rules, knows_user=knows_user)


METRIC = Family(
    FAMILY,
    VERSION,
    judge,
    _values,
    VARIANTS,
    DESCRIPTION,
    lambda: [*triplet_prompts(), *map(scoring_prompt, AXES), *weighing_prompts(AXES)],
    rules=("default", "paper"),
    is_opinion=True,
    prepare=partial(made_criteria, FAMILY, AXES),
)
