"""The claims of a report, with the sources that it names for each: sentences, list items, rows and cells of tables."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from drretail.grounding.report.citations import CitingMark, citing_marks
from drretail.grounding.text.sentences import Sentence, find_sentences
from drretail.grounding.text.words import STOP_WORDS, content_words, words

_LINK = re.compile(r"\[(?P<words>[^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\))?[^()\s]*\)")
_ONLY_MARKS = re.compile(r"(?:[POUWCFS]:(?:(?![POUWCFS]:)[\w@.-])++|\^?\d++|[\s,;]++)++")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
# An entry that only names something, such as "**Fur Bed** [P:…]".
_ONLY_NAMED = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:.]?\s*")
_BAR = re.compile(r"(?<!\\)\|")
_FEWEST_WORDS = 3
_FEWEST_UNCITED = 4
# In advice, and where the writers speak of themselves, nothing is stated that a source could bear out.
_ADVISING = frozenset("should would could might may let let's please i i'd i'm i've me my we our".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Found:
    """One claim; ``quote`` is its sentence or row as it stands in the report."""

    claim: str
    quote: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell in plain words, with the sources of its marks."""

    text: str
    sources: tuple[str, ...]


def extract_claims(report: str, *, only_cited: bool) -> list[Found]:
    """The report's claims in order, each once with the same sources; uncited ones unless ``only_cited``."""
    marks = list(citing_marks(report, None))
    found: dict[tuple[str, tuple[str, ...]], Found] = {}
    for head, group in groupby(find_sentences(report), key=lambda sentence: sentence.head):
        sentences = list(group)
        claims = _of_text(report, sentences, marks) if head is None else _of_table(report, head, sentences, marks)
        for claim in claims:
            if claim.sources or not only_cited:
                found.setdefault((claim.claim.casefold(), claim.sources), claim)
    return list(found.values())


def _of_text(report: str, sentences: Iterable[Sentence], marks: Sequence[CitingMark]) -> Iterator[Found]:
    for sentence in sentences:
        if sentence.kind in ("heading", "table_head"):
            continue
        inside = _inside(marks, sentence.start, sentence.end)
        sources = _sources(inside)
        unmarked = _unmarked(report, sentence.start, sentence.end, inside)
        text = _plain(unmarked)
        if _states(text, cited=bool(sources)) and not _ONLY_NAMED.fullmatch(unmarked):
            yield Found(text, report[sentence.start : sentence.end], sources)


def _states(text: str, *, cited: bool) -> bool:
    """True for what could be found true or false; without a source, advice and what names little is left out."""
    if _QUESTION.search(text):
        return False
    spoken, figures = list(words(text)), re.findall(r"\d+", text)
    length = len(content_words(text)) + len(figures)
    if cited:
        return length > 0 and len(spoken) + len(figures) >= _FEWEST_WORDS
    is_statement = bool(figures or text.endswith((".", "!")) or STOP_WORDS & set(spoken))
    return is_statement and length >= _FEWEST_UNCITED and not _ADVISING & set(spoken)


def _of_table(
    report: str, head: tuple[int, int], rows: Sequence[Sentence], marks: Sequence[CitingMark]
) -> Iterator[Found]:
    """One claim a row; of a table with its sources by column, or in several cells of a row, one a cell."""
    names = _cells(report, *head, marks)
    table = [(row, _cells(report, row.start, row.end, marks)) for row in rows]
    columns = _by_column([names, *(cells for _, cells in table)])
    for row, cells in table:
        quote = report[row.start : row.end]
        label = cells[0].text if cells else ""
        marked = {cell.sources for cell in cells[1:] if cell.sources}
        if any(columns) or len(marked) > 1:
            for index, cell in enumerate(cells[1:], 1):
                sources = cell.sources or (columns[index] if index < len(columns) else ()) or cells[0].sources
                if cell.text:
                    yield Found(_joined([_name(names, index), f"{label}: {cell.text}"]), quote, sources)
            continue
        parts = [
            _joined([_name(names, index), cell.text], ": ") for index, cell in enumerate(cells) if index and cell.text
        ]
        if parts:
            yield Found(_joined([label, *parts]), quote, _distinct(source for cell in cells for source in cell.sources))


def _by_column(table: Sequence[Sequence[_Cell]]) -> list[tuple[str, ...]]:
    """The sources of each column, where its head or a row of nothing but marks gives them."""
    of_columns: list[tuple[str, ...]] = [()] * max((len(cells) for cells in table), default=0)
    for number, cells in enumerate(table):
        is_list_of_sources = len(cells) > 1 and all(cell.sources and not cell.text for cell in cells[1:])
        for index, cell in enumerate(cells):
            if index and cell.sources and (number == 0 or (is_list_of_sources and len(cells) > 2)):
                of_columns[index] = _distinct([*of_columns[index], *cell.sources])
    return of_columns


def _cells(report: str, start: int, end: int, marks: Sequence[CitingMark]) -> list[_Cell]:
    row = report[start:end].rstrip(" \t|")
    bars = [match.start() + start for match in _BAR.finditer(row)]
    if not row.lstrip().startswith("|"):
        bars = [start - 1, *bars]
    cells: list[_Cell] = []
    for bar, following in pairwise([*bars, start + len(row)]):
        inside = _inside(marks, bar + 1, following)
        cells.append(_Cell(_plain(_unmarked(report, bar + 1, following, inside)), _sources(inside)))
    return cells


def _name(names: Sequence[_Cell], index: int) -> str:
    return names[index].text if index < len(names) else ""


def _joined(parts: Iterable[str], by: str = "; ") -> str:
    return by.join(part for part in parts if part)


def _inside(marks: Sequence[CitingMark], start: int, end: int) -> list[CitingMark]:
    """The marks in a stretch, of all marks in text order."""
    first = bisect_right(marks, start, key=lambda mark: mark.end)
    return list(marks[first : bisect_left(marks, end, lo=first, key=lambda mark: mark.start)])


def _sources(marks: Iterable[CitingMark]) -> tuple[str, ...]:
    return _distinct(cited.name for mark in marks for cited in mark.cited)


def _distinct(sources: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sources))


def _unmarked(report: str, start: int, end: int, marks: Sequence[CitingMark]) -> str:
    """The stretch without its marks; of a link its words stay, unless they are a mark themselves."""
    parts: list[str] = []
    for mark in marks:
        link = _LINK.fullmatch(report[mark.start : mark.end])
        parts += [
            report[start : mark.start],
            link["words"] if link and not _ONLY_MARKS.fullmatch(link["words"]) else "",
        ]
        start = mark.end
    return "".join([*parts, report[start:end]])


def _plain(text: str) -> str:
    text = _EMPTY_BRACKETS.sub("", _EMPHASIS.sub("", text))
    return _BEFORE_STOP.sub(r"\1", " ".join(text.split())).strip()
