"""Sources that say the opposite of a claim, or name something else in its place."""

import re
from collections.abc import Sequence

from drretail.llm.offline.judge.segments import Segment
from drretail.llm.offline.judge.stems import content_stems, stem

_OPPOSITES = (
    "indoor outdoor", "hot cold", "wet dry", "small large", "cheap expensive", "cheapest dearest", "manual electric",
    "corded cordless", "highest lowest", "rigid flexible", "hard soft", "light dark", "adult puppy", "safe unsafe",
    "waterproof absorbent", "increase decrease", "longest shortest", "best worst", "suitable unsuitable",
    "hand machine", "metal plastic", "steel wood", "natural synthetic", "organic artificial", "toxic nontoxic",
    "winter summer", "loud quiet", "heavy lightweight", "rare common", "attract repel", "delivered cancelled",
    "shipped pending",
    "cooler warmer", "good harms", "good bad", "helps harms", "protects damages", "above below", "faster slower",
    "higher lower", "thicker thinner",
)  # fmt: skip
# "descale with white vinegar", "made of cotton": what is done, and with what.
_WITH = re.compile(
    r"\b(?P<verb>[^\W\d_]{3,})\s+(?P<by>with|using|of|from)\s+(?P<what>[^.;]+?)(?=\bthen\b|[.;]|$)", re.IGNORECASE
)
_MOST_WORDS = 8
_END_OF_OBJECT = re.compile(r"\b(?:for|in|on|at|to|until|every|once|by|and)\b|[,:(]", re.IGNORECASE)


def opposite(wanted: frozenset[str], segments: Sequence[Segment]) -> str:
    """Why a passage that is closest to the claim says the opposite of one of its words; "" when none does."""
    for pair in _OPPOSITES:
        one, other = (stem(word) for word in pair.split())
        for said, instead in ((one, other), (other, one)):
            if said not in wanted or instead in wanted:
                continue
            if _closeness(instead, said, wanted, segments) > _closeness(said, "", wanted, segments):
                return f"the sources say the opposite: {instead} instead of {said}"
    return ""


def _closeness(word: str, without: str, wanted: frozenset[str], segments: Sequence[Segment]) -> int:
    """How many other words of the claim a passage with this word shares at most."""
    rest = wanted - {word}
    return max((len(it.stems & rest) for it in segments if word in it.stems and without not in it.stems), default=0)


def replaced(claim: str, segments: Sequence[Segment]) -> str:
    """Why the sources do the same with something else: "descale with bleach" where they say vinegar."""
    for said in _WITH.finditer(claim):
        if not _is_telling(said):
            continue
        what = content_stems(_END_OF_OBJECT.split(said["what"], maxsplit=1)[0])
        instead = [
            content_stems(" ".join(match["what"].split()[:_MOST_WORDS]))
            for segment in segments
            for match in _WITH.finditer(segment.raw)
            if (stem(match["verb"]), match["by"].casefold()) == (stem(said["verb"]), said["by"].casefold())
        ]
        if what and instead and not any(what & other for other in instead):
            return f"the sources name something else than {said['what'].strip()} after “{said['verb']} {said['by']}”"
    return ""


def _is_telling(match: re.Match[str]) -> bool:
    """A verb of content, or "made of": "set of" and "comes with" stand before anything."""
    made = match["verb"].casefold() == "made"
    return made or (match["by"].casefold() in ("with", "using") and bool(content_stems(match["verb"])))
