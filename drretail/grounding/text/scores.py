"""Ratings and numbers of ratings as written: ``4.4 (203)``, ``4.1/5 from 1,415``, ``★ 4.6``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.languages import labels
from drretail.grounding.text.words import STOP_WORDS, UNSPACED

_SIGN_BEHIND = re.compile(
    rf"\s?(?:/\s?5(?![^\W{UNSPACED}])|[★⭐]|\*{{0,2}}\s?-?stars?\b|(?:out )?of (?:5|five)\b)", re.IGNORECASE
)
_SIGN_BEFORE = re.compile(r"(?:[★⭐]|\brat(?:ing|ed)\b|\b(?:stars|score)\b:)[\s:*_]{0,5}$", re.IGNORECASE)
_SCALE = re.compile(r"(?:/|\bof)\s?$", re.IGNORECASE)
# "1.2 stars better" is no rating.
_DIFFERENCE = re.compile(r"\s?(?:[★⭐]|-?stars?)\s(?:more|less|better|higher|lower)\b", re.IGNORECASE)
# After a rating without a sign: the end, or what joins it to its number of ratings.
_BARE_BEHIND = re.compile(r"\s*(?:[.,;:)*|·/]|$|\n|(?P<word>[^\W\d_]+))")
_JOINED = re.compile(r"[^\d.;!?\n]{0,30}")
_RATERS_BEHIND = re.compile(
    r"\s+(?:[\w-]+\s)?(?:ratings?|reviews?|raters?|reviewers?|people|buyers|customers|owners|users|shoppers|votes|opinions)\b",
    re.IGNORECASE,
)
_COUNT_BEFORE = re.compile(r"\b(?:from|over|by|of|on|across)\s$|\b(?:ratings|reviews)\b[\s:*_]{1,5}$", re.IGNORECASE)
_COUNT_ENDS = re.compile(r"\s*(?:[.,;:)*|·–—-]|$|\n)")
_HIGHEST = 5
_REACH = 24
"""Characters before a number that may hold its label."""


@dataclass(frozen=True, slots=True)
class Score:
    """A rating, a number of ratings, or both together."""

    rating: Amount | None
    count: Amount | None
    is_sure: bool = False
    """True if a sign, brackets or a word says what they are; otherwise only a record can confirm it."""

    @property
    def start(self) -> int:
        return min(half.start for half in (self.rating, self.count) if half is not None)

    @property
    def end(self) -> int:
        return max(half.end for half in (self.rating, self.count) if half is not None)


def find_scores(text: str, amounts: Sequence[Amount], *, is_english: bool = True) -> Iterator[Score]:
    """The scores among the amounts of a text, in text order.

    A number of ratings without a rating is not sure: "12 reviews mention rust". In other languages, the labels of
    labels.toml identify scores, which are sure after a colon: "Bewertungen: 1.843".
    """
    numbers = [amount for amount in amounts if not is_scale(text, amount)]
    taken: set[int] = set()
    for amount, following in zip_longest(numbers, numbers[1:]):
        if amount.start in taken:
            continue
        is_plain = not amount.compound or text.startswith(("-star", "-stars"), amount.end)
        is_in_scale = amount.kind == "number" and 1 <= amount.low < 10 and amount.places <= 2
        if is_in_scale and is_plain and not _DIFFERENCE.match(text, amount.end):
            before = text[max(0, amount.start - 14) : amount.start]
            has_sign = bool(_SIGN_BEHIND.match(text, amount.end) or _SIGN_BEFORE.search(before))
            is_called = not is_english and bool(amount.places) and _called_before("rating").search(before) is not None
            is_joined = following is not None and _is_joined(text, amount, following)
            if following is not None and is_joined and (has_sign or amount.places):
                taken.add(following.start)
                is_called = not is_english and _called_behind("rating_count").match(text, following.end) is not None
                yield Score(amount, following, is_sure=is_called or _is_sure_count(text, amount, following))
                continue
            # A rating without a sign is followed by the end, a stop or a stop word: "its 4.3 does not".
            behind = _BARE_BEHIND.match(text, amount.end)
            word = behind and behind["word"]
            is_bare = behind is not None and (not word or word.casefold() in STOP_WORDS - {"in", "a"})
            if has_sign or (amount.places and amount.low <= _HIGHEST and (is_bare or is_called)):
                yield Score(amount, None, is_sure=has_sign)
        elif _is_count(amount) and _RATERS_BEHIND.match(text, amount.end):
            yield Score(None, amount)
        elif _is_count(amount) and not is_english:
            called = _called_before("rating_count").search(text[max(0, amount.start - _REACH) : amount.start])
            if called or _called_behind("rating_count").match(text, amount.end):
                yield Score(None, amount, is_sure=bool(called and called["colon"]))


def is_scale(text: str, amount: Amount) -> bool:
    """True for the 5 of "4.4 of 5" and "4.4 / 5"."""
    return amount.low in (5, 10) and bool(_SCALE.search(text[max(0, amount.start - 5) : amount.start]))


@cache
def _called_before(kind: str) -> re.Pattern[str]:
    """A label before its figure, with a colon or a particle: "评分为4.6", "Nombre d'avis : 412"."""
    return re.compile(rf"{_names(kind)}\w{{0,2}}[\s*_]*(?P<colon>[:：])?[\s*_]*$", re.IGNORECASE)


@cache
def _called_behind(kind: str) -> re.Pattern[str]:
    """A label after its figure, with a counter or a preposition between: "2,210件のレビュー", "412 avis"."""
    return re.compile(rf"\s?(?:[{UNSPACED}]{{1,2}}|de\s)?\s?{_names(kind)}", re.IGNORECASE)


def _names(kind: str) -> str:
    """Any label of the kind, as a separate word if its script separates words."""
    named = sorted(labels(english=False)[kind] - labels(english=True)[kind], key=len, reverse=True)
    letter = rf"[^\W\d{UNSPACED}]"
    words = "|".join(re.escape(name).replace("'", "['’]") for name in named)
    return rf"(?<!{letter})(?:{words})(?!{letter})"


def _is_count(amount: Amount) -> bool:
    return amount.kind == "number" and not amount.compound and amount.low == amount.low.to_integral_value()


def _is_joined(text: str, rating: Amount, count: Amount) -> bool:
    """True if only a few words and the rating's scale are between the two."""
    between = re.sub(r"/\s?5\b|\bof (?:5|five)\b", "", text[rating.end : count.start])
    return _is_count(count) and not count.places and bool(_JOINED.fullmatch(between))


def _is_sure_count(text: str, rating: Amount, count: Amount) -> bool:
    before, behind = text[rating.end : count.start], text[count.end : count.end + 1]
    if behind == ")" and re.fullmatch(r"[^,(]*\(\s*|\W*(?:/5\W*)?", before):
        return True
    is_named = _COUNT_BEFORE.search(before) and _COUNT_ENDS.match(text, count.end)
    return bool(is_named or _RATERS_BEHIND.match(text, count.end))
