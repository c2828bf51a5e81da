"""All questions about one report, its values in all of DR³-Eval's metrics, and their averages; the metric.

Verdicts as metrics from 0 to 100 are pure formulas. What good answers are known to contain ("gold") is read from
files, an experiment or a sandbox.

The released rules give −1 where ours give n/a or failed, and count as unsupported what ours leave out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean

from drretail.addons.publications import DESCRIPTIONS
from drretail.addons.publications.dr3 import citations, opinions
from drretail.addons.publications.dr3.citations import Covered
from drretail.errors import UserError
from drretail.eval.claims.claims import CITED, EXTRACT, REPORT, SUPPORT, Claim, claims_in
from drretail.eval.judging.criteria import STAGE as MAKING
from drretail.eval.judging.criteria import criteria_by, criteria_of, freeze
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import CriteriaTask, Subject
from drretail.eval.metric import BY_RULES, UNFETCHED_PAGES, Metric, Value, combine, description_of, gravest, no_value
from drretail.eval.metrics.readings import report_material
from drretail.experiments.experiment import KNOWN_ANSWERS, Definition
from drretail.files import read_document
from drretail.llm.prompt import Prompt
from drretail.records.base import Rules, file_name
from drretail.records.criteria import (
    GOLD_PARTS,
    Criteria,
    GoldPart,
    KnownAnswer,
)
from drretail.records.score import Verdict, VerdictState


def take_gold(experiment: Path, definition: Definition, source: Path) -> int:
    """Copies the gold of the experiment's queries from the folder ``source``; returns how many have gold.

    It is read from QUERY.json, gold/QUERY.json (an experiment) or tasks/QUERY/gold.json (a sandbox).

    Raises UserError if there is none, if a file can't be read, or if the experiment has other gold.
    """
    if not source.exists():
        raise UserError(f"{source} does not exist.")
    golds: dict[str, KnownAnswer] = {}
    for query in definition.queries:
        name = file_name(query.query_id)
        places = (source / "gold" / f"{name}.json", source / f"{name}.json", source / "tasks" / name / "gold.json")
        path = next((place for place in places if place.is_file()), None)
        if path is not None:
            golds[query.query_id] = gold = read_document(path, KnownAnswer)
            if gold.query_id != query.query_id:
                raise UserError(f"{path} is the gold of the query {gold.query_id}: move it to that name.")
    if not golds:
        raise UserError(f"{source} holds no gold of this experiment's queries: it stands there as QUERY.json.")
    freeze(
        "gold",
        source,
        {KNOWN_ANSWERS.path(experiment, name): gold.model_dump(mode="json") for name, gold in golds.items()},
    )
    return len(golds)


NAME, VERSION = "dr3", 1
NO_RUBRIC = "the criteria of this query have no rubric of depth"


def _gold_of(subject: Subject) -> KnownAnswer | None:
    """What a good answer to this run's query is known to contain, or None."""
    return None if subject.folder is None else KNOWN_ANSWERS.read(subject.folder, subject.query.query_id)


async def prepare(task: CriteriaTask, judge_session: JudgeSession) -> Criteria | str:
    """A query's checklist and its rubric of depth, or why the judge made none."""
    if judge_session.judge.ref.kind == "rule_based":
        return BY_RULES
    groups = await opinions.make_groups(task, judge_session, MAKING)
    if isinstance(groups, str):
        return groups
    return criteria_by(judge_session, task, NAME, groups, *opinions.making_prompts())


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records all missing verdicts, except those for which gold or criteria are missing."""
    gold = _gold_of(subject)
    if gold is not None:
        citations.judge_documents(gold, subject, judge_session)
    await citations.judge_accuracy(subject, judge_session)
    if judge_session.judge.ref.kind == "rule_based":
        for stage in opinions.STAGES:
            judge_session.record_if_missing(stage, REPORT, "na", reason=BY_RULES)
        return
    material = cache(lambda: report_material(subject))
    if gold is not None:
        await opinions.judge_insights(gold, judge_session, material)
    criteria = criteria_of(subject, NAME)
    if criteria is not None:
        await opinions.judge_requirements(criteria, judge_session, material)
    rubric = None if criteria is None else criteria.group(opinions.RUBRIC)
    if judge_session.rules == "dr3" or rubric is not None:
        await opinions.judge_depth(None if judge_session.rules == "dr3" else rubric, judge_session, material)


def prompts() -> list[Prompt]:
    opinion_prompts = [
        opinions.opinion_prompt(stage, rules) for stage in opinions.STAGES for rules in ("default", "dr3")
    ]
    return [*opinion_prompts, *opinions.making_prompts(), *citations.citation_prompts()]


WHOLE = 100.0
NOT_EVALUATED = -1.0
SHORT: Mapping[GoldPart, str] = {"files": "UF", "sandbox": "SC"}
"""The paper's abbreviations: user files, sandbox corpus."""
NO_GOLD = "nothing is known beforehand of a good answer (exp/gold)"
NO_INSIGHTS = "no insights are known beforehand"
NO_DOCUMENTS = "no documents are required"
NO_CLAIM = "no claim of the report names a source"


