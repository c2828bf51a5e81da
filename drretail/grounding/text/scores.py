"""Ratings and numbers of ratings as they are written: ``4.4 (203)``, ``4.1/5 from 1,415``, ``★ 4.6``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.words import STOP_WORDS

_SIGN_BEHIND = re.compile(r"\s?(?:/\s?5\b|[★⭐]|\*{0,2}\s?-?stars?\b|(?:out )?of (?:5|five)\b)", re.IGNORECASE)
_SIGN_BEFORE = re.compile(r"(?:[★⭐]|\brat(?:ing|ed)\b|\b(?:stars|score)\b:)[\s:*_]{0,5}$", re.IGNORECASE)
_SCALE = re.compile(r"(?:/|\bof)\s?$", re.IGNORECASE)
_DIFFERENCE_BEHIND = re.compile(
    r"\s?(?:[★⭐]|-?stars?)\s(?:more|less|better|higher|lower|above|below|behind|ahead)\b", re.IGNORECASE
)
# Behind a rating that has no sign of its own: the end, or what joins it to its number of ratings.
_BARE_BEHIND = re.compile(r"\s*(?:[.,;:)*|·/]|$|\n|(?P<word>[^\W\d_]+))")
_JOINED = re.compile(r"[^\d.;!?\n]{0,30}")
_RATINGS_BEHIND = re.compile(r"\s+(?:[\w-]+\s)?(?:ratings?|reviews?|raters?|reviewers?)\b", re.IGNORECASE)
_RATERS_BEHIND = re.compile(r"\s+(?:\w+\s)?(?:people|buyers|customers|owners|users|shoppers|votes|opinions)\b", re.I)
_RATINGS_BEFORE = re.compile(r"\b(?:ratings|reviews)\b[\s:*_]{1,5}$", re.IGNORECASE)
_FROM_BEFORE = re.compile(r"\b(?:from|over|by|of|on|across)\s$", re.IGNORECASE)
# "4.5 stars over 892 ratings" are 892, "from over 800 ratings" are more.
_OVER = re.compile(r"[^\w]*(?:/\s?5\b|(?:out )?of 5\b)?[^\w]*(?:stars?)?[^\w]*over\s", re.IGNORECASE)
# "203 ratings with a mean of 4.4"
_MEAN = re.compile(r"[^\d.;!?\n]{0,30}\b(?:mean|average|averaging|avg)\b[^\d.;!?\n]{0,12}", re.IGNORECASE)
_HIGHEST = 5
_CLOSED = re.compile(r"\s*(?:[.,;:)*|·–—-]|$|\n)")
# Some of the ratings, and not all: "12 negative reviews", "340 reviews mention squirrels".
_PART = re.compile(
    r"\s+(?:(?:more|fewer|other|less|new|recent|negative|positive|bad|good|critical|(?:\w+|\d)-star)\s(?:ratings?|reviews?)"
    r"|(?:ratings?|reviews?)\s(?:mention|complain|say|praise|more|fewer|less))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Score:
    """A rating, a number of ratings, or both where they stand together."""

    rating: Amount | None
    count: Amount | None
    is_sure: bool = False
    """True when a sign, brackets or a word says what they are; else only a record can confirm it."""

    @property
    def start(self) -> int:
        return min(it.start for it in (self.rating, self.count) if it is not None)

    @property
    def end(self) -> int:
        return max(it.end for it in (self.rating, self.count) if it is not None)


def find_scores(text: str, amounts: Sequence[Amount]) -> Iterator[Score]:
    """The scores among the amounts of a text, in text order; what merely looks like one is not sure."""
    numbers = [it for it in amounts if not _is_scale(text, it)]
    taken: set[int] = set()
    for index, amount in enumerate(numbers):
        if amount.start in taken:
            continue
        following = numbers[index + 1] if index + 1 < len(numbers) else None
        if _is_rating(text, amount):
            has_sign = _has_sign(text, amount)
            count = following if following and _is_joined(text, amount, following) else None
            if count is not None and (has_sign or amount.places):
                taken.add(count.start)
                if _OVER.fullmatch(text, amount.end, count.start):
                    count = replace(count, relation="is")
                yield Score(amount, count, is_sure=_is_sure_count(text, amount, count))
            elif has_sign or (amount.places and amount.low <= _HIGHEST and _stands_alone(text, amount)):
                yield Score(amount, None, is_sure=has_sign)
        elif _is_count(amount) and not _PART.match(text, amount.end):
            before = text[max(0, amount.start - 14) : amount.start]
            is_named = bool(_RATINGS_BEHIND.match(text, amount.end) or _RATINGS_BEFORE.search(before))
            if is_named and following and _MEAN.fullmatch(text, amount.end, following.start):
                taken.add(following.start)
                yield Score(following, amount, is_sure=True)
            elif is_named or _RATERS_BEHIND.match(text, amount.end):
                yield Score(None, amount, is_sure=is_named)


def _is_scale(text: str, amount: Amount) -> bool:
    return amount.low in (5, 10) and bool(_SCALE.search(text[max(0, amount.start - 5) : amount.start]))


def _is_rating(text: str, amount: Amount) -> bool:
    is_plain = not amount.compound or bool(re.match(r"-stars?\b", text[amount.end : amount.end + 6]))
    is_plain = is_plain and not _DIFFERENCE_BEHIND.match(text, amount.end)
    return amount.kind == "number" and 1 <= amount.low < 10 and amount.places <= 2 and is_plain


def _has_sign(text: str, amount: Amount) -> bool:
    before = text[max(0, amount.start - 14) : amount.start]
    return bool(_SIGN_BEHIND.match(text, amount.end) or _SIGN_BEFORE.search(before))


def _stands_alone(text: str, amount: Amount) -> bool:
    """True where the end, a stop or a word without content stands behind, and no unit: "its 4.3 does not"."""
    behind = _BARE_BEHIND.match(text, amount.end)
    word = behind and behind["word"]
    return behind is not None and (not word or (word.casefold() in STOP_WORDS and word.casefold() not in ("in", "a")))


def _is_count(amount: Amount) -> bool:
    return amount.kind == "number" and not amount.compound and amount.low == amount.low.to_integral_value()


def _is_joined(text: str, rating: Amount, count: Amount) -> bool:
    """True when nothing but a few words and the rating's scale stands between the two."""
    between = re.sub(r"/\s?5\b|\bof (?:5|five)\b", "", text[rating.end : count.start])
    return _is_count(count) and not count.places and bool(_JOINED.fullmatch(between))


def _is_sure_count(text: str, rating: Amount, count: Amount) -> bool:
    before, behind = text[rating.end : count.start], text[count.end : count.end + 1]
    if behind == ")" and re.fullmatch(r"[^,(]*\(\s*|\W*(?:/5\W*)?", before):
        return True
    if _PART.match(text, count.end):
        return False
    if _RATINGS_BEHIND.match(text, count.end) or _RATERS_BEHIND.match(text, count.end):
        return True
    is_named = _FROM_BEFORE.search(before) or _RATINGS_BEFORE.search(before)
    return bool(is_named and _CLOSED.match(text, count.end))
