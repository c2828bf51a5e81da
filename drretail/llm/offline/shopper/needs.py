"""What the shopper wants to buy, read from the query: known kinds first, then what stands behind "I need a …"."""

import re
from dataclasses import dataclass, replace

from drretail.llm.offline.shopper.company import asks_for_company
from drretail.llm.offline.shopper.complaints import COMPLAINS
from drretail.llm.offline.shopper.either import asks_which
from drretail.llm.offline.shopper.idioms import without_idioms
from drretail.llm.offline.shopper.kinds import KINDS, THEMES, Kind
from drretail.llm.offline.shopper.mentions import is_aside, is_owned, is_unwanted
from drretail.llm.offline.shopper.named import known_spans, requested
from drretail.llm.offline.shopper.need import Need, asked_need, kind_of, need_of
from drretail.llm.offline.shopper.phrases import (
    FILLERS,
    asked_phrases,
    search_phrase,
    spoken_things,
    things_in_question,
)
from drretail.llm.offline.shopper.so_many import so_many
from drretail.llm.offline.shopper.tokens import Token, quantity_at, tokenise
from drretail.llm.offline.shopper.wondering import without_wondering
from drretail.llm.offline.shopper.words import (
    STOP_WORDS,
    stems_of,
    word_set,
    words_of,
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
    r"|\b(?:get|want|need|find|try|buy) (?:a )?different\b|\b(?:other|different|another) makes?\b"
    r"|\b(?:don't|do not|never) (?:suggest|recommend|show)\b[^.!?]{0,30}"
    r"\b(?:that|which|what) i (?:already )?(?:have|own)\b",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"\b(?:replac\w+|step up|better|upgrade|instead|successor|another (?:one|order)|new one|same again"
    r"|order (?:it )?again|switching|stock up|out of|almost finished|much left)\b",
    re.IGNORECASE,
)
# Words that show that somebody wants to buy at all.
INTENT = word_set("buy buying recommend suggest design set need gift order shop get next else more upgrade")
# And that somebody has something to choose: "how do I clean my skillet?" has none of them.
_CHOOSING = INTENT | word_set(
    """alternative alternatives candidate candidates option options which pick choose compare show beside switch
    switching change changing replace replacement cheaper better spend pay budget cost afford price offer offers
    kinder smaller bigger larger lighter quieter stay"""
)
_PAST_QUALITIES = frozenset({"old", "current", "existing", "worn", "broken", "previous"})
_PRICE_WORDS = word_set("under below most max maximum less up about around dollars budget total")
# "For that reason" says nothing of the thing in front of it.
_NO_PURPOSE = word_set("reason purpose occasion now once starters example sure instance while long ever change money")
_CLAUSE_VERBS = word_set(
    """buy find get need want recommend suggest choose pick compare replace upgrade add order looking shopping search
    including include design build create set setting bought keep make plan planning complete"""
)


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
    spans = known_spans(tokens, requests)
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
    for start, end, kind in requested(named, requests) or ([] if asked else named):
        placed.setdefault(kind.name, (end, _known_need(kind, tokens, start, end)))
    for phrase, end in asked:
        placed.setdefault(" ".join(phrase), (end, asked_need(phrase, tuple(_purpose(tokens, end)))))
    needs = [need for _, need in sorted(placed.values(), key=lambda item: item[0])]
    if not needs and _is_about(owned, query):
        # "The lamp I bought last year annoys me. What would you have me do?"
        needs = [need_of(kind) for _, _, kind in spans[:1]]
        owned = []
    needs = needs or [asked_need(phrase) for phrase in spoken_things(plain) if not _is_one_of(owned, phrase)]
    needs = needs or [replace(asked_need(thing), guessed=True) for thing in things_in_question(plain)[:1]]
    needs = needs or _suggested(tokens, frozenset(owned))
    if len(needs) == 1:
        needs = [replace(needs[0], wishes=(*_of_the_one(tokens), *needs[0].wishes))]
    again = _AGAIN.search(query) is not None and _NOT_AGAIN.search(query) is None
    other = (_OTHER.search(query.replace("’", "'")) or COMPLAINS.search(query)) is not None
    if len(needs) == 1 and needs[0].quantity == 1:
        needs = [replace(needs[0], quantity=so_many(query) or 1)]
    counted = [replace(_counted(need, constraints), again=again and not other, other=other) for need in needs]
    ends = sorted(end for end, _ in placed.values())
    single = 1 < len(counted) <= MOST_NEEDS and all(need.quantity == 1 for need in counted)
    either = single and asks_which(query, tokens, ends)
    return Wanted(tuple(counted[:MOST_NEEDS]), tuple(dict.fromkeys(owned)), one_of=either)


def _is_about(owned: list[str], query: str) -> bool:
    """True where a query that asks for nothing by name is about the very thing that the shopper has."""
    if not owned:
        return False
    if _BETTER.search(query):
        return True
    return len(set(owned)) == 1 and bool(_CHOOSING.intersection(words_of(query))) and not asks_for_company(query)


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
    return [replace(asked_need(phrase), guessed=True)] if phrase and not owned else []


def _counted(need: Need, constraints: Constraints) -> Need:
    """The need with the quantity that the constraints state for it."""
    own = {stem for name in need.names for stem in name}
    for thing, number in constraints.quantities.items():
        stems = stems_of(thing)
        if stems and (stems[-1] in {name[-1] for name in need.names} or own.issuperset(stems)):
            return replace(need, quantity=max(1, number))
    return need
