"""The sources that an imported report names, as evidence that nobody has fetched, and what its citations come to."""

from dataclasses import dataclass

from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line
from drretail.grounding.report.citations import Cited, address_of, citing_marks, find_citations, listed_sources
from drretail.grounding.report.evidence_ids import normalise_url, product_evidence_id, web_evidence_id
from drretail.records.evidence import Citation, Evidence

NO_SHOP = "The report was imported without the shop's records."


@dataclass(frozen=True, slots=True)
class CitedSources:
    """What a report rests on, as far as it says so."""

    evidence: tuple[Evidence, ...]
    """A page or product each, cited or only listed; none has a text."""
    citations: tuple[Citation, ...]

    @property
    def cited(self) -> int:
        """How many different sources the text points to."""
        return len({it.evidence_id for it in self.citations if it.evidence_id is not None})

    @property
    def unresolved(self) -> int:
        """How many citations lead nowhere: no entry, an entry without an address, an id of somebody's ledger."""
        return sum(it.type == "unresolved" for it in self.citations)


def cited_sources(report: str) -> CitedSources:
    """The sources and citations of a report that came without a ledger; its text is left as it is.

    Addresses that differ in http and https or in www. alone are one source, the first of them its address.
    """
    marks = (cited for mark in citing_marks(report, None) for cited in mark.cited)
    named: dict[str, Evidence] = {}
    for cited in (*marks, *listed_sources(report, None).cited):
        if cited.url is None:
            continue
        held = named.setdefault(address_of(cited.url), _evidence(cited))
        if held.title == held.url and cited.title:
            named[address_of(cited.url)] = held.model_copy(update={"title": clean_line(cited.title, LONGEST_TITLE)})
    evidence = tuple(named.values())
    return CitedSources(evidence, tuple(find_citations(report, evidence)))


def _evidence(cited: Cited) -> Evidence:
    url = cited.url or ""
    title = clean_line(cited.title, LONGEST_TITLE) or url
    if cited.type == "product":
        key = url.rstrip("/").rpartition("/")[2]
        product = {"id": product_evidence_id(key), "kind": "product", "key": key, "state": "error", "problem": NO_SHOP}
        return Evidence.model_validate({**product, "title": title, "url": url})
    return Evidence(id=web_evidence_id(url), kind="web", key=normalise_url(url), title=title, url=url)
