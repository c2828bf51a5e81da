"""The last verdicts on a run by judge, and on two answers to one query by dimension, with their reasons.
A report's claims with a judge's verdicts, and their places in the report.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from drretail.eval.claims.claims import REPORT, SUPPORT, claims_in, stages_of, types_of
from drretail.eval.claims.claims import Claim as Extracted
from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.question import judges_in
from drretail.eval.judging.subject import BETWEEN, Labels, pair_name
from drretail.eval.method import in_all_wordings
from drretail.eval.numbers.gathering import verdicts_by_assessor
from drretail.eval.numbers.judges import judge_spec, read_board
from drretail.eval.registry import PAIRWISE, installed, pair_metric
from drretail.parsing import parse_json
from drretail.records.reading import Statement
from drretail.records.run import Run
from drretail.records.score import JudgeRef, Rules, Verdict
from drretail.reports.text.quotes import find_words


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's verdicts on one run in one metric under one set of rules."""

    judge: JudgeRef
    rules: Rules
    verdicts: tuple[Verdict, ...]

    def stage(self, name: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.stage == name]

    @property
    def by(self) -> str:
        """The judge's name as a reader sees it."""
        rules = "" if self.rules == "default" else f" under the rules of {self.rules}"
        return f"{judge_spec(self.judge)}{rules}"


@dataclass(frozen=True, slots=True)
class Judgements:
    """All verdicts on one run in one metric: the board's judges first, as they were named, then the others by name."""

    by_judge: tuple[Judged, ...]
    stale: int
    """The number of unused verdicts: they are about an earlier report, or were asked with other prompts."""


def read_judgements(experiment: Path, metric: str, run: Run) -> Judgements:
    """The last verdict of every key on this report by current prompts; without any if nobody judged it."""
    name = f"{run.query_id}-r{run.repeat}"
    groups = verdicts_by_assessor(experiment, metric, judges_in(experiment, metric), run.system, name)
    loaded = installed(metric)
    prompts = frozenset[str]() if loaded is None else in_all_wordings(experiment, loaded.prompt_hashes)

    def is_living(verdict: Verdict) -> bool:
        """True if the scores count the verdict, too, as far as this can be known if its metric is not installed."""
        is_current = loaded is None or (verdict.prompt_hash in prompts and verdict.version == loaded.version)
        return is_current and verdict.report_sha == run.report_sha

    living = {assessor: tuple(filter(is_living, lasts)) for assessor, lasts in groups.items()}
    judged = [Judged(judge, rules, verdicts) for (judge, rules), verdicts in living.items() if verdicts]
    board = read_board(experiment)
    judged.sort(key=lambda judged: (*board.place(judged.judge, judged.rules), judged.judge.key, judged.rules))
    stale = sum(map(len, groups.values())) - sum(map(len, living.values()))
    return Judgements(tuple(judged), stale)


Choice = Literal["a", "b", "tie", "na", "failed", "one order", "by order"]
"""What a judge prefers, or why that is not known."""


@dataclass(frozen=True, slots=True)
class DimensionJudgement:
    """One dimension of one comparison; ``verdicts`` are those of both orders and of every repeat of the judge."""

    dimension: str
    choice: Choice
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """One judge's verdicts on two systems' answers to one query."""

    labels: Labels
    repeat: int
    judge: JudgeRef
    rules: Rules
    dimensions: tuple[DimensionJudgement, ...]

    @property
    def by_order(self) -> "PairJudgement":
        """The same of a judge of which the order of reports decided: it prefers none."""
        unknown = ("na", "failed", "one order")
        dimensions = (
            dimension if dimension.choice in unknown else replace(dimension, choice="by order")
            for dimension in self.dimensions
        )
        return replace(self, dimensions=tuple(dimensions))


def pairs_with_verdicts(experiment: Path) -> dict[str, list[Labels]]:
    """The pairs that each judge has verdicts on, by the judge's folder."""
    pairs: dict[str, list[Labels]] = defaultdict(list)
    for folder in sorted((experiment / "verdicts" / PAIRWISE).glob(f"*/*{BETWEEN}*/")):
        a, _, b = folder.name.partition(BETWEEN)
        pairs[folder.parent.name].append((a, b))
    return dict(pairs)