@dataclass(frozen=True)
class JudgedReport:
    """One report with all its verdicts by one judge under one set of rules."""

    verdicts: Sequence[Verdict]
    rules: Rules
    gold: KnownAnswer | None
    criteria: Criteria | None

    @property
    def is_released(self) -> bool:
        return self.rules == "dr3"

    @cached_property
    def _by_key(self) -> Mapping[tuple[str, str], Verdict]:
        return {(verdict.stage, verdict.item): verdict for verdict in self.verdicts}

    def of(self, stage: str, item: str) -> Verdict | None:
        return self._by_key.get((stage, item))

    def is_unasked(self, stage: str) -> bool:
        """True if a rule-based judge skipped this stage."""
        verdict = self.of(stage, REPORT)
        return verdict is not None and verdict.reason == BY_RULES

    def lacking(self, variant: str, state: VerdictState, why: str = "") -> Value:
        """A missing value; under the released rules, −1."""
        if self.is_released and not why.startswith(BY_RULES):
            return Value(variant, "scored", NOT_EVALUATED, {"could not be evaluated": 1.0})
        return no_value(variant, state, why)


def _mean_of(values: Sequence[Value]) -> float:
    numbers = [value.value for value in values if value.value is not None]
    return sum(numbers) / len(numbers)


def recall(judged: JudgedReport) -> list[Value]:
    """``IR_x`` is the share of insights that are stated in full, ``IR`` the mean of the two parts that exist.

    If one insight has no label, the value is failed: a share of the others would be of different insights.
    """
    names = ("IR_UF", "IR_SC", "IR")
    if judged.gold is None or judged.is_unasked(opinions.INSIGHTS):
        why = NO_GOLD if judged.gold is None else BY_RULES
        return [no_value(name, "na", why) if name in names[:2] else judged.lacking(name, "na", why) for name in names]
    parts: list[Value] = []
    for part in GOLD_PARTS:
        variant, wanted = f"IR_{SHORT[part]}", judged.gold.part(part).insights
        verdicts = [judged.of(opinions.INSIGHTS, opinions.insight_item(part, insight)) for insight in wanted]
        recalls = [verdict.value for verdict in verdicts if verdict is not None and verdict.state == "scored"]
        if not wanted:
            parts.append(no_value(variant, "na", f"{NO_INSIGHTS} ({part})"))
        elif len(recalls) < len(wanted):
            parts.append(Value(variant, "failed"))
        else:
            recalled = sum(float(value) == 1 for value in recalls)
            counts = {"told": recalled, "insights": len(wanted)}
            parts.append(Value(variant, "scored", WHOLE * recalled / len(wanted), counts))
    existing = [part for part in parts if part.state != "na"]
    if not existing:
        return [*parts, judged.lacking("IR", "na", NO_INSIGHTS)]
    if any(value.state == "failed" for value in existing):
        return [*parts, Value("IR", "failed")]
    return [*parts, Value("IR", "scored", _mean_of(existing))]


