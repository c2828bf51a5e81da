"""Whether a product's record says what the shopper asks for, and in which words."""

import re

from drretail.grounding.affirmation import affirms, is_named
from drretail.grounding.demand_words import freed_of
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.words import STOP_WORDS, contains_phrase, stems_of

# Other words for the same demand, most telling first. A key is compared by its stems.
_SAME = {
    "weather resistant": ("weatherproof", "all weather", "rust resistant", "rustproof", "rust proof", "uv resistant",
                          "waterproof", "water resistant"),
    "weatherproof": ("weather resistant", "all weather", "waterproof"),
    "waterproof": ("water proof", "water resistant", "watertight"),
    "water resistant": ("waterproof", "water repellent"),
    "easy clean": ("dishwasher safe", "machine washable", "washable", "wipe clean", "easy cleaning", "easily clean"),
    "machine washable": ("washable",),
    "bpa free": ("no bpa", "without bpa"),
    "fragrance free": ("unscented", "no fragrance", "without fragrance", "scent free"),
    "unscented": ("fragrance free", "scent free", "no scent"),
    "non slip": ("anti slip", "nonslip", "slip resistant", "skid resistant", "non skid", "anti skid"),
    "quiet": ("silent", "whisper", "noiseless", "low noise"),
    "cordless": ("battery powered", "rechargeable", "wireless"),
    "non toxic": ("nontoxic", "toxin free", "chemical free"),
    "hypoallergenic": ("allergy friendly", "allergen free"),
    "durable": ("heavy duty", "sturdy", "long lasting"),
    "sturdy": ("heavy duty", "durable", "stable"),
    "orthopedic": ("orthopaedic", "memory foam"),
    "large": ("xl", "extra large", "big"),
    "squirrel proof": ("squirrel resistant", "anti squirrel"),
}  # fmt: skip
_SAME_TOO = {
    "easy maintain": ("low maintenance", "easy clean", "easy cleaning", "dishwasher safe", "machine washable",
                      "washable", "opens for cleaning", "maintenance free"),
    "dishwasher safe": ("dishwasher friendly",),
    "sensitive skin": ("gentle on skin", "gentle on sensitive skin"),
}  # fmt: skip
_BY_STEMS = {tuple(stems_of(key)): words for key, words in (_SAME | _SAME_TOO).items()}
_NEGATIONS = frozenset({"not", "non", "no", "without", "never", "isn't", "free", "zero"})
_QUALITY = re.compile(
    r"\b(?:[a-z]+-(?:resistant|proof|free|safe|friendly)|(?:weather|water|rust|squirrel|bpa|fragrance|dishwasher"
    r"|machine|non)[ -](?:resistant|proof|free|safe|washable|slip|toxic)|easy to (?:clean|maintain)|waterproof"
    r"|weatherproof|unscented|hypoallergenic|durable|sturdy"
    # "a quiet evening" asks nothing of a product.
    r"|quiet(?! (?:evening|night|place|morning|time|life|street|moment|corner|weekend|home|house|neighbou?rhood)))\b",
    re.IGNORECASE,
)
# What fits a small dog does not fit these, and no listing names every breed.
_LARGE_DOG = re.compile(
    r"\b(?:labradors?|(?:golden )?retrievers?|(?:german )?shepherds?|rottweilers?|mastiffs?|great danes?"
    r"|(?:large|big)(?:[ -]breed)? dogs?)\b",
    re.IGNORECASE,
)


def qualities_in(query: str) -> tuple[str, ...]:
    """Qualities that the query speaks of in known words, as it writes them, unless it denies them."""
    found: dict[tuple[str, ...], str] = {}
    for match in _QUALITY.finditer(query):
        words = tuple(stem for stem in stems_of(match[0]) if stem not in STOP_WORDS or stem in ("no", "non", "free"))
        before = query[: match.start()].split()[-1:]
        if (words in _BY_STEMS or "-" in match[0]) and not _NEGATIONS & {word.casefold() for word in before}:
            found.setdefault(words, match[0].casefold())
    if _LARGE_DOG.search(query):
        found.setdefault(("large",), "large")
    return tuple(found.values())


def says(product: Candidate, demand: str) -> str | None:
    """The words of the record that meet the demand, None when it says nothing of the kind.

    What a record denies, or says of something else, is read as in the baskets that reports are measured by; beside that
    the words stand side by side, since they are quoted.
    """
    wanted = tuple(stem for stem in stems_of(demand) if stem not in STOP_WORDS or stem in ("no", "non", "free"))
    if not wanted:
        return None
    if contains_phrase(product.stems, wanted) and affirms(product.words, demand):
        return demand
    for phrase in (*_BY_STEMS.get(wanted, ()), *_freed(demand)):
        if contains_phrase(product.stems, tuple(stems_of(phrase))) and affirms(product.words, phrase):
            return phrase
    return None


def contradicts(product: Candidate, unwanted: str) -> bool:
    """True when the record names what must not be in it, other than to deny it ("fragrance-free")."""
    return is_named(product.words, unwanted)


def _freed(demand: str) -> tuple[str, ...]:
    """Other ways to say that a product is free of something."""
    what = freed_of(demand)
    return (f"no {what}", f"without {what}", f"free of {what}", f"free from {what}") if what else ()
