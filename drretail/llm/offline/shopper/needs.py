"""What the shopper wants to buy, read from the query: known kinds first, then what stands behind "I need a …"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from drretail.llm.offline.shopper.complaints import COMPLAINS
from drretail.llm.offline.shopper.either import asks_which
from drretail.llm.offline.shopper.everyday import ALL_KINDS
from drretail.llm.offline.shopper.idioms import without_idioms
from drretail.llm.offline.shopper.kinds import CONSUMABLE_WORDS, EVERY_CUE, KINDS, THEMES, Kind
from drretail.llm.offline.shopper.mentions import is_aside, is_owned, is_unwanted
from drretail.llm.offline.shopper.phrases import (
    FILLERS,
    asked_phrases,
    describes,
    search_phrase,
    spoken_things,
    things_in_question,
)
from drretail.llm.offline.shopper.tokens import Token, quantity_at, tokenise
from drretail.llm.offline.shopper.wondering import without_wondering
from drretail.llm.offline.shopper.words import (
    STOP_WORDS,
    contains_phrase,
    number_text,
    plural,
    stems_of,
    with_article,
    word_set,
)
from drretail.records.query import Constraints

MOST_NEEDS = 4
_AGAIN = re.compile(
    r"\b(?:reorder\w*|restock\w*|refills?|ran out of|run(?:ning)? (?:low|out)|(?:order|buy|get) .{0,25}\bagain"
    r"|same .{0,30}\b(?:last time|before))\b",
    re.IGNORECASE,
)
_NOT_AGAIN = re.compile(
    r"\b(?:don't|do not|not|never)\b[^.!?]{0,50}\bagain\b|\bsomething better\b|\bworth switching\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"\b(?:don't|do not|not|never)\b[^.!?]{0,50}\bthe same\b|\bleave out what i (?:already )?(?:own|have)\b"
    r"|\b(?:get|want|need|find|try|buy) (?:a )?different\b",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"\b(?:replac\w+|step up|better|upgrade|instead|successor|another (?:one|order)|new one|same again"
    r"|order (?:it )?again|switching|stock up|out of|almost finished|much left)\b",
    re.IGNORECASE,
)
# Words that show that somebody wants to buy at all.
INTENT = word_set("buy buying recommend suggest design set need gift order shop get next else more upgrade")
_LONGEST_NAME = 4
_PLACES_BEFORE = frozenset({"my", "the", "our", "around", "near", "whole"})
_PAST_QUALITIES = frozenset({"old", "current", "existing", "worn", "broken", "previous"})
_PRICE_WORDS = word_set("under below most max maximum less up about around dollars budget total")
# A noun stands alone in front of these: "which harness fits", and not "a flower corner".
_VERBS_BEHIND = word_set(
    "fits fit suits suit works work lasts last holds hold helps help keeps keep stays stay stops stop costs"
)
# "For that reason" says nothing of the thing in front of it.
_NO_PURPOSE = word_set("reason purpose occasion now once starters example sure instance while long ever change money")
_CLAUSE_VERBS = word_set(
    """buy find get need want recommend suggest choose pick compare replace upgrade add order looking shopping search
    including include design build create set setting bought keep make plan planning complete"""
)


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to buy. ``names`` are its names as stems, the plainest first; ``wishes`` the words that qualify it."""

    name: str
    names: tuple[tuple[str, ...], ...]
    wishes: tuple[str, ...] = ()
    quantity: int = 1
    consumable: bool = False
    theme: str | None = None
    ask: str = ""
    """What to look up on the web about it."""
    again: bool = False
    """True when the shopper wants what they had before."""
    other: bool = False
    """True when the shopper wants anything but what they had before."""
    guessed: bool = False
    """True when nothing in the query says that this is to be bought."""

    @property
    def search(self) -> str:
        return " ".join([*self.wishes[:2], self.name])

    @property
    def thing(self) -> str:
        """The noun for one such product in a sentence."""
        return "match" if self.guessed or plural(self.name) == self.name else self.name

    @property
    def counted(self) -> str:
        """ "three bird feeders", "a birdhouse", "wildflower seeds"."""
        if self.quantity == 1:
            return with_article(self.name)
        return f"{number_text(self.quantity)} {plural(self.name)}"

    @property
    def definite(self) -> str:
        """ "the bird feeder"."""
        return f"the {self.name}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be bought, and the kinds of things the shopper speaks of owning."""

    needs: tuple[Need, ...]
    owned: tuple[str, ...]
    one_of: bool = False
    """True when the shopper will buy one of the needs and asks which."""


