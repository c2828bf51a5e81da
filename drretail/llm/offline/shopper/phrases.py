"""Noun phrases of a query that name no known kind, found behind the words that ask for something."""

import re

from drretail.llm.offline.shopper.tokens import NUMBER_WORDS, Token
from drretail.llm.offline.shopper.words import STOP_WORDS, word_set

# Words behind which the thing to buy stands.
_ASKING = word_set(
    """need want buy buying get getting find finding recommend suggest choose choosing pick picking select selecting
    purchase purchasing order ordering compare comparing replace replacing upgrade looking look shopping shop
    search searching require like best another reorder reordering thinking thought between what which"""
)
FILLERS = word_set(
    """me us a an the some any new good great best better nice decent quality cheap affordable few couple pair set
    pack of right perfect suitable reliable out another more also maybe top rated high really well made kind type sort
    brand several sturdy"""
) | frozenset(NUMBER_WORDS)
# Words that make a "which …" a question of what to buy.
_CHOICE = word_set("should best buy get recommend pick choose suit suits purchase")
# What follows "I need" or "the best" without being a thing the shop sells.
_NOT_PRODUCTS = word_set(
    """help advice recommendation recommendations suggestion suggestions idea ideas way ways option options item items
    product products price prices quality budget money deal deals value choice choices thing things stuff brand brands
    time information info opinion guide answer month week year today gift gifts present something anything solution
    nothing chosen picked selected max maximum minimum min candidates candidate compared comparison history
    past purchases instead sooner later web internet articles websites sources shopper
    routine routines
    joke story weather store shop review reviews rating ratings total spending
    shortlist alternative alternatives winner runner pack packs offer offers chance rhythm workplace life
    reminder reminders token tokens souvenir souvenirs keepsake label maker make makes
    leave house home household apartment room ready tired started used lost
    corner area spot place space sanctuary garden yard patio balcony bedroom kitchen bathroom nursery"""
)
_PEOPLE = word_set(
    """friend friends neighbor neighbors neighbour cousin sister brother mother father mom dad wife husband son daughter
    kid kids child children colleague colleagues coworker boss teacher professional professionals visitor visitors
    guest guests cat cats dog dogs puppy kitten baby"""
)
_ASKERS = frozenset({"shopper", "user", "customer"})
# Words of a short query that are not what it is about.
_BESIDE_THE_POINT = (
    word_set(
        """budget dollars usd eur euro euros hello hi hey setting set up gift gifts present mom mum mother dad father
    friend
    wife husband parent parents son daughter kids love loves loving enjoy enjoys home house new start starting started
    under below max maximum cheapest planning plan complete design essentials basics idea ideas nothing
    fits fit lasts works holds suits stays writes write asks hi"""
    )
    | _ASKERS
)
_ASKS_WHICH = frozenset({"what", "which"})
# Endings of words that say how a thing is, not what it is.
_QUALITIES = re.compile(r"(?:able|ible|proof|resistant|free|friendly|weight)$")
_PLAIN_QUALITIES = word_set(
    """small large big tiny medium soft firm light heavy quiet simple sturdy organic natural vegan cordless electric
    magnetic undated perennial orthopedic warm cool cozy white black blue red green pink grey gray brown toxic safe uv
    bpa non"""
)
_VERBS_AFTER = frozenset({"is", "are", "was", "were", "has", "have", "needs", "gets", "keeps", "loves"})
# "I'm looking for cotton": of what it is to be made, and not what it is.
_MATERIALS = word_set(
    "cotton linen wool silk bamboo wood plastic metal steel aluminum ceramic glass leather rubber polyester"
)
# What introduces a thing to buy rather than an aspect of one.
_INTRODUCES = word_set("a an some any different several the") | frozenset(NUMBER_WORDS)
# "I need the name on the label": a definite thing is no new one, unless it is the best of its kind.
_OF_ITS_KIND = word_set("best right perfect cheapest top ideal most")
# "Another one beats it": the one is the thing, and what follows is no part of a name.
_BEFORE_ONE = word_set("another better different new which any every each cheaper")
_SEEKING = ("look", "shop", "search")
_PARTICLES = {"thinking": "of", "thought": "of"}
_HESITATES = word_set("decide choose choosing choice torn hesitate hesitating waver wavering pick")
_NOUNS = r"[a-z-]+(?: [a-z-]+){0,2}?"
_SPOKEN = re.compile(
    r"\b(?:fed up with (?:the|my)|better than (?:the|my)|back to (?:the|my)|between (?:the |an? )?"
    r"|i bought (?:my|an?|the)|(?<=\. )the|^the"
    r"|(?:owned|had|using|used|tried|like|likes|liked|up on|used to buy|ordered) my)\s*"
    rf"(?P<things>{_NOUNS}(?: (?:and|or) (?:the |an? )?{_NOUNS})?)"
    r"(?=[.,;:?!]| (?:i|we) (?:got|ordered|bought|used)| (?:from|in|back|last|for|here|has|since)\b)"
)
# "Which leash fits a puppy?" asks for a leash, "which size is right?" for nothing.
_IN_QUESTION = re.compile(
    rf"(?:^|[.!?;:] )(?:which|what|what kind of|what sort of) (?P<thing>{_NOUNS})"
    r" (?:fits?|suits?|works?|lasts?|holds?|helps?|keeps?|stays?|stops?|do you)\b"
)
_ASPECTS = word_set("size color colour style material fabric type kind sort one ones shade length width height")
# "It needs cleaning": what is to be done, and nothing to buy.
_DOINGS = re.compile(r"^(?!clothing$|bedding$|lighting$|flooring$|earring$|fencing$|edging$|shelving$)[a-z]{3,}ing$")
_LONGEST_PHRASE = 4


