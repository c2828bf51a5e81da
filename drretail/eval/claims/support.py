"""Stage 2: the texts of a claim's sources, and how a judge is shown them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from drretail.eval.claims.claims import Claim, Unit
from drretail.eval.judging.passages import fit, size
from drretail.eval.judging.sources import shown_texts, source_texts
from drretail.grounding.report.evidence_ids import parse_evidence_id, product_evidence_id
from drretail.grounding.verify.records import Ledger, record_of
from drretail.grounding.verify.superlatives import shown_of_kind
from drretail.llm.prompts.prompt import tagged
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import SUPERLATIVES
from drretail.records.score import SourceRef

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
    """The texts of the sources; with ``shown``, what the agent read of them."""
    texts: list[SourceText] = []
    unreadable: list[str] = []
    unfetched: list[str] = []
    for source in sources:
        entry = evidence.get(source)
        own = shown_texts(entry) if shown else source_texts(entry)
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
    return entry.title if entry.kind in ("user", "shopper") else ""
