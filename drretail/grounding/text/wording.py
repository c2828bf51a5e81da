"""Things as a reader sees them: money, titles, articles, lists and wishes in words, and the products that a text names
by their titles.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from drretail.grounding.text.words import PAIRS, UNSPACED, singular
from drretail.records.shop import MOST_DIGITS, Money
from drretail.records.wish import Demand, Want, Wish

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_WITHOUT_CENTS = frozenset({"JPY"})
_SEPARATORS = re.compile(r"(?:(?<!\s)\s*)?(?:[|;•·–—]|\s-\s|,\s|:\s)\s*|(?<!\s)\s++(?=[(\[{])")
_LOOSE_END = " \t,;:.|/&+-–—•·([{'\"“‘"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
# A title must not end in one of these words.
_HANGING = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "w", "with"}
)

# Words that begin with a vowel letter but a consonant sound, and vice versa.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


def format_money(value: Decimal | float | int | str, currency: str = "USD") -> str:
    """``$1,234.56``, ``€12.00``, ``¥1,200``; other currencies as ``12.00 CHF``; very large ones as ``$1.00E+60``."""
    unit = Decimal(1) if currency in _WITHOUT_CENTS else Decimal("0.01")
    amount = Decimal(str(value))
    sign = "-" if amount < 0 else ""
    if amount.adjusted() < MOST_DIGITS:
        digits = f"{abs(amount.quantize(unit, rounding=ROUND_HALF_UP)):,}"
    else:
        digits = f"{abs(amount):.2E}"
    symbol = SYMBOLS.get(currency)
    return f"{sign}{digits} {currency}" if symbol is None else f"{sign}{symbol}{digits}"


def format_amount(money: Money) -> str:
    return format_money(money.value, money.currency)


def article(text: str) -> str:
    """ "a" or "an", by sound."""
    if _SPELLED_VOWEL.match(text):
        return "an"
    return "an" if text[:1].casefold() in "aeiou" and not _CONSONANT_SOUND.match(text) else "a"


def is_plural(word: str) -> bool:
    folded = word.casefold()
    return folded in PAIRS or singular(folded) != folded


def listed(parts: Iterable[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end


def short_title(title: str, limit: int = 60) -> str:
    """The beginning of a listing's title, at most ``limit`` characters long.

    It is cut at the last separator within the limit, else between words, without loose punctuation and open brackets.
    """
    words = " ".join(title.split())
    if len(words) <= limit:
        return words
    places = [match.start() for match in _SEPARATORS.finditer(words, 0, limit + 4) if match.start() <= limit]
    cuts = [place for place in places if len(_closed(words[:place])) == place]
    space = words.rfind(" ", 0, limit + 1)
    # A cut must leave at least a third of the limit.
    end = cuts[-1] if cuts and cuts[-1] >= limit // 3 else space if space > 0 else limit
    text, before = words[:end], None
    while text != before:
        before = text
        text = _closed(text).rstrip(_LOOSE_END)
        front, _, last = text.rpartition(" ")
        if front and last.casefold() in _HANGING:
            text = front
    return text or words[:limit].strip()


def _closed(text: str) -> str:
    """The text up to the first bracket that is never closed."""
    opened: list[int] = []
    for index, character in enumerate(text):
        if character in _BRACKETS.values():
            opened.append(index)
        elif character in _BRACKETS and opened and text[opened[-1]] == _BRACKETS[character]:
            opened.pop()
    return text[: opened[0]] if opened else text


def split_words(text: str) -> list[str]:
    """The words between white space; in scripts without spaces, each sign is one."""
    return _UNSPACED.sub(r" \g<0> ", text).split()


def wish_lines(wish: Wish) -> list[str]:
    """A line for each want, then those for all of them."""
    lines = [want_line(want) for want in wish.wants] or ["nothing is to be bought"]
    if wish.budget is not None:
        lines.append(f"budget: {format_amount(wish.budget)} in total")
    if wish.room:
        lines.append("more may be added within the budget" if wish.budget else "more may be added")
    if wish.deadline:
        lines.append(f"deadline: {wish.deadline}")
    if wish.owned:
        lines.append(f"owned: {', '.join(wish.owned)}")
    if wish.orders:
        lines.append(f"orders: {', '.join(wish.orders)}")
    return lines


def want_line(want: Want) -> str:
    """ "2 × swaddle blanket: must meet "cotton"; at least 4 stars; at most $20 a piece"."""
    count = f"{want.quantity} × " if want.quantity > 1 else ""
    limits = "; ".join(_limits(want))
    return f"{count}{want.name}{f': {limits}' if limits else ''}"


def _limits(want: Want) -> Iterator[str]:
    kinds = [kind for kind in want.kinds if kind.casefold() != want.name.casefold()]
    if kinds:
        yield f"of the kind {' or '.join(kinds)}"
    if want.optional:
        yield "only if it is worth buying"
    if want.again:
        yield "may be a product that the shopper has"
    if want.must:
        yield f"must meet {', '.join(map(_demand, want.must))}"
    if want.must_not:
        yield f"must not be or have {', '.join(map(_demand, want.must_not))}"
    if want.options:
        yield f"in {want.options_in_words}"
    if want.rating_min is not None:
        yield f"at least {want.rating_min:g} stars"
    if want.ratings_min is not None:
        yield f"at least {want.ratings_min:,} ratings"
    if want.price_max is not None:
        yield f"at most {format_amount(want.price_max)} a piece"
    if want.brands_wanted:
        yield f"by {' or '.join(want.brands_wanted)}"
    if want.brands_unwanted:
        yield f"not by {' or '.join(want.brands_unwanted)}"


def _demand(demand: Demand) -> str:
    """Its words, and what decides it: "at least 35 feet" (Length: at least 35 ft)."""
    ends = [(name, end) for name, end in (("at least", demand.least), ("at most", demand.most)) if end is not None]
    values = [" ".join(filter(None, (name, f"{end:g}", demand.unit))) for name, end in ends] or [*demand.any_of]
    decided = [": ".join(filter(None, (demand.field, (" and " if ends else " or ").join(values))))]
    decided += [f"not {' or '.join(demand.none_of)}"] if demand.none_of else []
    how = ", ".join(filter(None, decided))
    return f'"{demand}" ({how})' if how else f'"{demand}"'


_WORD = re.compile(r"[^\W_]+")
_SIZE = re.compile(r"\d+(?:[.,]\d+)?[a-z]{0,3}|ml|l|g|kg|cm|mm|oz|lb|pack|set|of|with|for|the|and")
_FEWEST = 2
"""The least number of words that identify a title by its beginning: "House Blend" of "House Blend Coffee"."""


@dataclass(frozen=True, slots=True)
class Named:
    """``text[start:end]`` names a product."""

    start: int
    end: int
    product_id: str


def products_named(text: str, titles: Mapping[str, str], only_whole: Collection[str] = ()) -> list[Named]:
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
    names: list[Named] = []
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
            names.append(Named(matches[place].start(), matches[place + len(best) - 1].end(), owner))
        place += len(best) or 1
    return names


def _folded(word: str) -> str:
    """The word in lower case, without a plural s."""
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
