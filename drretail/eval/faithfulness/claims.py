"""What faithfulness judges: claims with their sources, and the units in which support is counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from drretail.grounding.evidence_ids import parse_evidence_id
from drretail.records.base import Record, sha256_of
from drretail.records.score import Rules
from drretail.records.shop import SHOP_URL

SourceType = Literal["web", "product", "internal"]
TYPES: tuple[SourceType, ...] = ("web", "product", "internal")
ALL_TYPES = "all"
"""The one unit of a claim under the rules of DRG, which judges all its URLs joined."""
CITED, ALL, SUPPORT, SUPPORT_SHOWN = "extract_cited", "extract_all", "support", "support_shown"
"""The stages, as verdicts name them; the last one is asked of what the agent read instead of the source."""
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
    unresolved: tuple[str, ...] = ()
    """Sources as the report says them that come to nothing: invented ids, numbers without an entry."""
    quote: str = ""
    """The words of the report that it restates, as the judge copied them."""
    start: int | None = None
    end: int | None = None
    """``report[start:end]`` is the sentence it stands in, where it could be found."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one judgement of support is about: a claim and its sources of one type, shown together."""

    claim: Claim
    type: str
    sources: tuple[str, ...]

    @property
    def item(self) -> str:
        return f"{self.claim.claim_id}:{self.type}"


def make_claim(
    number: int,
    claim: str,
    sources: Sequence[str],
    unresolved: Sequence[str] = (),
    *,
    quote: str = "",
    span: tuple[int, int] | None = None,
) -> Claim:
    """A claim under the id that follows from its number and content."""
    digest = sha256_of([claim, list(sources), list(unresolved)])[:6]
    start, end = span or (None, None)
    return Claim(
        claim_id=f"{number}-{digest}",
        claim=claim,
        sources=tuple(sources),
        unresolved=tuple(unresolved),
        quote=quote,
        start=start,
        end=end,
    )


def units(claim: Claim, rules: Rules) -> list[Unit]:
    """A claim's units: one for each type of its resolved sources; under ``drg`` one of all web and product sources."""
    if rules == "drg":
        urls = tuple(source for source in (*claim.sources, *claim.unresolved) if source_type(source) != "internal")
        return [Unit(claim, ALL_TYPES, urls)] if urls else []
    by_type = {kind: tuple(source for source in claim.sources if source_type(source) == kind) for kind in TYPES}
    return [Unit(claim, kind, sources) for kind, sources in by_type.items() if sources]


def source_type(source: str) -> SourceType:
    """The type that an id or a URL shows by its form; what is neither (a number without an entry) counts as web."""
    kind = parse_evidence_id(source)
    if kind == "product" or (kind is None and _is_of_the_shop(source)):
        return "product"
    return "web" if kind in (None, "web") else "internal"


def unresolved_types(claim: Claim) -> list[SourceType]:
    """The types of a claim's unresolved sources, each once."""
    return [kind for kind in TYPES if any(source_type(source) == kind for source in claim.unresolved)]


def _is_of_the_shop(source: str) -> bool:
    host = source.casefold().partition("://")[2].partition("/")[0]
    return host.removeprefix("www.") == SHOP_URL.partition("://")[2]
