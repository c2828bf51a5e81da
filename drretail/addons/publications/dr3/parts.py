"""One report's verdicts as metrics from 0 to 100: pure formulas.

The released rules give −1 where ours give n/a or failed, and count as unsupported what ours leave out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.addons.publications.dr3 import accuracy, coverage, opinions
from drretail.addons.publications.dr3.coverage import Covered
from drretail.addons.publications.dr3.judge import BY_RULES, NO_CRITERIA, NO_RUBRIC
from drretail.eval.claims.claims import CITED, EXTRACT, REPORT, SUPPORT, Claim, claims_in
from drretail.eval.metric import UNFETCHED_PAGES, Value, gravest, lacking
from drretail.records.base import Rules
from drretail.records.criteria import GOLD_PARTS, Criteria, GoldPart, KnownAnswer
from drretail.records.score import Verdict, VerdictState

WHOLE = 100.0
NOT_EVALUATED = -1.0
SHORT: Mapping[GoldPart, str] = {"files": "UF", "sandbox": "SC"}
"""The paper's abbreviations: user files, sandbox corpus."""
NO_GOLD = "nothing is known beforehand of a good answer (exp/gold)"
NO_INSIGHTS = "no insights are known beforehand"
NO_DOCUMENTS = "no documents are required"
NO_CLAIM = "no claim of the report names a source"


@dataclass(frozen=True)
class Judged:
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

    def lacking(self, variant: str, state: VerdictState, why: str = "", *, earns: float | None = None) -> Value:
        """A missing value; under the released rules, −1."""
        if self.is_released and not why.startswith(BY_RULES):
            return Value(variant, "scored", NOT_EVALUATED, {"could not be evaluated": 1.0})
        return lacking(variant, state, why, earns=earns)


def mean_of(values: Sequence[Value]) -> float:
    numbers = [value.value for value in values if value.value is not None]
    return sum(numbers) / len(numbers)


def recall(judged: Judged) -> list[Value]:
    """``IR_x`` is the share of insights that are stated in full, ``IR`` the mean of the two parts that exist, and
    ``IR_graded`` counts partly stated insights ½.

    If one insight has no label, the value is failed: a share of the others would be of different insights.
    """
    names = ("IR_UF", "IR_SC", "IR", "IR_graded")
    if judged.gold is None or judged.is_unasked(opinions.INSIGHTS):
        why = NO_GOLD if judged.gold is None else BY_RULES
        return [lacking(name, "na", why) if name in names[:2] else judged.lacking(name, "na", why) for name in names]
    full = [_recalled(judged, judged.gold, part, lambda value: value == 1) for part in GOLD_PARTS]
    graded = [_recalled(judged, judged.gold, part, lambda value: value) for part in GOLD_PARTS]
    return [*full, _of_both(judged, "IR", full), _of_both(judged, "IR_graded", graded)]


def _recalled(judged: Judged, gold: KnownAnswer, part: GoldPart, worth: Callable[[float], float]) -> Value:
    variant = f"IR_{SHORT[part]}"
    wanted = gold.part(part).insights
    if not wanted:
        return lacking(variant, "na", f"{NO_INSIGHTS} ({part})")
    verdicts = [judged.of(opinions.INSIGHTS, opinions.insight_item(part, insight)) for insight in wanted]
    values = [verdict.value for verdict in verdicts if verdict is not None and verdict.state == "scored"]
    if len(values) < len(wanted):
        return Value(variant, "failed")
    recalled = sum(worth(float(value)) for value in values)
    return Value(variant, "scored", WHOLE * recalled / len(wanted), {"told": recalled, "insights": len(wanted)})


def _of_both(judged: Judged, variant: str, parts: Sequence[Value]) -> Value:
    existing = [part for part in parts if part.state != "na"]
    if not existing:
        return judged.lacking(variant, "na", NO_INSIGHTS)
    if any(value.state == "failed" for value in existing):
        return Value(variant, "failed")
    return Value(variant, "scored", mean_of(existing))


