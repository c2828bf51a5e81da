"""Materials, colours, sizes and models that a sentence names and a field of the product's record has otherwise.

"Made of stainless steel" of a record with "Material: Aluminium"; "comes in navy" of one that lists other colours. Only
a sentence on the product as a whole counts, and only values whose words are known to exclude each other. Of 17,569
sentences in real listings (Amazon Reviews 2023), read without the listing's own text, none is called false.
"""

import re
from collections.abc import Iterator, Mapping

from drretail.grounding.constraints.demands import MATERIALS, record_words, stance
from drretail.grounding.text.words import content_stems, is_negation, words
from drretail.grounding.verify.measures import speaks_of
from drretail.records.shop import Product, offers_of

# What may be another one in other words: "metal" is steel, and denim cotton.
_VAGUE = frozenset(
    """
    crystal ceramic denim down felt flannel fleece jute latex leather metal microfiber muslin paper plastic resin
    rubber satin stone velvet vinyl wicker wood wooden wool
    """.split()  # noqa: SIM905 -- a list of words
)
_SPECIFIC = sorted(MATERIALS - _VAGUE, key=len, reverse=True)
_ALIKE = {"aluminum": "aluminium", "natural rubber": "rubber", "organic cotton": "cotton"}
_COLOURS = {
    **dict.fromkeys(("black", "onyx", "jet"), "black"),
    **dict.fromkeys(("white", "snow"), "white"),
    **dict.fromkeys(("grey", "gray", "charcoal", "graphite", "anthracite", "slate", "silver"), "grey"),
    **dict.fromkeys(("blue", "navy", "cobalt", "indigo", "azure"), "blue"),
    **dict.fromkeys(("green", "olive", "forest", "moss", "pine", "sage", "mint", "emerald"), "green"),
    **dict.fromkeys(("red", "crimson", "scarlet", "burgundy", "maroon"), "red"),
    **dict.fromkeys(("brown", "chocolate", "tan"), "brown"),
    **dict.fromkeys(("beige", "cream", "ivory", "sand"), "beige"),
    **dict.fromkeys(("yellow", "mustard", "gold"), "yellow"),
    **dict.fromkeys(("orange", "rust", "terracotta"), "orange"),
    **dict.fromkeys(("pink", "rose", "blush"), "pink"),
    **dict.fromkeys(("purple", "violet", "lavender", "lilac"), "purple"),
}
_LETTERS = {"small": "S", "medium": "M", "large": "L", "extra large": "XL", "x-large": "XL", "2xl": "XXL"}
_SIZE = re.compile(r"(?:XXS|XS|S|M|L|XL|XXL|[23]XL|(?i:small|medium|large|extra large|x-large))")
_UNSURE = re.compile(r"\b(?:if|unless|whether|instead|rather|except|only|than|like|or|as \w+ as)\b|\?", re.IGNORECASE)
_END = re.compile(r"[;:!?()]|[.,](?=\s|$)|\b(?:with|for|on|and|but|so|that|which|at|from|while)\b", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:(?P<made>(?:made|built|crafted|constructed|woven|sewn|cut) (?:\w+ )?(?:of|from|in|out of))"
    r"|is|are|it's|they're)\b",
    re.IGNORECASE,
)
_OTHER_SENSE = re.compile(r"\s(?:fib(?:re|er)|look|effect|style|like|blend|finish|colou?r)", re.IGNORECASE)
_COMES_IN = re.compile(
    r"\b(?:comes?|(?:is|are|it's|they're)(?: also)? available|(?:have|get|offer|sell|stock) (?:it|them|this one)"
    r"|(?:available )?sizes?|colou?rs?)\b(?: also)? (?:in|are|is)(?: size)?\b(?P<list>[^.;:!?()]*?)"
    r"(?=[.;:!?()]|$|\b(?:with|for|at|from|but|while|so)\b)",
    re.IGNORECASE,
)
_FITS = re.compile(
    r"\b(?:fits?|compatible with|works? with|(?:made|designed|built|suitable) for|suits?)\b[^.;:!?]{0,30}?"
    r"\b(?P<name>[A-Za-z]*[A-Z]\w*) (?P<number>[A-Z]{0,2}\d{1,4}[a-z]?)\b(?! ?(?:mm|cm|m|l|g|kg|in|inch|oz|lb)\b)"
)
_FOR = re.compile(r"compatib|fits|model|device", re.IGNORECASE)
_LABELLED = re.compile(r"(?P<label>[A-Z][\w ]{2,24}): (?P<value>[^:.;]{2,80}?)(?=\s[A-Z]\w*:|[.;]|$)")


