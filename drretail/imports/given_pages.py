"""Cited pages that lie in a folder or a file of the user's: kept with the experiment as fetched ones are."""

import mimetypes
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drretail.env.web.base import WebPage
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.cleaning import cleaned_page
from drretail.env.web.reading.page import read_page
from drretail.errors import UserError
from drretail.experiment import read_definition, read_evidence, read_runs, run_folder, sources_path
from drretail.files import write_json
from drretail.grounding.report.citations import address_of
from drretail.imports.rows import Row, read_rows, read_text, stem
from drretail.records.evidence import FetchedPage, FetchedPages

INDEX = "index.jsonl"
FORM = f"{INDEX} of {{url, file}}, or a file of {{url, title, text, date?}} a line"
_HTML = (".html", ".htm", ".xhtml")


def read_pages(given: Path) -> list[WebPage]:
    """The pages of a folder or a file, cleaned as fetched ones are. Raises UserError where nothing of ``FORM`` is."""
    pages = list(_pages(given))
    if not pages:
        raise UserError(f"{given} holds no page: give a folder with {FORM}.")
    return pages


def keep_pages(experiment: Path, pages: Iterable[WebPage]) -> int:
    """Puts those pages that reports name into exp/sources; how many these are.

    Only imported reports and runs on the open web are completed. The experiment must be held for writing.
    """
    wanted = _named(experiment)
    kept: set[str] = set()
    for page in pages:
        found = wanted.get(address_of(page.url))
        if found is not None:
            _keep(experiment, *found, page)
            kept.add(found[0])
    return len(kept)


def _named(experiment: Path) -> dict[str, tuple[str, str]]:
    """Id and address of every page that reports name, by how addresses are compared."""
    systems = read_definition(experiment).systems
    found: dict[str, tuple[str, str]] = {}
    for run in read_runs(experiment):
        if systems[run.system].web_is_live:
            for entry in read_evidence(run_folder(experiment, run.system, run.query_id, run.repeat)):
                if entry.kind == "web" and entry.url:
                    found.setdefault(address_of(entry.url), (entry.id, entry.url))
    return found


def _keep(experiment: Path, evidence_id: str, url: str, page: WebPage) -> None:
    fetched = FetchedPage(
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
        title=page.title,
        text=page.text,
        state=page.state,
        date=page.date,
        problem=page.problem,
    )
    document = FetchedPages(id=evidence_id, url=url, pages=(fetched,))
    write_json(sources_path(experiment, evidence_id), document.model_dump(mode="json", exclude_none=True))


def _pages(given: Path) -> Iterator[WebPage]:
    index = given / INDEX if given.is_dir() else given
    if not index.is_file():
        raise UserError(f"{index} does not exist: pages are given as {FORM}.")
    for row in read_rows(index, _is_page):
        page = _page_of_file(row, index.parent) if "file" in row.value else _page_of_row(row)
        yield cleaned_page(page)


def _is_page(value: dict[str, Any]) -> bool:
    return "url" in value and any(name in value for name in ("file", "text", "page_body"))


def _page_of_row(row: Row) -> WebPage:
    text = row.text("text", "page_body")
    state = "ok" if text else "no_content"
    return WebPage(row.id("url"), row.text("title"), text, state, row.text("date") or None)


def _page_of_file(row: Row, folder: Path) -> WebPage:
    """A page of a file that lies in the folder, HTML read as pages of the web are."""
    url, file = row.id("url"), folder / row.id("file")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{row.where}: {row.text('file')!r} lies outside {folder}.")
    text = read_text(file)
    name = file.name.removesuffix(".gz")
    if not name.casefold().endswith(_HTML) and mimetypes.guess_type(name)[0] != "text/html":
        return WebPage(url, row.text("title") or stem(file), text, "ok" if text.strip() else "no_content")
    return read_page(Fetched(url, url, "ok", content_type="text/html", charset="utf-8", body=text.encode()))
