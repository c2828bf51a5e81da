"""Whether a product's record says what the shopper asks for, and in which words."""

import re

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.words import STOP_WORDS, stems_of

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
# "Dries in half the time of cotton", "weighs a fifth of glass", "softer than wool": what it is held against, and not
# made of.
_COMPARES = re.compile(
    r"\b(?:than|unlike|(?:instead|time|weight|price|cost|look|feel|half|third|quarter|fifth|tenth) of)$"
)
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
_FREE = re.compile(r"[\s-]*free\b|[\s-]*less\b", re.IGNORECASE)


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
    """The words of the record that meet the demand, None when it says nothing of the kind."""
    wanted = tuple(stem for stem in stems_of(demand) if stem not in STOP_WORDS or stem in ("no", "non", "free"))
    if not wanted:
        return None
    if _affirmed(product.stems, wanted):
        return demand
    for phrase in _BY_STEMS.get(wanted, ()):
        if _affirmed(product.stems, tuple(stems_of(phrase))):
            return phrase
    return None


def contradicts(product: Candidate, unwanted: str) -> bool:
    """True when the record names what must not be in it, other than to deny it ("fragrance-free")."""
    pattern = re.compile(rf"(?P<before>\b[\w']+\W+)?\b{re.escape(unwanted.strip())}(?:s|es)?\b", re.IGNORECASE)
    for match in pattern.finditer(product.text):
        denied = (match["before"] or "").strip(" -–,").casefold() in _NEGATIONS
        if not denied and not _FREE.match(product.text, match.end()):
            return True
    return False


def _affirmed(stems: list[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    for i in range(len(stems) - size + 1):
        before = stems[i - 1] if i else ""
        if tuple(stems[i : i + size]) != phrase or _COMPARES.search(" ".join(stems[max(0, i - 2) : i])):
            continue
        if before not in _NEGATIONS or phrase[0] in _NEGATIONS:
            return True
    return False
