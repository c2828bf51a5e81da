"""Words without their endings, so that "beds", "bed" and "bed's" are one."""

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Words that carry no content of their own, or only name the field that a figure belongs to.
_EMPTY = frozenset(
    """
    a about after all also am an and any are around as at be because been before being between both but by can could
    did do does doing down during each either every few for from further had has have having he her here hers him
    his how i if in into is it its itself just me more most my nor not of off on once one only or other our ours out
    over own per same she should so some such than that the their theirs them then there these they this those
    through to too under until up very was we were what when where which while who whom why will with within without
    would you your yours never no none also still yet however cost costs costing price priced prices pricing rate
    rated rates rating ratings star stars review reviews customer customers dollar dollars usd buyer buyers voice
    voices product products item items listed listing list lists shop store sells sold available offer offers
    offered come comes coming get got give gives make makes made take takes option pick picks picked choice choices
    compared compare match matches record records runner runners ahead standing strongest report according say says
    said show shows shown state states stated note notes noted average id total together sum combined piece pieces
    counted apiece weigh weighs weight two three four five six seven eight nine ten eleven twelve bought buy
    purchased purchase order ordered orders asked ask least live lives living against less favour
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)
_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("fulness", "ful"), ("iveness", "ive"), ("ously", "ous"), ("ingly", ""),
    ("ments", "ment"), ("ability", "able"), ("ibility", "ible"), ("ies", "y"), ("sses", "ss"), ("ches", "ch"),
    ("shes", "sh"), ("xes", "x"), ("ings", ""), ("ing", ""), ("edly", ""), ("ied", "y"), ("ed", ""), ("ness", ""),
    ("able", ""), ("ible", ""), ("ly", ""), ("es", ""), ("er", ""), ("s", ""), ("e", ""),
)  # fmt: skip
_SHORTEST = 3


def stem(word: str) -> str:
    """The word in lower case without its ending; both "washable" and "washed" give "wash"."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    for _ in range(2):
        for ending, instead in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and not word.endswith("ss"):
                word = word[: len(word) - len(ending)] + instead
                break
    doubled = len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


def content_stems(text: str) -> frozenset[str]:
    """The stems of all words that say something."""
    words = (match[0] for match in _WORD.finditer(text))
    return frozenset(stem(word) for word in words if len(word) > 1 and word.casefold() not in _EMPTY)