def read_pair_judgements(
    experiment: Path,
    pairs: Mapping[str, Sequence[Labels]],
    query_id: str,
    repeat: int,
    reports: Mapping[str, str | None],
) -> Iterator[PairJudgement]:
    """Every pair's current verdicts on one query by models; ``reports`` has the sha256 of each system's report."""
    for judge, labels_of_judge in pairs.items():
        for labels in labels_of_judge:
            shas = tuple(reports.get(label) for label in labels)
            groups = verdicts_by_assessor(experiment, PAIRWISE, [judge], pair_name(labels), f"{query_id}-r{repeat}")
            for assessor in sorted(groups, key=lambda pair: pair.order):
                by_item: dict[str, list[Verdict]] = defaultdict(list)
                for verdict in groups[assessor]:
                    if _pair_lives(experiment, verdict, shas):
                        by_item[verdict.item].append(verdict)
                judged = (_dimension(name, by_item[name], assessor.rules) for name in DIMENSIONS if name in by_item)
                if by_item:
                    yield PairJudgement(labels, repeat, *assessor, tuple(judged))


def _pair_lives(experiment: Path, verdict: Verdict, shas: tuple[str | None, ...]) -> bool:
    """True for a verdict on exactly these reports by current prompts."""
    if verdict.judge.kind == "rule_based" or None in shas or verdict.version != pair_metric().version:
        return False
    if (verdict.report_sha, verdict.other_report_sha) != shas:
        return False
    prompts = in_all_wordings(experiment, lambda: pair_metric().hashes(verdict.rules).get(verdict.item, frozenset()))
    return verdict.prompt_hash in prompts


def _dimension(name: str, verdicts: Sequence[Verdict], rules: Rules) -> DimensionJudgement:
    """The preferred system; after several repeats, the one that every repeat prefers, or a tie."""
    ordered = sorted(verdicts, key=lambda verdict: (verdict.judge_repeat, verdict.order or ""))
    choices: dict[Choice, None] = {}
    for _, group in groupby(ordered, key=lambda verdict: verdict.judge_repeat):
        answers = list(group)
        states, winners = {verdict.state for verdict in answers}, {str(verdict.value) for verdict in answers}
        choice: Choice = "a" if winners == {"a"} else "b" if winners == {"b"} else "tie"
        if "failed" in states:
            choice = "failed"
        elif states == {"na"}:
            choice = "na"
        elif rules != "paper" and len({verdict.order for verdict in answers}) < 2:  # the paper asks in one order only
            choice = "one order"
        choices[choice] = None
    return DimensionJudgement(name, next(iter(choices)) if len(choices) == 1 else "tie", tuple(ordered))