def read_needs(query: str, constraints: Constraints) -> Wanted:
    """The needs in the order of the query, at most four."""
    plain = without_idioms(query)
    tokens = tokenise(plain)
    # What somebody only wonders about is no request: "when vets recommend memory foam".
    requests = tokenise(without_wondering(plain))
    spans = _known_spans(tokens, requests)
    covered = frozenset(index for start, end, _ in spans for index in range(start, end))
    asked = asked_phrases(requests, covered)
    heads = frozenset(end for _, end, _ in spans) | frozenset(end for _, end in asked)
    owned = [kind.name for start, end, kind in spans if is_owned(tokens, start, end)]
    named = [
        span
        for span in spans
        if not (is_owned(tokens, *span[:2]) or is_unwanted(tokens, span[0]) or is_aside(tokens, span[0], heads))
    ]
    placed: dict[str, tuple[int, Need]] = {}
    for start, end, kind in _requested(named, requests) or ([] if asked else named):
        placed.setdefault(kind.name, (end, _known_need(kind, tokens, start, end)))
    for phrase, end in asked:
        placed.setdefault(" ".join(phrase), (end, _asked_need(phrase, tuple(_purpose(tokens, end)))))
    needs = [need for _, need in sorted(placed.values(), key=lambda item: item[0])]
    if not needs and owned and _BETTER.search(query):
        # "The lamp I bought last year annoys me. Which one would be a step up?"
        needs = [need_of(kind) for _, _, kind in spans[:1]]
        owned = []
    needs = needs or [_asked_need(phrase) for phrase in spoken_things(plain) if not _is_one_of(owned, phrase)]
    needs = needs or [replace(_asked_need(thing), guessed=True) for thing in things_in_question(plain)[:1]]
    needs = needs or _suggested(tokens, frozenset(owned))
    if len(needs) == 1:
        needs = [replace(needs[0], wishes=(*_of_the_one(tokens), *needs[0].wishes))]
    again = _AGAIN.search(query) is not None and _NOT_AGAIN.search(query) is None
    other = (_OTHER.search(query.replace("’", "'")) or COMPLAINS.search(query)) is not None
    counted = [replace(_counted(need, constraints), again=again and not other, other=other) for need in needs]
    ends = sorted(end for end, _ in placed.values())
    single = 1 < len(counted) <= MOST_NEEDS and all(need.quantity == 1 for need in counted)
    either = single and asks_which(query, tokens, ends)
    return Wanted(tuple(counted[:MOST_NEEDS]), tuple(dict.fromkeys(owned)), one_of=either)


def names_thing(need: Need, title: str) -> bool:
    """True when a title names the needed thing, its words side by side."""
    stems = stems_of(title)
    return any(contains_phrase(stems, name) for name in need.names)


def as_titled(need: Need, titles: Sequence[str]) -> Need:
    """A guess cut down to the longest run of its words that a title holds: what no shelf knows is hardly a thing.

    Other needs, and a guess of which no title holds a word, as they are.
    """
    if not need.guessed:
        return need
    words, shown = need.name.split(), [stems_of(title) for title in titles]
    for size in range(len(words), 0, -1):
        for start in range(len(words) - size + 1):
            part = tuple(words[start : start + size])
            stems = tuple(stems_of(" ".join(part)))
            # "Puppy" says for whom, and not what.
            is_thing = not describes(part) and not EVERY_CUE.issuperset(part)
            if is_thing and any(contains_phrase(title, stems) for title in shown):
                return replace(_asked_need(part), guessed=True, quantity=need.quantity, other=need.other)
    return need


def kind_of(title: str) -> Kind | None:
    """The known kind that a product's title names, if any."""
    stems = stems_of(title)
    for size in range(_LONGEST_NAME, 0, -1):
        for start in range(len(stems) - size + 1):
            if kind := _names().get(tuple(stems[start : start + size])):
                return kind
    return None


def need_of(kind: Kind) -> Need:
    return Need(
        name=kind.name,
        names=tuple(tuple(stems_of(name)) for name in (kind.name, *kind.also)),
        consumable=kind.consumable,
        theme=kind.theme,
        ask=kind.ask,
    )


@cache
def _names() -> dict[tuple[str, ...], Kind]:
    return {tuple(stems_of(name)): kind for kind in reversed(ALL_KINDS) for name in (*kind.also, kind.name)}


def _known_spans(tokens: list[Token], requests: list[Token]) -> list[tuple[int, int, Kind]]:
    """Where known kinds are named; those of no theme only in ``requests``, for many are named in passing."""
    cues = {token.word for token in tokens}
    loose = {
        stems_of(name)[0]: kind for kind in reversed(KINDS) for name in kind.loose if cues & set(THEMES[kind.theme])
    }
    spans: list[tuple[int, int, Kind]] = []
    index = 0
    while index < len(tokens):
        span = _span_at(tokens, index) or _loose_at(tokens, index, loose)
        if span is not None and not span[2].theme and _span_at(requests, index) != span:
            span = None
        if span is None:
            index += 1
        else:
            spans.append(span)
            index = span[1]
    return spans