def citation_coverage(judged: JudgedReport) -> list[Value]:
    """``CC`` is the share of the required documents that are cited; ``CC_UF`` and ``CC_SC`` are those of each part."""
    if judged.gold is None:
        return [
            judged.lacking("CC", "na", NO_GOLD),
            *(no_value(f"CC_{part}", "na", NO_GOLD) for part in SHORT.values()),
        ]
    verdict = judged.of(citations.STAGE, citations.documents_item(judged.gold))
    if verdict is None:
        return [Value(literal, "failed") for literal in ("CC", "CC_UF", "CC_SC")]
    covered = Covered.model_validate(verdict.value)
    whole = judged.lacking("CC", "na", NO_DOCUMENTS)
    if any(covered.required.values()):
        whole = _share("CC", sum(covered.cited.values()), sum(covered.required.values()))
    parts = [
        _share(f"CC_{SHORT[part]}", covered.cited[part], covered.required[part])
        if covered.required[part]
        else no_value(f"CC_{SHORT[part]}", "na", f"{NO_DOCUMENTS} ({part})")
        for part in GOLD_PARTS
    ]
    return [whole, *parts]


def _share(variant: str, cited: int, required: int) -> Value:
    return Value(variant, "scored", WHOLE * cited / required, {"cited": cited, "required": required})


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """How one source supports a claim: s is 1, ½ or 0, and valid only if ``state`` is "scored"."""

    state: VerdictState
    s: float
    part: GoldPart | None


def factual_accuracy(judged: JudgedReport) -> list[Value]:
    """``FA`` by claim: supported by all its judged sources. ``FA_pair`` by claim and source.

    Both also for claims that cite user files or the sandbox only.
    """
    names = ["FA", "FA_pair", *(f"{name}_{short}" for short in SHORT.values() for name in ("FA", "FA_pair"))]
    # Under the released rules the claims are those that cite something.
    extracted = judged.of(CITED if judged.is_released else EXTRACT, REPORT)
    claims = None if extracted is None else claims_in(extracted)
    if claims is None:
        return [judged.lacking(name, "failed") if name == "FA" else Value(name, "failed") for name in names]
    pairs = [judged_sources for claim in claims if (judged_sources := [*_pairs(judged, claim)])]
    if not pairs:
        return [
            judged.lacking(name, "na", NO_CLAIM) if name == "FA" else no_value(name, "na", NO_CLAIM) for name in names
        ]
    values: list[Value] = []
    for part, ending in ((None, ""), *((part, f"_{short}") for part, short in SHORT.items())):
        of_part = [[pair for pair in claim if part is None or pair.part == part] for claim in pairs]
        values.append(_by_claim(f"FA{ending}", [*filter(None, of_part)]))
        values.append(_by_claim(f"FA_pair{ending}", [[pair] for claim in of_part for pair in claim]))
    return values


def _pairs(judged: JudgedReport, claim: Claim) -> Iterator[PairVerdict]:
    """A claim's verdict by each source that it names. As released, unreadable and unjudged ones do not support it."""
    for source in (*claim.sources, *claim.unresolved):
        verdict = judged.of(SUPPORT, citations.claim_source_item(claim, source)) if source in claim.sources else None
        state: VerdictState = "failed" if verdict is None else verdict.state
        if source in claim.unresolved:
            state = "unverifiable"
        s = 0.0 if verdict is None or state != "scored" else float(verdict.value)
        yield PairVerdict("scored" if judged.is_released else state, s, citations.gold_part(source))


def _by_claim(variant: str, claims: Sequence[Sequence[PairVerdict]]) -> Value:
    """A claim is unsupported as soon as one source does not support all of it.

    Otherwise a failed pair makes it failed, and unreadable sources are ignored.
    """
    states: list[VerdictState] = []
    borne_out = 0
    for claim in claims:
        read = [verdict.s == 1 for verdict in claim if verdict.state == "scored"]
        every_state: list[VerdictState] = [verdict.state for verdict in claim]
        is_judged = not all(read) or (bool(read) and "failed" not in every_state)
        states.append("scored" if is_judged else gravest(every_state) or "failed")
        borne_out += is_judged and all(read)
    counts = {state: float(count) for state, count in sorted(Counter[str](states).items())}
    if not states:
        return no_value(variant, "na", NO_CLAIM)
    if "scored" not in states:
        state = gravest(states) or "failed"
        return Value(variant, state, None, {**counts, **no_value(variant, state, UNFETCHED_PAGES).items})
    return Value(variant, "scored", WHOLE * borne_out / counts["scored"], {"supported": borne_out, **counts})


