"""How long a report is."""

from collections.abc import Iterable

from drretail.records.evidence import Citation


def words_of(report: str, citations: Iterable[Citation]) -> int:
    """How many words a reader of the report meets; citations and bare signs are none."""
    kept, end = [], 0
    for citation in sorted(citations, key=lambda citation: citation.start):
        kept.append(report[end : citation.start])
        end = max(end, citation.end)
    text = " ".join([*kept, report[end:]])
    return sum(any(character.isalnum() for character in word) for word in text.split())
