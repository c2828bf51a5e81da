"""Whether a shopper weighs things against each other to buy one of them, rather than to buy them all."""

import re

from drretail.llm.offline.shopper.tokens import Token

_WEIGHS = re.compile(
    r"\b(?:(?:decide|torn|choose|choosing|choice|hesitat\w+|waver\w*) between|which way to go|the better way"
    r"|(?:help|serve) me more|one or the other)\b",
    re.IGNORECASE,
)


def asks_which(query: str, tokens: list[Token], ends: list[int]) -> bool:
    """True for "can't decide between a lamp and a headlamp" and "a lamp or a headlamp".

    ``ends`` are the places right behind the things to buy, in order. All but the last stand in front of "or", or of a
    comma in such a list.
    """
    if _WEIGHS.search(query):
        return True
    behind = [tokens[end] for end in ends[:-1] if end < len(tokens)]
    return bool(behind) and behind[-1].word == "or" and all(token.word == "or" or token.after_comma for token in behind)
