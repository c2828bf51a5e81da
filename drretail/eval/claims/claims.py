"""The claims of a report and what a judgement of support is about: a claim with all its sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.records.base import Record, sha256_of
from drretail.records.reading import ReadValue
from drretail.records.score import Rules
from drretail.records.shop import SHOP_URL

FAMILY, VERSION = "faithfulness", 3
"""Of the verdicts that hold claims and rulings on them, whichever family asked for them."""
PROMPTS = str(Path(__file__).parents[1] / "families" / FAMILY / "judge.py")
"""Their prompts are beside that family's judge, under whose name users override them."""
SourceType = Literal["web", "product", "internal"]
TYPES: tuple[SourceType, ...] = ("web", "product", "internal")
HEADLINE: tuple[SourceType, ...] = ("web", "product")
"""The types that count in FP; internal sources have no counterpart in the paper and their own column."""
ALL_TYPES = "all"
"""The one type under the rules of DRG, which knows no other."""
EXTRACT = "extract"
"""The stage of all claims under the default rules; those with a source are the cited ones."""
PICKS = "picks"
"""The stage of what a report tells its reader to buy, read with the claims."""
CITED, ALL = "extract_cited", "extract_all"
"""The two extractions of the paper, which differ."""
SUPPORT, SUPPORT_SHOWN = "support", "support_shown"
"""The stages of support; the second is asked of what the agent read instead of the source."""
FIRST_ANSWER = "_first"
"""Ends the name of the stage that keeps first answers, where a judge was asked once more with the records' lines."""
SUPPORT_LIVE = "support_live"
"""The stage that is asked of cited pages as they are at judging time."""
REPORT = "report"
"""The item of the extractions."""


class Claim(Record):
    """One claim of a report. Verdicts of the extractions hold a list of these."""

    claim_id: str
    """Its number and a digest of what it says and cites: a support verdict of another claim never fits."""
    claim: str
    sources: tuple[str, ...] = ()
    """Evidence ids, or URLs that the run has no evidence for."""
    looked_up: tuple[str, ...] = Field(default=(), exclude_if=lambda ids: not ids)
    """Those of ``sources`` that the report doesn't cite: records of products that it names."""
    unresolved: tuple[str, ...] = ()
    """Sources as the report says them that come to nothing: invented ids, numbers without an entry."""
    quote: str = ""
    """The words of the report that it restates, as the judge copied them."""
    start: int | None = None
    end: int | None = None
    """``report[start:end]`` is the sentence it stands in, where it could be found."""
    values: tuple[ReadValue, ...] = ()
    """The figures and names in it, as read and not yet verified."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one judgement of support is about: a claim and all its sources, shown together."""

    claim: Claim
    sources: tuple[str, ...]
    types: tuple[str, ...]
    """Its s counts for each of these."""

    @property
    def item(self) -> str:
        return self.claim.claim_id


def make_claim(
    number: int,
    claim: str,
    sources: Sequence[str],
    unresolved: Sequence[str] = (),
    *,
    quote: str = "",
    span: tuple[int, int] | None = None,
    values: Sequence[ReadValue] = (),
    looked_up: Sequence[str] = (),
) -> Claim:
    """A claim under the id that follows from its number and content; ``looked_up`` are among its sources."""
    digest = sha256_of([claim, list(sources), list(unresolved)])[:6]
    start, end = span or (None, None)
    return Claim(
        claim_id=f"{number}-{digest}",
        claim=claim,
        sources=tuple(sources),
        looked_up=tuple(looked_up),
        unresolved=tuple(unresolved),
        quote=quote,
        start=start,
        end=end,
        values=tuple(values),
    )


def stages_of(rules: Rules) -> tuple[str, ...]:
    """The extractions under these rules: one of all claims, or the paper's two."""
    return (EXTRACT,) if rules == "default" else (CITED, ALL)


def unit_of(claim: Claim, rules: Rules) -> Unit | None:
    """A claim with what it is judged by; None where that is nothing. ``drg`` knows web and product sources alone."""
    if rules == "drg":
        urls = tuple(source for source in (*claim.sources, *claim.unresolved) if source_type(source) != "internal")
        return Unit(claim, urls, (ALL_TYPES,)) if urls else None
    return Unit(claim, claim.sources, types_of(claim.sources)) if claim.sources else None


def types_of(sources: Sequence[str]) -> tuple[SourceType, ...]:
    """The types of these sources, each once, in the order of ``TYPES``."""
    found = {source_type(source) for source in sources}
    return tuple(kind for kind in TYPES if kind in found)


def source_type(source: str) -> SourceType:
    """The type that an id or a URL shows by its form; what is neither (a number without an entry) counts as web."""
    kind = parse_evidence_id(source)
    host = urlsplit(source).hostname or "" if kind is None and "://" in source else ""
    if kind == "product" or host.removeprefix("www.") == SHOP_URL.partition("://")[2]:
        return "product"
    return "web" if kind in (None, "web") else "internal"
