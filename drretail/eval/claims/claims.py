"""The claims of a report, and the unit of a support judgement: a claim with all its sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from drretail.errors import UserError
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.records.base import Record, sha256_of
from drretail.records.reading import COMPARISONS, ReadValue
from drretail.records.score import Rules, Verdict
from drretail.records.shop import SHOP_URL

FAITHFULNESS, VERSION = "faithfulness", 3
"""The metric of the verdicts on claims, whichever metric asked for them."""
PROMPTS = str(Path(__file__).parents[1] / "metrics" / FAITHFULNESS / "judge.py")
"""Their prompts are beside that metric's judge; users override them under its name."""
SourceType = Literal["web", "product", "internal"]
TYPES: tuple[SourceType, ...] = ("web", "product", "internal")
HEADLINE: tuple[SourceType, ...] = ("web", "product")
"""The types that count in FP; internal sources have no counterpart in the paper, and a column of their own."""
ALL_TYPES = "all"
"""The only type under the rules of DRG."""
EXTRACT = "extract"
"""The stage of all claims under the default rules; those with a source are the cited ones."""
PICKS = "picks"
"""The stage of the report's picks, which are read together with the claims."""
CITED, ALL = "extract_cited", "extract_all"
"""The paper's two extractions, whose results differ."""
SUPPORT, SUPPORT_SHOWN = "support", "support_shown"
"""The stages of support; the second judges by what the agent read instead of by the source."""
FIRST_ANSWER = "_first"
"""The suffix of the stage that keeps first answers, if a judge was asked again with the records' lines."""
SUPPORT_LIVE = "support_live"
"""The stage that judges by cited pages as they are at judging time."""
FROZEN = "extract_first"
"""The stage that repeats have besides their own extraction: the first repeat's claims, whose labels they give again."""
AUDIT = "audit"
"""The stage in which code says how the judge read."""
REPORT = "report"
"""The item of the extractions."""


NOT_IN_REPORT = "not_in_report"
"""The note of an extraction, once for each claim that was dropped because the report does not hold its quote."""


class Claim(Record):
    """One claim of a report. Verdicts of the extractions hold a list of these."""

    claim_id: str
    """Its number and a digest of text and sources: a support verdict on another claim never matches."""
    claim: str
    sources: tuple[str, ...] = ()
    """Evidence ids, or URLs without evidence."""
    looked_up: tuple[str, ...] = Field(default=(), exclude_if=lambda ids: not ids)
    """The ``sources`` that the report does not cite: records of products that it names."""
    unresolved: tuple[str, ...] = ()
    """Sources, as written, that do not resolve: invented ids, numbers without an entry."""
    quote: str = ""
    """The words of the report that the claim restates, as the judge copied them."""
    start: int | None = None
    end: int | None = None
    """``report[start:end]`` is the claim's sentence, if it was found."""
    values: tuple[ReadValue, ...] = ()
    """The figures and names in it, not yet verified."""
    dropped: int | None = None
    """How many ids the judge gave these values beyond the claim's own sources; they are left out."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of one support judgement: a claim and all its sources, shown together."""

    claim: Claim
    sources: tuple[str, ...]
    types: tuple[str, ...]
    """The source types for which its support counts."""

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
    section: str = "",
) -> Claim:
    """A claim with the id that follows from its number and content; ``looked_up`` are among its sources.

    Its values are said of its own sources, or of what its ``section`` of the report cites: an id that a judge brings
    from elsewhere would accuse. A value of others alone is left out. Only a comparison is of things, which may be cited
    anywhere.
    """
    own = {*sources, *unresolved, *(source for value in values for source in value.of if source in section)}
    of = [tuple(source for source in value.of if source in own or value.kind in COMPARISONS) for value in values]
    cut = [(value, value.model_copy(update={"of": ids})) for value, ids in zip(values, of, strict=True)]
    dropped = sum(len(value.of) - len(own_value.of) for value, own_value in cut)
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
        values=tuple(own_value for value, own_value in cut if own_value.of or not value.of),
        dropped=dropped or None,
    )


def claims_in(verdict: Verdict) -> list[Claim] | None:
    """The claims in an extraction's verdict; None if it failed."""
    if verdict.state != "scored":
        return None
    try:
        return [Claim.model_validate(value) for value in verdict.value]
    except (ValidationError, TypeError) as problem:
        raise UserError(
            f"The verdicts of {verdict.metric} on {verdict.run_id} hold a claim that cannot be read: delete their "
            "file, and score asks again."
        ) from problem


def stages_of(rules: Rules) -> tuple[str, ...]:
    """The extractions under these rules: one of all claims, or the paper's two."""
    return (EXTRACT,) if rules == "default" else (CITED, ALL)


def unit_of(claim: Claim, rules: Rules) -> Unit | None:
    """A claim with the sources that it is judged by, or None without any. ``drg`` uses only web and product sources."""
    if rules == "drg":
        urls = tuple(source for source in (*claim.sources, *claim.unresolved) if source_type(source) != "internal")
        return Unit(claim, urls, (ALL_TYPES,)) if urls else None
    return Unit(claim, claim.sources, types_of(claim.sources)) if claim.sources else None


def types_of(sources: Sequence[str]) -> tuple[SourceType, ...]:
    """The types of these sources, each once, in the order of ``TYPES``."""
    types = {source_type(source) for source in sources}
    return tuple(kind for kind in TYPES if kind in types)


def source_type(source: str) -> SourceType:
    """The type of an id or a URL, by its form. Anything else, such as a number without an entry, counts as web."""
    kind = parse_evidence_id(source)
    host = urlsplit(source).hostname or "" if kind is None and "://" in source else ""
    if kind == "product" or host.removeprefix("www.") == SHOP_URL.partition("://")[2]:
        return "product"
    return "web" if kind in (None, "web") else "internal"
