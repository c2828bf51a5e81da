"""The claims of a report with the sources that it names for each: sentences, list items, table rows and cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from drretail.grounding.report.citations import listed_sources
from drretail.grounding.text.layout import Cell, Stretch, read_layout
from drretail.grounding.text.words import STOP_WORDS, content_words, words

_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
# An entry that only names a product, such as "**Fur Bed** [P:…]".
_ONLY_NAMED = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:.]?\s*")
_FEWEST_WORDS = 3
"""The fewest words and figures of a claim with a source."""
_FEWEST_UNCITED = 4
"""The fewest content words and figures of a claim without a source."""
# Too short to count otherwise, but what a shop's assistant is asked for: "It costs $59." "The white one is sold out."
_OFFERED = re.compile(r"[$€£]\s?\d|\b(?:in stock|sold out|out of stock|available)\b", re.IGNORECASE)
# Advice, and sentences about the writer, state nothing that a source could support.
_ADVISING = frozenset("should would could might may let let's please i i'd i'm i've me my we".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Found:
    """One claim; ``quote`` is its sentence or row verbatim from the report."""

    claim: str
    quote: str
    sources: tuple[str, ...]


def extract_claims(report: str, *, only_cited: bool) -> list[Found]:
    """The report's claims in order, without those that repeat a claim with the same sources.

    With ``only_cited``, claims without a source are left out.
    """
    layout = read_layout(report, None)
    listed = {start for start, _, named in listed_sources(report, None).lines if named}
    rows = {row: list(cells) for row, cells in groupby(layout.cells, key=lambda cell: cell.sentence)}
    stretches = {row: list(own) for row, own in groupby(layout.stretches, key=lambda stretch: stretch.sentence)}
    found: dict[tuple[str, tuple[str, ...]], Found] = {}
    heads: Mapping[int, str] = {}
    for index, sentence in enumerate(layout.sentences):
        stated: Iterator[tuple[str, tuple[str, ...]]] = iter(())
        if sentence.kind == "table_head":
            heads = {cell.column: _plain(layout.text[cell.start : cell.end]) for cell in rows.get(index, ())}
        elif sentence.kind == "row":
            named = heads if sentence.head else {}
            stated = _of_row(layout.text, rows.get(index, ()), stretches.get(index, ()), named)
        elif sentence.kind != "heading" and sentence.start not in listed:
            stated = _of_text(layout.text[sentence.start : sentence.end], layout.cited.get(index, ()))
        for claim, sources in stated:
            if sources or not only_cited:
                quote = report[sentence.start : sentence.end]
                found.setdefault((claim.casefold(), sources), Found(claim, quote, sources))
    return list(found.values())


def _of_text(text: str, sources: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentence as a claim, if it can be true or false. Without a source, advice and short
    fragments are no claims.
    """
    claim = _plain(text)
    if _QUESTION.search(claim) or _ONLY_NAMED.fullmatch(text):
        return
    spoken, figures = list(words(claim)), re.findall(r"\d+", claim)
    length = len(content_words(claim)) + len(figures)
    if sources:
        is_claim = length > 0 and len(spoken) + len(figures) >= _FEWEST_WORDS
    else:
        is_statement = bool(figures or claim.endswith((".", "!")) or STOP_WORDS & set(spoken))
        is_claim = is_statement and length >= _FEWEST_UNCITED and not _ADVISING & set(spoken)
        is_claim = is_claim or (length > 0 and len(spoken) > 1 and _OFFERED.search(claim) is not None)
    if is_claim:
        yield claim, sources


def _of_row(
    report: str, cells: Sequence[Cell], stretches: Sequence[Stretch], heads: Mapping[int, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """One claim per row, or one per cell if the cells name different sources."""
    texts = {cell.column: _plain(report[cell.start : cell.end]) for cell in cells}
    own = {
        cell.column: tuple(
            source
            for stretch in stretches
            if cell.start <= stretch.start and stretch.end <= cell.end
            for source in stretch.cited
        )
        or cell.subjects
        for cell in cells
    }
    filled = [column for column, text in texts.items() if column and text]
    label = texts.get(0, "")
    if len({own[column] for column in filled}) > 1:
        for column in filled:
            named = filter(None, (heads.get(column), f"{label}: {texts[column]}"))
            yield "; ".join(named), own[column] or own[0]
    elif filled:
        parts = (": ".join(filter(None, (heads.get(column), texts[column]))) for column in filled)
        yield "; ".join(filter(None, (label, *parts))), tuple(dict.fromkeys(chain(*own.values())))


def _plain(text: str) -> str:
    """The words of a stretch, without emphasis and without the gaps that removed citations leave."""
    return _BEFORE_STOP.sub(r"\1", " ".join(_EMPTY_BRACKETS.sub("", _EMPHASIS.sub("", text)).split())).strip()
