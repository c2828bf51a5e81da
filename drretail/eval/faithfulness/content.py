"""Stage 2: the texts that claims are judged against, from the ledger of the run.

Judged against is what the sources say (records, snippets, pages), never what the agent made of it: a summary that
distorts its page must not vouch for the claims drawn from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.prompts import tagged
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.score import SourceRef


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of one source."""

    id: str
    text: EvidenceText
    date: str | None = None
    """Of a web page, where it is known."""

    @property
    def ref(self) -> SourceRef:
        return SourceRef(id=self.id, sha256=self.text.sha256)


@dataclass(frozen=True, slots=True)
class Content:
    """What a unit's sources hold. Without texts the unit is unverifiable."""

    texts: tuple[SourceText, ...]
    unreadable: tuple[str, ...]
    """Sources that could not be read: not in the ledger, blocked, in error, or empty."""


def content_of(sources: Sequence[str], evidence: Mapping[str, Evidence]) -> Content:
    """The readable texts of the sources."""
    texts: list[SourceText] = []
    unreadable: list[str] = []
    for source in sources:
        entry = evidence.get(source)
        # Of a page that could not be read there may be the snippet that the agent was shown.
        found = () if entry is None else _readable(entry)
        texts += found
        if not found:
            unreadable.append(source)
    return Content(tuple(texts), tuple(unreadable))


def _readable(entry: Evidence) -> list[SourceText]:
    return [SourceText(entry.id, text, entry.date) for text in entry.sources if text.text.strip()]


def summaries_of(sources: Sequence[str], evidence: Mapping[str, Evidence]) -> tuple[SourceText, ...]:
    """What the agent read instead of the sources: the summaries of their pages."""
    entries = [entry for source in sources if (entry := evidence.get(source)) is not None]
    return tuple(
        SourceText(entry.id, text, entry.date)
        for entry in entries
        for text in entry.texts
        if text.form == "summary" and text.shown and text.text.strip()
    )


def source_tags(texts: Sequence[SourceText]) -> str:
    """The texts for a prompt, each in a ``<source id="…">`` tag, with the page's date where it is known."""
    return "\n\n".join(
        tagged("source", source.text.text, id=source.id, **({"date": source.date} if source.date else {}))
        for source in texts
    )
