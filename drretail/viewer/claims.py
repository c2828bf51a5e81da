"""Claims of a report with what a judge ruled on them, and where they stand in it."""

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.eval.claims.claims import REPORT, SUPPORT, stages_of, types_of
from drretail.eval.claims.claims import Claim as Extracted
from drretail.eval.claims.labels import CONTRADICTED
from drretail.eval.family import ClaimMark
from drretail.parsing import parse_json
from drretail.records.score import Verdict
from drretail.viewer.judged import Judged

_COUNTS = re.compile(r"""[^\s"{}\[\],·\\]+""")
"""All but what records are written with and ``readable`` leaves out or puts in."""
_KEPT_TEXTS = 128
"""Judges ask about one source many times."""
_AROUND = 320
_SHORT = 900


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a text, the quote in it apart; ``quote`` is empty where it does not occur."""

    before: str
    quote: str
    after: str
    cut_before: bool = False
    cut_after: bool = False


@lru_cache(_KEPT_TEXTS)
def readable(text: str) -> str:
    """A record's JSON as lines of "key: value", anything else as it is."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return "\n".join(_lines(parse_json(text), ""))
    except (json.JSONDecodeError, RecursionError):
        return text


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands, whatever its white space, case, quotation marks and the signs of JSON."""
    wanted = "".join(_COUNTS.findall(quote)).casefold().strip("…'“”‘’")
    if not wanted:
        return None
    squeezed, kept = _squeezed(text)
    start = squeezed.find(wanted)
    return None if start < 0 else (kept[start], kept[start + len(wanted) - 1] + 1)


@lru_cache(_KEPT_TEXTS)
def _squeezed(text: str) -> "tuple[str, array[int]]":
    """What counts of a text, folded, and where each character of it stands."""
    parts: list[str] = []
    kept = array("l")
    for match in _COUNTS.finditer(text):
        folded = match[0].casefold()
        if len(folded) == len(match[0]):
            kept.extend(range(*match.span()))
        else:  # some are two characters: "ß"
            kept.extend(at for at, character in enumerate(match[0], match.start()) for _ in character.casefold())
        parts.append(folded)
    return "".join(parts), kept


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


def excerpt(text: str, quote: str | None) -> Excerpt:
    """The quote with some text around it; without a quote the beginning of the text."""
    span = find_quote(text, quote) if quote else None
    if span is None:
        end = _end_of_word(text, _SHORT)
        return Excerpt(text[:end], "", "", cut_after=end < len(text))
    start, end = span
    first = max(0, start - _AROUND)
    first = 0 if first < 40 else _start_of_word(text, first)
    last = _end_of_word(text, end + _AROUND)
    return Excerpt(text[first:start], text[start:end], text[end:last], first > 0, last < len(text))


def _start_of_word(text: str, position: int) -> int:
    found = re.compile(r"\s").search(text, position, position + 40)
    return found.end() if found else position


def _end_of_word(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    found = re.compile(r"\s").search(text, position, position + 40)
    return found.start() if found else position


Support = Literal["full", "partial", "none", "contradicted", "uncited", "unverifiable", "failed", "unjudged"]
WORDS: Mapping[Support, str] = {
    "full": "supported",
    "partial": "partly supported",
    "none": "not supported",
    "contradicted": "contradicted",
    "uncited": "uncited",
    "unverifiable": "unverifiable",
    "failed": "judging failed",
    "unjudged": "not judged",
}
MEANINGS: Mapping[Support, str] = {
    "full": "its sources support all of it",
    "partial": "its sources support some of it",
    "none": "its sources support nothing of it",
    "contradicted": "its sources say otherwise",
    "uncited": "it names no source",
    "unverifiable": "its sources could not be read",
    "failed": "the judge gave no usable answer",
    "unjudged": "no verdict is recorded",
}
SIGNS: Mapping[Support, str] = {
    "full": "✓",
    "partial": "◐",
    "none": "✗",
    "contradicted": "≠",
    "uncited": "○",
    "unverifiable": "?",
    "failed": "!",
    "unjudged": "·",
}
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
"""From what is harmless to what is wrong: of claims that overlap the last one here marks the place."""
_BY_VALUE: Mapping[float, Support] = {1: "full", 0.5: "partial", 0: "none"}


@dataclass(frozen=True, slots=True)
class Claim:
    """``report[start:end]`` says it; without a span it was not found there word for word."""

    number: int
    text: str
    sources: tuple[str, ...]
    unresolved: tuple[str, ...]
    """What it cites and the run was never handed."""
    span: tuple[int, int] | None
    verdict: Verdict | None
    """On the claim against its sources; None where none is recorded."""
    support: Support
    fault: ClaimMark | None = None
    """Of a wrong one: where it went wrong."""

    @property
    def reason(self) -> str:
        """The judge's reason, or what went wrong; empty if none is recorded."""
        return "" if self.verdict is None else self.verdict.reason or self.verdict.error or ""

    @property
    def types(self) -> tuple[str, ...]:
        """web, product, internal: whatever was ruled on."""
        return () if self.verdict is None else types_of(self.sources)


