"""Short facts out of a product's record: how many pieces, what the listing promises, what its table says."""

import re
from dataclasses import dataclass

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.words import STOP_WORDS, content_stems, stems_of, word_set

LONGEST_FACT = 110
_PIECES = re.compile(
    r"\b(?:(?:pack|set|box|case|bundle) of (?P<of>\d{1,4})|(?P<n>\d{1,4})[\s-]*(?P<unit>count|ct|pack|pcs|pieces?"
    r"|pairs?|rolls?|sheets?|tablets?|capsules?|softgels?|gummies|bags?|pens?|bulbs?|lights?|loads?|bottles?|wipes?))\b",
    re.IGNORECASE,
)
_UNIT_NAMES = {"ct": "piece", "count": "piece", "pack": "piece", "pcs": "piece", "gummies": "gummy"}
# Rows of the details table that help a buyer, in the order in which they do.
TELLING = (
    "Size", "Item Dimensions LxWxH", "Product Dimensions", "Item Dimensions", "Capacity", "Item Weight", "Material",
    "Fabric Type", "Item Form", "Scent", "Skin Type", "Hair Type", "Active Ingredients", "Wattage", "Voltage",
    "Power Source", "Battery Life", "Brightness", "Light Color",
    "Target Species", "Breed Recommendation", "Age Range (Description)", "Care Instructions",
    "Product Care Instructions", "Special Feature", "Color",
)  # fmt: skip
_LABELS = {
    "Item Dimensions LxWxH": "size", "Product Dimensions": "size", "Item Dimensions": "size", "Item Weight": "weight",
    "Fabric Type": "fabric", "Item Form": "form", "Target Species": "for", "Breed Recommendation": "for",
    "Age Range (Description)": "age", "Care Instructions": "care", "Product Care Instructions": "care",
    "Special Feature": "special",
}  # fmt: skip
_ADDRESSES_BUYER = re.compile(
    r"^(?:we|our|please|note|if you|warranty|100%|customer|thank|satisfaction|buy|contact|any (?:question|problem)"
    r"|great gift|perfect gift|ideal gift|gift)\b|\b(?:money back|customer service|refund|no[- ]risk|warranty)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^[【\[(]?(?P<head>[^】\]:–—]{3,60}?)\s*(?:[】\]]\s*[:–—-]?\s*|[:–—]\s+|\s-\s+)(?P<body>\S.+)$")
_ABBREVIATIONS = word_set(
    """A AA ABS AC AAA ANSI BPA BPS CE CO2 CPAP DC DIY DNA EPA ETL EVA FCC FDA FSC GMO GOTS GPS HDPE HEPA IPX4 IPX5 IPX7
    LCD LED LEDS MDF NFC NSF OEKO OLED PETG PFAS PFOA PTFE PVC RGB RV SPF SUV TPE TPU TSA TV UL UPC USA USB USDA UV UVA
    UVB VOC XL XXL"""
)
_ORNAMENTS = re.compile(r"[^\w\s.,;:!?'’\"“”()/&%°+$×*#–—【】\[\]-]+")


@dataclass(frozen=True, slots=True)
class Pieces:
    number: int
    unit: str


def pieces_in(product: Candidate) -> Pieces | None:
    """How many pieces the title says there are, when it says so once."""
    found = {(int(match["of"] or match["n"]), _unit(match["unit"])) for match in _PIECES.finditer(product.title)}
    numbers = {number for number, _ in found if number > 1}
    if len(numbers) != 1:
        return None
    number = numbers.pop()
    units = sorted(unit for count, unit in found if count == number)
    return Pieces(number, next((unit for unit in units if unit != "piece"), "piece"))


def key_facts(product: Candidate, interests: list[str], most: int = 3, *, table: bool = True) -> list[str]:
    """The promises of the listing that bear most on ``interests`` (stems), then, with ``table``, rows of its table."""
    record = product.record
    features = [fact for feature in record.get("features", []) if (fact := short_feature(str(feature), product.brand))]
    if not features:
        described = " ".join(str(part) for part in record.get("description", []))
        features = [fact for sentence in sentences_of(described) if (fact := short_feature(sentence, product.brand))]
    wanted = set(interests)
    title = set(product.title_stems)
    ranked = sorted(enumerate(features), key=lambda item: (-len(wanted & set(stems_of(item[1]))), item[0]))
    facts: list[str] = []
    for _, fact in ranked:
        stems = set(content_stems(fact))
        # A line that only repeats the title tells nothing new.
        if stems - title and not any(len(stems & set(content_stems(other))) > 0.5 * len(stems) for other in facts):
            facts.append(fact)
    rows = spec_line(product) if table else None
    return [*facts[: most - bool(rows)], *([rows] if rows else [])]


