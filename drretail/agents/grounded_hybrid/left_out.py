"""What was struck, told at the end of a report without being said again."""

from collections.abc import Collection, Iterator, Mapping

from drretail.agents.grounded_hybrid.striking import Stricken
from drretail.grounding.text.wording import short_title
from drretail.grounding.verify.findings import CODES
from drretail.records.evidence import Finding
from drretail.records.shop import Product

TITLE = "What did not hold"
ABOVE = "Statements with these faults were taken out, as the shop's records say otherwise or say nothing of it:"
SUMS = "Sums and comparisons above may still count what was taken out."
_WORDS: Mapping[str, str] = {
    "price_wrong": "a wrong price",
    "rating_wrong": "a wrong rating",
    "rating_count_wrong": "a wrong number of ratings",
    "total_wrong": "a wrong total",
    "calculation_wrong": "a wrong figure",
    "order_date_wrong": "a wrong date of an order",
    "brand_wrong": "a wrong brand",
    "place_wrong": "a wrong place",
    "superlative_wrong": "a wrong superlative",
    "unresolved_citation": "a source that was never looked up",
    "url_not_seen": "a page that was never looked up",
    "not_in_catalog": "a product that the shop does not have",
    "recommended_although_owned": "recommended, though owned already",
    "unwanted_brand": "a product of a brand that is not wanted",
    "below_rating": "a product with fewer stars or ratings than asked for",
    "not_wanted": "a product that nobody asked for",
    "price_unknown": "a product of unknown price, though there is a limit",
    "unavailable": "a product that can't be had at the moment",
    "over_budget": "a product above the budget",
    "pick_not_argued": "in the cart, with no word on it",
}


def with_left_out(stricken: Stricken) -> str:
    """The report, ending with what was struck and with what no striking mends; as it is where there is neither.

    What a record says is told with its source; what the statement said is not.
    """
    draft = stricken.draft
    products = draft.case.ledger(draft.case.picks).products
    lines = list(dict.fromkeys(_line(finding, draft.case.evidence.keys(), products) for finding in stricken.struck))
    left = list(_unmended(draft.errors))
    if not lines and not left:
        return draft.report
    listed = ["\n".join([ABOVE, "", *lines]), SUMS] if lines else []
    return "\n\n".join([draft.report, f"## {TITLE}", *listed, *left]).strip() + "\n"


def _unmended(errors: list[Finding]) -> Iterator[str]:
    """ "The budget is $30.00, and the picks cost $39.50." """
    for finding in errors:
        if finding.start is None and finding.found:
            yield f"{finding.found[0].upper()}{finding.found[1:]}."


def _line(finding: Finding, known: Collection[str], products: Mapping[str, Product]) -> str:
    """ "- Tanagrove Hopper Bird Feeder: a wrong price; the record says $39.50 [P:…]." """
    what = _WORDS.get(finding.code, finding.code.replace("_", " "))
    product = products.get((finding.evidence_id or "").removeprefix("P:"))
    of = f"{short_title(product.title, 60)}: {what}" if product else f"{what[0].upper()}{what[1:]}"
    found = f"; {finding.found}" if finding.code in CODES.values() and finding.found else ""
    source = f" [{finding.evidence_id}]" if finding.evidence_id in known else ""
    return f"- {of}{found}{source}."
