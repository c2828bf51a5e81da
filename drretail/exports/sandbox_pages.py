"""The web pages of an experiment as a corpus of the sandbox: agents and judges read them again without a network."""

from collections.abc import Iterator
from pathlib import Path

from drretail.env.web.sandbox import SandboxPage
from drretail.errors import UserError
from drretail.eval.judging.sources import completed
from drretail.experiment import read_evidence
from drretail.exports.selection import Selection
from drretail.files import write_lines
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.records.base import canonical_json
from drretail.tables.figures import counted


def write(selection: Selection, to: Path) -> str:
    """One page a line, by address; each address once, with the text that was read of it first.

    Raises UserError where no page was read.
    """
    pages: dict[str, SandboxPage] = {}
    for page in _pages(selection):
        pages.setdefault(normalise_url(page.url), page)
    if not pages:
        raise UserError(
            f"No page that the reports of {selection.experiment} cite was read: score --fetch-sources fetches them."
        )
    lines = (canonical_json(pages[url].model_dump(mode="json", exclude_none=True)) for url in sorted(pages))
    write_lines(to, lines)
    return counted(len(pages), "page")


def _pages(selection: Selection) -> Iterator[SandboxPage]:
    for chosen in selection:
        corpus = selection.definition.systems[chosen.run.system].web_corpus
        for raw in read_evidence(chosen.folder):
            entry = completed(selection.experiment, raw, corpus)
            text = next((text.text for text in entry.texts if text.form == "page"), "")
            if entry.url and text.strip():
                yield SandboxPage(url=entry.url, title=entry.title, text=text, date=entry.date)