def instruction_following(judged: JudgedReport) -> Value:
    """``IF`` is the share of the judged requirements that are met."""
    things = [] if judged.criteria is None else opinions.requirements_of(judged.criteria)
    if judged.is_unasked(opinions.REQUIREMENTS):
        return judged.lacking("IF", "na", BY_RULES)
    if judged.criteria is None:
        return judged.lacking("IF", "failed", "no checklist and no rubric were made of this query")
    if not things:
        return judged.lacking("IF", "na", "its checklist is empty")
    verdicts = [judged.of(opinions.REQUIREMENTS, thing.item) for thing in things]
    values = [float(verdict.value) for verdict in verdicts if verdict is not None and verdict.state == "scored"]
    if not values:
        return judged.lacking("IF", "failed")
    counts = {"met": sum(values), "requirements": float(len(values)), "failed": float(len(things) - len(values))}
    return Value("IF", "scored", WHOLE * sum(values) / len(values), counts)


def depth_quality(judged: JudgedReport) -> Value:
    """``DQ`` is the rating from 1 to 10, times ten."""
    rubric = None if judged.criteria is None else judged.criteria.group(opinions.RUBRIC)
    if judged.is_unasked(opinions.DEPTH):
        return judged.lacking("DQ", "na", BY_RULES)
    if not judged.is_released and rubric is None:
        return Value("DQ", "failed") if judged.criteria is None else no_value("DQ", "na", NO_RUBRIC)
    verdict = judged.of(opinions.DEPTH, opinions.depth_item(None if judged.is_released else rubric))
    if verdict is None or verdict.state != "scored":
        return judged.lacking("DQ", "failed")
    return Value("DQ", "scored", 10.0 * float(verdict.value))


SIX = ("IR_UF", "IR_SC", "CC", "FA", "IF", "DQ")
"""The metrics in the paper's average."""
RELEASED = ("IR", "FA", "DQ", "IF", "CC")
"""The metrics in the released code's total, where recall counts once."""
_PARTS = tuple(f"{name}_{short}" for name in ("CC", "FA", "FA_pair") for short in SHORT.values())
VARIANTS = (*SIX, "avg6", "avg_available", "IR", "FA_pair", *_PARTS, "total")


def values(judged: JudgedReport) -> list[Value]:
    """Every variant under these rules; variants of other rules are left out."""
    parts = [
        *recall(judged),
        *citation_coverage(judged),
        *factual_accuracy(judged),
        instruction_following(judged),
        depth_quality(judged),
    ]
    by_name = {value.variant: value for value in parts}
    six = [by_name[name] for name in SIX]
    # The mean of those of the six that exist; the items count how many reports have each.
    scored = [value for value in six if value.state == "scored"]
    available = Value("avg_available", "na")
    if scored:
        available = Value(
            "avg_available", "scored", _mean_of(scored), {f"with {value.variant}": 1.0 for value in scored}
        )
    averages = [combine("avg6", six, fmean), available]
    return [*parts, *averages, *([total(by_name)] if judged.is_released else [])]


def total(values: Mapping[str, Value]) -> Value:
    """The released code's total: the sum of all scores by the number of metrics; −1 counts as it is, failures 0.

    na if the judge was not asked for all of them.
    """
    if any(values[name].state == "na" for name in RELEASED):
        return Value("total", "na")
    scores = [values[name].value or 0.0 for name in RELEASED]
    return Value("total", "scored", sum(scores) / len(scores))


DESCRIPTION = description_of("dr3", DESCRIPTIONS)


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    if subject.report is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    return values(JudgedReport(verdicts, rules, _gold_of(subject), criteria_of(subject, NAME)))


# A rule-based judge is enough for FA, and CC needs none; the rest is n/a with a rule-based judge.
METRIC = Metric(
    NAME,
    VERSION,
    judge,
    _values,
    VARIANTS,
    DESCRIPTION,
    prompts,
    rules=("default", "dr3"),
    after=("faithfulness",),
    prepare=prepare,
    keep_gold=take_gold,
)
