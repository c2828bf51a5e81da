"""A report's scores by the criteria of its query, and PQR's formulas (PDR-Bench, equations 1 to 6) for one report,
which are pure functions; the metric.

drretail/addons/publications/README.md gives each with its reason, and says where the published rule differs.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean

from drretail.addons.publications import DESCRIPTIONS
from drretail.addons.publications.pqr.axis import (
    AXES,
    NAME,
    PERSONALIZATION,
    Axis,
    CriterionScore,
    asker_block,
    asker_text,
    axis_schema,
    by_dimension,
    checked_criteria,
    criterion_tags,
    made_criteria,
    problems,
    weighted_mean,
    weights_prompts,
)
from drretail.addons.publications.pqr.triplets import (
    JudgedReference,
    ReportFact,
    judge_triplets,
    judged_facts,
    triplet_prompts,
)
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import UNFETCHED_PAGES, Metric, Value, combine, description_of, gravest, no_value
from drretail.eval.metrics.readings import report_material
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria
from drretail.records.score import Rules, Verdict, VerdictState

SCORING = "scoring"
"""The stage of scores by criteria; an item is a dimension with the hash of the criteria."""
NO_PERSONA = "no profile of a user that the report could be made for"
NO_CRITERIA_FOR = "the query's criteria were made without a profile: remove their file to have them made with it"


ANSWERS: Mapping[str, type[Record]] = {axis.name: axis_schema(axis) for axis in AXES}


def scoring_prompt(axis: Axis) -> Prompt:
    """The prompt of one axis, with its own words filled in."""
    text = load_prompt(__file__, "scoring").text
    return Prompt(axis.name, text.replace("{{stance}}", axis.stance).replace("{{dimensions}}", axis.prompt_text))


def dimension_item(key: str, criteria: Criteria) -> str:
    """The item of a dimension's verdict by these criteria."""
    return f"{key}@{criteria.hash}"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's scores in seven dimensions, and its facts with their support.

    Without a profile, or without criteria made for one, personalization is na; without criteria nothing is scored.
    """
    criteria = checked_criteria(subject)
    if criteria is not None:
        for axis in AXES:
            await _score(axis, criteria, subject, judge_session)
    await judge_triplets(subject, judge_session)


async def _score(axis: Axis, criteria: Criteria, subject: Subject, judge_session: JudgeSession) -> None:
    persona = asker_text(subject.query, subject.profile) if axis.sees_profile else None
    if axis.sees_profile and (persona is None or not axis.is_in(criteria)):
        reason = NO_PERSONA if persona is None else NO_CRITERIA_FOR
        for key in axis.keys:
            judge_session.record_if_missing(SCORING, dimension_item(key, criteria), "na", reason=reason)
        return
    prompt = scoring_prompt(axis)
    if all(judge_session.existing(SCORING, dimension_item(key, criteria), prompt.hash) for key in axis.keys):
        return
    read: dict[str, list[CriterionScore] | str] = {}

    def check(answer: Record) -> str | None:
        read.update(by_dimension(axis, criteria, answer))
        return problems(read)

    item = dimension_item(axis.keys[0], criteria)
    material = {
        **report_material(subject),
        "profile": asker_block(persona, is_external=subject.is_external),
        "criteria": criterion_tags(axis, criteria),
    }
    reply = await judge_session.ask(SCORING, item, prompt, material, ANSWERS[axis.name], check)
    # A criterion that the last answer still lacks fails its dimension only; the other dimensions are kept.
    with judge_session.file.at_once():
        for key in axis.keys:
            scores = read.get(key, reply.error or "")
            is_whole = not isinstance(scores, str)
            judge_session.record(
                SCORING,
                dimension_item(key, criteria),
                "scored" if is_whole else "failed",
                [score.model_dump(mode="json") for score in scores] if is_whole else None,
                prompt_hash=reply.prompt_hash,
                error=None if is_whole else scores,
            )


FA, CC, FA_STRICT, N_TOTAL, N_CITED = "FA", "CC", "FA_strict", "N_total", "N_cited"
LITERAL = "_triplets"
"""The suffix of variants by the paper's counting: each (fact, reference) once, and unreadable ones 0."""
TOP = 10
NO_FACT = "it states no fact that could be checked"
NO_CITED_FACT = "no fact of the report cites a source"


Outcome = tuple[VerdictState | None, float]
"""The outcome of one fact or triplet: its state (None if it was not judged), and v."""
_ZERO: Outcome = ("scored", 0.0)


