"""Which purchases are not shown unless the question names them.

A shopper who asks for a coffee grinder does not expect an answer, a test question or a judge to know of a pregnancy
test. Underwear, diapers and vitamins are shown: people buy them without hiding it.
"""

from collections.abc import Iterable

from drretail.grounding.profile.naming import is_named, nouns_of
from drretail.records.shop import Product

# A category is intimate where its name holds all words of an entry. The entries are of Amazon's and Google's paths.
# Below these, other things have the same names ("Swings", "Jeans"): a question has to name the intimate category.
_NAMED_THEMSELVES = tuple(
    nouns_of(kind)
    for kind in (
        *("sex", "sexual", "erotic", "adult toys", "exotic apparel", "condoms", "contraception", "vibrators"),
        *("pregnancy", "maternity", "fertility", "ovulation", "family planning", "menopause", "home tests"),
    )
)
# Below these, categories are of the same kind ("Sinus Medicine", "Sanitary Napkins"): they may be named instead.
_NAMED_BELOW = tuple(
    nouns_of(kind)
    for kind in (
        *("feminine care", "feminine hygiene", "menstrual care", "incontinence", "ostomy", "laxatives", "enemas"),
        *("hemorrhoids", "medication", "antifungals", "lice treatments", "drug tests", "diabetes", "hair loss"),
        *("weight loss", "smoking cessation"),
    )
)


def may_be_shown(product: Product, question: str = "") -> bool:
    """False for a product of an intimate category, unless the question's words name that category."""
    names = (product.category.replace("_", " "), *product.categories)
    themselves = [name for name in names if _is_of(name, _NAMED_THEMSELVES)]
    highest = next((at for at, name in enumerate(names) if _is_of(name, _NAMED_BELOW)), len(names))
    intimate = themselves or names[highest:]
    words = nouns_of(question)
    return not intimate or any(is_named(name, words) for name in intimate)


def _is_of(name: str, kinds: Iterable[frozenset[str]]) -> bool:
    words = nouns_of(name)
    return any(kind <= words for kind in kinds)
