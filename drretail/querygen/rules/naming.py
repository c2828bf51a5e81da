"""What a shopper would call a product, from its title and its category path; nothing where these don't say it.

The name ends in the noun at the end of the title's first part, with the words before it that the category path has.
Where the path does not know that noun, a category that the title has word for word gives the name, else the noun at
the end of a later part. Without a path, two parts of the title must end in the noun, or the first one must be short
and stand right behind the name of the store.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile

from drretail.grounding.constraints.kinds import COLORS_AND_SIZES
from drretail.grounding.constraints.materials import MATERIALS
from drretail.grounding.text.words import singular
from drretail.querygen.rules.phrases import Phrase, folded_words, phrase_of
from drretail.records.shop import Product

_SEGMENT = re.compile(r"[,|;:\[\]{}/•–—~]|\s[-+]\s|\s-|-\s")
_TOKEN = re.compile(r"&|[^\W_]+(?:['’.-][^\W_]+)*['’]?")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
# "12 x 20 Inch", "22 by 32", "4-in-1": no word of them ends a part.
_DIMENSIONS = re.compile(
    r"\b\d[\w.\"'”]*(?:\s?-?\s?(?:inch|in|ft))?\s?-?(?:x|by|in)-?\s?\d[\w.]*"
    r"|\b(?:sets?|packs?|box|lot|pairs?|case|bundle)\s+of\s+(?:\d+|two|three|four|six)\b",
    re.IGNORECASE,
)
# Behind these stands what the thing is for, what it has, or where it comes from.
_STOPS = frozenset(
    """
    a an are as at by compatible designed featuring fits for from her his i'm in included including includes is its
    made my of on or our per than that the to via w which with without you your
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
# They say how things are sold, not which things.
_PACKING = frozenset(["assortment", "bundle", "collection", "combo", "count", "ct", "kit", "lot", "pack", "pc", "set"])
_KEPT_PACKING = frozenset(["kit", "set"])
_VAGUE = _PACKING | frozenset(
    """
    accessory basic care color component decor decoration design double equipment essential favor furniture general
    gift good item material more novelty other part piece print product replacement single size standard storage style
    supply tool traditional present
    """.split()  # noqa: SIM905
)
# May stand behind what they describe.
_TRAILING = MATERIALS | COLORS_AND_SIZES | {"uk"}
_SEGMENTS = 4
_LONGEST = 4

Part = Sequence[str]


@dataclass(frozen=True)
class Thing:
    """What is bought or wanted, by its everyday name."""

    name: str

    @cached_property
    def phrase(self) -> Phrase:
        return phrase_of(self.name)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The folded words of the name: "nail files" are what a nail file is."""
        return tuple(folded_words(self.name))

    @cached_property
    def head(self) -> str:
        """The noun that says what it is, in the singular."""
        return _head_of(self.words) or self.words[-1]

    def is_in(self, title: str) -> bool:
        """True when a title holds the words of the name one after the other, whatever it sells."""
        return self.words in _runs_of(title, len(self.words))


def thing_of(product: Product) -> Thing | None:
    """What a product is; None where its title and categories don't say it."""
    return _thing_of(product.title, product.categories, product.store)


@lru_cache(maxsize=100_000)
def _thing_of(title: str, categories: tuple[str, ...], store: str | None) -> Thing | None:
    name = name_of(title, categories, store)
    return None if name is None else Thing(name)


def is_among(categories: tuple[str, ...], thing: Thing, nouns: frozenset[str]) -> bool:
    """True when the thing, or a category above it, ends in one of the nouns, and its leaf is for no part or holder.

    "Litter mats" are no litter, though "Litter & Housebreaking" stands above them.
    """
    path = _path_of(categories)
    beside = any(nouns.intersection(run[:-1]) for run in path.runs)
    return thing.head in nouns or (bool(nouns & path.heads) and not beside)