def reliability_values(facts: Sequence[ReportFact] | None, rules: Rules) -> list[Value]:
    """FA and CC by the requested rules and by the paper's counting, and the number of facts."""
    if facts is None:
        names = (FA, CC, FA_STRICT, f"{FA}{LITERAL}", f"{CC}{LITERAL}", N_TOTAL, N_CITED)
        return [Value(name, "failed") for name in names]
    # Ours: each fact once, cited if one of its references resolves, v the mean over the readable ones.
    readable = [_mean([_outcome(pair) for pair in fact.references]) for fact in facts if fact.references]
    # Strictly, unreadable sources and references that do not resolve are 0.
    as_zero: list[list[Outcome]] = [
        [
            *(_ZERO if pair.state == "unverifiable" else _outcome(pair) for pair in fact.references),
            *[_ZERO] * len(fact.unresolved),
        ]
        for fact in facts
    ]
    # Equations 3 to 5 to the letter: a fact counts once for each reference.
    triplets = [outcome for of_fact in as_zero for outcome in of_fact]
    uncited = sum(not fact.sources and not fact.unresolved for fact in facts)
    cites = any(fact.references for fact in facts)
    why = NO_FACT if not facts else UNFETCHED_PAGES if cites else NO_CITED_FACT

    def accuracy(variant: str, cited: Sequence[Outcome], without: VerdictState = "na") -> Value:
        """FA = 10 · Σ v / N_cited over the judged ones; without citations the state ``without`` (0 if "scored")."""
        state, mean = _mean(cited, without)
        if state == "scored":
            return Value(variant, state, TOP * mean)
        return no_value(variant, state or "failed", why)

    values: list[Value] = [accuracy(FA_STRICT, [*map(_mean, as_zero)])]
    for ending in ("", LITERAL):
        cited, total, without = readable, len(facts), "na"
        if ending or rules == "paper":
            cited, total, without = triplets, len(triplets) + uncited, "scored" if uncited else "na"
        # CC = 10 · N_cited / N_total.
        coverage = Value(f"{CC}{ending}", "scored", TOP * len(cited) / total) if total else None
        values.append(accuracy(f"{FA}{ending}", cited, without))
        values.append(coverage or no_value(f"{CC}{ending}", "na", why))
        if not ending:
            values += [Value(N_TOTAL, "scored", float(total)), Value(N_CITED, "scored", float(len(cited)))]
    return values


def _outcome(pair: JudgedReference) -> Outcome:
    """v of equation 4: 1 if the source supports the fact, 0 if not or if unknown."""
    return pair.state, float(pair.support == 1)


def _mean(outcomes: Sequence[Outcome], without: VerdictState = "na") -> Outcome:
    """The mean v of the scored outcomes, or the gravest reason why there is none; without outcomes, ``without``.

    If any was not judged there is no mean: the facts that were judged first are no random sample.
    """
    states: set[VerdictState | None] = {state for state, _ in outcomes}
    if None in states:
        return None, 0.0
    if scored := [v for state, v in outcomes if state == "scored"]:
        return "scored", fmean(scored)
    return gravest(states) or without, 0.0


VERSION = 1
S_P, S_Q, S_R, S_OVERALL = "S_P", "S_Q", "S_R", "S_overall"


def overall(p: float, q: float, r: float) -> float:
    """Equation 6."""
    return (p + q + r) / 3


def reliability(fa: float, cc: float) -> float:
    """Equation 5, third part."""
    return (fa + cc) / 2


def values(
    verdicts: Sequence[Verdict], criteria: Criteria | None, rules: Rules, *, knows_user: bool = True
) -> list[Value]:
    """A report's value in every variant, in the order of ``VARIANTS``; personalization is na without a known user."""
    scored = {verdict.item: verdict for verdict in verdicts if verdict.stage == SCORING}
    by_variant: dict[str, Value] = {}
    for axis in AXES:
        name = S_P if axis is PERSONALIZATION else S_Q
        if criteria is None:
            without: VerdictState = "na" if axis.sees_profile and not knows_user else "failed"
            names = (*(dimension.variant for dimension in axis.dimensions), name)
            by_variant |= {variant: no_value(variant, without, NO_PERSONA) for variant in names}
            continue
        parts = [_dimension(dimension.variant, dimension.key, criteria, scored) for dimension in axis.dimensions]
        groups = [criteria.group(key) for key in axis.keys]
        weights = [0.0 if group is None else group.weight for group in groups]
        by_variant |= {part.variant: part for part in parts}
        # Equations 1 and 2.
        by_variant[name] = combine(name, parts, partial(_weighted, weights))
    by_variant |= {value.variant: value for value in reliability_values(judged_facts(verdicts), rules)}
    for ending in ("", LITERAL):
        fa, cc, name = by_variant[f"{FA}{ending}"], by_variant[f"{CC}{ending}"], f"{S_OVERALL}{ending}"
        r = by_variant[f"{S_R}{ending}"] = combine(f"{S_R}{ending}", [fa, cc], lambda parts: reliability(*parts))
        by_variant[name] = combine(name, [by_variant[S_P], by_variant[S_Q], r], lambda parts: overall(*parts))
    return [by_variant[variant] for variant in VARIANTS]


def _weighted(weights: Sequence[float], scores: Sequence[float]) -> float:
    return weighted_mean(zip(weights, scores, strict=True))


def _dimension(variant: str, key: str, criteria: Criteria, scored: Mapping[str, Verdict]) -> Value:
    """S_d = Σ w_c · s_c over the criteria of a dimension."""
    verdict, group = scored.get(dimension_item(key, criteria)), criteria.group(key)
    if verdict is None:
        return Value(variant, "failed")
    if verdict.state != "scored" or group is None:
        return no_value(variant, verdict.state, verdict.reason)
    by_text = {criterion["criterion"]: float(criterion["target_score"]) for criterion in verdict.value}
    return Value(
        variant,
        "scored",
        weighted_mean((criterion.weight, by_text[criterion.text]) for criterion in group.criteria),
    )


DESCRIPTION = description_of("pqr", DESCRIPTIONS)
VARIANTS = tuple(DESCRIPTION.meanings)


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    knows_user = asker_text(subject.query, subject.profile) is not None
    return values(verdicts, checked_criteria(subject), rules, knows_user=knows_user)


METRIC = Metric(
    NAME,
    VERSION,
    judge,
    _values,
    VARIANTS,
    DESCRIPTION,
    lambda: [*triplet_prompts(), *map(scoring_prompt, AXES), *weights_prompts(AXES)],
    rules=("default", "paper"),
    is_opinion=True,
    prepare=made_criteria,
)
