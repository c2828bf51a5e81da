"""The claims of a report, each judged once with all its sources.
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
from drretail.llm.prompt import tagged
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import CART, ReadValue
from drretail.records.score import Rules, SourceRef, Verdict
from drretail.records.shop import SHOP_URL
from drretail.reports.text.evidence_ids import parse_evidence_id, product_evidence_id
from drretail.shopping.verify.records import Ledger, record_of

FAITHFULNESS, VERSION = "faithfulness", 4
"""The metric of the verdicts on claims, whichever metric asked for them."""
PROMPTS = str(Path(__file__).parents[1] / "metrics" / FAITHFULNESS / "judge.py")
"""Their prompts are beside that metric's judge; users override them under its name."""
SourceType = Literal["web", "product", "internal"]
TYPES: tuple[SourceType, ...] = ("web", "product", "internal")
HEADLINE: tuple[SourceType, ...] = ("web", "product")
"""The types that count in FP; internal sources have no counterpart in the paper, and a column of their own."""
EXTRACT = "extract"
"""The stage of all claims under the default rules; those with a source are the cited ones."""
PICKS = "picks"
"""The stage of the report's picks, which are read together with the claims."""
CITED, ALL = "extract_cited", "extract_all"
"""The paper's two extractions, whose results differ."""
SUPPORT = "support"
FIRST_ANSWER = "_first"
"""The suffix of the stage that keeps first answers, if a judge was asked again with the records' lines."""
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
    """Sources, as written, that do not resolve: ids that no tool gave."""
    quote: str = ""
    """The words of the report that the claim restates, as the judge copied them."""
    start: int | None = None
    end: int | None = None
    """``report[start:end]`` is the claim's sentence, if it was found."""
    values: tuple[ReadValue, ...] = ()
    """The figures and names in it, not yet verified."""
    figureless: int | None = None
    """How many are left out, since no figure stands at their place."""

    @property
    def is_cited(self) -> bool:
        """True if the report names a source of it, by an id, an address or a number, whether or not that leads
        anywhere.
        """
        return len(self.sources) > len(self.looked_up) or bool(self.unresolved)

    @property
    def has_address(self) -> bool:
        """True if something with an address stands behind it: a product, whose id is its address, or a page, also one
        that is gone. Orders, users, calculations and files have none, nor has an id or a number that leads nowhere.
        """
        cited = (source for source in self.sources if source not in self.looked_up)
        return any("://" in name for name in self.unresolved) or any(source_type(name) in HEADLINE for name in cited)

    def sources_of(self, kind: SourceType) -> list[str]:
        """Its sources of a type that resolve."""
        return [source for source in self.sources if source_type(source) == kind]

    @property
    def types(self) -> tuple[SourceType, ...]:
        """The types of all that it cites, each once, in the order of ``TYPES``."""
        return types_of((*self.sources, *self.unresolved))


def make_claim(
    number: int,
    claim: str,
    sources: Sequence[str],
    unresolved: Sequence[str] = (),
    *,
    quote: str = "",
    span: tuple[int, int] | None = None,
    values: Sequence[ReadValue] = (),
    figureless: int = 0,
    looked_up: Sequence[str] = (),
) -> Claim:
    """A claim with the id that follows from its number and content; ``looked_up`` are among its sources.

    Its values are said of its own sources or of the cart: an id that a judge brings from elsewhere would accuse.
    """
    own_ids = ("", CART, *sources, *unresolved)
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
        values=tuple(value for value in values if value.of in own_ids or value.of.partition("/")[0] in sources),
        figureless=figureless or None,
    )


def claims_in(verdict: Verdict) -> list[Claim] | None:
    """The claims in an extraction's verdict; None if it failed."""
    return listed_claims(verdict) if verdict.state == "scored" else None


def listed_claims(verdict: Verdict) -> list[Claim]:
    """The same, also of a list that counts as failed because it covers too little of the report."""
    try:
        return [Claim.model_validate(value) for value in verdict.value or ()]
    except (ValidationError, TypeError) as problem:
        raise UserError(
            f"The verdicts of {verdict.metric} on {verdict.run_id} hold a claim that cannot be read: delete their "
            "file, and score asks again."
        ) from problem


def stages_of(rules: Rules) -> tuple[str, ...]:
    """The extractions under these rules: one of all claims, or the paper's two."""
    return (EXTRACT,) if rules == "default" else (CITED, ALL)


def types_of(sources: Sequence[str]) -> tuple[SourceType, ...]:
    """The types of these sources, each once, in the order of ``TYPES``."""
    types = {source_type(source) for source in sources}
    return tuple(kind for kind in TYPES if kind in types)


