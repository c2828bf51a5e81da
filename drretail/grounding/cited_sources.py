"""What a report cites and recommends, against what the run was handed and what the shop has."""

from drretail.grounding.case import Case
from drretail.grounding.recommendations import find_strangers
from drretail.records.evidence import Citation, Finding
from drretail.records.shop import SHOP_URL


def not_in_catalog(case: Case) -> list[Finding]:
    """Recommended things that the shop does not have: by id, or by a name that nothing shown goes by."""
    assert case.lookup is not None
    named = {citation.start: _named_id(citation) for citation in case.citations}
    wanted = {product_id for product_id in named.values() if product_id} | {
        spot.product_id for spot in case.recommended
    }
    known = case.lookup(sorted(wanted))
    findings = [
        _finding(case, "not_in_catalog", start, citation.end, f"the shop has no product {product_id}")
        for citation in case.citations
        if (start := citation.start) >= 0 and (product_id := _named_id(citation)) and product_id not in known
    ]
    for stranger in find_strangers(case.structure, case.mentions, case.products, case.query.text):
        found = (
            "only web pages are cited for it" if stranger.web_only else "no product of this name was found in the shop"
        )
        findings.append(_finding(case, "not_in_catalog", stranger.start, stranger.end, found))
    return findings


def unresolved_citations(case: Case) -> list[Finding]:
    """Citations that come to nothing that the run was handed."""
    return [
        _finding(case, "unresolved_citation", citation.start, citation.end, "the run was handed no such source")
        for citation in case.citations
        if citation.type == "unresolved"
    ]


def urls_not_seen(case: Case) -> list[Finding]:
    """Addresses that the run never saw."""
    return [
        _finding(case, "url_not_seen", citation.start, citation.end, "the run never saw this page")
        for citation in case.citations
        if citation.type == "web" and citation.evidence_id is None
    ]


def _named_id(citation: Citation) -> str | None:
    """The product id that a citation names, handed out or not."""
    said = citation.evidence_id or citation.url or ""
    if said.startswith("P:"):
        return said[2:]
    if citation.type in ("product", "unresolved") and said.startswith(SHOP_URL + "/"):
        return said.removeprefix(SHOP_URL + "/").strip("/") or None
    return None


def _finding(case: Case, code: str, start: int, end: int, found: str) -> Finding:
    return Finding(code=code, severity="error", start=start, end=end, said=case.report[start:end], found=found)