def _requested(spans: list[tuple[int, int, Kind]], requests: list[Token]) -> list[tuple[int, int, Kind]]:
    """The spans without what is named only where the shopper wonders: "how it goes on with a serum"."""
    return [span for span in spans if all(token.word != "the" for token in requests[span[0] : span[1]])]


def _span_at(tokens: list[Token], start: int) -> tuple[int, int, Kind] | None:
    for size in range(_LONGEST_NAME, 0, -1):
        part = tokens[start : start + size]
        if len({token.clause for token in part}) == 1 and (kind := _names().get(tuple(token.stem for token in part))):
            return start, start + len(part), kind
    return None


def _loose_at(tokens: list[Token], index: int, loose: dict[str, Kind]) -> tuple[int, int, Kind] | None:
    kind = loose.get(tokens[index].stem)
    if kind is None or (index > 0 and tokens[index - 1].word in _PLACES_BEFORE):
        return None
    behind = tokens[index + 1] if index + 1 < len(tokens) else None
    within = behind is not None and behind.clause == tokens[index].clause and not behind.after_comma
    plain = STOP_WORDS | FILLERS | _VERBS_BEHIND
    if behind is not None and within and behind.word not in plain and not behind.word.isdigit():
        return None  # the "flower" of a flower corner
    return index, index + 1, kind


def _known_need(kind: Kind, tokens: list[Token], start: int, end: int) -> Need:
    before = start
    while before > 0 and _qualifies(tokens, before - 1, start):
        before -= 1
    wishes = [token.stem for token in tokens[before:start]]
    number = quantity_at(tokens, before - 1) if before > 0 else None
    return replace(need_of(kind), wishes=tuple(wishes + _purpose(tokens, end)), quantity=number or 1)


def _of_the_one(tokens: list[Token]) -> tuple[str, ...]:
    """The quality in "an orthopedic one"."""
    return tuple(
        quality.stem
        for article, quality, one in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if one.word == "one" and article.word in ("a", "an", "another") and quality.word not in STOP_WORDS | FILLERS
    )


def _qualifies(tokens: list[Token], index: int, start: int) -> bool:
    token = tokens[index]
    same_breath = token.clause == tokens[start].clause and not tokens[index + 1].after_comma
    plain = token.word not in STOP_WORDS | FILLERS | _CLAUSE_VERBS | _PAST_QUALITIES and not token.money
    return same_breath and plain and start - index <= 3 and quantity_at(tokens, index) is None


def _purpose(tokens: list[Token], end: int) -> list[str]:
    """The words of "for my small balcony" right behind a need; a price ends them."""
    if end >= len(tokens) or tokens[end].word != "for":
        return []
    words: list[str] = []
    for token in tokens[end + 1 : end + 6]:
        new_thought = token.clause != tokens[end].clause or token.after_comma
        if new_thought or token.money or token.word.isdigit() or token.word in _PRICE_WORDS:
            break
        if token.word not in STOP_WORDS and token.word not in FILLERS | _NO_PURPOSE:
            words.append(token.stem)
    return words[:3]


def _asked_need(phrase: tuple[str, ...], wishes: tuple[str, ...] = ()) -> Need:
    """A need in the query's own words; qualities in front of the thing become wishes."""
    front = max((place for place in range(1, len(phrase)) if describes(phrase[:place])), default=0)
    thing = phrase[front:]
    stems = tuple(stems_of(" ".join(thing)))
    names = (stems,) if len(stems) < 3 else (stems, stems[-2:])
    consumable = bool(set(stems) & CONSUMABLE_WORDS)
    return Need(name=" ".join(thing), names=names, wishes=(*phrase[:front], *wishes), consumable=consumable)


def _is_one_of(kinds: list[str], phrase: tuple[str, ...]) -> bool:
    kind = kind_of(" ".join(phrase))
    return kind is not None and kind.name in kinds


def _suggested(tokens: list[Token], owned: frozenset[str]) -> list[Need]:
    """Needs that the query only hints at: the kinds of its theme, else its own words."""
    words = {token.word for token in tokens}
    themes = {theme for theme, cues in THEMES.items() if words & set(cues)}
    cues = {word for theme in themes for word in THEMES[theme]}
    phrase = search_phrase(tokens)
    about_theme = themes and (owned or cues.issuperset(phrase))
    if about_theme:
        kinds = [kind for kind in KINDS if kind.theme in themes and kind.name not in owned]
        return [need_of(kind) for kind in kinds[:3]] if words & INTENT else []
    return [replace(_asked_need(phrase), guessed=True)] if phrase and not owned else []


def _counted(need: Need, constraints: Constraints) -> Need:
    """The need with the quantity that the constraints state for it."""
    own = {stem for name in need.names for stem in name}
    for thing, number in constraints.quantities.items():
        stems = stems_of(thing)
        if stems and (stems[-1] in {name[-1] for name in need.names} or own.issuperset(stems)):
            return replace(need, quantity=max(1, number))
    return need
