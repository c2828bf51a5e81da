"""How many of one thing a query wants that names the number apart from the thing: "it would be four of them"."""

import re

from drretail.llm.offline.shopper.tokens import LARGEST_QUANTITY, NUMBER_WORDS

_SO_MANY = re.compile(
    r"\b(?:(?:it|that|there)(?: would|'d| will|'ll) be|thinking of|so|let's say|make it|(?:i|we)(?:'d)? (?:need|want))"
    rf" (?P<number>{'|'.join(NUMBER_WORDS)}|\d{{1,2}})(?= of them\b|\s*[,.;!](?!\d)| it is\b| this time\b| pieces\b)",
    re.IGNORECASE,
)


def so_many(query: str) -> int | None:
    """The number; None where the query names none in this way."""
    match = _SO_MANY.search(query.replace("’", "'"))
    if match is None:
        return None
    word = match["number"].casefold()
    number = NUMBER_WORDS.get(word) or int(word)
    return number if 1 <= number <= LARGEST_QUANTITY else None
