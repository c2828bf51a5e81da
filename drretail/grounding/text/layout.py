"""The stretches of a report that its citations own, and the cells of its tables with their labels and subjects.

A mark owns the text back to the mark before it, or to the beginning of its sentence, list item, heading or cell; and
figures that stand directly behind it, where none stand before it: "the kit [P:B1] ($43.99, 4.5 stars)".
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from drretail.grounding.citations import Cited, CitingMark, Known, as_entries, citing_marks, listed_sources
from drretail.grounding.evidence_ids import product_evidence_id
from drretail.grounding.markup import blanked, prose
from drretail.grounding.sentences import Sentence, find_sentences
from drretail.records.shop import SHOP_URL

_BAR = re.compile(r"(?<!\\)\|")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Of what stands between marks of one group: "[P:…][W:…]", "[P:…], [W:…]".
_WITHIN_GROUP = re.compile(r"[\s,;]{0,2}")
_FIGURES_BEHIND = re.compile(
    r"[\s,:;–—(*·|=-]*(?:\b(?:costs?|is|at|for|has|comes?|in|runs?|priced|rated|sells?|with|holds?|carries)\s+){0,3}"
    r"(?=[$€£¥★⭐~]|US|\d)(?:[^\w\n;]|\d|\b(?:stars?|ratings?|reviews?|out|of|from|and|with|USD|EUR|dollars?)\b)+"
)
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Stretch:
    """``report[start:end]`` is said of ``cited``, its marks at the end, or before the figures behind them.

    What stands behind the last mark of a sentence is a stretch that cites nothing.
    """

    start: int
    end: int
    cited: tuple[str, ...]
    """Evidence ids, or what is said where nothing was found."""
    sentence: int
    """Index of the sentence that it is part of."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell below the head of a table; ``labels`` are its column's head and its row's first cell, in plain words."""

    start: int
    end: int
    row: int
    column: int
    labels: tuple[str, ...]
    subjects: tuple[str, ...]
    """The evidence ids that the cell cites, else those that its row or else its column cites, where that is one."""


@dataclass(frozen=True)
class Layout:
    """A report in parts. ``text`` is as long as the report, with code, reference lists and marks blanked."""

    report: str
    text: str
    sentences: tuple[Sentence, ...]
    stretches: tuple[Stretch, ...]
    cells: tuple[Cell, ...]

    @cached_property
    def cited(self) -> Mapping[int, tuple[str, ...]]:
        """All that each sentence cites, by its index."""
        by_sentence: dict[int, dict[str, None]] = {}
        for stretch in self.stretches:
            by_sentence.setdefault(stretch.sentence, {}).update(dict.fromkeys(stretch.cited))
        return {index: tuple(cited) for index, cited in by_sentence.items()}


@dataclass(frozen=True, slots=True)
class _Group:
    """Marks that stand together."""

    start: int
    end: int
    cited: tuple[str, ...]


