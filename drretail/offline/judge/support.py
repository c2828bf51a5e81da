"""Whether sources support a claim: by shared words, and by figures that must occur.

Measured on human labels by benchmarks/offline.py. The two thresholds and the number of sentences compared come from one
half of the development files of AttributionBench and WiCE; nothing else here was fitted.
"""

import calendar
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

from pydantic import ValidationError

from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.words import content_stems, content_words, stem
from drretail.grounding.verify.derivation import numbers_of, small_numbers
from drretail.grounding.verify.records import Ledger
from drretail.parsing import json_or_none
from drretail.records.money import may_share_a_sign
from drretail.records.shop import Product

Label = Literal["full_support", "partial_support", "no_support", "contradicted", "not_rated"]
"""``not_rated``: a figure may be a sum or a difference of what the records say, and none was found that explains it."""

FULL = 0.5
"""The least ``closeness`` of sources to a claim for full support."""
SOME = 0.25
"""The least ``closeness`` for partial support, unless a figure of the claim is found."""
WINDOW = 3
"""How many neighbouring sentences of a page are compared with a claim: a whole page holds the words of almost any claim
about its topic.
"""
NAME_WEIGHT = 2
"""The weight of a name among the words of a claim: a missing name tells more than another missing word."""
_LONGEST_QUOTE = 40
_MARK = re.compile(r"\[\^?\d+\]")
_SIGNS = "$€£"
# Capitalised words that do not begin a sentence.
_NAME = re.compile(r"(?<![.!?:;|] )(?<!^)(?<![\w'’])[A-Z][\w'’&-]*")
_SENTENCE = re.compile(r"[^\n]*?[.!?][\"')\]”’]*(?=\s)|[^\n]+")
_STRING = r'(?<!\\)"(?:[^"\\]|\\.)*+"'
_FIELD = re.compile(
    rf"(?P<key>{_STRING})\s*:\s*(?P<value>{_STRING}|-?\d[\d.eE+-]*|true|false|null)|(?P<item>{_STRING})"
)
_ESCAPE = re.compile(r"\\(?:[nrt]|u[0-9a-f]{4})", re.IGNORECASE)
_ISO_MONTH = re.compile(r"\b\d{4}-(0[1-9]|1[0-2])-\d{2}")
# Everyday words for the fields of the shop's records, which name them by their keys only.
_SPOKEN = {
    "price": "cost",
    "average_rating": "stars rated",
    "rating_number": "ratings reviews",
    "order_date": "bought ordered purchased",
}
# Digits after a letter are no number ("B07"), except after an "x", the other side of a size: 47x47.
_NUMBER = re.compile(r"(?:[$€£]\s?)?(?<![^\W_x])(?<!\d\.)(?P<digits>\d[\d,]*(?:\.\d+)?)")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence or line of a page, or a field of a record, with its word stems."""

    raw: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A source's passages and the numbers in it."""

    passages: tuple[Passage, ...]
    is_record: bool
    numbers: frozenset[Decimal]
    product: Product | None = None
    """The product whose record it is."""

    @property
    def together(self) -> tuple[frozenset[str], ...]:
        """The sets of words that belong together: those of each sentence, or of a whole record, which is about one
        thing.
        """
        each = tuple(passage.stems for passage in self.passages)
        return (frozenset[str]().union(*each),) if self.is_record else each

    @property
    def has_words(self) -> bool:
        """False for a bare calculation, such as "40.99+85.99 = 126.98"."""
        return any(passage.stems for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Opinion:
    """The judgement of one claim; ``quote`` occurs in a source, or is empty."""

    label: Label
    reason: str
    quote: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The content words of a claim with their weights, and the pairs of neighbouring ones."""

    weights: dict[str, int]
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, claim: str) -> "Wording":
        names = {stem(word) for match in _NAME.finditer(claim) for word in content_words(match[0])}
        stems = content_stems(claim)
        return cls({each: NAME_WEIGHT if each in names else 1 for each in stems}, tuple(pairwise(stems)))

    def share(self, stems: Iterable[str]) -> float:
        total = sum(self.weights.values())
        return sum(self.weights.get(each, 0) for each in set(stems)) / total if total else 1.0


def judge_claim(claim: str, sources: Sequence[str], given: str = "") -> Opinion:
    """How far the sources support the claim; figures that occur in ``given`` (the question) need no source."""
    claim = _MARK.sub("", claim)
    read, wording = [read_source(source) for source in sources], Wording.of(claim)
    known = {*numbers_in(given).values()}.union(*(source.numbers for source in read))
    items = [source.product for source in read if source.product is not None]
    derived, foreign = _derived(claim, items, given), _foreign(claim, items)
    held, lacking = list[str](), list[str]()
    for written, number in numbers_in(claim).items():
        is_held = number not in foreign and (is_known(number, known) or number in derived)
        (held if is_held else lacking).append(written)
    if not read or not (wording.weights or held):
        return Opinion("no_support", "there is nothing to compare", "")
    passages = [passage for source in read for passage in _nearest(wording, source)]
    found = _stems(passages)
    quote = _quote(passages, wording, [written.strip(f"{_SIGNS} ") for written in held])
    has_words = any(source.has_words for source in read)
    only_records = all(source.is_record or not source.has_words for source in read)
    is_priced = any(written[0] in _SIGNS for written in lacking) or bool(foreign)
    if is_priced and not foreign and len(items) > 1:
        return Opinion("not_rated", f"not rated (rule-based): {', '.join(lacking)} may be a sum or a difference", "")
    if only_records and is_priced and not held and any(source.numbers for source in read):
        return Opinion("no_support", f"the record gives other figures than {', '.join(lacking)}", quote)
    # If all sources are bare calculations, figures decide alone.
    close = closeness(wording, found, read) if has_words else float(bool(held))
    absent = [word for word in wording.weights if word not in found]
    # A record that lacks the claim's name is about another thing; a page may give the name in a distant sentence.
    is_other = has_words and only_records and any(wording.weights[word] == NAME_WEIGHT for word in absent)
    if close >= FULL and not lacking and not is_other:
        return Opinion("full_support", "its words and figures stand together in the sources", quote)
    if close < SOME and not held:
        return Opinion("no_support", "the sources say nothing of it", "")
    missing = [f"the figures {', '.join(lacking)}"] if lacking else []
    missing += [f"words such as {', '.join(absent[:4])}"] if absent and (close < FULL or is_other) else []
    return Opinion("partial_support", f"the sources lack {' and '.join(missing) or 'its words together'}", quote)


def _derived(claim: str, items: Sequence[Product], given: str) -> frozenset[Decimal]:
    """What the prices of the records come to, in the quantities that the claim names, and what the question's budget
    leaves.
    """
    ledger = Ledger({item.product_id: item for item in items}, {}, {}, {}, query_text=given)
    return numbers_of(ledger.products, ledger, sorted(small_numbers(claim))) if items else frozenset()


def _foreign(claim: str, items: Sequence[Product]) -> set[Decimal]:
    """The amounts in a currency that no record is in: "€64.50" of a record in dollars."""
    own = {item.currency for item in items if item.price is not None}
    named = [(one.low, one.currency) for one in find_money(claim) if one.currency is not None]
    return {low for low, code in named if own and not any(may_share_a_sign(code, known) for known in own)}


def closeness(wording: Wording, found: frozenset[str], sources: Sequence[Source]) -> float:
    """The mean of two shares: of words found, and of neighbouring word pairs that one sentence or record holds."""
    shared = wording.share(found)
    if not wording.pairs:
        return shared
    together = [stems for source in sources for stems in source.together]
    held = sum(any(one in stems and two in stems for stems in together) for one, two in wording.pairs)
    return (shared + held / len(wording.pairs)) / 2


def _nearest(wording: Wording, source: Source) -> Sequence[Passage]:
    """The ``WINDOW`` neighbouring passages that share most words with the claim, or all of a record."""
    passages = source.passages
    if source.is_record:
        return passages
    starts = range(max(1, len(passages) - WINDOW + 1))
    best = max(starts, key=lambda start: wording.share(_stems(passages[start : start + WINDOW])))
    return passages[best : best + WINDOW]


def _stems(passages: Iterable[Passage]) -> frozenset[str]:
    return frozenset[str]().union(*(passage.stems for passage in passages))


def _quote(passages: Sequence[Passage], wording: Wording, figures: Sequence[str]) -> str:
    """The passage that shares most words with the claim, preferably one with its figures, cut to ``_LONGEST_QUOTE``
    words.

    Empty if no passage shares a word or a figure.
    """

    def worth(passage: Passage) -> float:
        return (wording.share(passage.stems) if wording.weights else 0) + any(one in passage.raw for one in figures)

    best = max(passages, key=worth, default=None)
    if best is None or not (figures or best.stems & wording.weights.keys()):
        return ""
    ends = [match.end() for match in re.finditer(r"\S+", best.raw)]
    return best.raw if len(ends) <= _LONGEST_QUOTE else best.raw[: ends[_LONGEST_QUOTE - 1]]


@lru_cache(maxsize=64)
def read_source(text: str) -> Source:
    """The passages of a source: its fields if it is JSON, otherwise its sentences and lines."""
    record = json_or_none(text)
    is_record = isinstance(record, dict | list)
    sentences = (raw for match in _SENTENCE.finditer(text) if (raw := match[0].strip()))
    passages = _fields(text) if is_record else (_passage(raw, raw) for raw in sentences)
    return Source(tuple(passages), is_record, frozenset(numbers_in(text).values()), _product(record))


def _product(record: object) -> Product | None:
    if not isinstance(record, dict):
        return None
    fields = cast("dict[str, Any]", record)
    known = {name: fields[name] for name in Product.model_fields if fields.get(name) is not None}
    try:
        return Product.model_validate({"category": "", **known})
    except ValidationError:
        return None


def numbers_in(text: str) -> dict[str, Decimal]:
    """The numbers written in digits in a text, by their spelling with the currency sign. Digits of dates count.

    A comma before three digits separates thousands ("1,234.5"); any other comma is a decimal comma ("19,95").
    """
    digits = {match[0].rstrip(","): match["digits"].rstrip(",") for match in _NUMBER.finditer(text)}
    plain = {written: _THOUSANDS.sub("", number).replace(",", ".", 1) for written, number in digits.items()}
    return {written: Decimal(number.replace(",", "")) for written, number in plain.items()}


def is_known(number: Decimal, known: Collection[Decimal]) -> bool:
    """True if a known number, rounded to the decimals of this one, equals it."""
    half = Decimal(1).scaleb(int(number.as_tuple().exponent)) / 2
    return any(abs(one - number) <= half for one in known)


def _fields(text: str) -> Iterator[Passage]:
    """A passage for each field, with its key."""
    for match in _FIELD.finditer(text):
        key = (match["key"] or "").strip('"')
        value = match["value"] or match["item"]
        yield _passage(match[0], f"{key.replace('_', ' ')} {_SPOKEN.get(key, '')} {value}")


def _passage(raw: str, plain: str) -> Passage:
    plain = _ESCAPE.sub(" ", plain)
    months = " ".join(calendar.month_name[int(month)] for month in set(_ISO_MONTH.findall(plain)))
    return Passage(raw, frozenset(content_stems(f"{plain} {months}")))