def citation_coverage(judged: Judged) -> list[Value]:
    """``CC`` is the share of the required documents that are cited; ``CC_UF`` and ``CC_SC`` are those of each part."""
    if judged.gold is None:
        return [judged.lacking("CC", "na", NO_GOLD), *(lacking(f"CC_{each}", "na", NO_GOLD) for each in SHORT.values())]
    verdict = judged.of(coverage.STAGE, coverage.documents_item(judged.gold))
    if verdict is None:
        return [Value(literal, "failed") for literal in ("CC", "CC_UF", "CC_SC")]
    covered = Covered.model_validate(verdict.value)
    whole = judged.lacking("CC", "na", NO_DOCUMENTS)
    if any(covered.required.values()):
        whole = _share("CC", sum(covered.cited.values()), sum(covered.required.values()))
    parts = [
        _share(f"CC_{SHORT[part]}", covered.cited[part], covered.required[part])
        if covered.required[part]
        else lacking(f"CC_{SHORT[part]}", "na", f"{NO_DOCUMENTS} ({part})")
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


def factual_accuracy(judged: Judged) -> list[Value]:
    """``FA`` by claim: supported by all its judged sources. ``FA_pair`` by claim and source.

    Both also for claims that cite user files or the sandbox only. ``FA_lenient`` counts partial support as support, as
    the released judge does.
    """
    names = ["FA", "FA_pair", *(f"{name}_{short}" for short in SHORT.values() for name in ("FA", "FA_pair"))]
    names += [] if judged.is_released else ["FA_lenient"]
    # Under the released rules the claims are those that cite something.
    extracted = judged.of(CITED if judged.is_released else EXTRACT, REPORT)
    claims = None if extracted is None else claims_in(extracted)
    if claims is None:
        return [judged.lacking(name, "failed") if name == "FA" else Value(name, "failed") for name in names]
    pairs = [judged_sources for claim in claims if (judged_sources := [*_pairs(judged, claim)])]
    if not pairs:
        return [
            judged.lacking(name, "na", NO_CLAIM, earns=0.0) if name == "FA" else lacking(name, "na", NO_CLAIM)
            for name in names
        ]
    made = [_by_claim("FA", pairs), _by_pair("FA_pair", pairs)]
    for part, short in SHORT.items():
        of_claims = [of_part for claim in pairs if (of_part := [verdict for verdict in claim if verdict.part == part])]
        made += [_by_claim(f"FA_{short}", of_claims), _by_pair(f"FA_pair_{short}", of_claims)]
    return made if judged.is_released else [*made, _by_claim("FA_lenient", pairs, least=0.5)]


def _pairs(judged: Judged, claim: Claim) -> Iterator[PairVerdict]:
    """A claim's verdict by each source that it names. Under the released rules, unreadable and unjudged ones do not
    support it.
    """
    for source in (*claim.sources, *claim.unresolved):
        verdict = judged.of(SUPPORT, accuracy.pair_item(claim, source)) if source in claim.sources else None
        state: VerdictState = "failed" if verdict is None else verdict.state
        if source in claim.unresolved:
            state = "unverifiable"
        s = 0.0 if verdict is None or state != "scored" else float(verdict.value)
        yield PairVerdict("scored" if judged.is_released else state, s, accuracy.part_of(source))


def _by_claim(variant: str, claims: Sequence[Sequence[PairVerdict]], least: float = 1) -> Value:
    """A claim is unsupported as soon as one source supports it by less than ``least``.

    Otherwise a failed pair makes it failed, and unreadable sources are ignored.
    """
    states: list[VerdictState] = []
    borne_out = 0
    for claim in claims:
        read = [verdict.s >= least for verdict in claim if verdict.state == "scored"]
        every_state: list[VerdictState] = [verdict.state for verdict in claim]
        is_judged = not all(read) or (bool(read) and "failed" not in every_state)
        states.append("scored" if is_judged else gravest(every_state) or "failed")
        borne_out += is_judged and all(read)
    return _accurate(variant, states, borne_out)


def _by_pair(variant: str, claims: Sequence[Sequence[PairVerdict]]) -> Value:
    pairs = [pair for claim in claims for pair in claim]
    states: list[VerdictState] = [pair.state for pair in pairs]
    return _accurate(variant, states, sum(pair.state == "scored" and pair.s == 1 for pair in pairs))


def _accurate(variant: str, states: Sequence[VerdictState], supported: int) -> Value:
    counts: dict[str, float] = {each: float(states.count(each)) for each in sorted({*states})}
    if not states:
        return lacking(variant, "na", NO_CLAIM)
    if "scored" not in states:
        state = gravest(states) or "failed"
        return Value(variant, state, None, {**counts, **lacking(variant, state, UNFETCHED_PAGES).items})
    return Value(variant, "scored", WHOLE * supported / counts["scored"], {"supported": supported, **counts})


def instruction_following(judged: Judged) -> Value:
    """``IF`` is the share of the judged requirements that are met."""
    things = [] if judged.criteria is None else opinions.requirements_of(judged.criteria)
    if judged.is_unasked(opinions.REQUIREMENTS):
        return judged.lacking("IF", "na", BY_RULES)
    if judged.criteria is None:
        return judged.lacking("IF", "failed", NO_CRITERIA)
    if not things:
        return judged.lacking("IF", "na", "its checklist is empty")
    verdicts = [judged.of(opinions.REQUIREMENTS, thing.item) for thing in things]
    values = [float(verdict.value) for verdict in verdicts if verdict is not None and verdict.state == "scored"]
    if not values:
        return judged.lacking("IF", "failed")
    counts = {"met": sum(values), "requirements": float(len(values)), "failed": float(len(things) - len(values))}
    return Value("IF", "scored", WHOLE * sum(values) / len(values), counts)


def depth_quality(judged: Judged) -> Value:
    """``DQ`` is the rating from 1 to 10, times ten."""
    rubric = None if judged.criteria is None else judged.criteria.group(opinions.RUBRIC)
    if judged.is_unasked(opinions.DEPTH):
        return judged.lacking("DQ", "na", BY_RULES)
    if not judged.is_released and rubric is None:
        return Value("DQ", "failed") if judged.criteria is None else lacking("DQ", "na", NO_RUBRIC)
    verdict = judged.of(opinions.DEPTH, opinions.depth_item(None if judged.is_released else rubric))
    if verdict is None or verdict.state != "scored":
        return judged.lacking("DQ", "failed")
    return Value("DQ", "scored", 10.0 * float(verdict.value))
