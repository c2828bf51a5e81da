"""The claims of a report, and the unit of a support judgement: a claim with all its sources.
Stage 2: the texts of these sources, and how a judge is shown them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from drretail.errors import UserError
from drretail.eval.judging.sources import fit, size
from drretail.grounding.report.evidence_ids import parse_evidence_id, product_evidence_id
from drretail.grounding.verify.comparisons import shown_of_kind
from drretail.grounding.verify.records import Ledger, record_of
from drretail.llm.prompt import tagged
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import COMPARISONS, SUPERLATIVES, ReadValue
from drretail.records.score import Rules, SourceRef, Verdict
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


@lru_cache(maxsize=4096)  # each tally of a report asks again for the sources of all its claims
def source_type(source: str) -> SourceType:
    """The type of an id or a URL, by its form. Anything else, such as a number without an entry, counts as web."""
    kind = parse_evidence_id(source)
    host = urlsplit(source).hostname or "" if kind is None and "://" in source else ""
    if kind == "product" or host.removeprefix("www.") == SHOP_URL.partition("://")[2]:
        return "product"
    return "web" if kind in (None, "web") else "internal"


SHOWN = "S"
"""The beginning of these lists' ids among the sources."""


def shown_products(claims: Iterable[Claim], ledger: Ledger) -> list[dict[str, str]]:
    """For each claim with a superlative, by source id: the products of each kind that the run was shown, one per line.
    Claims on the same kind share a list.
    """
    ids: dict[str, str] = {}
    shown: list[dict[str, str]] = []
    for claim in claims:
        named = (name.removeprefix("P:") for value in claim.values if value.kind in SUPERLATIVES for name in value.of)
        products = [ledger.products[name] for name in dict.fromkeys(named) if name in ledger.products]
        lists = dict.fromkeys(shown_of_kind(product, ledger) for product in products)
        shown.append({ids.setdefault(lines, f"{SHOWN}{len(ids) + 1}"): lines for lines in lists})
    return shown


SAME_TEXT = "The same text as that of {}."
_MOST_NAMED = 3
MOST_CLAIMS = 24
"""Claims in one call, so that an answer with reasons and quotes stays below 4,000 tokens."""
MOST_BYTES = 24_000
"""Bytes of the sources of one call, if claims of several sources share it: some fifteen records, or four pages."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of one source."""

    id: str
    text: EvidenceText
    entry: Evidence | None = None
    """What it is a text of: agents are shown its title, address and date, so judges are, too."""
    share: float | None = None
    """The share that is left after a cut; the hash remains the whole text's."""

    @property
    def ref(self) -> SourceRef:
        return SourceRef(id=self.id, sha256=self.text.sha256, share=self.share)


@dataclass(frozen=True, slots=True)
class Content:
    """The texts of a unit's sources."""

    texts: tuple[SourceText, ...]
    unreadable: tuple[str, ...] = ()
    """Sources that could not be read: not in the ledger, blocked, in error, or empty."""
    unfetched: tuple[str, ...] = ()
    """Web pages that were never fetched: what they say of the claim is unknown."""


def content_of(sources: Sequence[str], evidence: Mapping[str, Evidence], *, shown: bool = False) -> Content:
    """The texts of the sources: their records, pages or files; with ``shown``, what the agent read of them."""
    texts: list[SourceText] = []
    unreadable: list[str] = []
    unfetched: list[str] = []
    for source in sources:
        entry = evidence.get(source)
        kept: Sequence[EvidenceText] = () if entry is None else entry.sources
        if shown and entry is not None and entry.kind == "web":  # of which it read a snippet or a summary
            kept = [text for text in entry.texts if text.shown]
        own = [text for text in kept if text.text.strip()]
        texts += (SourceText(source, text, entry) for text in own)
        if not own:
            (unfetched if entry is not None and entry.is_unfetched else unreadable).append(source)
    return Content(tuple(texts), tuple(unreadable), tuple(unfetched))


def fitted(texts: Sequence[SourceText], claims: Sequence[str], room: int | None) -> tuple[SourceText, ...]:
    """The texts, cut to the passages that matter to the claims if they exceed ``room`` bytes together."""
    cut = fit([source_text.text.text for source_text in texts], claims, room)
    return tuple(shortened(source, text) for source, text in zip(texts, cut, strict=True))


def shortened(source: SourceText, text: str) -> SourceText:
    """The source with a shortened text."""
    whole = source.text.text
    if text == whole:
        return source
    return replace(source, text=source.text.model_copy(update={"text": text}), share=round(size(text) / size(whole), 3))


