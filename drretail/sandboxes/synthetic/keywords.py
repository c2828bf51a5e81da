"""The ten keywords of a task by rule: signals, noise, and the products that noise pages are about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from drretail.grounding.text.wording import is_plural
from drretail.records.shop import Product
from drretail.sandboxes.material import Keyword, Keywords
from drretail.sandboxes.synthetic.needs import Need
from drretail.sandboxes.synthetic.patterns import texts

KEYWORDS = 10
_FEWEST = 4
"""The fewest products of a theme: with fewer, its pages repeat themselves."""
_ANGLES_OF_ONE = (("recall safety",), ("price history",), ("test",), ("genuine look-alike",))
_ANGLES_OF_TWO = (("recall safety",), ("test", "price"))
_ANGLES_OF_MORE = (("recall", "test", "price"),)


@dataclass(frozen=True, slots=True)
class Theme:
    """A noise keyword, and what its pages are about."""

    keyword: str
    name: str
    angle: str
    products: tuple[Product, ...]


def signal_keywords(need: Need) -> dict[str, str]:
    """The thing that each signal keyword is about, by keyword.

    Some keywords also name what is demanded of the thing, or a brand that fits.
    """
    angles = {1: _ANGLES_OF_ONE, 2: _ANGLES_OF_TWO}.get(len(need.things), _ANGLES_OF_MORE)
    found: dict[str, str] = {}
    for thing in need.things:
        for words in angles:
            before = thing.must if "test" in words and thing.must else None
            brand = thing.fits[0].brand if "genuine look-alike" in words else None
            found[" ".join(filter(None, (brand, before, thing.name.replace(" or ", " "), *words)))] = thing.name
    return found


def themes(need: Need, products: Iterable[Product], count: int, random: Random) -> list[Theme]:
    """Noise themes: first some from the query's own shelves that the question does not concern, then others."""
    wanted = {fit.product_id for thing in need.things for fit in thing.fits}
    names = {thing.name.casefold().split()[-1] for thing in need.things}
    groups: dict[str, list[Product]] = {}
    for product in products:
        about = f"{product.title} {' '.join(product.categories[-1:])}".casefold()
        if product.product_id not in wanted and not any(name in about for name in names):
            path = product.categories
            shelf = path[1] if len(path) > 1 else (path[0] if path else product.category).replace("_", " ")
            groups.setdefault(shelf, []).append(product)
    home = {fit.category for thing in need.things for fit in thing.fits}
    near = [name for name, of in groups.items() if len(of) >= _FEWEST and of[0].category in home]
    far = [name for name, of in groups.items() if len(of) >= _FEWEST and of[0].category not in home]
    random.shuffle(near)
    random.shuffle(far)
    half = (count + 1) // 2
    chosen = [*near[:half], *far, *near[half:]] or sorted(groups)
    angles = random.sample(sorted(texts("sentences")["angle"]), len(texts("sentences")["angle"]))
    found: list[Theme] = []
    for number in range(count if chosen else 0):
        name, angle = chosen[number % len(chosen)], angles[number % len(angles)]
        found.append(Theme(f"{name} {angle}".lower(), name.lower(), angle, tuple(groups[name])))
    return found


def keywords_of(need: Need, signals: Mapping[str, str], noise: Sequence[Theme]) -> Keywords:
    """The content of keywords.json: first all facets, then the ten keywords with their kinds."""
    facets = [f"{thing.name} {word}" for thing in need.things for word in ("recall", "price", "test", "copies")]
    chosen = [
        Keyword(text=signal, kind="signal", why=f"What decides between the {plural(thing)} that fit.")
        for signal, thing in signals.items()
    ]
    beside = "Of the same shelves, and no part of the question."
    chosen += [Keyword(text=theme.keyword, kind="noise", why=beside) for theme in noise]
    divergent = dict.fromkeys([*facets, *(theme.name for theme in noise), *signals])
    return Keywords(divergent=tuple(divergent), convergent=tuple(chosen))


def plural(thing: str) -> str:
    """The plural of what a query asks for: "diaper bags". Of "a bed or a hose", each part's."""
    return " or ".join(_several(part) for part in thing.split(" or "))


def _several(thing: str) -> str:
    if is_plural(thing.rsplit(" ", 1)[-1]):
        return thing
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(("s", "x", "sh", "ch")) else f"{thing}s"
