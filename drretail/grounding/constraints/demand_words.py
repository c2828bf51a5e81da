"""How the words of a demand are found in a text: "dishwasher safe" in "Dishwasher and Microwave Safe"."""

import re
from functools import lru_cache
from itertools import pairwise

from drretail.grounding.constraints.materials import MATERIALS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They end in s and are no plural.
_SINGULAR_IN_S = _words(
    """
    bass brass canvas chess christmas cordless cross gas glass less plus stainless wireless
    """
)

# Capitalised, and no brand: dates, places, people, materials, ways to begin a sentence.
NO_BRANDS = _words(
    """
    a abs also amazon america american an and apr april aug august autumn black bpa but canada canadian china
    chinese christmas cyber dad dec december deet diwali easter europe european fall father's feb february france
    french friday german germany god grandma grandpa halloween hanukkah hdpe i i'm i've if india indian it italian
    italy its jan january japan japanese jul july jun june just led less lycra mar march may mdf mexico mom monday
    more mother's msg mum my new nov november nylon oct october one only or our pfas please plexiglas polyester
    prime pvc ramadan santa saturday sep sept september spandex spring styrofoam summer sunday sure teflon
    thanksgiving that the these this those three thursday too tuesday tv two u.s uk us usa usb valentine valentine's
    velcro wednesday when winter xmas
    """
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_APPLIANCES = frozenset({"dishwasher", "freezer", "microwave", "oven"})
_NO_MEANING = _words("a an and as at be for in is it of on or the to with")
# Between these and the next word stands nothing: "non-slip", "nonslip".
_PREFIXES = _words("anti extra double dual hand heavy multi non pre quick self semi single ultra un")
_SUFFIXES = _words("proof resistant")
# "Dishwasher, microwave and oven safe" is each of the three; "fragrance of lavender, BPA free" is not fragrance free.
_SHARED = _words("free safe friendly")
_LIST = r"(?:(?:\s*[,/&]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)[\w'+]+){0,4}[\s-]+"
# "Easy to fill and clean": up to three words, none of which turns the sense.
_BETWEEN = r"(?:[\s/&-]+(?!(?:no|non|not|never|without)\b)[\w'+]+){0,3}?[\s/&-]+"
_NOTHING = r"[\s-]*"
_COMPOUNDS = re.compile(r"^(?P<first>[a-z]{3,})(?P<second>proof|resistant|washable)$")


@lru_cache(maxsize=2000)
def demand_pattern(demand: str) -> re.Pattern[str]:
    """Finds the telling words of a demand in their order, in a text in lower case; the last one in either number."""
    words = [word for word in _folded(demand) if word not in _NO_MEANING] or _folded(demand)
    if not words:
        return re.compile(r"(?!)")
    before = "".join(f"{re.escape(word)}{_gap(word, following)}" for word, following in pairwise(words))
    return re.compile(rf"\b{before}{_last(words[-1])}\b")


def _gap(word: str, following: str) -> str:
    """What may stand between two words of a demand."""
    if word in _PREFIXES or following in _SUFFIXES:
        return _NOTHING
    return _LIST if following in _SHARED else _BETWEEN


def _last(word: str) -> str:
    """The last word in either number: "clamps" are a "desk clamp"; "heavy metals" are no metal."""
    if word in MATERIALS:
        return re.escape(word)
    if word == "clean":
        return "clean(?:ing)?"
    if compound := _COMPOUNDS.match(word):
        return rf"{compound['first']}[\s-]?{compound['second']}"
    if len(word) > 4 and word.endswith("ies"):
        return rf"{re.escape(word[:-3])}(?:y|ies)"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return rf"{re.escape(word[:-2])}(?:es)?"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _SINGULAR_IN_S:
        return rf"{re.escape(word[:-1])}s?"
    return rf"{re.escape(word)}(?:{'es' if word.endswith(('s', 'x', 'ch', 'sh')) else 's'})?"


@lru_cache(maxsize=4096)
def needles(demand: str) -> tuple[str, ...]:
    """One of these is in every text, in lower case, that says anything of the demand: to look for them is cheap."""
    safe = _folded(demand)[:1] if going_in(demand) else []
    return tuple(filter(None, (_needle(demand), _needle(freed_of(demand)), *safe)))


def _needle(phrase: str) -> str:
    """What every match of ``demand_pattern`` holds: its first word, or the part of its only one that has no number."""
    words = [word for word in _folded(phrase) if word not in _NO_MEANING] or _folded(phrase)
    if len(words) != 1:
        return words[0] if words else ""
    if compound := _COMPOUNDS.match(words[0]):
        return compound["first"]
    return words[0] if words[0] in MATERIALS else words[0][: max(len(words[0]) - 3, 1)]


@lru_cache(maxsize=2000)
def freed_of(demand: str) -> str:
    """What a product must be without: "fragrance" of "fragrance free"; empty for other demands."""
    words = _folded(demand)
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] == "free" else ""


@lru_cache(maxsize=2000)
def going_in(demand: str) -> re.Pattern[str] | None:
    """Finds "goes into the microwave", "may go into the top rack of the dishwasher", for what must be safe in it."""
    words = _folded(demand)
    if len(words) != 2 or words[0] not in _APPLIANCES or words[1] != "safe":
        return None
    into = r"(?:in|into)\s+(?:the|an?|your)\s+(?:top\s+rack\s+of\s+(?:the|an?)\s+)?"
    return re.compile(rf"\b(?:go|goes)\b[^.;:!?]{{0,50}}?\b{into}{words[0]}\b")


def _folded(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))
