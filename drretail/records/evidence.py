"""The evidence that a run has seen, what parts of a system pass on of it, the citations in its report, and findings of
errors.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal, Self

from pydantic import AliasChoices, ConfigDict, Field

from drretail.records.base import Document, Record, sha256_of

EvidenceKind = Literal["product", "web", "order", "user", "calculation", "file"]
TextForm = Literal["card", "record", "snippet", "page", "summary", "file"]
SOURCE_FORMS: frozenset[TextForm] = frozenset({"record", "page", "file"})
"""Forms of a whole source; a snippet is only a search engine's extract of one."""
SourceState = Literal["ok", "no_content", "blocked", "error", "not_found"]
"""``not_found``: there is no such page, host or product; all but "ok" have no text."""


class EvidenceText(Record):
    """One text under an evidence id; ``path`` and ``seq`` name the step that brought it first."""

    form: TextForm
    text: str
    shown: bool
    """True if an agent read this very text."""
    path: str
    seq: int

    @cached_property
    def sha256(self) -> str:
        """Of the text; of a copy that holds a part of one, that of the whole."""
        return sha256_of(self.text)


class Evidence(Document):
    """Everything the run holds under one evidence id; a line of a run's file."""

    id: str
    """What reports cite, such as ``P:B0I5TPX7F1``."""
    kind: EvidenceKind
    """What it is: a product, a page, an order, a user, a calculation, or a file."""
    key: str
    """What the id was made from: a product id, a URL, an expression …"""
    title: str
    """The title that readers are shown."""
    url: str | None = None
    """A web page's address; of a product, the shop's own page if it is known."""
    image: str | None = Field(default=None, exclude_if=lambda image: image is None)
    """The address of a product's picture, which readers may load."""
    date: str | None = None
    """For a web page: the day (YYYY-MM-DD) up to which it may know things, if that is known."""
    texts: tuple[EvidenceText, ...] = ()
    """Its texts that were read, or could have been."""
    state: SourceState = "ok"
    """State of the whole source. A page that could not be read, or that nobody fetched, may still have a snippet."""
    problem: str | None = None
    """Why the state is not "ok", in one sentence."""
    looked_up: bool = Field(default=False, exclude_if=lambda looked_up: not looked_up)
    """True for what was looked up for judging alone.

    Of an import that is a record that its report names, and that its writer may never have read. Of a run it is what
    the report cites and the run never opened.
    """

    @property
    def sources(self) -> tuple[EvidenceText, ...]:
        """The texts that claims are judged against: records, pages and files."""
        return tuple(text for text in self.texts if text.form in SOURCE_FORMS)

    @property
    def is_absent(self) -> bool:
        """True for what a report cites, nobody was handed, and does not exist: it supports nothing."""
        return self.looked_up and self.state == "not_found"

    @property
    def lacks_page(self) -> bool:
        """True for a web page that is known only from searches or summaries."""
        return self.kind == "web" and self.url is not None and not self.sources

    @property
    def is_unfetched(self) -> bool:
        """True for a web page that nobody has tried to read."""
        return self.lacks_page and self.state == "ok"

    def with_page(self, text: str, state: SourceState, date: str | None = None, problem: str | None = None) -> Self:
        """A copy with the fetched page: its text, which no agent read, or the reason why there is none."""
        if state == "ok" and not text.strip():
            state = "no_content"
        changes = {"state": state, "problem": None if state == "ok" else problem, "date": self.date or date}
        if state != "ok":
            return self.model_copy(update=changes)
        path, seq = next(((evidence_text.path, evidence_text.seq) for evidence_text in self.texts), ("0", 0))
        page = EvidenceText(form="page", text=text, shown=False, path=path, seq=seq)
        return self.model_copy(update={**changes, "texts": (*self.texts, page)})


class FetchedPage(Record):
    """A cited page, fetched after its run had ended, or the record of a cited product that no run opened."""

    corpus: str | None = None
    """sha256 of the fixed corpus that it comes from; None for the open web."""
    fetched: str = ""
    """ISO time of the fetch; empty for a record, which is that of the experiment's world."""
    title: str
    text: str
    state: SourceState
    date: str | None = None
    problem: str | None = None


class FetchedPages(Document):
    """exp/sources/<evidence id>.json: a cited page, once for each web that the experiment's systems searched, or a
    product's record.
    """

    id: str
    url: str
    pages: tuple[FetchedPage, ...]


class Source(Record):
    """A text that a tool hands to the ledger, before a step's place in the run is known."""

    id: str
    kind: EvidenceKind
    key: str
    title: str
    url: str | None = None
    image: str | None = None
    """The address of a product's picture, which no agent is shown."""
    form: TextForm
    text: str
    shown: bool = True
    date: str | None = None
    """For a web page: YYYY-MM-DD."""
    state: SourceState = "ok"
    problem: str | None = None

    def as_text(self, path: str, seq: int) -> EvidenceText:
        return EvidenceText(form=self.form, text=self.text, shown=self.shown, path=path, seq=seq)