@lru_cache(128)  # judges ask about one source many times
def readable(text: str) -> str:
    """A record's JSON as lines of "key: value"; any other text as it is."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return "\n".join(_lines(parse_json(text), ""))
    except (json.JSONDecodeError, RecursionError):
        return text


def _lines(value: Any, indent: str) -> Iterator[str]:
    pairs: Iterable[tuple[str, Any]]
    if isinstance(value, dict):
        pairs = ((f"{key}:", item) for key, item in value.items())
    else:
        pairs = (("·", item) for item in value)
    for name, item in pairs:
        if isinstance(item, dict | list) and item:
            yield f"{indent}{name}"
            yield from _lines(item, indent + "  ")
        else:
            shown = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
            yield f"{indent}{name} {shown}"


Support = Literal["full", "partial", "none", "contradicted", "uncited", "unverifiable", "failed", "unjudged"]
_SUPPORTS: Mapping[Support, tuple[str, str, str]] = {
    "full": ("✓", "supported", "its sources support all of it"),
    "partial": ("◐", "partly supported", "its sources support some of it"),
    "none": ("✗", "not supported", "its sources support nothing of it"),
    "contradicted": ("≠", "contradicted", "its sources say otherwise"),
    "uncited": ("○", "uncited", "it names no source"),
    "unverifiable": ("?", "unverifiable", "its sources could not be read"),
    "failed": ("!", "judging failed", "the judge gave no usable answer"),
    "unjudged": ("·", "not judged", "no verdict is recorded"),
}
SIGNS: Mapping[Support, str] = {support: sign for support, (sign, _, _) in _SUPPORTS.items()}
WORDS: Mapping[Support, str] = {support: word for support, (_, word, _) in _SUPPORTS.items()}
MEANINGS: Mapping[Support, str] = {support: meaning for support, (_, _, meaning) in _SUPPORTS.items()}
SEVERITY: tuple[Support, ...] = (
    "unjudged",
    "full",
    "uncited",
    "failed",
    "unverifiable",
    "partial",
    "none",
    "contradicted",
)
"""From harmless to wrong. Where claims overlap, the last one in this order marks the place."""
_BY_VALUE: Mapping[float, Support] = {1: "full", 0.5: "partial", 0: "none"}


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim; ``span`` is its place in the report, or None if the report does not contain it word for word."""

    number: int
    text: str
    sources: tuple[str, ...]
    unresolved: tuple[str, ...]
    """Citations of things that the run never received."""
    span: tuple[int, int] | None
    verdict: Verdict | None
    """The verdict on the claim against its sources; None if none is recorded."""
    support: Support

    @property
    def reason(self) -> str:
        """The judge's reason, or what went wrong; empty if none is recorded."""
        return "" if self.verdict is None else self.verdict.reason or self.verdict.error or ""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of its sources (web, product, internal); empty without a verdict."""
        return () if self.verdict is None else types_of(self.sources)


def claim_views(judged: Judged, report: str) -> list[ClaimView]:
    """Cited claims with their verdicts, and those without a source, in the report's order."""
    verdicts = {verdict.item: verdict for verdict in judged.stage(SUPPORT)}

    def extracted(stage: str) -> list[Extracted]:
        extractions = (verdict for verdict in judged.stage(stage) if verdict.item == REPORT)
        return [claim for verdict in extractions for claim in claims_in(verdict) or ()]

    first, *rest = stages_of(judged.rules)
    cited = extracted(first)
    wordings = {claim.claim.casefold() for claim in cited}
    more = (claim for stage in rest for claim in extracted(stage))
    uncited = [claim for claim in more if not claim.is_cited and claim.claim.casefold() not in wordings]
    placed = [(claim, span_of(claim, report)) for claim in [*cited, *uncited]]
    placed.sort(key=lambda pair: pair[1] or (len(report), 0))
    claims: list[ClaimView] = []
    for number, (claim, span) in enumerate(placed, 1):
        verdict = verdicts.get(claim.claim_id)
        support: Support = "unjudged" if claim.sources or verdict is not None else "uncited"
        if verdict is not None and CONTRADICTED in verdict.notes:
            support = "contradicted"
        elif verdict is not None and verdict.state == "scored" and isinstance(verdict.value, int | float):
            support = _BY_VALUE.get(verdict.value, "unjudged")
        elif verdict is not None and (verdict.state == "unverifiable" or verdict.state == "failed"):
            support = verdict.state
        if support == "uncited" and claim.unresolved:
            support = "none"  # as in FP: nobody judges it, and a source that does not exist supports nothing
        claims.append(ClaimView(number, claim.claim, claim.sources, claim.unresolved, span, verdict, support))
    return claims


def statement_claims(read: Iterable[Statement], report: str, judged: Judged) -> Iterator[ClaimView]:
    """What was read in an assistant's answers, as claims whose verdict is the shop's record."""
    scored = next(verdict for verdict in judged.verdicts if verdict.value is not None)
    for number, statement in enumerate(read, 1):
        reason, span = f"{statement.title}: {statement.record}", (statement.start, statement.end)
        verdict = scored.model_copy(update={"reason": reason, "sources": (), "notes": ()})
        support: Support = "full" if statement.is_true else "contradicted"
        yield ClaimView(number, report[slice(*span)], (statement.of,), (), span, verdict, support)


def support_counts(claims: Iterable[ClaimView]) -> dict[Support, int]:
    """The number of claims for each support that any claim has."""
    supports = [claim.support for claim in claims]
    return {support: supports.count(support) for support in WORDS if support in supports}


def failed_stages(judged: Judged) -> list[Verdict]:
    """Failed extractions, because of which claims are missing."""
    stages = [verdict for stage in stages_of(judged.rules) for verdict in judged.stage(stage)]
    return [verdict for verdict in stages if verdict.item == REPORT and verdict.state == "failed"]


def span_of(claim: Extracted, report: str) -> tuple[int, int] | None:
    """The claim's place in the report; None if the report does not have its words."""
    if claim.start is not None and claim.end is not None and 0 <= claim.start < claim.end <= len(report):
        # The span without white space around it.
        text = report[claim.start : claim.end]
        begin = re.match(r"\s*", text)
        left = begin.end() if begin else 0
        return claim.start + left, max(claim.start + left, claim.start + len(text.rstrip()))
    spans = (find_words(report, words) for words in (claim.quote, claim.claim) if words)
    return next((span for span in spans if span is not None), None)


def words_of_code(code: str) -> str:
    """A finding's code as words before its text: "price wrong", "nothing picked for"."""
    return "nothing picked for" if code == "want_left_out" else code.replace("_", " ")
