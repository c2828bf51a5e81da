"""What a report would have its reader buy: known products, and names that the shop has not shown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from drretail.grounding.attached import product_ids
from drretail.grounding.mentions import Mention
from drretail.grounding.structure import Structure, Unit
from drretail.grounding.values import Value, find_values
from drretail.grounding.vocabulary import COMMON, LABELS
from drretail.records.shop import Product

How = Literal["sentence", "heading", "item", "row"]
_CUE = re.compile(
    r"\b(?:get|buy|order|choose|pick|go\s+(?:with|for)|opt\s+for|recommend(?:ed|ation|ations|ing)?|suggest(?:ed"
    r"|ion)?|select|grab|purchase|try|add|consider"
    r"|my\s+(?:\w+\s+)?(?:pick|choice)|(?:best|top)\s+(?:overall\s+)?(?:pick|choice|option|value)|start\s+with"
    r"|winner\s+is)\b",
    re.IGNORECASE,
)
_TURNED_DOWN = re.compile(
    r"\b(?:not|n['’]t|never|avoid\w*|skip\w*|instead\s+of|rather\s+than|left\s+out|ruled\s+out|except|other\s+than"
    r"|unlike|than|without|against|no\s+need"
    r"|bought|ordered|purchased|paid|own|owns|owned|have|had|your\s+(?:current|old|existing|last))\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_OFFER = re.compile(
    r"\W*(?:left\s+out|ruled\s+out|the\s+(?:runner-up|alternative)|runner-up|alternativ\w+|avoid|skip"
    r"|not\s+(?:recommended|chosen)|you\s+(?:already\s+)?(?:own|have|bought|ordered)"
    r"|on\s+\d.{0,30}\byou\s+bought|no\s+[\w -]+\s+fits|the\s+budget\s+does\s+not)\b",
    re.IGNORECASE,
)
_NO_OFFER_SECTION = re.compile(
    r"\b(?:alternativ\w*|runners?-up|also\s+considered|considered|ruled\s+out|left\s+out|avoid\w*"
    r"|not\s+(?:recommended|chosen|to\s+buy)|skip\w*|own|owned|history"
    r"|purchases|purchased|past|previous(?:ly)?|bought|current|compar\w+|versus|vs|other\s+options|honou?rable"
    r"|rejected|background|market)\b",
    re.IGNORECASE,
)
_LIST_SECTION = re.compile(
    r"\b(?:list|recommend\w*|summary|shopping|basket|cart|picks?|final|buy|kit|purchase\s+plan|budget|breakdown"
    r"|plan|order)\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{3,160}?)\*\*")
_ITEM_NAME = re.compile(
    r"\s*(?:\*\*(?P<bold>[^*\n]{3,120}?)\*\*|(?P<plain>[^*_\n.!?;:(\[$€£|—–]{3,80}?))\s*"
    r"(?=[—–:(\[$€£|,]|\s-\s|\s*$|\s+(?:at|for)\s+\$)"
)
_HEADING_TEXT = re.compile(r"[ \t#*]*(?:\d+[.)]\s*)?(?P<name>[^\n]*?)[ \t#*:]*$")
_PRICE_TAIL = re.compile(r"\s*(?:[-–—:|(,]|\bat\b|\bfor\b)*\s*\\?[$€£]\s?\d.*$")
_TOKEN = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_LONGEST_GAP = 25
# Characters before a name that can recommend it.
_REACH = 600


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A place at which the report recommends a product of the shop."""

    product_id: str
    start: int
    end: int
    unit: Unit
    how: How


@dataclass(frozen=True, slots=True)
class Stranger:
    """A thing that is recommended by a name that no product shown to the run goes by."""

    name: str
    start: int
    end: int
    web_only: bool
    """True when it cites nothing but web pages."""


def find_recommendations(
    structure: Structure, mentions: Sequence[Mention], products: Mapping[str, Product]
) -> list[Recommendation]:
    """Every place at which a known product is recommended, in text order."""
    found: list[Recommendation] = []
    for unit in structure.units:
        if _NO_OFFER.match(structure.text, unit.start) or _in_no_offer(structure, unit):
            continue
        named = [mention for mention in mentions if unit.start <= mention.start < unit.end]
        spots = [(mention.product_id, mention.start, mention.end) for mention in named]
        spots += _cited_only(structure, unit, named, products)
        how = _how(structure, unit)
        if how is None or not spots:
            continue
        if how == "sentence":
            spots = [spot for spot in spots if _is_urged(structure, unit, spot[1])]
        elif how != "row" and not _is_led(structure, unit, spots):
            continue
        found += [Recommendation(product_id, start, end, unit, how) for product_id, start, end in spots]
    return sorted(found, key=lambda spot: (spot.start, spot.product_id))


