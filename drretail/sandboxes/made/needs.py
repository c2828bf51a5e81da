"""What a query needs to know: its things with the products that would do, and which one would be taken unwarned."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.constraints.listing import fulfils, is_of_ratings, listing_of
from drretail.grounding.text.words import content_stems
from drretail.querygen.lint import References
from drretail.records.query import Constraints, Query, Reference
from drretail.records.shop import Product
from drretail.sandboxes.made.showing import Shown, shown

MOST_THINGS = 4
MOST_FITS = 8
"""Of a thing: who asks for a kettle looks at no more of them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that a query asks for, or a category of it."""

    name: str
    fits: tuple[Product, ...]
    """The one that would be taken first, then the better ones first."""
    is_fitting: bool
    """False where nobody typed what would do: then they are the most popular of a category."""
    must: str | None = None
    """What a laboratory could measure of it: a demand that is no matter of ratings."""
    must_not: str | None = None


@dataclass(frozen=True, slots=True)
class Need:
    query: Query
    things: tuple[Wanted, ...]
    constraints: Constraints
    owned: tuple[Product, ...]
    """What the user has, the purchase that the query speaks of most first."""

    @property
    def names(self) -> dict[str, Shown]:
        """What pages and files call each fit and what the user has: no two alike."""
        fits = {it.product_id: it for thing in self.things for it in thing.fits}
        return shown((fits | {it.product_id: it for it in self.owned[:1]}).values())


def need_of(world: World, references: References, query: Query) -> Need:
    """What a query needs. Raises UserError for one for which the shop offers nothing."""
    reference = references.of(query)
    things = tuple(_wanted(world, query, reference))[:MOST_THINGS] or _of_categories(world, query)
    if not things:
        raise UserError(
            f"{query.query_id}: neither its constraints nor its words name anything that the shop offers, so no web "
            "can be made for it: leave it out."
        )
    return Need(query, things, query.constraints, tuple(_owned(world, query)))


def _wanted(world: World, query: Query, reference: Reference) -> list[Wanted]:
    best = {it.thing: it.product_id for it in reference.best.items} if reference.best else {}
    found: list[Wanted] = []
    for thing in reference.things:
        order = sorted(thing.fits, key=lambda it: (
            it.product_id != best.get(thing.name), not it.wanted_brand, it.price is None, -it.worth, it.product_id
        ))  # fmt: skip
        held = world.store.products([it.product_id for it in order[:MOST_FITS]])
        fits = tuple(held[it.product_id] for it in order if it.product_id in held)
        if fits:
            found.append(Wanted(thing.name, fits, query.is_typed, *_measurable(query, thing.name, fits)))
    return found


def _measurable(query: Query, thing: str, fits: Sequence[Product]) -> tuple[str | None, str | None]:
    """The demand that binds the thing and that a test could settle; the unwanted one, too."""
    listings = [listing_of(it) for it in fits]
    must = [
        it.property for it in query.constraints.must
        if it.of in (None, thing) and not is_of_ratings(it.property)
        and all(fulfils(on, it.property) for on in listings)
    ]  # fmt: skip
    must_not = [
        it.property for it in query.constraints.must_not
        if it.of in (None, thing) and not any(word in it.property for word in ("review", "rating", "star"))
    ]  # fmt: skip
    return next(iter(must), None), next(iter(must_not), None)


def _of_categories(world: World, query: Query) -> tuple[Wanted, ...]:
    """For a query without typed demands: the most popular of its categories, else what its words find."""
    found: list[Wanted] = []
    for category in query.constraints.categories[:MOST_THINGS]:
        hits = world.catalog.search(CatalogQuery("", category=category, sort_by="popularity", limit=MOST_FITS)).hits
        if hits:
            found.append(
                _unfitted(world, category.replace("_", " ").replace(" and ", " & "), [it.product_id for it in hits])
            )
    if not found:
        hits = world.catalog.search(CatalogQuery(query.text, match="any", limit=MOST_FITS)).hits
        words = set(content_stems(query.text))
        # A word that a description happens to have names nothing that the shop offers.
        named = [it for it in world.store.products([it.product_id for it in hits]).values()
                 if words & set(content_stems(it.title))]  # fmt: skip
        if named:
            name = _leaf(named[0])
            found.append(_unfitted(world, name, [it.product_id for it in named if _leaf(it) == name]))
    return tuple(found)


def _leaf(it: Product) -> str:
    return it.categories[-1] if it.categories else it.category.replace("_", " ")


def _unfitted(world: World, name: str, ids: Sequence[str]) -> Wanted:
    held = world.store.products(ids)
    return Wanted(name.lower(), tuple(held[it] for it in ids if it in held), is_fitting=False)


def _owned(world: World, query: Query) -> list[Product]:
    named = list(query.constraints.owned)
    bought = [it.product_id for it in world.store.orders(query.user_id).orders] if query.user_id is not None else []
    held, words = world.store.products([*named, *bought]), set(content_stems(query.text))
    shared = {key: len(words & set(content_stems(it.title))) for key, it in held.items()}
    bought.sort(key=lambda it: -shared.get(it, 0))
    return [held[it] for it in dict.fromkeys([*named, *bought]) if it in held]