def name_of(title: str, categories: tuple[str, ...], store: str | None) -> str | None:
    """The everyday name of what a listing sells, in its title's number: "bird feeder", "hair clips"; None: unsure.

    ``categories`` is the path from the root to the leaf; ``store`` is no part of a name, if the title begins with it.
    """
    parts = _parts(title, store)
    path = _path_of(categories)
    if not parts:
        return None
    if not path.heads:
        return _said_twice(parts) or _behind_the_store(title, store)
    ends = (_end_of(part, path) for part in parts)
    first, whole = next(ends), _whole_category(parts, path)
    if first is not None and " " not in first:
        return _completed(first, parts, path)
    return first or whole or next((end for end in ends if end is not None and not _is_passed(end, parts[0])), None)


class _Path:
    """The words of a category path: the nouns that its categories end in, and all that may stand before one."""

    def __init__(self, categories: Sequence[str]) -> None:
        below = categories[1:]
        named = [[words for part in re.split(r"[,&/]|\band\b", name) if (words := _words(part))] for name in below]
        self.heads = {head for parts in named for words in _complete(parts) if (head := _head_of(words))}
        self.words = {_stem(word) for name in categories for word in _words(name.replace("_", " "))} - _PACKING
        self.runs = [
            tuple(map(_stem, words)) for parts in named[-1:] for words in parts if words[1:] and _head_of(words)
        ]
        """The names of the leaf that have several words."""
        self.spelt = {word.casefold(): word for name in below for word in _words(name) if word.isupper()}