def claims_of(judged: Judged, report: str, faults: Mapping[str, ClaimMark] = MappingProxyType({})) -> list[Claim]:
    """The cited claims with their verdicts and those without a source, in the order of the report.

    ``faults`` are the places of wrong ones, by the claim's id.
    """
    verdicts = {verdict.item: verdict for verdict in judged.stage(SUPPORT)}
    first, *rest = stages_of(judged.rules)
    extracted = _extracted(judged, first)
    known = {claim.claim.casefold() for claim in extracted}
    more = (claim for stage in rest for claim in _extracted(judged, stage))
    uncited = [claim for claim in more if not claim.sources and claim.claim.casefold() not in known]
    placed = [(claim, _span(claim, report)) for claim in [*extracted, *uncited]]
    placed.sort(key=lambda pair: pair[1] or (len(report), 0))
    return [
        _claim(number, claim, span, verdicts.get(claim.claim_id), faults.get(claim.claim_id))
        for number, (claim, span) in enumerate(placed, 1)
    ]


def counts_of(claims: Iterable[Claim]) -> dict[Support, int]:
    """How many claims came to what, without those that none did."""
    found = [claim.support for claim in claims]
    return {support: found.count(support) for support in WORDS if support in found}


def failed_stages(judged: Judged) -> list[Verdict]:
    """Extractions that came to nothing, because of which claims are missing."""
    stages = [verdict for stage in stages_of(judged.rules) for verdict in judged.stage(stage)]
    return [verdict for verdict in stages if verdict.item == REPORT and verdict.state == "failed"]


def _claim(
    number: int, claim: Extracted, span: tuple[int, int] | None, verdict: Verdict | None, fault: ClaimMark | None
) -> Claim:
    support = _support(verdict) if verdict is not None else "unjudged" if claim.sources else "uncited"
    return Claim(number, claim.claim, claim.sources, claim.unresolved, span, verdict, support, fault)


def _extracted(judged: Judged, stage: str) -> list[Extracted]:
    """The claims of a stage; nothing where it failed or holds no claims."""
    try:
        extractions = (verdict for verdict in judged.stage(stage) if verdict.item == REPORT)
        return [Extracted.model_validate(item) for verdict in extractions for item in verdict.value or ()]
    except ValidationError as problem:
        raise UserError(
            f"The verdicts of {judged.judge.spec} hold a claim that this version cannot read: delete their file and "
            "score again."
        ) from problem


def _support(verdict: Verdict) -> Support:
    if CONTRADICTED in verdict.notes:
        return "contradicted"
    if verdict.state == "scored":
        return _BY_VALUE.get(verdict.value, "unjudged") if isinstance(verdict.value, int | float) else "unjudged"
    return "unverifiable" if verdict.state == "unverifiable" else "failed" if verdict.state == "failed" else "unjudged"


def _span(claim: Extracted, report: str) -> tuple[int, int] | None:
    if claim.start is not None and claim.end is not None and 0 <= claim.start < claim.end <= len(report):
        # The span without white space around it.
        text = report[claim.start : claim.end]
        begin = re.match(r"\s*", text)
        left = begin.end() if begin else 0
        return claim.start + left, max(claim.start + left, claim.start + len(text.rstrip()))
    found = (find_quote(report, words) for words in (claim.quote, claim.claim) if words)
    return next((span for span in found if span is not None), None)


def words_of_code(code: str) -> str:
    """A finding's code as it is read before the finding's text: "price wrong", "nothing picked for"."""
    return "nothing picked for" if code == "want_left_out" else code.replace("_", " ")
