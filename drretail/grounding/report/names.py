"""By what names a report speaks of products: their makers', and among those of one maker the words of titles."""

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from itertools import pairwise

from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.words import content_stems, is_negation, words
from drretail.grounding.verify.values import fits, on_record, record_text
from drretail.records.reading import ValueKind
from drretail.records.shop import Product

_SHORTEST = 4
_WORD = re.compile(r"\w+")
_CAPITALIZED = re.compile(rf"\b[A-Z][^\W\d_]{{{_SHORTEST - 1},}}")
_ALIKE = 0.75
"""How alike a word is to itself misspelled."""
_WORDS_OF_A_MAKER = 4
_LEAST_SHARED = 0.5
# Stems that may stand between a product's name and its price or rating.
_TOLD = frozenset("cost price run sell go come get buy take rate star review current".split())  # noqa: SIM905


class Names:
    """The names of the products that a report speaks of; ``known`` are those that its run was shown."""

    def __init__(self, spoken_of: Collection[str], known: Mapping[str, Product]) -> None:
        self._known = known
        self._stems = {key: set(content_stems(known[key].title)) for key in sorted(spoken_of) if key in known}

    def __iter__(self) -> Iterator[str]:
        return iter(self._stems)

    def named(self, text: str) -> list[str]:
        """The evidence ids of the products whose maker a text names.

        Of several by one maker those are meant whose titles share most words with the text.
        """
        stems, of_maker = set(content_stems(text)), dict[str, list[str]]()
        for key in self._stems:
            if self._places(key, text):
                of_maker.setdefault(self._maker(key), []).append(key)
        return [
            f"P:{key}"
            for keys in of_maker.values()
            for most in [max(len(stems & self._stems[key]) for key in keys)]
            for key in keys
            if len(stems & self._stems[key]) == most
        ]

    def parts(self, text: str) -> list[tuple[int, int]]:
        """The parts of a text that begin where a maker is named, each up to the next."""
        starts = sorted({start for key in self._stems for start in self._places(key, text)})
        return list(pairwise([*starts, len(text)])) if starts else []

    def _places(self, key: str, text: str) -> list[int]:
        maker = self._maker(key)
        forms = [re.escape(it) for it in (maker, maker.upper()) if len(it) >= _SHORTEST]
        return [it.start() for it in re.finditer(rf"\b(?:{'|'.join(forms)})\b", text)] if forms else []

    def is_told_of(self, subject: str, kind: ValueKind, amount: Amount, before: str) -> bool:
        """False for a figure that may be another's: a namesake's, or that of a thing named behind the product's name.

        ``before`` is the sentence up to the figure: "Harrowgill sells a lid for" tells no price of the kettle, nor does
        "a steel kettle usually costs".
        """
        key = subject[2:]
        maker = self._maker(key)
        others = (other for other in self._known if other != key and self._maker(other) == maker)
        if any(map(is_negation, words(before))) or any(fits(amount, on_record(kind, self._known[it])) for it in others):
            return False
        _, is_named, between = before.casefold().rpartition(maker.casefold() or "\0")
        said = set(content_stems(between if is_named else before))
        return said <= _TOLD | set(content_stems(self._known[key].title))

    def _maker(self, key: str) -> str:
        return self._known[key].brand or self._known[key].store or ""


def product_called(name: str, known: Mapping[str, Product], report: str = "") -> str | None:
    """The id of the product whose title has most of a name's words, and at least half; None where there is none.

    A maker's name alone names no product: "Dozeley Pocket Mini" is none of Dozeley's swaddles. Nor is "the Fennick
    kettle" that of another maker, though all its other words fit: a word that ``report`` writes as a name within a
    sentence has to stand in the record.
    """
    said, found, most = set(content_stems(name)), None, 0.0
    names = [it.casefold() for it in _CAPITALIZED.findall(name) if re.search(rf"\b[a-z]+ {it}\b", report)]
    for key, item in known.items():
        of_thing = said - set(content_stems(f"{item.brand or ''} {item.store or ''}"))
        share = len(of_thing & set(content_stems(item.title))) / (len(of_thing) or 1)
        # Of equal ones the maker's own comes first.
        share += (len(of_thing) < len(said)) / 100
        if share >= _LEAST_SHARED and share > most and all(_stands_in_record(it, item) for it in names):
            found, most = key, share
    return found


def _stands_in_record(word: str, item: Product) -> bool:
    """True for a word of a product's record, misspelled or not."""
    own = _WORD.findall(f"{item.brand or ''} {item.store or ''} {record_text(item)}".casefold())
    return any(word in it for it in own) or bool(get_close_matches(word, own, n=1, cutoff=_ALIKE))


def makers_in(text: str, makers: Collection[str]) -> Iterator[tuple[int, str]]:
    """The names of makers in a text, each with its place; the longest where one begins another."""
    found, end = list(_WORD.finditer(text)), 0
    for index, first in enumerate(found):
        names = (text[first.start() : last.end()] for last in reversed(found[index : index + _WORDS_OF_A_MAKER]))
        name = next((it for it in names if it in makers), None)
        if name is not None and first.start() >= end:
            end = first.start() + len(name)
            yield first.start(), name