def asked_phrases(tokens: list[Token], covered: frozenset[int]) -> list[tuple[tuple[str, ...], int]]:
    """Things asked for that are no known kind, those listed right behind them too, each with the place where it ends.

    Tokens that are ``covered`` by known kinds are left out.
    """
    found: list[tuple[tuple[str, ...], int]] = []
    for index, token in enumerate(tokens):
        aspects = covered and token.word.startswith("compar") and _is_bare(tokens, index + 1)
        if token.word in _ASKING and index not in covered and not aspects and _asks(tokens, index):
            found += _listed(tokens, index, covered)
    return found


def _listed(tokens: list[Token], asking: int, covered: frozenset[int]) -> list[tuple[tuple[str, ...], int]]:
    """The items of "I need a sunscreen, shampoo and nail polish", whatever is covered or only describes passed over."""
    items: list[tuple[tuple[str, ...], int]] = []
    at = asking + 1
    particle = _PARTICLES.get(tokens[asking].stem, "for" if tokens[asking].word.startswith(_SEEKING) else "")
    if particle and at < len(tokens) and tokens[at].word == particle:
        at += 1
    while True:
        phrase, end = _phrase_at(tokens, at, covered)
        passed = end
        while passed in covered:
            passed += 1
        listed = passed < len(tokens) and (tokens[passed].word in ("and", "or") or tokens[passed].after_comma)
        if phrase and _is_thing(tokens, phrase, at, end):
            items.append((phrase, end))
        elif not (passed > end or (phrase and describes(phrase))):
            return items
        if not listed or tokens[passed].clause != tokens[asking].clause:
            return items
        at = passed + (tokens[passed].word in ("and", "or"))


def spoken_things(query: str) -> list[tuple[str, ...]]:
    """Things a query speaks of without asking for them: "fed up with the clock", "between headbands and hair ties"."""
    found: list[tuple[str, ...]] = []
    for match in _SPOKEN.finditer(query.casefold()):
        for phrase in re.split(r" (?:and|or)(?: the| a| an)? ", match["things"]):
            words = tuple(phrase.replace("-", " ").split())
            if words and not (set(words) & (STOP_WORDS | _ASKERS) or words[-1] in _NOT_PRODUCTS):
                found.append(words)
    return list(dict.fromkeys(found))


def things_in_question(query: str) -> list[tuple[str, ...]]:
    """The leash of "which leash fits a puppy?"."""
    found = [tuple(match["thing"].replace("-", " ").split()) for match in _IN_QUESTION.finditer(query.casefold())]
    return [words for words in found if not set(words) & (STOP_WORDS | _ASPECTS | _NOT_PRODUCTS)]


def search_phrase(tokens: list[Token]) -> tuple[str, ...]:
    """The content words of a query too short to be more than a search; () for anything longer."""
    words = [
        token.word
        for token in tokens
        if token.word not in STOP_WORDS and token.word not in FILLERS and token.word not in _ASKING
        and not token.word.isdigit() and not token.money
        and token.word not in _BESIDE_THE_POINT and token.word not in _ASPECTS
    ]  # fmt: skip
    return tuple(words) if len(words) <= 5 and not all(describes((word,)) for word in words) else ()