def _is_led(structure: Structure, unit: Unit, spots: Sequence[tuple[str, int, int]]) -> bool:
    """True for a heading or item of one product; an item must begin with its name, or recommend it in words."""
    if len({product_id for product_id, _, _ in spots}) != 1:
        return False
    start = spots[0][1]
    return unit.kind == "heading" or _begins(structure, unit, start) or _is_urged(structure, unit, start)


def _cited_only(
    structure: Structure, unit: Unit, named: Sequence[Mention], products: Mapping[str, Product]
) -> Iterator[tuple[str, int, int]]:
    """Products that a piece cites without naming any; a bold name or a price marks what they are cited for."""
    for piece in unit.pieces:
        ids = product_ids(piece, products)
        if len(ids) == 1 and not any(piece.start <= mention.start < piece.end for mention in named):
            bold = _BOLD.search(structure.text, piece.start, piece.end)
            if bold is not None:
                yield ids[0], bold.start("name"), bold.end("name")
            elif unit.kind in ("row", "heading"):
                yield ids[0], piece.start, piece.end


def _how(structure: Structure, unit: Unit) -> How | None:
    """By what a unit can recommend; None for the title, and for tables that list what there is."""
    match unit.kind:
        case "heading":
            return "heading" if unit.level > 1 else None
        case "row":
            titles = [section.title for section in structure.path(unit.section)]
            return "row" if _LIST_SECTION.search(titles[0]) else None
        case "item":
            return "item"
        case "text":
            return "sentence"


def _in_no_offer(structure: Structure, unit: Unit) -> bool:
    return any(_NO_OFFER_SECTION.search(section.title) for section in structure.path(unit.section) if section.level > 1)


def _begins(structure: Structure, unit: Unit, start: int) -> bool:
    """True when an item begins with the name, or with a label in front of it."""
    before = structure.text[unit.start : start]
    return len(before.strip(' *_["“')) == 0 or bool(re.fullmatch(r"\W*[\w &/-]{2,40}:\W*", before))


def _is_urged(structure: Structure, unit: Unit, start: int) -> bool:
    """True when a recommending word stands before the name, with nothing between that turns it around."""
    before = structure.text[max(unit.start, start - _REACH) : start]
    cues = list(_CUE.finditer(before))
    if not cues:
        return False
    led = before[max(0, cues[-1].start() - 25) : cues[-1].start()]
    words = re.sub(r"\*\*[^*]*\*\*|\([^)]*\)", " ", before[cues[-1].end() :])
    return not _TURNED_DOWN.search(words) and not re.search(
        r"(?:\bnot|n['’]t|\bnever|\byou|\bdid)\s+(?:\w+\s+)?$", led, re.I
    )


def find_strangers(
    structure: Structure, mentions: Sequence[Mention], products: Mapping[str, Product], asked: str
) -> list[Stranger]:
    """Names in bold, headings and first cells that carry a price, or are recommended, and that nothing shown goes by.

    ``asked`` is the query: its own words name no product.
    """
    known = [
        frozenset(_words(f"{product.title} {product.brand or ''} {product.category}")) for product in products.values()
    ]
    spoken = frozenset(_words(asked))
    vocabulary = frozenset().union(spoken, *known)
    found: list[Stranger] = []
    for unit in structure.units:
        if _NO_OFFER.match(structure.text, unit.start) or _in_no_offer(structure, unit):
            continue
        for start, end in _names(structure, unit):
            name = structure.text[start:end]
            words = set(_words(name)) - COMMON
            if not _looks_like_a_name(name) or any(words <= title | spoken for title in known) or words <= spoken:
                continue
            if any(start < mention.end and mention.start < end for mention in mentions):
                continue
            piece = next((piece for piece in unit.pieces if piece.start <= start < piece.end), None)
            cited = piece.cited if piece else ()
            if any(source.startswith("P:") for source in cited) or _is_own(unit, cited):
                continue
            priced = says_a_price(structure, unit, end)
            urged = unit.kind != "row" and _is_urged(structure, unit, start) and bool(words - vocabulary)
            if priced or urged:
                web = bool(cited) and all(source.startswith(("W:", "http")) for source in cited)
                found.append(Stranger(" ".join(name.split()), start, end, web))
    return found


