"""What a listing sells, in a shopper's words: a kind that we know of, or a phrase made of everyday words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from drretail.querygen.knowledge import Kind, general, kinds, words
from drretail.querygen.phrases import Phrase, phrase_of, singular

_SEGMENT = re.compile(r"[,|;:()\[\]/•–—]|\s-\s|\s(?:by|from|of|in)\s", re.IGNORECASE)
# Behind these words stands what the thing is for or what comes with it, up to the next part of the title.
_BESIDE = re.compile(
    r"(?:^|\s)(?:for|to|in an?|remove|compatible|(?P<parts>with|w/|includ\w+|contain(?:s|ing)|plus))\s.*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-zà-ÿ0-9']+")
_PACKING = frozenset({"set", "kit", "pack", "bundle", "pcs", "duo", "trio"})
_SPELLED = {"led": "LED", "usb": "USB", "uv": "UV"}
# What is poured from a refill pouch is the thing itself; a "refill" alone goes into something.
_PACKED = re.compile(r"\brefill\s+(?:pouch|bag|bottle|jug|carton|tin)(?:es|s)?\b", re.IGNORECASE)
# A title names what it sells in its first parts; further down stand uses and puffs.
_SEGMENTS = 3
_PETS = frozenset({"dog", "cat", "pet", "puppy", "kitten", "horse"})
_PET_THINGS = _PETS | {"slow", "scratching", "litter", "grooming", "deshedding", "harness"}
_OTHERS = _PETS | {"doll", "car"}
# May stand behind the name of a kind without making it another.
_FORMS = frozenset({"set", "kit", "softgel", "capsule", "gummies", "tablet", "supplement"})


@dataclass(frozen=True, slots=True)
class Thing:
    """``kind`` is None where nothing special is known about such things."""

    phrase: Phrase
    kind: Kind | None = None

    @property
    def name(self) -> str:
        return self.phrase.text

    @property
    def talk(self) -> Kind:
        """What can be said of it."""
        return self.kind or general(self.head in words().used_up)

    @property
    def head(self) -> str:
        """The last word in the singular: what it is."""
        return singular(self.name.casefold().rsplit(" ", 1)[-1])


def thing_of(title: str, path: tuple[str, ...] = ()) -> Thing | None:
    """The thing that a listing sells; None where no good phrase for it can be found.

    A kind that we know of goes first, then a leaf of the category path that the title bears out, then a run of
    everyday words in the title. Brands, models, colors and sizes never get into a phrase.
    """
    title_words = set(folded_words(_PACKED.sub("", title)))
    if title_words & words().not_the_thing:
        return None
    segments = title_segments(title)
    kind = _kind_in(segments, title_words) or _kind_of_path(path, title_words)
    if kind is not None:
        return Thing(kind.phrase, kind)
    phrase = _leaf_phrase(path, title) or next(filter(None, map(_phrase_in, segments)), None)
    # The name of a known kind that was ruled out above would say the wrong thing.
    return None if phrase is None or phrase.text in kinds() else Thing(phrase)


def titles_name(thing: Thing, titles: Iterable[str]) -> bool:
    """True when any title holds the words of the thing, whatever it sells: "mascara set with curler" for mascara."""
    runs = _runs_of(thing.kind.name) if thing.kind else (tuple(folded_words(thing.name)),)
    return any(_holds(_folded_title(title), runs) for title in titles)


@lru_cache(maxsize=100_000)
def _folded_title(title: str) -> tuple[str, ...]:
    """Remembered: a user's titles are read for many things."""
    return tuple(folded_words(title.replace("make up", "makeup")))


def _holds(folded: tuple[str, ...], runs: Sequence[tuple[str, ...]]) -> bool:
    return any(
        folded[start] == run[0] and folded[start : start + len(run)] == run
        for run in runs
        for start in range(len(folded))
    )


def thing_named(name: str) -> Thing:
    """The thing of a kind that we know of."""
    kind = kinds()[name]
    return Thing(kind.phrase, kind)


def title_segments(title: str) -> list[list[str]]:
    """The first parts of a title as lists of folded words; a plural keeps its number."""
    plain = title.casefold().replace("’", "'").replace("make up", "makeup")
    segments: list[list[str]] = []
    for part in [part for part in _SEGMENT.split(plain) if _WORD.search(part)][:_SEGMENTS]:
        beside = _BESIDE.search(part)
        named = _WORD.findall(part[: beside.start()] if beside else part)
        segments.append(named)
        # "Travel kit with soap, shampoo, lotion": what follows is still in the kit.
        if beside and beside["parts"] and (_PACKING & set(named) or not named):
            break
    return [named for named in segments if named]