def _asks(tokens: list[Token], index: int) -> bool:
    """False for "don't need", "already have to order", and "like" as a comparison."""
    before = tokens[index - 1].word if index else ""
    if tokens[index].word in ("what", "which"):
        clause = tokens[index].clause
        return any(token.clause == clause and token.word in _CHOICE for token in tokens[index + 1 :])
    if tokens[index].word == "like":
        return before in ("would", "i'd", "we'd", "also", "something")
    if tokens[index].word in ("thinking", "thought"):
        return tokens[index + 1].word == "of" if index + 1 < len(tokens) else False
    if tokens[index].word.startswith("look"):
        # "Without them looking homemade" looks for nothing.
        return tokens[index + 1].word in ("for", "at", "into") if index + 1 < len(tokens) else False
    if tokens[index].word == "between":
        return before in _HESITATES
    if tokens[index].word in ("order", "purchase", "search"):
        return before in ("", "to", "i", "i'll", "please", "we", "just", "and", "could", "can")
    return before not in ("don't", "not", "no", "already", "in")


def _is_bare(tokens: list[Token], at: int) -> bool:
    """True for the "size and weight" of "compare size and weight": beside a thing, these are its aspects."""
    return at < len(tokens) and tokens[at].word not in _INTRODUCES


def _phrase_at(tokens: list[Token], start: int, covered: frozenset[int]) -> tuple[tuple[str, ...], int]:
    """The noun phrase from ``start`` on, () where there is none, and the place where it ends."""
    first = start
    while first < len(tokens) and (tokens[first].word in FILLERS or tokens[first].word.isdigit()):
        stands_for_it = tokens[first].word in ("one", "ones") and first > 0 and tokens[first - 1].word in _BEFORE_ONE
        if tokens[first].money or stands_for_it:
            return (), first
        first += 1
    end = first
    while end < len(tokens) and end - first < _LONGEST_PHRASE and not _breaks(tokens, end, start, first):
        if end in covered:
            return (), end
        end += 1
    return tuple(token.word for token in tokens[first:end]), end


def _breaks(tokens: list[Token], at: int, start: int, first: int) -> bool:
    token = tokens[at]
    new_clause = at > start and token.clause != tokens[at - 1].clause
    plain = token.word not in STOP_WORDS and token.word not in _ASKING and not token.money and not token.word.isdigit()
    return new_clause or (token.after_comma and at > first) or not plain


def _is_thing(tokens: list[Token], words: tuple[str, ...], start: int, end: int) -> bool:
    """False for what no shop sells, for "my skin is", for words that only describe, for "which form works"."""
    following = [token.word for token in tokens[end : end + 3]]
    if tokens[start - 1].word in _ASKS_WHICH:
        open_choice = following[:2] in (["is", "best"], ["are", "best"], ["is", "the"], ["are", "the"])
        if not (open_choice or following[:1] in (["should"], ["would"], ["to"], ["do"])):
            return False
    elif following and (following[0] in _VERBS_AFTER or following[0] == "back"):
        return False
    doing = len(words) == 1 and tokens[start - 1].stem == "need" and _DOINGS.match(words[0]) is not None
    return not (
        doing
        or _is_something_else(tokens, words, start, end)
        or describes(words)
        or words[-1] in _NOT_PRODUCTS
        or words[-1].endswith("ly")
        or {words[0], words[-1]} & _PEOPLE
    )


def is_quality(word: str) -> bool:
    """True for a word that says how or of what a thing is made, and names none: "magnetic", "cotton"."""
    return word in _MATERIALS or describes((word,))


def _is_something_else(tokens: list[Token], words: tuple[str, ...], start: int, end: int) -> bool:
    """True for a material, for what one gets out of the house, for the name in "I need the name", and for a verb."""
    asking, following = tokens[start - 1].stem, tokens[end].word if end < len(tokens) else ""
    bare = tokens[start].word == words[0]
    # "A shampoo, and check the ingredients" goes on with a verb.
    verb = bare and len(words) == 1 and tokens[start - 1].word == "and" and following in ("the", "my", "its", "me")
    definite = tokens[start].word == "the" and tokens[start + 1].word not in _OF_ITS_KIND
    return (
        (len(words) == 1 and words[0] in _MATERIALS)
        or verb
        or (bare and asking in ("get", "getting") and following == "out")
        or (definite and (asking in ("need", "want") or (len(words) == 1 and words[0].endswith("est"))))
    )


def describes(words: tuple[str, ...]) -> bool:
    """True for the "washable" of "a dog bed, washable" and the "non-toxic" of "a non-toxic, light cup"."""
    return words[-1] in _PLAIN_QUALITIES or _QUALITIES.search(words[-1]) is not None