def is_no_offer(structure: Structure, unit: Unit) -> bool:
    """True for what speaks of alternatives, of the past, or of what was left out."""
    return bool(_NO_OFFER.match(structure.text, unit.start)) or _in_no_offer(structure, unit)


def is_of_picks(structure: Structure, unit: Unit) -> bool:
    """True below a heading such as "Best picks" or "Shopping list"."""
    return any(_LIST_SECTION.search(section.title) for section in structure.path(unit.section))


def name_in(structure: Structure, unit: Unit) -> tuple[int, int] | None:
    """The name that a heading is, or that an item begins with: in bold, or up to a dash, a colon, a price."""
    if unit.kind == "heading":
        return next(_names(structure, unit), None)
    found = _ITEM_NAME.match(structure.text, unit.start, unit.end)
    if found is None:
        return None
    start, end = found.span("bold" if found["bold"] else "plain")
    label = re.compile(r"[^:]{2,40}:\s+").match(structure.text, start, end)
    start = label.end() if label else start
    tail = _PRICE_TAIL.search(structure.text, start, end)
    end = tail.start() if tail else end
    words = [it for token in _TOKEN.finditer(structure.text, start, end) if (it := token[0]).casefold() not in COMMON]
    capital = [it for it in words if it[0].isupper() or it[0].isdigit()]
    return (start, end) if 2 <= len(words) <= 12 and len(capital) * 4 >= len(words) * 3 else None


def _is_own(unit: Unit, cited: Sequence[str]) -> bool:
    """True when the user's own records are cited: what was once bought is no offer."""
    return any(source.startswith(("O:", "U:", "C:")) for source in cited)


def _names(structure: Structure, unit: Unit) -> Iterator[tuple[int, int]]:
    """Spans that may be names: bold ones, the text of headings, the first cell of rows."""
    text = structure.text
    if unit.kind == "row" and unit.cells:
        spans = [(unit.cells[0].start, unit.cells[0].end)]
    elif unit.kind == "heading":
        match = _HEADING_TEXT.match(text, unit.start, unit.end)
        spans = [match.span("name")] if match and unit.level > 1 else []
    else:
        spans = [match.span("name") for match in _BOLD.finditer(text, unit.start, unit.end)]
    for start, end in spans:
        name = text[start:end]
        tail = _PRICE_TAIL.search(name)
        name = name[: tail.start()] if tail else name
        label = re.match(r"[^:]{2,40}:\s+", name)
        start += label.end() if label else 0
        name = name[label.end() :] if label else name
        left = len(name) - len(name.lstrip(' *"“_'))
        yield start + left, start + len(name.rstrip(' *"”_'))


def _looks_like_a_name(name: str) -> bool:
    """Three words or more, nearly all with a capital or a digit, and no label."""
    tokens = [token[0] for token in _TOKEN.finditer(name)]
    words = [token for token in tokens if token.casefold() not in COMMON and not token.isdecimal()]
    capital = [token for token in words if token[0].isupper() or any(character.isdigit() for character in token)]
    if len(words) < 3 or len(capital) * 4 < len(words) * 3 or len(tokens) > 20:
        return False
    return not {token.casefold() for token in tokens} & LABELS


def says_a_price(structure: Structure, unit: Unit, end: int) -> bool:
    """True when an exact price stands directly behind a name that ends at ``end``, or in its row."""
    after = structure.text[end : unit.end]
    values = [value for value in find_values(after) if value.kind == "money"]
    if not values:
        return False
    first: Value = values[0]
    near = unit.kind == "row" or (
        first.start <= _LONGEST_GAP
        and not re.search(r"[.;]\s|\b(?:under|budget|save|off)\b", after[: first.start], re.I)
    )
    return near and first.low is None and first.bound == "exact"


def _words(text: str) -> list[str]:
    return [match[0].casefold().replace("’", "'") for match in re.finditer(r"[^\W_]+(?:['’][^\W_]+)*", text)]