UnreadReason = Literal["no_entry", "no_address", "uncited", "hidden"]
WHY_UNREAD: Mapping[UnreadReason, str] = {
    "no_entry": "no entry, or several, in a list",
    "no_address": "no address",
    "uncited": "listed, but no mark leads there",
    "hidden": "in code or hidden",
}
"""Why a token of a report is not read, in words: no list has an entry for it, or entries with other sources have its
label; its entry has no address; no mark leads to it, and marks lead to fewer than half of the listed sources, which are
cited in a style that is not read, or nowhere; it stands in code, or where no browser or not every one shows it. What is
read may lead nowhere: an id or a product that the run was never handed.
"""


class Citation(Record):
    """One reference in a report; ``start`` and ``end`` are character offsets of the marker."""

    marker: str
    """The text in the report, such as ``[P:B0I5TPX7F1]``."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    evidence_id: str | None = None
    """None if it leads nowhere."""
    url: str | None = None
    """Address of a cited web page."""
    type: Literal["web", "product", "internal", "unresolved"]
    """``internal`` is the shop's own data of users and orders; ``unresolved`` leads nowhere, or was not read."""
    unread: UnreadReason | None = Field(default=None, exclude_if=lambda reason: reason is None)
    """Why it was not read: nobody is accused of it."""

    @property
    def leads_nowhere(self) -> bool:
        return self.type == "unresolved" and not self.unread


MOST_UNREAD = 0.05
"""The share of a system's citations that may be unread: above it nothing is concluded from what rests on them."""
CITATIONS_READ = "citations_read"
"""The variant whose items hold these counts."""
NOT_READ = "not read: "
"""How the names of items begin that count citations by the reason why they were not read."""


class CitationCounts(Record):
    """How many citations of reports were read, stand in lists of sources, and were not read."""

    read: int = 0
    listed: int = 0
    """Marks and addresses in lists, which cite nothing by themselves."""
    not_read: dict[UnreadReason, int] = Field(default_factory=dict[UnreadReason, int])

    @property
    def missing(self) -> int:
        """All that were not read."""
        return sum(self.not_read.values())

    @property
    def in_all(self) -> int:
        """All but the listed ones."""
        return self.read + self.missing

    @property
    def is_empty(self) -> bool:
        return not (self.in_all or self.listed)

    @property
    def is_unread(self) -> bool:
        """True for a report that cites or lists sources, of which no citation could be read: perhaps its export left
        them out.
        """
        return not self.read and not self.is_empty

    @property
    def are_too_many(self) -> bool:
        """True if more than one in twenty was not read."""
        return self.missing > MOST_UNREAD * self.in_all

    def unread_of(self, system: str) -> str:
        """ "12 of 80 citations of bot could not be read (no address: 12)", the commonest reason first."""
        ordered = sorted(self.not_read.items(), key=lambda reason: -reason[1])
        why = ", ".join(f"{WHY_UNREAD[reason]}: {count:,}" for reason, count in ordered)
        return f"{self.missing:,} of {self.in_all:,} citations of {system} could not be read ({why})"

    @classmethod
    def summed(cls, many: Iterable[Self]) -> Self:
        """The counts of several reports together."""
        every = [*many]
        not_read = sum((Counter(counts.not_read) for counts in every), Counter[UnreadReason]())
        read, listed = sum(counts.read for counts in every), sum(counts.listed for counts in every)
        return cls(read=read, listed=listed, not_read=not_read)


class Finding(Record):
    """One thing found wrong; the same shape for checks, verifier and query lint."""

    model_config = ConfigDict(serialize_by_alias=True)

    code: str
    severity: Literal["error", "warning"]
    start: int | None = None
    end: int | None = None
    text: str = Field(validation_alias=AliasChoices("said", "text"), serialization_alias="said")
    found: str | None = None
    evidence_id: str | None = None


class Insight(Record):
    """One finding that helps to answer the sub-problem."""

    statement: str = Field(min_length=1)
    citations: tuple[str, ...] = Field(
        description="The evidence ids that it rests on, such as P:B0… or W:…, without brackets; empty where none."
    )


class SourceNote(Record):
    """One source with the facts that a report needs of it."""

    evidence: str = Field(min_length=1, description="Its evidence id.")
    title: str
    url: str | None = None
    facts: str = Field(
        min_length=1,
        description="Figures and words as the source has them: price, rating, number of ratings, sizes, advice.",
    )


class IntermediateReport(Record):
    """What one researcher found, consolidated, with its sources."""

    insights: tuple[Insight, ...]
    sources: tuple[SourceNote, ...]
    open_questions: tuple[str, ...]


class PageSummary(Record):
    """A web page in few words, as far as it bears on a search."""

    relevant: bool = Field(default=True, description="Whether the page holds anything on the search.")
    summary: str = Field(default="", description="Blank where the page is not relevant.")
    quotes: tuple[str, ...] = Field(default=(), description="Sentences of the page, word for word.")


class FileAnswer(Record):
    """What a part of a file says on a question."""

    found: bool = Field(description="Whether it holds anything on the question.")
    answer: str = Field(default="", description="Blank where nothing was found.")
    quotes: tuple[str, ...] = Field(default=(), description="Lines or sentences of the file, word for word.")