def property_faults(text: str, item: Product) -> Iterator[str]:
    """A line for each material, colour, size or model of a sentence that the record of its product has otherwise."""
    if _UNSURE.search(text) or any(map(is_negation, words(text))):
        return
    fields = _fields(item)
    whole = " ".join([item.title, *item.features, *item.description, *fields, *fields.values()]).casefold()
    yield from _material_faults(text, item, fields, whole)
    lists = [match["list"] for match in _COMES_IN.finditer(text)]
    for name, value in fields.items():
        values = [one.strip() for one in re.split(r"[,/|;]| and ", value) if one.strip()]
        if re.search(r"colou?r", name, re.IGNORECASE):
            families = [{_COLOURS[word] for word in words(one) if word in _COLOURS} for one in values]
            if not all(families):
                continue
            known = set[str]().union(*families)
            named = [word for part in lists for word in words(part) if word in _COLOURS]
            for run, _ in _predicates(text, item):
                named += [word for word in words(run) if word in _COLOURS and _ends_with(run, word, item)]
            for word in named:
                if _COLOURS[word] not in known and word not in whole:
                    yield f"“{word}”: the record says {name}: {value}"
        elif re.fullmatch(r"sizes?", name.strip(), re.IGNORECASE) and all(map(_SIZE.fullmatch, values)):
            letters = {_LETTERS.get(one.casefold(), one.upper()) for one in values}
            for size in (match[0] for part in lists for match in re.finditer(rf"\b{_SIZE.pattern}\b", part)):
                if _LETTERS.get(size.casefold(), size.upper()) not in letters:
                    yield f"“{size}”: the record says {name}: {value}"
    listed = ", ".join(value for name, value in fields.items() if _FOR.search(name))
    for match in _FITS.finditer(text) if re.search(r"\d", listed) else ():
        if match["number"].casefold() not in whole and not re.search(r"\d ?[-–+]|later|newer|series|all", listed):
            yield f"{match['name']} {match['number']}: the record says {listed}"


def _fields(item: Product) -> dict[str, str]:
    """What a record says by name: its details, lines such as "Material: oak" of its text, and all options."""
    lines = (match for text in (*item.features, *item.description) for match in _LABELLED.finditer(text))
    fields = {match["label"]: match["value"].strip(" .") for match in lines}
    fields |= {name: value for name, value in item.details.items() if isinstance(value, str)}
    options: dict[str, dict[str, None]] = {}
    for name, value in (option for offer in offers_of(item) for option in offer.options.items()):
        options.setdefault(name, {})[value] = None
    return fields | {name: ", ".join(values) for name, values in options.items()}


def _material_faults(text: str, item: Product, fields: Mapping[str, str], whole: str) -> Iterator[str]:
    named = record_words(item.title, (), fields)
    made_of = ", ".join(named.made_of)
    if not any(re.search(rf"\b{material}\b", made_of) for material in _SPECIFIC):
        return
    for run, is_made_of in _predicates(text, item):
        material = next((one for one in _SPECIFIC if re.search(rf"\b{one}\b", run)), None)
        if material is None or material in whole or _ALIKE.get(material, material)[:6] in whole:
            continue
        if _ends_with(run, material, item, is_made_of=is_made_of) and stance(named, material) == "broken":
            field = next((f"{name}: {value}" for name, value in fields.items() if value.casefold() in made_of), made_of)
            yield f"“{material}”: the record says {field}"


def _predicates(text: str, item: Product) -> Iterator[tuple[str, bool]]:
    """What the product is called, in lower case: "a stainless steel bottle"; and whether it is "made of" that."""
    for match in _IS.finditer(text):
        before = re.split(r"[.,;:!?()]|\band\b", text[: match.start()])[-1]
        if speaks_of(item, re.sub(r"\b(?:is|are)\s*$", "", before)):
            yield _END.split(text[match.end() :])[0].strip().casefold(), match["made"] is not None


def _ends_with(run: str, value: str, item: Product, *, is_made_of: bool = False) -> bool:
    """True where the value ends a predicate, or is before a name of the product: not in "glass cleaner"."""
    behind = re.split(rf"\b{re.escape(value)}\b", run, maxsplit=1)[-1]
    if behind[:1] == "-" or _OTHER_SENSE.match(behind):
        return False
    return is_made_of or not content_stems(behind) or speaks_of(item, behind)