@lru_cache(maxsize=4096)  # each tally of a report asks again for the sources of all its claims
def source_type(source: str) -> SourceType:
    """The type of an id or a URL, by its form. Anything else counts as web."""
    kind = parse_evidence_id(source)
    host = urlsplit(source).hostname or "" if kind is None and "://" in source else ""
    if kind == "product" or host.removeprefix("www.") == SHOP_URL.partition("://")[2]:
        return "product"
    return "web" if kind in (None, "web") else "internal"


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
    """The texts of a claim's sources."""

    texts: tuple[SourceText, ...]
    unreadable: tuple[str, ...] = ()
    """Sources that could not be read: not in the ledger, blocked, in error, or empty."""
    absent: tuple[str, ...] = ()
    """Products that the shop does not have, and addresses that no result held and where nothing is."""
    unfetched: tuple[str, ...] = ()
    """Web pages that were never fetched: what they say of the claim is unknown."""


def content_of(sources: Sequence[str], evidence: Mapping[str, Evidence]) -> Content:
    """The texts of the sources: their records, pages or files."""
    texts: list[SourceText] = []
    without: dict[str, list[str]] = {"unreadable": [], "absent": [], "unfetched": []}
    for source in sources:
        entry = evidence.get(source)
        readable = [text for text in (() if entry is None else entry.sources) if text.text.strip()]
        texts += (SourceText(source, text, entry) for text in readable)
        if not readable:
            is_absent, is_unfetched = (entry.is_absent, entry.is_unfetched) if entry is not None else (False, False)
            without["absent" if is_absent else "unfetched" if is_unfetched else "unreadable"].append(source)
    return Content(tuple(texts), **{name: tuple(ids) for name, ids in without.items()})


def fitted(texts: Sequence[SourceText], claims: Sequence[str], room: int | None) -> tuple[SourceText, ...]:
    """The texts, cut to the passages that matter to the claims if they exceed ``room`` bytes together."""
    cut = fit([source_text.text.text for source_text in texts], claims, room)
    return tuple(with_text(source, text) for source, text in zip(texts, cut, strict=True))


def with_text(source: SourceText, text: str) -> SourceText:
    """The source with a shortened text."""
    whole = source.text.text
    if text == whole:
        return source
    part = source.text.model_copy(update={"text": text, "sha256": source.text.sha256})
    return replace(source, text=part, share=round(size(text) / size(whole), 3))


def same_texts(refs: Sequence[SourceRef], texts: Sequence[SourceText]) -> bool:
    """True if a judgement rests on these texts, whether cut or whole."""
    return {(ref.id, ref.sha256) for ref in refs} == {(text.id, text.text.sha256) for text in texts}


def claim_batches(claims: Sequence[tuple[Claim, Content]]) -> list[list[tuple[Claim, Content]]]:
    """The claims of each call: at most ``MOST_CLAIMS``, with sources of at most ``MOST_BYTES`` together.

    Claims with the same sources come together, so that a source is seldom sent twice. A source above the limit has
    calls of its own.
    """
    groups: dict[tuple[bool, frozenset[str]], list[tuple[Claim, Content]]] = {}
    for claim, content in claims:
        has_pages = any(parse_evidence_id(text.id) in (None, "web", "file") for text in content.texts)
        groups.setdefault((has_pages, frozenset(claim.sources)), []).append((claim, content))
    calls: list[list[tuple[Claim, Content]]] = []
    sizes: dict[str, int] = {}
    kind: bool | None = None
    for (has_pages, _), group in sorted(groups.items(), key=lambda pair: pair[0][0]):
        for claim, content in group:
            new_sizes = {text.text.sha256: size(text.text.text) for text in content.texts}
            is_full = not calls or len(calls[-1]) == MOST_CLAIMS or has_pages != kind
            if is_full or (not new_sizes.keys() <= sizes.keys() and sum((sizes | new_sizes).values()) > MOST_BYTES):
                calls.append([])
                sizes = {}
            calls[-1].append((claim, content))
            sizes, kind = sizes | new_sizes, has_pages
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
            priced = [ledger.products[product] for product, price in prices.items() if price == term]
            titles = [f"{item.title} ({product_evidence_id(item.product_id)})" for item in priced[:_MOST_NAMED]]
            # A budget is round, and among many hits some product may cost exactly that.
            if term == ledger.limit:
                terms.append(f"{term} is the user's budget")
            elif titles:
                terms.append(f"{term} is the price of {' or of '.join(titles)}")
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
