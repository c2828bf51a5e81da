"""The words of a text: which carry content, their stems and singulars; names of months, the euro, prices and
ratings in many languages (labels.toml, cldr.toml).

A report is in the language of its question, which is not declared, so no language is chosen: words that mean different
things in two languages are left out.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import Stemmer

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""The characters of Japanese and Chinese, for a pattern's class."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_POSSESSIVE = re.compile(r"['’]s?$")
_NOT_PROSE = re.compile(r"(?:https?://|www\.)[^\s)\]>]+|```.*?(?:```|\Z)|`[^`\n]*`|\[[^\[\]\s]*\]", re.DOTALL)
"""Addresses, code and marks of citations."""
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
RUN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word or an id: "B0UXJZK5MQ" is one run, no three words."""

# Words of any English text, whatever its subject: articles, pronouns, prepositions, conjunctions,
# auxiliaries, and their contractions. Nothing that names a thing, an act or a quality belongs here.
STOP_WORDS = frozenset(
    """
    a about above across after again against all along also although am among an and another any are around as at
    be became because been before behind being below beneath beside besides between beyond both but by can could did do
    does doing done down during each either else ever every few for from further had has have having he hence her here
    hers herself him himself his how however i if in indeed into is it its itself just least less many may me might
    mine more most much must my myself near now of off often on once one only onto or other others otherwise
    ought our ours ourselves out over own per perhaps quite rather same several shall she should since so some such
    than that the their theirs them themselves then there thereby therefore these they this those though through thus
    to together too toward towards under unless until up upon us very was we were what whatever when where whereas
    whether which while who whom whose why will with within would yet you your yours yourself yourselves
    he'd he'll he's here's how's i'd i'll i'm i've it'd it'll it's let's she'd she'll she's that's there's they'd
    they'll they're they've we'd we'll we're we've what's where's who's you'd you'll you're you've
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)
# Few other languages have any of these.
_COMMONEST = frozenset("the of and that with this are you from which they their have not".split())  # noqa: SIM905
ENGLISH_SHARE = 0.06
"""The least share of common English words in prose: of 330 English reports, 240 of them lists of products with many
ids, the smallest is .09. 20 Chinese reports that name much in English have .01 at most, and of 272 manual pages in 17
other languages, parts of which are not translated, 13 have more.
"""
FEWEST_WORDS = 40
NEGATIONS = frozenset("not no never without neither nor none nothing nobody nowhere cannot".split())  # noqa: SIM905

_WRITTEN = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {"dozen": 12} | {word: number for number, word in enumerate(_WRITTEN, start=2)}
"""Numbers written as words."""

PAIRS = frozenset(
    "scissors tweezers shears pliers tongs clothes gummies wipes jeans pants shorts".split()  # noqa: SIM905
)
"""Plurals without a singular for one thing."""
# Singulars that look like plurals.
_SINGULARS = frozenset({"canvas", "lens", "gas", "christmas", "atlas", "always", "bias"})
_IRREGULAR = {"eyelashes": "eyelash", "lashes": "lash", "brushes": "brush", "shelves": "shelf", "knives": "knife"}


def words(text: str) -> Iterator[str]:
    """The words of a text in order, in lower case, with straight apostrophes, without numbers."""
    return filter(None, map(_lowered, _WORD.findall(text)))


@lru_cache(maxsize=65_536)
def _lowered(match: str) -> str:
    # To a pattern, a fraction such as ½ is neither a digit nor a letter.
    return match.casefold().replace("’", "'") if match[0].isalpha() else ""


def is_english(text: str) -> bool:
    """False for a text of FEWEST_WORDS words or more that lacks the commonest words of English.

    Only prose counts: no ids, numbers, addresses or code, and no tables if there is enough text beside them.
    Capitalised words, which name products, are left out of the share; at least half of FEWEST_WORDS must remain. Two
    characters of Chinese or Japanese count as one word.
    """
    text = _NOT_PROSE.sub(" ", text)
    for part in (_TABLE_ROW.sub(" ", text), text):
        runs = [run for run in RUN.findall(part) if not any(map(str.isnumeric, run))]
        plain, unspaced = [word for word in runs if not word[0].isupper()], len(_UNSPACED.findall(part)) // 2
        length = len(plain) + unspaced
        if len(runs) + unspaced >= FEWEST_WORDS and 2 * length >= FEWEST_WORDS:
            return sum(word in _COMMONEST for word in plain) >= ENGLISH_SHARE * length
    return True


def is_negation(word: str) -> bool:
    """True for a negating word in lower case: "not", "without", "doesn't"."""
    return word in NEGATIONS or word.endswith("n't")


def content_words(text: str) -> list[str]:
    """The words with content, in order: no stop words, negations or single letters, and without a possessive's 's."""
    return list(filter(None, map(_content, words(text))))


@lru_cache(maxsize=65_536)
def _content(word: str) -> str:
    """The word without a possessive's 's; blank if it has no content. Reading a shop's pages asks for the same words
    a hundred times over.
    """
    bare = _POSSESSIVE.sub("", word)
    return "" if len(bare) < 2 or {word, bare} & STOP_WORDS or is_negation(word) else bare


def snowball_stem(word: str, language: str) -> str:
    """The Snowball stem of a word in lower case."""
    # Threads can't share a stemmer, and a new one takes 3 µs.
    return Stemmer.Stemmer(language, 0).stemWord(word)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The Snowball stem (English) of a word in lower case: "beds" and "bed" are both "bed"."""
    # Most distinct words of a shop are its numbers, which the stemmer leaves as they are.
    return word if word[:1].isdigit() and word[-1].isdigit() else snowball_stem(word, "english")


def content_stems(text: str) -> list[str]:
    """The stems of the content words, in order."""
    return [stem(word) for word in content_words(text)]


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """The singular of a word in lower case, as far as its spelling shows."""
    if word in PAIRS or word in _SINGULARS or len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


@cache
def _tables(name: str = "labels.toml") -> Mapping[str, Any]:
    return tomllib.loads(resources.files("drretail.reports.text").joinpath(name).read_text("utf-8"))


@cache
def labels(*, english: bool | None) -> Mapping[str, frozenset[str]]:
    """The words of labels by what they name, and words that may accompany them; in English only or in all languages.
    None is for a text whose language is not known: what is a stop word of English is then no label of another language.
    """
    tables = [table for code, table in _tables().items() if not english or code == "en"]
    kinds = dict.fromkeys(kind for table in tables for kind in table)
    of_kinds = {kind: frozenset(word for table in tables for word in table.get(kind, ())) for kind in kinds}
    in_english = labels(english=True) if english is None else of_kinds
    no_label = STOP_WORDS if english is None else frozenset[str]()
    return {kind: (of_kind - no_label) | in_english.get(kind, frozenset()) for kind, of_kind in of_kinds.items()}


def word_at(text: str, edge: int, known: Iterable[str]) -> str:
    """The first (0) or last (-1) word of a text; without spaces between words, the longest of those ``known`` there."""
    word = [*words(text)][edge]
    if not _UNSPACED.match(text[edge]):
        return word
    return max(filter(word.startswith if edge == 0 else word.endswith, known), key=len, default=word)


@cache
def month_numbers() -> Mapping[str, int]:
    """The months by their names and abbreviations, in lower case."""
    # Drawn by scripts/draw_cldr.py: to load the calendars takes a third of a second and 42 MB.
    by_number = _tables("cldr.toml")["month"]
    return {name: int(number) for number, names in by_number.items() for name in names}


def euro_names() -> Sequence[str]:
    """Names of the euro, in lower case: "euros", "евро"."""
    return _tables("cldr.toml")["euro"]