def same_texts(refs: Sequence[SourceRef], texts: Sequence[SourceText]) -> bool:
    """True if a judgement rests on these texts, whether cut or whole."""
    return {(ref.id, ref.sha256) for ref in refs} == {(text.id, text.text.sha256) for text in texts}


def packed(units: Sequence[tuple[Unit, Content]]) -> list[list[tuple[Unit, Content]]]:
    """The claims of each call: at most ``MOST_CLAIMS``, with sources of at most ``MOST_BYTES`` together.

    Claims with the same sources come together, so that a source is seldom sent twice. A source above the limit has
    calls of its own.
    """
    groups: dict[tuple[bool, frozenset[str]], list[tuple[Unit, Content]]] = {}
    for unit, content in units:
        has_pages = any(parse_evidence_id(text.id) in (None, "web", "file") for text in content.texts)
        groups.setdefault((has_pages, frozenset(unit.sources)), []).append((unit, content))
    calls: list[list[tuple[Unit, Content]]] = []
    sizes: dict[str, int] = {}
    kind: bool | None = None
    for (has_pages, _), group in sorted(groups.items(), key=lambda each: each[0][0]):
        for unit, content in group:
            own = {text.text.sha256: size(text.text.text) for text in content.texts}
            is_full = not calls or len(calls[-1]) == MOST_CLAIMS or has_pages != kind
            if is_full or (not own.keys() <= sizes.keys() and sum((sizes | own).values()) > MOST_BYTES):
                calls.append([])
                sizes = {}
            calls[-1].append((unit, content))
            sizes, kind = sizes | own, has_pages
    return calls


def source_tags(texts: Sequence[SourceText], about: Mapping[str, str] | None = None) -> str:
    """The texts for a prompt, each in a ``<source id="…">`` tag with its title, address and date, as far as known.

    ``about``, given under the default rules, adds the line on the source. A text that several sources share is sent
    once.
    """
    tags: list[str] = []
    shown: dict[str, str] = {}
    for source in texts:
        entry, text = source.entry, source.text.text
        facts = {"about": (about or {}).get(source.id)}
        if entry is not None:
            facts = {"title": entry.title, "address": entry.url, "date": entry.date} | facts
        first = shown.setdefault(text, source.id)
        text = text if first == source.id else SAME_TEXT.format(first)
        tags.append(tagged("source", text, id=source.id, **{name: words for name, words in facts.items() if words}))
    return "\n\n".join(tags)


def about_sources(ids: Iterable[str], evidence: Mapping[str, Evidence], ledger: Ledger) -> dict[str, str]:
    """A line on each calculation, order and user record, which mean little by themselves."""
    lines = {id_: _about(evidence[id_], ledger) for id_ in dict.fromkeys(ids) if id_ in evidence}
    return {name: line for name, line in lines.items() if line}


def _about(entry: Evidence, ledger: Ledger) -> str:
    if entry.kind == "calculation":
        calculation = ledger.calculations.get(entry.id)
        if calculation is None:
            return ""
        # The products that have each term as their price, at most three per term.
        prices = {product: ledger.price(product) for product in ledger.products}
        terms: list[str] = []
        for term in dict.fromkeys(calculation.operands):
            priced = [ledger.products[each] for each, price in prices.items() if price == term]
            named = [f"{item.title} ({product_evidence_id(item.product_id)})" for item in priced[:_MOST_NAMED]]
            # A budget is round, and among many hits some product may cost exactly that.
            if term == ledger.limit:
                terms.append(f"{term} is the user's budget")
            elif named:
                terms.append(f"{term} is the price of {' or of '.join(named)}")
        return "; ".join(terms)
    record = next(filter(None, (record_of(text.text) for text in entry.sources)), {})
    if entry.kind == "order":
        when, status = str(record.get("order_date", ""))[:10], record.get("order_status", "")
        price = f" at {record['price']} {record.get('currency', '')}" if record.get("price") is not None else ""
        title, product = record.get("product_title", ""), product_evidence_id(str(record.get("product_id", "")))
        return f"the user's order of {when} ({status}): {record.get('quantity', 1)} x {title} ({product}){price}"
    if entry.kind == "user" and "orders" in record and "shown" in record:
        return f"the user's orders, {record['shown']} of {record.get('total', record['shown'])}"
    return entry.title if entry.kind == "user" else ""
