"""Things that a report presents as its picks and that no product shown to the run goes by.

Stricter than the check `not_in_catalog`, which has to be fair to reports of any kind: what an agent presents in the
form of a recommendation, it must be able to name by its record.
"""

import re
from collections.abc import Iterator

from drretail.grounding.case import Case
from drretail.grounding.recommendations import is_no_offer, is_of_picks, name_in, says_a_price
from drretail.grounding.structure import Cell, Unit
from drretail.grounding.vocabulary import COMMON, LABELS
from drretail.records.evidence import Finding

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME_HEADER = re.compile(
    r"(?:product|item|thing|(?:our |top )?pick|recommendation|recommended product|product name|name|model|choice)s?",
    re.IGNORECASE,
)
_PRICE_HEADER = re.compile(r"(?:unit |current |approx\.? )?(?:price|cost)\b.*", re.IGNORECASE)
# In the first cell of rows that are no things: sums, and what else is paid or kept.
_NO_THING = LABELS | {"delivery", "discount", "grand", "leftover", "postage", "reserve", "sum", "contingency", "buffer"}
# In headings that set an amount for a part of the plan.
_PARTS = {"month", "week", "day", "year", "part", "room", "zone", "area", "under", "allocation", "setup"}
_PRICE_LINE = re.compile(r"\W*(?:current\s+)?price\W*[$€£]", re.IGNORECASE)
_NUMBERED = re.compile(r"[\s#*]*\d+[.)]\s")
_SHORTEST_MAKER = 4
_NOT_FOUND = "no product of this name was found in the shop"


def unknown_picks(case: Case) -> list[Finding]:
    """Rows, list items and headings that offer a thing, by its name, which no product that the run was shown has."""
    if case.lookup is None:
        return []
    return [
        Finding(
            code="not_in_catalog", severity="error", start=start, end=end, said=case.report[start:end], found=_NOT_FOUND
        )
        for unit in case.structure.units
        if not is_no_offer(case.structure, unit) and case.is_own(unit.start)
        for start, end in _offered(case, unit)
        if _is_unknown(case, unit, start, end)
    ]


def _offered(case: Case, unit: Unit) -> Iterator[tuple[int, int]]:
    """The span of the name under which a unit offers something."""
    match unit.kind:
        case "row":
            yield from _in_row(case, unit)
        case "heading":
            name = name_in(case.structure, unit)
            if name and unit.level > 1 and _is_pick_heading(case, unit, name[1]):
                yield name
        case "item":
            name = name_in(case.structure, unit)
            if name is None:
                return
            words = len(_telling(case, *name))
            if says_a_price(case.structure, unit, name[1]) or _is_among_picks(case, unit, words):
                yield name
        case "text":
            return


def _in_row(case: Case, unit: Unit) -> Iterator[tuple[int, int]]:
    """The cell under a header such as "Product", or the first one in a table of picks, beside a price."""
    headers = [case.structure.header(cell) for cell in unit.cells]
    named = next((cell for cell, it in zip(unit.cells, headers, strict=True) if _NAME_HEADER.fullmatch(it)), None)
    first = next((cell for cell in unit.cells if re.search(r"[^\W\d_]", _said(case, cell))), None)
    cell = named or (first if is_of_picks(case.structure, unit) else None)
    if cell is None:
        return
    priced = any(_PRICE_HEADER.fullmatch(it) for it in headers) or not any(headers)
    if (priced or named) and says_a_price(case.structure, unit, cell.end):
        said = _said(case, cell)
        yield cell.start + len(said) - len(said.lstrip(" *_")), cell.start + len(said.rstrip(" *_"))


def _said(case: Case, cell: Cell) -> str:
    return case.structure.text[cell.start : cell.end]


def _is_pick_heading(case: Case, unit: Unit, name_end: int) -> bool:
    """True when a price stands in the heading or labelled below it, or it is numbered as other products' headings are.

    Never for a heading above something that the shop has: that is the name of a part of the plan.
    """
    words = {_plain(it) for it in _WORD.findall(case.structure.text[unit.start : unit.end])}
    if words & (_NO_THING | _PARTS) or _has_product_below(case, unit):
        return False
    if says_a_price(case.structure, unit, name_end):
        return True
    below = [it for it in case.structure.units if it.section == unit.section and it is not unit]
    if any(_PRICE_LINE.match(case.structure.text, it.start, it.end) for it in below):
        return True
    return _is_numbered(case, unit) and any(
        it.unit.kind == "heading" and it.unit.level == unit.level and _is_numbered(case, it.unit)
        for it in case.recommended
    )


def _has_product_below(case: Case, heading: Unit) -> bool:
    """True when the section, or one within it, names or cites a product that the run was shown."""
    section = case.structure.sections[heading.section]
    inside = [it for it in case.structure.units if section in case.structure.path(it.section)]
    named = any(it.start <= mention.start < it.end for it in inside for mention in case.mentions)
    return named or any(source[:2] == "P:" for it in inside for piece in it.pieces for source in piece.cited)


def _is_among_picks(case: Case, unit: Unit, words: int) -> bool:
    """True for an item of a list, in a section of picks, that has a product of the shop in another item.

    An item of a list without numbers may be a piece of advice in two words.
    """
    numbered = _is_numbered(case, unit)
    return (
        (numbered or words > 2)
        and is_of_picks(case.structure, unit)
        and any(
            it.how == "item"
            and (it.unit.section, it.unit.level) == (unit.section, unit.level)
            and it.unit.line != unit.line
            and _is_numbered(case, it.unit) == numbered
            for it in case.recommended
        )
    )


def _is_numbered(case: Case, unit: Unit) -> bool:
    line = case.structure.text.rfind("\n", 0, unit.start) + 1
    return bool(_NUMBERED.match(case.structure.text, line))


def _is_unknown(case: Case, unit: Unit, start: int, end: int) -> bool:
    """True for a name with a word that stands in no product shown, or of three words that no single one has."""
    if any(unit.start <= mention.start < unit.end for mention in case.mentions):
        return False
    if any(source.startswith(("P:", "O:", "U:", "C:")) for piece in unit.pieces for source in piece.cited):
        return False
    telling = _telling(case, start, end)
    if len(telling) < 2 or telling & _NO_THING:
        return False
    titles = [frozenset(map(_plain, _WORD.findall(f"{it.title} {it.brand or ''}"))) for it in case.products.values()]
    if any(telling <= title for title in titles):
        return False
    known = _known_words(case)
    return bool(telling - known) or len(telling) > 2


def _telling(case: Case, start: int, end: int) -> set[str]:
    words = {_plain(it) for it in _WORD.findall(case.structure.text[start:end])}
    return {word for word in words - COMMON if not word.isdecimal()}


def brand_of_stranger(case: Case, name: str) -> str | None:
    """The first word of such a name, where it looks like a maker's and stands in no product shown."""
    first = _WORD.match(name)
    if first is None or len(first[0]) < _SHORTEST_MAKER or not first[0][0].isupper():
        return None
    return None if _plain(first[0]) in _known_words(case) | COMMON | LABELS else first[0]


def _known_words(case: Case) -> frozenset[str]:
    titles = (f"{it.title} {it.brand or ''} {it.category} {' '.join(it.categories)}" for it in case.products.values())
    return frozenset(_plain(word) for text in (case.query.text, *titles) for word in _WORD.findall(text))


def _plain(word: str) -> str:
    word = word.casefold().replace("’", "'").removesuffix("'s")
    return word.removesuffix("s") if len(word) > 3 else word