def read_layout(report: str, evidence: Known | None) -> Layout:
    """The layout of a report, whose citations are resolved against ``evidence``."""
    evidence = as_entries(evidence)
    marks = list(citing_marks(report, evidence))
    groups = list(_groups(report, marks))
    starts = [group.start for group in groups]
    plain = blanked(prose(report), listed_sources(report, evidence).spans)
    text = _without_marks(plain, report, marks)
    sentences = tuple(find_sentences(report))
    stretches: list[Stretch] = []
    tables: list[list[int]] = []
    for index, sentence in enumerate(sentences):
        inside = groups[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if sentence.kind in ("row", "table_head"):
            if not tables or tables[-1][-1] != index - 1 or sentence.kind == "table_head":
                tables.append([])
            tables[-1].append(index)
            for start, end in _row_cells(text, sentence):
                stretches += _owned(text, start, end, [it for it in inside if start <= it.start < end], index)
        else:
            stretches += _owned(text, sentence.start, sentence.end, inside, index)
    cells = [cell for table in tables for cell in _table(text, [sentences[it] for it in table], groups)]
    return Layout(report, text, sentences, tuple(stretches), tuple(cells))


def _without_marks(plain: str, report: str, marks: Sequence[CitingMark]) -> str:
    """Marks blanked, but for the words of links, which belong to the sentence."""
    spans: list[tuple[int, int]] = []
    for mark in marks:
        words, arrow, _ = report[mark.start : mark.end].partition("](")
        is_link = arrow and mark.cited[0].said not in words
        spans += (
            [(mark.start, mark.start + 1), (mark.start + len(words), mark.end)] if is_link else [(mark.start, mark.end)]
        )
    return blanked(plain, spans)


def _groups(report: str, marks: Sequence[CitingMark]) -> Iterator[_Group]:
    run: list[CitingMark] = []
    for mark in marks:
        if run and not _WITHIN_GROUP.fullmatch(report, run[-1].end, mark.start):
            yield _group(run)
            run = []
        run.append(mark)
    if run:
        yield _group(run)


def _group(run: Sequence[CitingMark]) -> _Group:
    cited = tuple(dict.fromkeys(_source(cited) for mark in run for cited in mark.cited))
    return _Group(run[0].start, run[-1].end, cited)


def _source(cited: Cited) -> str:
    """The evidence id; of a report from elsewhere, without a ledger, that of the product whose address is cited."""
    if cited.entry is None and cited.type == "product" and cited.url:
        return product_evidence_id(cited.url.removeprefix(f"{SHOP_URL}/").strip("/"))
    return cited.source


def _owned(text: str, start: int, end: int, groups: Sequence[_Group], sentence: int) -> Iterator[Stretch]:
    position = start
    for index, group in enumerate(groups):
        limit = groups[index + 1].start if index + 1 < len(groups) else end
        behind = _FIGURES_BEHIND.match(text, group.end, limit)
        stop = behind.end() if behind and not _FIGURE.search(text, position, group.end) else group.end
        yield Stretch(position, stop, group.cited, sentence)
        position = stop
    if groups and _FIGURE.search(text, position, end):
        yield Stretch(position, end, (), sentence)


def _row_cells(text: str, row: Sentence) -> list[tuple[int, int]]:
    bars = [match.start() for match in _BAR.finditer(text, row.start, row.end)]
    edges = [row.start - 1, *bars, row.end] if bars[:1] != [row.start] else [*bars, row.end]
    spans = [(left + 1, right) for left, right in pairwise(edges)]
    return spans[:-1] if spans and not text[slice(*spans[-1])].strip() and bars[-1:] == [row.end - 1] else spans


def _table(text: str, rows: Sequence[Sentence], groups: Sequence[_Group]) -> Iterator[Cell]:
    """The cells of a table, whose first row is its head where it has one."""
    starts = [group.start for group in groups]

    def cited(start: int, end: int) -> tuple[str, ...]:
        inside = groups[bisect_left(starts, start) : bisect_left(starts, end)]
        return tuple(dict.fromkeys(it for group in inside for it in group.cited if it[:2] in ("P:", "O:", "C:")))

    grid = [_row_cells(text, row) for row in rows]
    columns: dict[int, list[str]] = {}
    for spans in grid:
        for number, span in enumerate(spans):
            columns.setdefault(number, []).extend(it for it in cited(*span) if it[:2] == "P:")
    heads = grid[0] if rows[0].kind == "table_head" else []
    for index, spans in enumerate(grid[1:] if heads else grid):
        of_row = tuple(dict.fromkeys(it for span in spans for it in cited(*span) if it[:2] == "P:"))
        for number, span in enumerate(spans):
            of_column = tuple(dict.fromkeys(columns.get(number, [])))
            inherited = of_row if len(of_row) == 1 else of_column if len(of_column) == 1 and not of_row else ()
            # A row of sources cites several products, and each is its own column's.
            inherited = inherited or (of_column if len(of_column) == 1 else ())
            labels = [_label(text, *heads[number])] if number < len(heads) else []
            labels += [_label(text, *spans[0])] if number else []
            yield Cell(*span, index, number, tuple(filter(None, labels)), cited(*span) or inherited)


def _label(text: str, start: int, end: int) -> str:
    """The words of a head or a first cell, without brackets, marks of emphasis and case."""
    words = _BRACKETS.sub(" ", text[start:end])
    return " ".join(re.sub(r"[^\w#★⭐%/' ]", " ", words).casefold().split())
