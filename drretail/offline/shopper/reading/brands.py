"""The brands that a query asks for or rules out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drretail.grounding.text.words import NO_BRANDS

_CAPITAL = r"(?:[A-ZÀ-ÖØ-Þ][\w'&+-]*|\d[A-Z]\w*)"
_CAPITALISED = re.compile(rf"{_CAPITAL}(?:\s+(?:&\s+)?{_CAPITAL}){{0,2}}")
_JOINED = re.compile(r"(?:,\s*(?:(?:or|and|nor)\s+)?|\s+(?:or|and|nor)\s+)(?:from\s+|by\s+)?")
_GOODS = re.compile(r"\s+(?:products?|brands?|items?|stuff|gear|things?)\b|,?\s+please\b", re.IGNORECASE)
# Written with a capital in a hurry, "No Plastic please" rules out no brand.
_SUBSTANCES = re.compile(
    r"(?:acrylic|alcohol|alumini?um|animal|artificial|bamboo|batter(?:y|ies)|bpa|chemicals?|chrome|cotton|down|dyes?"
    r"|feathers?|fragrance|fur|gelatin|glass|gluten|lavender|lead|leather|latex|metal|microfiber|nylon|parabens?|perfume"
    r"|plastics?|polyester|pvc|rubber|silicone|steel|sugar|sulfates?|thanks|vinyl|wood|wool)$",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:need|want|looking|find|recommend|suggest|buy|get|search|prefer)\w*\b(?P<then>.*)", re.IGNORECASE
)
# "One from Foo" says what is wanted, unless these words stand directly before or behind it.
_HAD_BEFORE = re.compile(
    r"\b(?:my|our|have|had|own|owned|bought|ordered|got|tried|used|returned)\b(?:\s+[\w'-]+){0,3}\s+$", re.IGNORECASE
)
_TOLD_AFTER = re.compile(
    r"\s+(?:that\s+|which\s+)?(?:(?:i|we)\s+(?:have|had|own|owned|bought|ordered|got|tried|used)\b"
    r"|(?:(?:has|have|had|only|just|soon|simply|[a-z]+ly)\s+)*(?:broken?|died|failed|fell|stopped|quit|leaked|cracked|tore"
    r"|ripped|split|wore|rusted|faded|shrank|melted|peeled|smelled|gave|let|came|lasted|was|were|disappointed|never"
    r"|(?:did|was|were|does|do)n't)\b)",
    re.IGNORECASE,
)
_IN_MIND = re.compile(r"\s+in\s+mind\b", re.IGNORECASE)
_THAT_MAKER = r"(?:them|(?:that|this|the\s+same)\s+(?:brand|maker|make|company|manufacturer))"
_NEVER_AGAIN = re.compile(
    r"\b(?:nothing|none|no\s+more|not|never|anything\s+but)(?:\s+(?:another|anything|something|more|else|one|ever))?"
    rf"\s+(?:from|by|of)\s+{_THAT_MAKER}\b|\bavoid(?:ing)?\s+(?!them){_THAT_MAKER}\b",
    re.IGNORECASE,
)
_TWO_SENTENCES = re.compile(r"[^.!?\n]*(?:[.!?]\s+[^.!?\n]*)?")
# Characters in which what belongs to a name is looked for.
_NEAR = 160


@dataclass(frozen=True, slots=True)
class _Cue:
    """Words that stand directly before a brand."""

    before: re.Pattern[str]
    goods: bool = False
    """The brand is followed by "products" or "please": "no Foo" alone may be anything."""
    requested: bool = False
    """The sentence asks for something: "a bed from Foo" may be one that the writer has."""
    of_goods: bool = False
    """The words stand for goods, and so for what the writer may have: "one from Foo"."""


def _cue(pattern: str, *, goods: bool = False, requested: bool = False, of_goods: bool = False) -> _Cue:
    return _Cue(re.compile(rf"\b(?:{pattern})\s+".replace(" ", r"\s+"), re.IGNORECASE), goods, requested, of_goods)


_UNWANTED = (
    _cue("no(?: more)?", goods=True),
    _cue("(?:nothing|none|not|never)(?: (?:anything|something|made|products|items))? (?:from|by)"),
    _cue("(?:avoid(?:ing)?|except|anything but|other than|not|no more)(?: the brand)?"),
    _cue("(?:avoid(?:ing)?|except) (?:anything|products|items|everything) (?:from|by)"),
    _cue("(?:don't|do not) (?:want|like|trust)(?: (?:anything|products|items))?(?: (?:from|by))?"),
)
_WANTED = (
    _cue("prefer(?:ably|red)?(?: (?:something|anything|one|products|items))?(?: (?:the brand|from|by))?"),
    _cue("(?:something|anything|ones?|only|ideally|made) (?:from|by)", of_goods=True),
    _cue("(?:loyal to|stick(?:ing)? (?:with|to))"),
    _cue("(?:an?|the|another|some|new|two|three)(?: [a-z-]+){1,4} (?:from|by)", requested=True),
)
_NOT_A_MAKER = re.compile(
    r"\b(?:friends?|gift|present|recommendation|letter|e?mail|family|person|people|guy|man|woman|neighbor|recipe|trip|vet"
    r"|delivery|picture|order|purchase|question|hours?|minutes?|drive|flight|student|teacher|review|refund|discount"
    r"|delivered|shipped|arrive|arrives|here|ready)\s+(?:from|by)\s+$",
    re.IGNORECASE,
)
_HAD = re.compile(
    r"\b(?:have|had|has|own|bought|returned|got|received|ordered|tried|used|replace|like|from)\b", re.IGNORECASE
)


def read_brands(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The (wanted, unwanted) brands in text order; only capitalised names are found. One that is both is unwanted."""
    plain = text.replace("’", "'")
    unwanted = _in_order((*_places(plain, _UNWANTED), *_never_again(plain)))
    return tuple(brand for brand in _in_order(_places(plain, _WANTED)) if brand not in unwanted), unwanted


