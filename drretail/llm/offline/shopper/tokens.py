"""A query as tokens that know their clause, so that context is read only as far as it reaches."""

import re
from dataclasses import dataclass

from drretail.llm.offline.shopper.words import stem, word_set

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CLAUSE_END = re.compile(r"[.;!?:()\n]|\s[-–—]\s")
NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "dozen": 12,
}  # fmt: skip
_UNITS = word_set(
    """inch inches in ft foot feet cm mm oz ounce ounces lb lbs pound pounds pack count ct piece pieces pcs cup cups
    quart quarts qt gallon gallons ml l liter liters litre litres gb month months year years week weeks day days hour
    hours minute minutes watt watts w v volt percent star stars mg iu g kg people persons old"""
)
LARGEST_QUANTITY = 20


@dataclass(frozen=True, slots=True)
class Token:
    word: str
    stem: str
    clause: int
    after_comma: bool
    money: bool
    """True right after a currency sign."""


def tokenise(text: str) -> list[Token]:
    tokens: list[Token] = []
    clause, end = 0, 0
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        if tokens and _CLAUSE_END.search(gap):
            clause += 1
        word = match[0].replace("’", "'").casefold()
        tokens.append(Token(word, stem(word), clause, "," in gap, gap.endswith(("$", "€", "£"))))
        end = match.end()
    return tokens


def quantity_at(tokens: list[Token], index: int) -> int | None:
    """The number of pieces that the token names; None when it is no number, a size or a price."""
    token = tokens[index]
    number = NUMBER_WORDS.get(token.word) or (
        int(token.word) if token.word.isascii() and token.word.isdigit() else None
    )
    following = tokens[index + 1].word if index + 1 < len(tokens) else ""
    if number is None or token.money or following in _UNITS or not 1 <= number <= LARGEST_QUANTITY:
        return None
    return number
