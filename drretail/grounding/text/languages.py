"""Names of months, the euro, prices and ratings in other languages than English, all of labels.toml together.

A report is in the language of its question, which is not declared, so no language is chosen: words that mean different
things in two languages are left out.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from drretail.grounding.text.words import words

if TYPE_CHECKING:
    from babel import Locale

_FEWEST_WORDS = 3
_FEWEST_LETTERS = 3
"""The shortest name of a month in letters: shorter ones are words of other languages. "3月" has a digit."""


@cache
def _tables(name: str = "labels.toml") -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(resources.files("drretail.grounding.text").joinpath(name).read_text("utf-8"))


def locale_codes() -> tuple[str, ...]:
    """The known languages, by their codes in CLDR."""
    return tuple(_tables())


@cache
def labels(*, english: bool) -> Mapping[str, frozenset[str]]:
    """The words of labels by what they name, and words that may accompany them; in English only or in all languages."""
    tables = [table for code, table in _tables().items() if not english or code == "en"]
    kinds = dict.fromkeys(kind for table in tables for kind in table)
    return {kind: frozenset(word for table in tables for word in table.get(kind, ())) for kind in kinds}


@cache
def answer_words(kind: str) -> frozenset[str]:
    """The words of one kind in answers of shops' assistants, in the languages of answers.toml together."""
    return frozenset(word for of_language in _tables("answers.toml")[kind].values() for word in of_language)


def language_of(text: str) -> str:
    """The language of answers.toml with most function words of its own in a text, in lower case: "german".

    English unless another has at least three, and twice as many.
    """
    from babel import Locale

    by_code = {code: {*own} for code, own in _tables("answers.toml")["function"].items()}
    shared = {
        word for code, own in by_code.items() for other in by_code if other != code for word in own & by_code[other]
    }
    frequency = Counter(words(text))
    counts = {code: sum(frequency[word] for word in own - shared) for code, own in by_code.items()}
    best = max(counts, key=lambda code: counts[code])
    is_clear = counts[best] >= _FEWEST_WORDS and counts[best] >= 2 * counts["en"]
    return (Locale(best if is_clear else "en").english_name or "English").lower()


@cache
def month_numbers() -> Mapping[str, int]:
    """The months by their names and abbreviations, in lower case."""
    numbers: dict[str, set[int]] = {}
    for locale in _locales():
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[form][width].items():
                    numbers.setdefault(name.casefold().strip(". "), set()).add(number)
    known = {name for name in numbers if len(name) >= _FEWEST_LETTERS or not name.isascii()}
    return {name: min(numbers[name]) for name in known if len(numbers[name]) == 1}


@cache
def euro_names() -> frozenset[str]:
    """Names of the euro, in lower case: "euros", "евро"."""
    from babel.numbers import get_currency_name

    return frozenset(get_currency_name("EUR", count, locale).casefold() for locale in _locales() for count in (1, 2, 5))


def _locales() -> Iterator["Locale"]:
    from babel import Locale

    return map(Locale, locale_codes())
