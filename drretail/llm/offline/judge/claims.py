"""The claims of a report with the sources that it names for each: sentences, list items, table rows and cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from drretail.grounding.report.citations import listed_sources
from drretail.grounding.text.layout import Cell, Stretch, read_layout
from drretail.grounding.text.words import STOP_WORDS, content_words, words
from drretail.records.evidence import Evidence

_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
# An entry that only names a product, such as "**Fur Bed** [P:…]".
_ONLY_NAMED = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:.]?\s*")
# A product's id without its letter, which only a ledger can tell from other words in brackets, unless it has the form
# of the dataset's.
_BARE_ID = re.compile(r"\[(B0[0-9A-Z]{8})\](?!\()")
_FEWEST_WORDS = 3
"""The fewest words and figures of a claim with a source."""
_FEWEST_UNCITED = 4
"""The fewest content words and figures of a claim without a source."""
_FIGURES = re.compile(r"[^\w]*\d[\W\d]*")
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
    bare = _named_bare(report)
    layout = read_layout(report, bare.values() or None)
    listed = {start for start, _, named in listed_sources(report, None).lines if named}
    rows = {row: list(cells) for row, cells in groupby(layout.cells, key=lambda cell: cell.sentence)}
    stretches = {row: list(own) for row, own in groupby(layout.stretches, key=lambda stretch: stretch.sentence)}
    claims: dict[tuple[str, tuple[str, ...]], Found] = {}
    heads: Mapping[int, str] = {}
    name, of_name = "", tuple[str, ...]()
    for index, sentence in enumerate(layout.sentences):
        stated: Iterator[tuple[str, tuple[str, ...]]] = iter(())
        if sentence.kind == "table_head":
            heads = {cell.column: _plain(layout.text[cell.start : cell.end]) for cell in rows.get(index, ())}
        elif sentence.kind == "row":
            named = heads if sentence.head else {}
            stated = _of_row(layout.text, rows.get(index, ()), stretches.get(index, ()), named)
        elif sentence.start not in listed:
            text, cited = layout.text[sentence.start : sentence.end], layout.cited.get(index, ())
            if sentence.kind == "heading" or _ONLY_NAMED.fullmatch(text):
                name, of_name = _plain(text).strip("# :."), cited
            elif name and _FIGURES.fullmatch(text) and (cited or of_name or _OFFERED.search(text)):
                # a price on a line of its own, below nothing but a name
                stated = iter([(f"{name}: {_plain(text)}", cited or of_name)])
            else:
                name, stated = "", _of_text(text, cited)
        for claim, named in stated:
            sources = tuple(bare[one].key if one in bare and one not in report else one for one in named)
            if sources or not only_cited:
                quote = report[sentence.start : sentence.end]
                claims.setdefault((claim.casefold(), sources), Found(claim, quote, sources))
    return list(claims.values())


def _named_bare(report: str) -> dict[str, Evidence]:
    """Products that a report names by ids without a letter, as a ledger would have them."""
    entries = (Evidence(id=f"P:{key}", kind="product", key=key, title=key) for key in _BARE_ID.findall(report))
    return {entry.id: entry for entry in entries}


def _of_text(text: str, sources: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentence as a claim, if it can be true or false. Without a source, advice and short
    fragments are no claims.
    """
    claim = _plain(text)
    if _QUESTION.search(claim):
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