def _complete(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts of a category that end in a noun of their own: of "Neck & Cervical Pillows" only the last does."""
    last = [word.casefold() for word in parts[-1]] if parts else []
    shares = len(last) > 1 and last[-1] != singular(last[-1]) and singular(last[-1]) not in _PACKING
    return (
        [it for it in parts if it is parts[-1] or len(it) > 1 or it[0].casefold() != _stem(it[0])] if shares else parts
    )


def _head_of(words: Part) -> str:
    """The last word in the singular, before a word of packing; "" for one that names no thing."""
    kept = [_stem(word) for word in words]
    while len(kept) > 1 and kept[-1] in _PACKING:
        kept.pop()
    return "" if kept[-1] in _VAGUE else kept[-1]


def _end_of(part: Part, path: _Path) -> str | None:
    """The end of a part, where its noun is one of the path's."""
    end = len(part)
    while end > 1 and _stem(part[end - 1]) in _TRAILING - path.heads:
        end -= 1
    while end > 1 and _stem(part[end - 1]) in _PACKING:
        end -= 1
    before = part[end - 2] if end > 1 else ""
    if before and _stem(before + part[end - 1]) in path.heads:  # "bird house" among birdhouses
        return f"{before} {part[end - 1]}".casefold()
    # Of "pillow covers cases" nobody knows what it is.
    several = _stem(before) in path.heads and _stem(before) != before.casefold()
    return _spelt(part, end - 1, path) if _stem(part[end - 1]) in path.heads and not several else None


def _whole_category(parts: Sequence[Part], path: _Path) -> str | None:
    """The words of a whole category, wherever they stand together."""
    for part in parts:
        stems = tuple(map(_stem, part))
        for run in path.runs:
            for start in range(len(stems) - len(run) + 1):
                if stems[start : start + len(run)] == run:
                    return _spelt(part, start + len(run) - 1 - (run[-1] in _PACKING), path)
    return None


def _is_passed(name: str, part: Part) -> bool:
    """True when the noun stands in the first part before another, as the bottle of a bottle holder does."""
    return _stem(name.split()[-1]) in map(_stem, part[:-1])


def _completed(head: str, parts: Sequence[Part], path: _Path) -> str:
    """A bare noun as its whole category where the title has each word of that: "spoon rest" for a rest."""
    stems = {_stem(word) for part in parts for word in part}
    whole = next((run for run in path.runs if run[-1] == _stem(head) and stems.issuperset(run)), ())
    return " ".join([*whole[:-1], head])


def _spelt(part: Part, head: int, path: _Path) -> str:
    """The noun with the path's words before it, and "set" or "kit" behind it."""
    start, said = head, {_stem(part[head])}
    while start and head - start < _LONGEST - 1 and (stem := _stem(part[start - 1])) in path.words - said:
        start -= 1
        said.add(stem)
    end = head + 1 + (head + 1 < len(part) and _stem(part[head + 1]) in _KEPT_PACKING)
    return " ".join(path.spelt.get(word.casefold(), word.casefold()) for word in part[start:end])


def _said_twice(parts: Sequence[Part]) -> str | None:
    """The noun at the end of the first part, where the title has it again; with the word before it, if that, too."""
    stems = [[_stem(word) for word in part] for part in parts]
    end = _end(stems[0])
    head, before = stems[0][end - 1], stems[0][end - 2] if end > 1 else ""
    ends = [words[_end(words) - 1] for words in stems]
    if not _may_be_a_noun(head) or ends.count(head) < 2:
        return None
    pairs = sum(pair == (before, head) for words in stems for pair in pairwise(words))
    return _with_packing(parts[0], end - (2 if pairs > 1 else 1), end)


def _behind_the_store(title: str, store: str | None) -> str | None:
    """The noun of a short first part that stands between the store's name and a mark, "for" or "with"."""
    begin = _store_first(store).match(title) if store else None
    if begin is None:
        return None
    first = re.split(r"[,(|]", title[begin.end() :])[0]
    tokens = _TOKEN.findall(first)
    words = list(takewhile(lambda word: word.casefold() not in _STOPS, tokens))
    stop = tokens[len(words)].casefold() if len(words) < len(tokens) else "for"
    end = _end([_stem(word) for word in words])
    marked = len(_SEGMENT.split(first)) > 1 or stop not in ("for", "with", "w")
    plain = not marked and all(word.isalpha() and word != "and" for word in words)
    if not plain or not 1 <= end <= _LONGEST or not _may_be_a_noun(_stem(words[end - 1])):
        return None
    # Of three words nobody knows which belong together.
    return _with_packing(words, end - 1 - (end == 2), end)


def _with_packing(part: Part, start: int, end: int) -> str:
    """The words of a part, and "set" or "kit" behind them."""
    end += end < len(part) and _stem(part[end]) in _KEPT_PACKING
    return " ".join(part[start:end]).casefold()


def _end(stems: Part) -> int:
    """Where a part ends without colors, sizes and packing."""
    end = len(stems)
    while end > 1 and stems[end - 1] in _TRAILING | _PACKING:
        end -= 1
    return end


def _may_be_a_noun(word: str) -> bool:
    return (
        word.isalpha()
        and len(word) > 2
        and word not in _VAGUE | _TRAILING
        and not word.endswith(("ed", "ing", "ly", "y"))
    )


@lru_cache(maxsize=10_000)
def _store_first(store: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:the\s+)?{re.escape(store)}(?:['’]s)?(?!\w)", re.IGNORECASE)


def _parts(title: str, store: str | None) -> list[list[str]]:
    """What may name the thing: the title between its marks and numbers, up to "for", "with" and the like."""
    plain = _DIMENSIONS.sub(" | ", _IN_BRACKETS.sub(" ", title))
    if store:
        plain = plain[begin.end() :] if (begin := _store_first(store).match(plain)) else plain
    parts: list[list[str]] = []
    for segment in [it for it in _SEGMENT.split(plain) if it.strip()][:_SEGMENTS]:
        parts.append([])
        for token in _TOKEN.findall(segment):
            if token.casefold() in _STOPS:
                break
            if token[0].isdigit() or token in ("and", "&"):
                parts.append([])
            elif parts[-1] or _stem(token) not in _PACKING:
                parts[-1].append(token)
    return [part for part in parts if part]


@lru_cache(maxsize=10_000)
def _path_of(categories: tuple[str, ...]) -> _Path:
    return _Path(categories)


@lru_cache(maxsize=100_000)
def _runs_of(title: str, length: int) -> frozenset[tuple[str, ...]]:
    words = folded_words(title)
    return frozenset(tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _words(text: str) -> list[str]:
    return [it.removesuffix("'s").removesuffix("’s") for it in _TOKEN.findall(text) if it != "&"]


def _stem(word: str) -> str:
    return singular(word.casefold().removesuffix("'s").removesuffix("’s"))