def folded_words(text: str) -> list[str]:
    return [singular(word) for word in _WORD.findall(text.casefold())]


@cache
def _patterns() -> tuple[tuple[tuple[str, ...], Kind], ...]:
    """Word runs that name a kind, the longest first."""
    runs = [(tuple(folded_words(text)), kind) for kind in kinds().values() for text in (kind.name, *kind.titles)]
    return tuple(sorted(runs, key=lambda run: -len(run[0])))


@cache
def _runs_of(kind_name: str) -> tuple[tuple[str, ...], ...]:
    """The word runs that name a kind; comparing whole kinds takes long."""
    return tuple(run for run, kind in _patterns() if kind.name == kind_name)


@cache
def _patterns_from() -> dict[str, tuple[tuple[tuple[str, ...], Kind], ...]]:
    """The patterns by their first word, the longest first: a title is compared with few of them."""
    by_word: dict[str, list[tuple[tuple[str, ...], Kind]]] = {}
    for run, kind in _patterns():
        by_word.setdefault(run[0], []).append((run, kind))
    return {word: tuple(patterns) for word, patterns in by_word.items()}


def _kind_in(segments: list[list[str]], title_words: set[str]) -> Kind | None:
    for segment in segments:
        folded = [singular(word) for word in segment]
        for start, word in enumerate(folded):
            for run, kind in _patterns_from().get(word, ()):
                end = start + len(run)
                named = tuple(folded[start:end]) == run and not title_words & set(kind.unless)
                if named and _stands_alone(kind, folded, start, end, title_words):
                    return kind
    return None


def _stands_alone(kind: Kind, folded: list[str], start: int, end: int, title_words: set[str]) -> bool:
    """False where the run is part of something else: the brush in a brush holder, the shampoo of a dog."""
    following = folded[end] if end < len(folded) else ""
    if _names_another(kind, folded, end):
        return False  # the sunscreen of a sunscreen lip balm
    if following in words().heads or following in words().heads_with_company:
        return following in _FORMS
    strangers = set(folded[max(0, start - 2) : start]) & (_OTHERS | {"baby"} if kind.uses_up else _OTHERS)
    pets = title_words & _PETS and not _PET_THINGS & set(folded[start:end])
    return not strangers and not pets


def _names_another(kind: Kind, folded: list[str], end: int) -> bool:
    following = _patterns_from().get(folded[end], ()) if end < len(folded) else ()
    return any(tuple(folded[end : end + len(run)]) == run for run, other in following if other.name != kind.name)


def _kind_of_path(path: tuple[str, ...], title_words: set[str]) -> Kind | None:
    """The kind that the end of a real path names, as "Birds", "Feeders", when the title has its last word."""
    ends = {tuple(folded_words(" ".join(path[-count:]))) for count in (1, 2) if len(path) > count}
    return next((kind for run, kind in _patterns() if run in ends and run[-1] in title_words), None)


def _leaf_phrase(path: tuple[str, ...], title: str) -> Phrase | None:
    """The leaf of a real path, when the title's words bear it out; in the title's number."""
    leaf = path[-1] if len(path) > 1 else ""
    folded = folded_words(leaf)
    if not 1 <= len(folded) <= 4 or re.search(r"[&,/]", leaf) or (len(folded) == 1 and folded[0] not in words().heads):
        return None
    if set(folded) & words().vague_leaves or not set(folded) <= set(folded_words(title)):
        return None
    original = _WORD.findall(title.casefold())
    last = next(word for word in original if singular(word) == folded[-1])
    return phrase_of(" ".join([*folded[:-1], last]))


def _phrase_in(segment: list[str]) -> Phrase | None:
    """The last run of everyday words that ends in a head, at most three words of it.

    A head without company must end its part of the title: elsewhere it often belongs to a brand or a use.
    """
    known = words()
    for end in range(len(segment), 0, -1):
        last = singular(segment[end - 1])
        following = segment[end] if end < len(segment) else ""
        ends_part = not following or following in _PACKING or following.isdigit()
        if not ends_part and singular(following) in known.heads | known.heads_with_company:
            continue  # the polish of polish clips
        alone = last in known.heads and ends_part
        if last not in known.heads and last not in known.heads_with_company:
            continue
        start = end - 1
        while start and end - start < 3 and singular(segment[start - 1]) in known.modifiers:
            start -= 1
        if segment[start] == "steel":  # of "stainless steel", cut in two
            start += 1
        if start < end - 1 or alone:
            inner = [singular(word) for word in segment[start : end - 1]]
            return phrase_of(" ".join(_SPELLED.get(word, word) for word in [*inner, segment[end - 1]]))
    return None
