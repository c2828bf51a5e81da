"""Sources that an imported report names, as evidence that nobody fetched, and pages of them that the user gives."""

import mimetypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from drretail.addons.imports.rows import Row, read_rows, read_text, redacted, stem
from drretail.env.web.base import WebPage
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line, cleaned_page
from drretail.env.web.reading.page import read_page
from drretail.errors import UserError
from drretail.experiment import read_definition, read_evidence, read_runs, run_folder, sources_path
from drretail.files import write_json
from drretail.grounding.report.citations import (
    Cited,
    address_of,
    citing_marks,
    find_citations,
    leads_to_no_source,
    listed_sources,
    shop_place,
)
from drretail.grounding.report.evidence_ids import normalise_url, product_evidence_id, web_evidence_id
from drretail.records.evidence import Citation, Evidence, FetchedPage, FetchedPages

NO_SHOP = "The report was imported without the shop's records."


@dataclass(frozen=True, slots=True)
class CitedSources:
    """The sources of a report, as far as it names them."""

    evidence: tuple[Evidence, ...]
    """One entry per page or product, cited, only listed, or seen by the writer. Only those that were
    seen have texts.
    """
    citations: tuple[Citation, ...]
    listed: int
    """How many of them the report names, by an address or by an id."""
    unread: bool
    """True if it has marks or names sources, but no citation leads to one. Perhaps the export left out addresses."""

    @property
    def cited(self) -> int:
        """How many distinct sources the citations lead to."""
        return len({citation.evidence_id for citation in self.citations if citation.evidence_id is not None})

    @property
    def unresolved(self) -> int:
        """How many citations lead nowhere: to no entry, to an entry without an address, or to an id of
        another ledger.
        """
        return sum(citation.type == "unresolved" for citation in self.citations)


def cited_sources(report: str, seen: Sequence[Evidence] = ()) -> CitedSources:
    """The sources and citations of a report, whose text is left as it is. ``seen`` is the evidence that its writer was
    shown.

    Addresses that differ only in http and https, or in www., are one source; its address is the first of them.
    """
    marks = (cited for mark in citing_marks(report, None) for cited in mark.cited)
    known = {address_of(entry.url) if entry.url else entry.id: entry for entry in seen}
    of_shop = {shop_place(entry.url): entry for entry in seen if entry.looked_up and entry.url}
    named: dict[str, Evidence] = {}
    listed = listed_sources(report, None)
    for cited in (*marks, *listed.cited):
        if cited.url is None:
            continue
        address = address_of(cited.url)
        if (product := of_shop.get(shop_place(cited.url))) is not None:
            address = address_of(product.url or "")
        held = named.setdefault(address, known.get(address) or _evidence(cited))
        if held.title == held.url and cited.title:
            named[address] = held.model_copy(update={"title": clean_line(cited.title, LONGEST_TITLE)})
    evidence = tuple({**known, **named}.values())
    citations = tuple(find_citations(report, evidence))
    by_id = {citation.evidence_id for citation in citations if citation.evidence_id is not None}
    in_all = by_id | {entry.id for entry in named.values()}
    return CitedSources(evidence, citations, len(in_all), leads_to_no_source(report, citations))


def _evidence(cited: Cited) -> Evidence:
    url = cited.url or ""
    title = clean_line(cited.title, LONGEST_TITLE) or url
    if cited.type == "product":
        key = url.rstrip("/").rpartition("/")[2]
        product = {"id": product_evidence_id(key), "kind": "product", "key": key, "state": "error", "problem": NO_SHOP}
        return Evidence.model_validate({**product, "title": title, "url": url})
    return Evidence(id=web_evidence_id(url), kind="web", key=normalise_url(url), title=title, url=url)


INDEX = "index.jsonl"
FORM = f"{INDEX} of {{url, file}}, or a file of {{url, title, text, date?}} a line"
_CONTENT = frozenset({"file", "text", "page_body"})
_HTML = (".html", ".htm", ".xhtml")


def read_pages(place: Path) -> list[WebPage]:
    """The pages in a folder or a file, cleaned like fetched ones. Raises UserError if nothing there has the form
    ``FORM``.
    """
    index = place / INDEX if place.is_dir() else place
    if not index.is_file():
        raise UserError(f"{index} does not exist: pages are given as {FORM}.")
    rows = read_rows(index, lambda value: "url" in value and not _CONTENT.isdisjoint(value))
    cleaned = (cleaned_page(_page(row, index.parent)) for row in rows)
    pages = [replace(page, title=redacted(page.title), text=redacted(page.text)) for page in cleaned]
    if not pages:
        raise UserError(f"{place} holds no page: give a folder with {FORM}.")
    return pages


def keep_pages(experiment: Path, pages: Iterable[WebPage]) -> int:
    """Writes the pages that reports name into exp/sources, and returns their number.

    Only imported reports and runs on the open web are completed. The experiment must be locked for writing.
    """
    systems = read_definition(experiment).systems
    named: dict[str, Evidence] = {}
    for run in read_runs(experiment):
        if systems[run.system].web_is_live:
            for entry in read_evidence(run_folder(experiment, run.system, run.query_id, run.repeat)):
                if entry.kind == "web" and entry.url:
                    named.setdefault(address_of(entry.url), entry)
    fetched: set[str] = set()
    for page in pages:
        entry = named.get(address_of(page.url))
        if entry is not None and entry.url:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            fields = {name: getattr(page, name) for name in ("title", "text", "state", "date", "problem")}
            document = FetchedPages(id=entry.id, url=entry.url, pages=(FetchedPage(fetched=when, **fields),))
            write_json(sources_path(experiment, entry.id), document.model_dump(mode="json", exclude_none=True))
            fetched.add(entry.id)
    return len(fetched)


def _page(row: Row, folder: Path) -> WebPage:
    """The page in a row, or in the file within the folder that the row names. HTML is read as pages of the web are."""
    url = row.id("url")
    if "file" not in row.value:
        text = row.text("text", "page_body")
        return WebPage(url, row.text("title"), text, "ok" if text else "no_content", row.text("date") or None)
    file = folder / row.id("file")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{row.where}: {row.text('file')!r} lies outside {folder}.")
    text = read_text(file)
    name = file.name.removesuffix(".gz")
    if not name.casefold().endswith(_HTML) and mimetypes.guess_type(name)[0] != "text/html":
        return WebPage(url, row.text("title") or stem(file), text, "ok" if text.strip() else "no_content")
    return read_page(Fetched(url, url, "ok", content_type="text/html", charset="utf-8", body=text.encode()))
