"""What a query says its products must be or must not have, as the short phrases it says it in."""

import re
from collections.abc import Iterable, Iterator

from drretail.offline.shopper.reading.asked import read_asked
from drretail.offline.shopper.reading.scope import thing_told_of
from drretail.records.query import Demand

# Before "must be", these make it a sentence about somebody.
_PEOPLE = frozenset({"he", "i", "never", "not", "she", "there", "we", "who", "you"})
# They look like qualities of a product, and are about buying it.
_NO_QUALITY = frozenset(
    """
    ad-free budget-friendly care-free cost-friendly debt-free drug-free duty-free error-free fail-safe hassle-free
    interest-free pain-free rent-free risk-free smoke-free stress-free tax-free toll-free user-friendly
    wallet-friendly worry-free
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
# First words of phrases that are about the request or its delivery, and not about a product.
_NO_DEMAND = frozenset(
    """
    a able about above added all also among an any anyone anything around as at available better between big bit both
    brand brands budget by careful charge clear clue considered cost delay delivered done doubt duplicates each easy
    everything exception exceptions extra few fewer for from further fuss hassle he her here him his how hurry i idea
    idle in issue issues it item items its later less limit longer lot luck many matter me more much my need no next
    nonsense not note noted nothing of on one only other our over overlap part particular possible preference prior
    problem problems product products purchased question questions ready real reason repeat repeats rush second she
    single some something specific subscription success such sure thank thanks that the their them there these they
    thing things this those to too trouble under us used very way we what within worries worse you your
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
# "No known allergies": what people, and not products, have none of.
_NOT_IN_PRODUCTS = frozenset(
    """
    allergies allergy background car children conditions debt debts degree disease diseases experience garden
    history illness illnesses income injuries injury insurance job kids knowledge medication medications pets plans
    reasons savings siblings surgeries surgery yard
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
_WORD = r"[A-Za-z][\w'/-]*"
# A phrase ends where the sentence, or what it says about the product, ends.
_END = (
    r"(?=\s*(?:[.,;:!?()\n–—]|$)|\s+(?:and|or|but|nor|for|that|which|because|since|so|please|if|as|when|while|in|on"
    r"|at|with|from|to|under|below|unless|though|who|where|we|i|it|they|this)\b)"
)
_PHRASE = rf"(?P<phrase>{_WORD}(?:\s+{_WORD}){{0,2}}?)"
_NEXT = rf"{_WORD}(?:\s+{_WORD}){{0,2}}?"
# A comma alone joins nothing to the demand: "must be quiet, glass preferred".
_MORE = rf"(?P<more>(?:(?:,\s*{_NEXT}){{0,4}},?\s+(?:and|or|nor)\s+{_NEXT}{_END}){{0,2}})"
_JOINED = re.compile(r",?\s+(?:and|or|nor)\s+|,\s*")
_MUST_BE = re.compile(
    rf"(?:\b(?P<subject>[\w']+)\s+)?\b(?:must|has\s+to|have\s+to|needs?\s+to|should)\s+"
    rf"(?:(?:definitely|really|absolutely|certainly|also|all|both)\s+)?be\s+{_PHRASE}{_END}{_MORE}",
    re.IGNORECASE,
)
# "It's important to me that the sheet is cotton", "undated is a condition", "only vegan ones", "gluten free is a must".
_INSISTED = re.compile(
    rf"(?:\b(?:important|essential|crucial)\s+(?:(?:to|for)\s+\w+\s+)?that\s+(?:\w+\s+){{1,5}}?(?:is|are|be)\s+"
    rf"|\bonly\s+(?:consider|want|take|accept|buy)\s+(?=(?:\w+[\s-]){{1,3}}ones\b)|\bconditions?:\s+){_PHRASE}"
    rf"(?:(?=\s+ones\b)|{_END})"
    rf"|(?:^|[.,;:!?]\s+)(?P<condition>{_WORD}(?:\s+{_WORD}){{0,2}}?)\s+is\s+an?\s+(?:condition|must|requirement)\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUALITY = re.compile(
    r"\b(?:[a-z]{2,20}-(?:[a-z]{2,20}-)?(?:resistant|proof|safe|friendly|free)"
    r"|waterproof|weatherproof|leakproof|rustproof|hypoallergenic|unscented|biodegradable|compostable|vegan|organic"
    r"|(?:dishwasher|microwave|oven|freezer|food)\s+safe|machine[\s-]washable|non-?toxic"
    r"|(?:fragrance|scent|gluten|sugar|dairy|bpa|paraben|sul(?:f|ph)ate|phthalate|latex|lead|cruelty|grain)\s+free)\b",
    re.IGNORECASE,
)
# "taken with food", "rated at least 4 stars": the participle alone demands nothing of a product.
_PARTICIPLE = re.compile(
    r"\b(?:\w+ed|taken|eaten|given|kept|held|hung|made|put|set|built|worn|used|sold|bought|done|fed|stood|stored)$",
    re.IGNORECASE,
)
# "how often it has to be tested" asks, and demands nothing.
_WONDERS = re.compile(r"\b(?:when|how|whether|why|where|what)\b[^.,;:!?\n]{0,60}$", re.IGNORECASE)
# "how to introduce a cat to a new home without stress": a manner of doing, no property of a thing.
_HOW_TO = re.compile(r"\bhow\s+to\b[^.,;:!?\n]{0,80}$", re.IGNORECASE)
_GOES_ON = re.compile(r"\s+(?:at|with|in|on|to|from|under|for|as|when|while|below)\b", re.IGNORECASE)
# Words that begin another thought behind "and": "vegan, and please nothing with …".
_NEW_THOUGHT = frozenset({"please", "nothing", "none", "preferably", "ideally", "maybe"})
# "It's important that it is good" demands nothing that a record could say.
_UNTELLING = frozenset({"good", "well", "nice", "quality", "price", "delivery", "safe", "cheap", "fast"})
# A quality that is denied, or of something that the writer has already.
_WITHIN_REACH = r"\s+(?:[\w']+\s+){0,3}$"
_DENIED = re.compile(rf"\b(?:not|no|without|never|whether|than|\w+n't){_WITHIN_REACH}", re.IGNORECASE)
_POSSESSED = re.compile(
    rf"\b(?:old|current|last|previous|existing|bought|had|have|own|was|were|is|are){_WITHIN_REACH}", re.IGNORECASE
)
# "recommendations that are weather-resistant", unless something owned is spoken of: "my feeders that are …".
_REQUESTED = re.compile(
    r"\b(?:something|anything|one|\w+s)\s+(?:that|which)\s+(?:is|are)\s+(?:[\w']+\s+){0,2}$",
    re.IGNORECASE,
)
_OWNERSHIP = re.compile(
    r"\b(?:old|current|last|previous|existing|bought|had|have|own|was|were|my|our)\b", re.IGNORECASE
)
_DEMANDED = re.compile(r"\b(?:must|should|to)\s+be\b|\bneed\s+(?:an?|some)\b|\bwant\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"(?P<lead>(?:^|[,;:(.!?–—-]\s*|\b(?:with|and|but|please|absolutely|contains?|want)\s+)no|\bwithout|\bfree\s+(?:of|from)"
    r"|\bnot\s+made\s+(?:of|from|with)|\bnothing\s+(?:with|containing)|\b(?:must|should)\s+not\s+(?:be|have|contain)|\bavoid(?:ing)?)\s+"
    rf"(?:(?:an?|any|the|added)\s+)?{_PHRASE}{_END}{_MORE}",
    re.IGNORECASE | re.MULTILINE,
)
# "I'm done with plastic", "leave out whatever comes with clamps", "I don't want anything with paint".
_DONE_WITH = re.compile(
    r"(?P<lead>\b(?:i'm|we're|i\s+am|we\s+are)\s+done\s+with|\b(?:leave\s+out|skip|(?:don't|do\s+not)\s+want)\s+"
    r"(?:whatever|anything|everything|all)\s+(?:that\s+)?(?:comes?\s+|is\s+made\s+)?(?:with|of|from|containing))\s+"
    rf"(?!(?:my|our|the|this|that|these|those|it|you)\b){_PHRASE}{_END}{_MORE}",
    re.IGNORECASE,
)
# "no dyes, and no fragrance": the word that makes it unwanted, said again.
_NO_AGAIN = re.compile(r"^(?:no|without|any)\s+", re.IGNORECASE)
# "no talc, and shampoo" goes on to another wish; "no talc, dyes, and parabens" is a list.
_NEW_WISH = re.compile(r",\s+(?:and|or)\s+(?!no\b|without\b|any\b)[^,]*", re.IGNORECASE)
_IDIOM = re.compile(r"\b(?:live|do|go|be|out|get|left|sold|came|works?|used)\s*$", re.IGNORECASE)


def read_demands(text: str) -> tuple[tuple[Demand, ...], tuple[Demand, ...]]:
    """(must, must not) as short phrases in text order, each with the thing that it is said of where that is plain."""
    plain = text.replace("’", "'")
    must = sorted([*_must_be(plain), *_insisted(plain), *_qualities(plain)])
    refusals = sorted((*_WITHOUT.finditer(plain), *_DONE_WITH.finditer(plain)), key=lambda match: match.start())
    must_not = [(match.start("phrase"), phrase) for match in refusals for phrase in _unwanted(plain, match)]
    return _distinct(plain, must), _distinct(plain, must_not)


def _must_be(text: str) -> Iterator[tuple[int, str]]:
    for match in _MUST_BE.finditer(text):
        subject = (match["subject"] or "").casefold()
        alone = not match["more"] and _GOES_ON.match(text, match.end("phrase"))
        if (alone and _PARTICIPLE.search(match["phrase"])) or _WONDERS.search(text[: match.start("phrase")]):
            continue
        if subject not in _PEOPLE and not subject.endswith("n't"):
            yield from ((match.start("phrase") + place, phrase) for place, phrase in enumerate(_phrases(match)))


def _insisted(text: str) -> Iterator[tuple[int, str]]:
    for match in _INSISTED.finditer(text):
        name = "condition" if match["condition"] else "phrase"
        phrase = " ".join(match[name].split())
        if not {phrase.casefold().split()[0], phrase.casefold()} & (_NO_DEMAND | _UNTELLING):
            yield match.start(name), phrase


def _qualities(text: str) -> Iterator[tuple[int, str]]:
    for match in _QUALITY.finditer(text):
        clause = re.split(r"[.,;:!?\n]", text[max(0, match.start() - 60) : match.start()])[-1]
        requested = _REQUESTED.search(clause) and not _OWNERSHIP.search(clause)
        possessed = _POSSESSED.search(clause) and not (_DEMANDED.search(clause) or requested)
        if not (_DENIED.search(clause) or possessed) and match[0].casefold() not in _NO_QUALITY:
            yield match.start(), " ".join(match[0].split())


def _unwanted(text: str, match: re.Match[str]) -> list[str]:
    before = text[max(0, match.start() - 100) : match.start()]
    if _IDIOM.search(before) or (_HOW_TO.search(before) and match["lead"].casefold() == "without"):
        return []
    first = match["phrase"].split()[0]
    if first[0].isupper() and not first.isupper():
        return []  # "avoid Foo" rules out a brand, "avoid BPA" a substance
    phrases = _phrases(match, repeated=_NO_AGAIN)
    return phrases[:1] if _NEW_WISH.fullmatch(match["more"]) else phrases


def _phrases(match: re.Match[str], repeated: re.Pattern[str] | None = None) -> list[str]:
    """The phrase and those joined to it by "and", "or" or a comma, up to the first that is no demand."""
    phrases: list[str] = []
    for part in [match["phrase"], *_JOINED.split(match["more"])[1:]]:
        phrase = " ".join((repeated.sub("", part) if repeated else part).split())
        words = phrase.casefold().split()
        if (
            words[0] in _NO_DEMAND
            or words[0] in _NEW_THOUGHT
            or words[0].endswith("ing")
            or _NOT_IN_PRODUCTS & set(words)
        ):
            break
        phrases.append(phrase)
    return phrases


def _distinct(text: str, phrases: Iterable[tuple[int, str]]) -> tuple[Demand, ...]:
    """Each phrase once of a thing, in the form in which it comes first; case and hyphens make no difference.

    What is said of everything needs not be said of one thing besides.
    """
    asked = read_asked(text)
    by_sense: dict[tuple[str, str | None], Demand] = {}
    for start, phrase in phrases:
        of = thing_told_of(text, start, start + len(phrase), asked)
        by_sense.setdefault((phrase.casefold().replace("-", " "), of), Demand(property=phrase, of=of))
    return tuple(it for (sense, of), it in by_sense.items() if of is None or (sense, None) not in by_sense)
