"""The part that a thing plays where a query names it: owned, ruled out, or only what something else is for."""

import re

from drretail.llm.offline.shopper.tokens import Token

_POSSESSION = r"(?:have|has|own|got|bought|purchased|ordered|tried)"
_OWNED = re.compile(
    r"\b(?:already (?:have|own|got|bought)|(?:i|we) (?:only |just |once )?(?:have|own|bought|got|use|tried)"
    r"|i've (?:only |just |already )?(?:got|had|tried|bought|(?:been )?using|(?:been )?used)|current|existing|besides"
    r"|in addition to|other than|(?:more|beyond) (?:than )?just|not only|to go with|to match|alongside"
    r"|compatible with)\b"
)
_BOUGHT_BEHIND = re.compile(
    r"(?:(?:supplement|set|kit|one|ones|pack) )?(?:that |which )?(?:i|we)(?:'ve)?(?: have)? (?:already )?"
    r"(?:ordered|bought|got|own|have)\b"
)
_LIKE_MINE_BEHIND = re.compile(r"(?:set |kit |supplement )?(?:like|of) (?:mine|ours|my own)\b")
# An example of what is owned stands behind a comma: "what I've bought, such as the birdhouse".
_OWNED_EXAMPLE = re.compile(rf"\b{_POSSESSION}(?: \w+){{0,3}} (?:such as(?: (?:the|my|an?))?|like (?:the|my))$")
_MINE = re.compile(r"\b(?:my|our)(?: [\w'-]+){0,3}$")
_ARTICLE_AFTER_MINE = re.compile(r"\b(?:my|our) (?:[\w'-]+ )*(?:a|an|some|the|new|for|with|and)\b[^,]*$")
_WANTED_AGAIN = re.compile(
    r"\b(?:replace|replacing|replacement|upgrade|upgrading|reorder|another|second|need|new|fed up with|instead of)\b"
)
_UNWANTED = re.compile(
    r"\b(?:(?:don't|do not|doesn't) (?:need|want)|no|not|without|instead of|rather than|except|skip|anything but"
    r"|everything but)(?: (?:a|an|any|the|another|more))?(?: [\w'-]+)?$"
)
# "I'm not much of a planner": somebody, and nothing to buy.
_SOMEBODY = re.compile(
    r"\b(?:i'm|i am|we're|we are|he's|he is|she's|she is|they're|they are)"
    r"(?: (?:not|really|no|just|more of|much of|hardly|such|quite))* an?(?: \w+)?$|\bmuch of an?$"
)
# "to bed", "to harness the morning": a place or a verb.
_NO_NOUN = re.compile(r"\b(?:go|goes|went|going|off|want|wants|like|need|how|try|able|time) to$|\b(?<!interested )in$")
_FOR = re.compile(r"(?P<head>\w[\w'-]*) for (?P<which>the|my|our|his|her|their|this|that|an?|some)(?: [\w'-]+){0,2}$")
_AT = re.compile(
    r"(?P<head>\w[\w'-]*) (?:in|on|into|onto|under|over|above|around|near|beside|inside|behind|next to) "
    r"(?:the|my|our|his|her|their|this)(?: [\w'-]+)?$"
)
# In front of "for the lamp", these make the lamp what is wanted.
_SEEKS = re.compile(
    r"(?:look|looking|shop|shopping|search|searching|ask|asking|hunt|hunting|go|going|opt|opting|wish|wishing|pay|spend"
    r"|need|budget|cost|price|money|dollars|ideas?|suggestions?|recommendations?|options?|candidates?|advice|deals?"
    r"|offers?|interested|decide|settle|opinions?|info|information|\d+)$"
)
_REACH = 7


def is_owned(tokens: list[Token], start: int, end: int) -> bool:
    """True where the query speaks of the thing at ``start`` as the shopper's own, not as wanted."""
    behind = _behind(tokens, start, end)
    if _LIKE_MINE_BEHIND.match(behind):
        return True
    lead = _lead(tokens, start)
    if _WANTED_AGAIN.search(lead):
        return False
    mine = _MINE.search(lead) is not None and _ARTICLE_AFTER_MINE.search(lead) is None
    example = _OWNED_EXAMPLE.search(_lead(tokens, start, over_commas=True)) is not None
    return mine or example or _OWNED.search(lead) is not None or _BOUGHT_BEHIND.match(behind) is not None


def is_unwanted(tokens: list[Token], start: int) -> bool:
    """True for "not a lamp" and "anything but a lamp"."""
    return _UNWANTED.search(_lead(tokens, start)) is not None


def is_aside(tokens: list[Token], start: int, heads: frozenset[int]) -> bool:
    """True for what is no thing to buy: a person, a verb, or the bed in "a hose for the bed".

    ``heads`` are the places right behind things that the query names: "a cover for a bed" needs a thing before "for".
    """
    lead = _lead(tokens, start)
    if _SOMEBODY.search(lead) or _NO_NOUN.search(lead):
        return True
    found = _FOR.search(lead)
    if found is not None:
        preposition = start - len(found[0].split()) + 1
        definite = found["which"] not in ("a", "an", "some")
        return not _SEEKS.match(found["head"]) and (definite or preposition in heads)
    found = _AT.search(lead)
    return found is not None and not _SEEKS.match(found["head"])


def _behind(tokens: list[Token], start: int, end: int) -> str:
    return " ".join(token.word for token in tokens[end : end + 5] if token.clause == tokens[start].clause)


def _lead(tokens: list[Token], start: int, *, over_commas: bool = False) -> str:
    """The few words before a token within its clause, back to the last comma or further."""
    words: list[str] = []
    for index in range(start - 1, max(-1, start - 1 - _REACH), -1):
        if tokens[index].clause != tokens[start].clause or (tokens[index + 1].after_comma and not over_commas):
            break
        words.append(tokens[index].word)
    return " ".join(reversed(words))
