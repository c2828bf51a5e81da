"""The claims of a report, with the sources that it names for each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drretail.grounding.citations import CitingMark, citing_marks
from drretail.grounding.sentences import Sentence, find_sentences
from drretail.llm.offline.judge.speech import is_claim

_LINK = re.compile(r"\[(?P<words>[^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\))?[^()\s]*\)")
_ONLY_MARKS = re.compile(r"(?:[POUWCF]:[\w@-]+|\^?\d+|[\s,;])+")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"\s+([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
# What follows the last mark behind one of these is not what the mark is for.
_NEXT_CLAUSE = re.compile(r"\s*(?:[:;—]|,\s+so\b)\s+\S+\s+\S+")
# An entry that only names something, such as "**Fur Bed** [P:…]".
_ONLY_NAMED = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:.]?\s*")


@dataclass(frozen=True, slots=True)
class Found:
    """One claim; ``quote`` is its sentence as it stands in the report."""

    claim: str
    quote: str
    sources: tuple[str, ...]


def extract_claims(report: str, *, only_cited: bool) -> list[Found]:
    """The report's claims in order, each once with the same sources."""
    marks = list(citing_marks(report, None))
    found: dict[tuple[str, tuple[str, ...]], Found] = {}
    position = 0
    for sentence in find_sentences(report):
        while position < len(marks) and marks[position].end <= sentence.start:
            position += 1
        inside = [mark for mark in marks[position:] if mark.start < sentence.end]
        claim = _claim(report, sentence, inside)
        if claim is not None and (claim.sources or not only_cited):
            found.setdefault((claim.claim.casefold(), claim.sources), claim)
    return list(found.values())


def _claim(report: str, sentence: Sentence, marks: Sequence[CitingMark]) -> Found | None:
    if sentence.kind in ("heading", "table_head"):
        return None
    sources = tuple(dict.fromkeys(cited.said for mark in marks for cited in mark.cited))
    end = sentence.end
    if marks and sentence.kind != "row" and _NEXT_CLAUSE.match(report, marks[-1].end, end):
        end = marks[-1].end
    unmarked = _unmarked(report, sentence.start, end, marks)
    if sentence.kind == "row":
        text = _row(unmarked, report, sentence)
    else:
        text = "" if _ONLY_NAMED.fullmatch(unmarked) else _plain(unmarked)
    if not text or not is_claim(text, cited=bool(sources), is_row=sentence.kind == "row"):
        return None
    return Found(text, report[sentence.start : sentence.end], sources)


def _unmarked(report: str, start: int, end: int, marks: Sequence[CitingMark]) -> str:
    """The sentence without its marks; of a link its words stay, unless they are a mark themselves."""
    parts: list[str] = []
    position = start
    for mark in marks:
        link = _LINK.fullmatch(report[mark.start : mark.end])
        words = link["words"] if link and not _ONLY_MARKS.fullmatch(link["words"]) else ""
        parts += [report[position : mark.start], words]
        position = mark.end
    return "".join([*parts, report[position:end]])


def _plain(text: str) -> str:
    text = _EMPTY_BRACKETS.sub("", _EMPHASIS.sub("", text))
    return _BEFORE_STOP.sub(r"\1", " ".join(text.split())).strip()


def _row(row: str, report: str, sentence: Sentence) -> str:
    """A table's row in words: what it is about, then each cell under its column's name."""
    cells = _cells(row)
    head = _cells(report[slice(*sentence.head)]) if sentence.head else []
    named = [
        f"{name}: {cell}" if name and index else cell
        for index, (name, cell) in enumerate(zip([*head, *[""] * len(cells)], cells, strict=False))
        if cell
    ]
    return "; ".join(named)


def _cells(row: str) -> list[str]:
    return [_plain(cell) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
