"""Where a report names products in words: by their title, the front of it, or brand and kind."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drretail.grounding.constraints.demand_words import COMMON
from drretail.grounding.report.markup import URL_START, blanked, prose, url_end
from drretail.grounding.report.reference_list import read_references
from drretail.records.shop import Product

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SEPARATORS = re.compile(r"\s*[,;|–—:(\[]|\s-\s")
_ADDITION = re.compile(r"\s(?:with|for|in|w/)\s", re.IGNORECASE)
# Between two words of one name: a hyphen, a comma, an emphasis mark, a bar.
_GAP = re.compile(r"[^\w\n]{1,4}")
_NOBODY = frozenset({"generic", "unknown", "unbranded", "na"})
_LONGEST_FRONT = 12


@dataclass(frozen=True, slots=True)
class Mention:
    """``report[start:end] == said`` names the product."""

    product_id: str
    start: int
    end: int
    said: str


def find_mentions(report: str, products: Iterable[Product]) -> list[Mention]:
    """Mentions in text order and apart; the longest name at a place wins.

    Compared without case, punctuation and the form of quotes, within a line, outside of code, URLs and reference
    lists. A name needs two distinctive words and more than the brand. One that two of the products go by is no
    mention of either, and neither is any shorter name inside it.
    """
    names = _names(products)
    lengths: dict[str, list[int]] = {}
    for name in names:
        lengths.setdefault(name[0], []).append(len(name))
    longest_first = {word: sorted(set(of_word), reverse=True) for word, of_word in lengths.items()}
    mentions: list[Mention] = []
    for run in _runs(_words_only(report)):
        mentions += _in_run(report, run, names, longest_first)
    return mentions


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


def _in_run(
    report: str, run: list[_Token], names: dict[tuple[str, ...], set[str]], lengths: dict[str, list[int]]
) -> Iterator[Mention]:
    words = [token.word for token in run]
    index = 0
    while index < len(run):
        name = next(
            (
                name
                for length in lengths.get(words[index], ())
                if (name := tuple(words[index : index + length])) in names and len(name) == length
            ),
            None,
        )
        if name is None:
            index += 1
            continue
        start, end = run[index].start, run[index + len(name) - 1].end
        if len(names[name]) == 1:
            yield Mention(next(iter(names[name])), start, end, report[start:end])
        index += len(name)


def _names(products: Iterable[Product]) -> dict[tuple[str, ...], set[str]]:
    """Every name with the ids of the products that go by it."""
    names: dict[tuple[str, ...], set[str]] = {}
    for product in products:
        for name in _names_of(product):
            names.setdefault(name, set()).add(product.product_id)
    return names


def _names_of(product: Product) -> set[tuple[str, ...]]:
    title = _words(product.title)
    brand = tuple(_words(product.brand or ""))
    brand = () if not brand or brand[0] in _NOBODY else brand
    cuts = [_words(product.title[: match.start()]) for match in _SEPARATORS.finditer(product.title)]
    first = _words(_ADDITION.split(_SEPARATORS.split(product.title)[0])[0])
    names = {tuple(title)} if _distinctive(title, brand) >= 2 else set[tuple[str, ...]]()
    names |= {
        tuple(cut) for cut in [*cuts, first] if _distinctive(cut, brand) >= (2 if _begins_with(cut, brand) else 3)
    }
    if brand:
        kinds = [(*brand, *first[-length:]) for length in (2, 3) if len(first) > len(brand) + length - 1]
        fronts = [tuple(title[:length]) for length in range(3, _LONGEST_FRONT) if _begins_with(title, brand)]
        names |= {name for name in kinds if _distinctive(name, brand) >= 3}
        names |= {name for name in fronts if _distinctive(name, brand) >= 3}
    return names


def _distinctive(name: Sequence[str], brand: tuple[str, ...]) -> int:
    """How many different words tell the product from others; 0 for a bare brand."""
    words = {word for word in name if word not in COMMON and not word.isdecimal()}
    return len(words) if words - set(brand) else 0


def _begins_with(name: Sequence[str], brand: tuple[str, ...]) -> bool:
    return bool(brand) and tuple(name[: len(brand)]) == brand


def _words(text: str) -> list[str]:
    return [_word(match[0]) for match in _TOKEN.finditer(text)]


def _word(text: str) -> str:
    return text.casefold().replace("’", "").replace("'", "")


def _runs(text: str) -> Iterator[list[_Token]]:
    """The words of the text, in pieces within which a name may stand."""
    run: list[_Token] = []
    for match in _TOKEN.finditer(text):
        if run and not _GAP.fullmatch(text, run[-1].end, match.start()):
            yield run
            run = []
        run.append(_Token(_word(match[0]), match.start(), match.end()))
    if run:
        yield run


def _words_only(report: str) -> str:
    """The report without what only looks like words: code, URLs, reference lists."""
    text = prose(report)
    text = blanked(text, read_references(text).spans)
    return blanked(text, _urls(text))


def _urls(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while match := URL_START.search(text, position):
        position = max(url_end(text, match.start(), wide=True), match.end())
        yield match.start(), position
