"""Of which thing a demand is said: "the swaddle has to be cotton" asks nothing of the diaper bag beside it."""

from drretail.grounding.text.words import content_stems
from drretail.offline.shopper.reading.asked import Asked, Phrase
from drretail.records.query import Demand


def is_said_of(demand: Demand, thing: str) -> bool:
    """True when a demand holds for a thing of this name: it is said of everything, or of what goes by such a name.

    Of two names, one may tell more: "blanket", "swaddle blanket".
    """
    if demand.of is None:
        return True
    stems, others = frozenset(content_stems(demand.of)), frozenset(content_stems(thing))
    return bool(stems and others) and (stems <= others or others <= stems)


def thing_told_of(text: str, start: int, end: int, asked: Asked) -> str | None:
    """The one of several wanted things of which a query says what stands in text[start:end]; None where it is unclear.

    It is the one whose name holds these words, or the only one that the sentence names.
    """
    wanted = [it for it in asked.of("asked") if it.firm and content_stems(it.words)]
    things = list({it.words.casefold(): it for it in wanted}.values())
    if len(things) < 2:
        return None
    inside = [it for it in things if it.start <= start < it.end]
    named = inside or _named_in(_sentence_at(text, start, asked), things)
    if len(named) != 1:
        return None
    said = text[start:end].casefold()
    return " ".join(word for word in named[0].words.split() if word.casefold() not in said.split()) or named[0].words


def _named_in(sentence: str, things: list[Phrase]) -> list[Phrase]:
    """The things that a sentence names in full, else those whose last word it has.

    A name that stands in a longer one is not named beside it: "the cat scratching post" speaks of no cat.
    """
    stems = frozenset(content_stems(sentence))
    in_full = [it for it in things if stems.issuperset(content_stems(it.words))]
    names = {it.start: frozenset(content_stems(it.words)) for it in in_full}
    longest = [it for it in in_full if not any(names[it.start] < other for other in names.values())]
    return longest or [it for it in things if stems.issuperset(content_stems(it.words)[-1:])]


def _sentence_at(text: str, place: int, asked: Asked) -> str:
    begin = 0
    for sentence in asked.sentences:
        begin = text.index(sentence, begin)
        if begin <= place < begin + len(sentence):
            return sentence
    return ""