def spec_line(product: Candidate, most: int = 3) -> str | None:
    """ "Size: 36 x 28 in; material: memory foam", from the details table."""
    details = product.record.get("details") or {}
    rows = [
        f"{_LABELS.get(name, name.lower())}: {_value(details[name])}"
        for name in TELLING
        if isinstance(details.get(name), str) and 0 < len(details[name]) <= 60
    ]
    line = "; ".join(_without_doubles(rows)[:most])
    return line[0].upper() + line[1:] if line else None


def short_feature(text: str, brand: str | None = None) -> str | None:
    """One promise in a few words; None for what speaks to the buyer rather than of the product.

    The words of the ``brand`` keep the letters in which the shop writes them.
    """
    text = _clean(text)
    match = _HEADING.match(text)
    head, body = (match["head"], match["body"]) if match else ("", text)
    sentences = sentences_of(body)
    body = sentences[0] if sentences else ""
    if len(body) > LONGEST_FACT:
        body = _front(body) or head
    if len(body) < 12 or _ADDRESSES_BUYER.search(body):
        body = head
    if len(body) < 8 or _ADDRESSES_BUYER.search(body):
        return None
    return _calm(body, brand).strip(" .,;:-–—!*")


def _front(sentence: str) -> str | None:
    """The sentence up to the last break that leaves it short and whole enough."""
    breaks = [m.start() for m in re.finditer(r"[,;(]|\s[-–—]\s|\s(?:so|which|while|because|making)\s", sentence)]
    fitting = [place for place in breaks if 35 <= place <= LONGEST_FACT]
    return sentence[: fitting[-1]] if fitting else None


def _calm(text: str, brand: str | None) -> str:
    """Shouted words in lower case; abbreviations and the brand stay."""
    words = text.split()
    spelt = {word.casefold(): word for word in (brand or "").split()}
    shouted = sum(word.isupper() and len(word) > 3 for word in words)
    if shouted >= 2 or (len(words) <= 2 and shouted):
        text = " ".join(_quiet(word, spelt) for word in words)
    return text[0].upper() + text[1:]


def _quiet(word: str, spelt: dict[str, str]) -> str:
    bare = word.strip(".,;:!?()\"'“”")
    if bare.casefold() in spelt:
        return word.replace(bare, spelt[bare.casefold()])
    parts = re.split(r"([-/])", word)
    small = [part if part.strip(".,;:!?()") in _ABBREVIATIONS else part.lower() for part in parts]
    return "".join(small) if word.isupper() else word


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[a-z0-9%)][.!?])\s+(?=[A-Z0-9])", text) if part.strip()]


def _clean(text: str) -> str:
    return " ".join(_ORNAMENTS.sub(" ", str(text)).split())


def _value(text: str) -> str:
    """A cell of the table; words that are only capitalised as a heading are not."""
    clean = _clean(text)
    words = clean.split()
    if not all(word.istitle() or word.isupper() or not word.isalpha() or word in STOP_WORDS for word in words):
        return clean
    # "BPA-Free Plastic" becomes "BPA-free plastic", "USB-C" stays.
    return " ".join(
        "".join(part if part.isupper() else part.lower() for part in re.split(r"([-/])", word)) for word in words
    )


def _without_doubles(rows: list[str]) -> list[str]:
    """Rows whose value stands in no earlier row."""
    kept: list[str] = []
    values: set[str] = set()
    for row in rows:
        label, _, value = row.casefold().partition(": ")
        if not values & {label, value}:
            values |= {label, value}
            kept.append(row)
    return kept


def _unit(unit: str | None) -> str:
    name = (unit or "piece").casefold()
    return _UNIT_NAMES.get(name, name.removesuffix("s"))
