"""What a run has seen, what its report cites of it, and what is found wrong."""

from typing import Literal

from drretail.records.base import Document, Record, sha256_of

EvidenceKind = Literal["product", "web", "order", "user", "calculation", "file"]
TextForm = Literal["card", "record", "snippet", "page", "summary", "file"]
SOURCE_FORMS: frozenset[TextForm] = frozenset({"record", "snippet", "page", "file"})
SourceState = Literal["ok", "no_content", "blocked", "error"]


class EvidenceText(Record):
    """One text under an evidence id; ``path`` and ``seq`` name the step that brought it first."""

    sha256: str
    form: TextForm
    text: str
    shown: bool
    """True when an agent read this very text."""
    path: str
    seq: int


class Evidence(Document):
    """Everything the run holds under one evidence id; a line of evidence.jsonl."""

    id: str
    kind: EvidenceKind
    key: str
    """What the id was made from: a product id, a URL, an expression …"""
    title: str
    url: str | None = None
    date: str | None = None
    """Of a web page: the day (YYYY-MM-DD) up to which it may know things, where that is known."""
    texts: tuple[EvidenceText, ...] = ()
    state: SourceState = "ok"
    """Of the whole source; a page that could not be read may still have a snippet among its texts."""
    problem: str | None = None
    """Why it is not "ok", in a sentence."""

    @property
    def sources(self) -> tuple[EvidenceText, ...]:
        """The texts that claims are judged against: records, snippets, pages and files."""
        return tuple(text for text in self.texts if text.form in SOURCE_FORMS)


class Source(Record):
    """A text that a tool hands to the ledger, before a step's place in the run is known."""

    id: str
    kind: EvidenceKind
    key: str
    title: str
    url: str | None = None
    form: TextForm
    text: str
    shown: bool = True
    date: str | None = None
    """YYYY-MM-DD, of web pages."""
    state: SourceState = "ok"
    problem: str | None = None

    def as_text(self, path: str, seq: int) -> EvidenceText:
        return EvidenceText(
            sha256=sha256_of(self.text), form=self.form, text=self.text, shown=self.shown, path=path, seq=seq
        )


class Citation(Record):
    """One reference in a report; ``start`` and ``end`` are character offsets of the marker."""

    marker: str
    start: int
    end: int
    evidence_id: str | None = None
    url: str | None = None
    type: Literal["web", "product", "internal", "unresolved"]


class Finding(Record):
    """One thing found wrong; the same shape for checks, verifier, query lint and planted errors."""

    code: str
    severity: Literal["error", "warning"]
    start: int | None = None
    end: int | None = None
    said: str
    found: str | None = None
    evidence_id: str | None = None
