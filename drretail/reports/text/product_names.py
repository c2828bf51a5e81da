"""Which products a text names by their titles, and where."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_SIZE = re.compile(r"\d+(?:[.,]\d+)?[a-z]{0,3}|ml|l|g|kg|cm|mm|oz|lb|pack|set|of|with|for|the|and")
_FEWEST = 2
"""The least number of words that identify a title by its beginning: "House Blend" of "House Blend Coffee"."""


@dataclass(frozen=True, slots=True)
class ProductName:
    """``text[start:end]`` names a product."""

    start: int
    end: int
    product_id: str


def products_named(text: str, titles: Mapping[str, str], only_whole: Collection[str] = ()) -> list[ProductName]:
    """The products, by id with their titles, that a text names: by the whole title, or by its first words with a
    capital if no other product has these. Of overlapping names the longest counts. A product that has titles in
    several languages has one a line.

    Those of ``only_whole``, the last of the titles, count by a whole title of several words alone, and only if no other
    product has it.
    """
    forms: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    whole: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for product_id, title in (
        (key, line) for key, lines in titles.items() for line in dict.fromkeys(lines.splitlines())
    ):
        parts = tuple(_folded(match[0]) for match in _WORD.finditer(title))
        if product_id in only_whole and (parts in whole or len(parts) < _FEWEST):
            continue
        whole[parts].append(product_id)
        for length in range(len(parts), len(parts) - 1 if product_id in only_whole else 0, -1):
            if length == len(parts) or (length >= _FEWEST and not all(map(_SIZE.fullmatch, parts[1:length]))):
                forms[parts[0]][parts[:length]].add(product_id)
    matches = list(_WORD.finditer(text))
    folded = [_folded(match[0]) for match in matches]
    names: list[ProductName] = []
    place = 0
    while place < len(matches):
        best: tuple[str, ...] = ()
        for form, ids in forms.get(folded[place], {}).items():
            is_meant = len(whole.get(form, ids)) == 1
            is_name = (form in whole and len(form) >= _FEWEST) or matches[place][0][0].isupper()
            if len(form) > len(best) and is_meant and is_name and tuple(folded[place : place + len(form)]) == form:
                best = form
        if best:
            (owner,) = whole.get(best) or forms[best[0]][best]
            names.append(ProductName(matches[place].start(), matches[place + len(best) - 1].end(), owner))
        place += len(best) or 1
    return names


def _folded(word: str) -> str:
    """The word in lower case, without a plural s."""
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