def _in_order(places: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(brand for _, brand in sorted(places)))


def _places(text: str, cues: tuple[_Cue, ...]) -> Iterator[tuple[int, str]]:
    """Where in the text each brand behind one of the cues ends."""
    for cue in cues:
        yield from ((end, brand) for brand, end in _named(text, cue))


def _never_again(text: str) -> Iterator[tuple[int, str]]:
    """The brands of what was had, where "nothing by them again" or the like follows in this sentence or the next."""
    for cue in _WANTED:
        for match in cue.before.finditer(text):
            for brand, end in _names(text, match.end()):
                following = _TWO_SENTENCES.match(text, end, end + _NEAR)
                if following is not None and _NEVER_AGAIN.search(following[0]):
                    yield end, brand


def _named(text: str, cue: _Cue) -> Iterator[tuple[str, int]]:
    """The brands behind a cue, each with its end."""
    for match in cue.before.finditer(text):
        names = list(_names(text, match.end()))
        if not names or _NOT_A_MAKER.search(match[0]):
            continue
        if cue.of_goods and _is_had(text, match.start(), names[-1][1]):
            continue
        if cue.goods and not _GOODS.match(text, names[-1][1]):
            continue
        if cue.goods and _SUBSTANCES.match(names[0][0]):
            continue
        if cue.requested and not _is_request(re.split(r"[.!?\n]", text[: match.start()])[-1]):
            continue
        yield from names


def _is_had(text: str, start: int, end: int) -> bool:
    """True for "my last one from Foo" and "one from Foo broke"."""
    if _TOLD_AFTER.match(text, end):
        return True
    return bool(_HAD_BEFORE.search(text[max(0, start - _NEAR) : start])) and not _IN_MIND.match(text, end)


def _is_request(before: str) -> bool:
    request = _REQUEST.search(before)
    return bool(request) and not _HAD.search(request["then"])


def _names(text: str, start: int) -> Iterator[tuple[str, int]]:
    """The brands that begin at ``start``, joined by commas, "and" or "or", each with its end."""
    while name := _capitalised_name(text, start):
        yield name
        joined = _JOINED.match(text, name[1])
        if joined is None:
            return
        start = joined.end()


def _capitalised_name(text: str, start: int) -> tuple[str, int] | None:
    match = _CAPITALISED.match(text, start)
    if match is None:
        return None
    words = match[0].removesuffix("'s").split()
    while words and words[-1].casefold() in NO_BRANDS:
        words.pop()
    if not words or words[0].casefold() in NO_BRANDS:
        return None
    return " ".join(words), match.end()
