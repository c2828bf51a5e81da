"""A user's records, and personas and contexts made from them without a model; fields without evidence stay empty.

A context holds notes of purchases, and every third order as a bit of talk (PDR-Bench, Appendix H).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from drretail.addons.personas.persona import LONGEST_VALUE, ContextEntry, Persona, PersonContext, Trait
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.profile.purchases import day_of
from drretail.grounding.profile.summary import summarise
from drretail.grounding.text.wording import format_money, short_title
from drretail.grounding.text.words import content_stems
from drretail.records.score import ProfileSummary
from drretail.records.shop import VOID_STATUSES, Order, Product, UserProfile

MOST_ORDERS = 60
"""The newest orders that are read of a user."""


@dataclass(frozen=True, slots=True)
class Past:
    """A user's profile and orders, oldest first, with the products that the shop still has."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: Mapping[str, Product]
    now: datetime

    @property
    def user_id(self) -> str:
        return self.profile.user_id

    @property
    def kept(self) -> tuple[Order, ...]:
        """Orders that were neither cancelled nor returned, of products that the shop still has."""
        return tuple(
            order
            for order in self.orders
            if order.order_status not in VOID_STATUSES and order.product_id in self.products
        )

    @property
    def residence(self) -> str:
        address = self.profile.address
        return ", ".join(part for part in (address.city, address.state, address.country) if part)

    def summary(self) -> ProfileSummary:
        """The statements that code derives from these records, each with its orders."""
        return summarise(self.profile, self.orders, self.products, self.now)

    def shows(self, order: Order) -> bool:
        """False if the order's product must not be named."""
        product = self.products.get(order.product_id)
        return product is None or may_be_shown(product)

    def line(self, order: Order) -> str:
        """An order in one line: day, quantity, title, category, price and status."""
        product = self.products.get(order.product_id)
        if product is None:
            return f"{day_of(order)}: {order.quantity} of a product that the shop has no more ({order.order_status})"
        price = "" if product.price is None else f", {format_money(product.price, product.currency)} each"
        title, kind = short_title(product.title, 100), product.leaf_category
        return f"{day_of(order)}: {order.quantity} × {title} ({kind}){price}; {order.order_status}"

    def words(self) -> frozenset[str]:
        """The stems of what the user bought: titles and category paths of kept orders."""
        bought = [self.products[order.product_id] for order in self.kept]
        return frozenset(
            stem for product in bought for stem in content_stems(" ".join((product.title, *product.categories)))
        )


def read_past(world: World, user_id: str) -> Past:
    """A user's records in a world. Raises UserError for an unknown user."""
    store = world.store
    try:
        user = store.user(user_id)
    except NotFound as problem:
        raise UserError(
            f"There is no user {user_id!r} in this shop: name the one that the personas were made of with --world."
        ) from problem
    newest = store.orders(user_id).orders[:MOST_ORDERS]
    orders = tuple(sorted(newest, key=lambda order: (order.timestamp, order.order_id)))
    products = store.products(sorted({order.product_id for order in orders}))
    return Past(user, orders, products, world.manifest.now)


RULES = "rules"
BY_STATEMENT: Mapping[str, str] = {
    "rhythm": "behavioral_characteristics.consumption_cycle",
    "shopper_type": "behavioral_characteristics.consumption_characteristics",
    "reordered": "personality_traits.decision_making_style",
    "brand": "personality_traits.shopping_preference",
    "category": "preferences_and_interests.shopping",
    "price_level": "financial_information.consumption_characteristics",
}
"""Fields of a persona by the code of a summary's statement."""
BY_DEPARTMENT: Mapping[str, str] = {
    "Pet_Supplies": "basic_attributes.pets",
    "Grocery_and_Gourmet_Food": "preferences_and_interests.diet",
    "Books": "preferences_and_interests.books",
    "Kindle_Store": "preferences_and_interests.books",
    "Movies_and_TV": "preferences_and_interests.movies",
    "Sports_and_Outdoors": "preferences_and_interests.exercise_types",
}
"""Fields of a persona by the department that is about them, a product's ``category``."""
_MOST_KINDS, _MOST_IDS = 4, 12
MOST_ENTRIES = 40
TALK_EVERY = 3
"""Every so-many-th order is talk: PDR-Bench wants 20 to 50 % of the material to be conversation."""


def persona_by_rules(past: Past) -> Persona:
    """A persona from profile, summary and departments."""
    profile = {"basic_attributes.name": past.profile.first_name, "basic_attributes.residence": past.residence}
    traits = {name: Trait(value=value, of_profile=True) for name, value in profile.items() if value}
    summary = past.summary()
    for code, name in BY_STATEMENT.items():
        statements = [each for each in summary.statements if each.code == code and each.orders]
        if statements:
            traits[name] = _trait(
                " ".join(statement.text for statement in statements),
                (id_ for statement in statements for id_ in statement.orders),
            )
    # By field: the kinds of things bought in its departments, the newest order first
    bought: dict[str, dict[str, list[str]]] = {}
    for order in filter(past.shows, reversed(past.kept)):
        product = past.products[order.product_id]
        if name := BY_DEPARTMENT.get(product.category):
            bought.setdefault(name, {}).setdefault(product.leaf_category, []).append(order.order_id)
    for name, kinds in bought.items():
        newest = list(kinds.items())[:_MOST_KINDS]
        buys = f"Buys {', '.join(kind for kind, _ in newest)}."
        traits[name] = _trait(buys, (id_ for _, ids in newest for id_ in ids))
    return Persona(user_id=past.user_id, made_by=RULES, traits=traits)


def _trait(value: str, orders: Iterable[str]) -> Trait:
    return Trait(value=value[:LONGEST_VALUE], orders=tuple(dict.fromkeys(orders))[:_MOST_IDS])


def context_by_rules(past: Past, most: int = MOST_ENTRIES) -> PersonContext:
    """The newest ``most`` orders as notes and talk, oldest first, after a greeting with name and residence."""
    greeting = f"Shopper: {past.profile.first_name} here. Please send everything to me in {past.residence}."
    entries = [ContextEntry(kind="talk", text=greeting, of_profile=True)]
    bought: set[str] = set()
    for number, order in enumerate(past.orders[-most:], 1):
        is_talk = number % TALK_EVERY == 0
        text = _talk(past, order, again=order.product_id in bought) if is_talk else f"Noted {past.line(order)}"
        entries.append(ContextEntry(kind="talk" if is_talk else "purchase", text=text, orders=(order.order_id,)))
        bought.add(order.product_id)
    return PersonContext(user_id=past.user_id, made_by=RULES, entries=tuple(entries))


def _talk(past: Past, order: Order, *, again: bool) -> str:
    product = past.products.get(order.product_id)
    thing = "something" if product is None else short_title(product.title, 100)
    if order.order_status in VOID_STATUSES:
        request = f"I don't want the {thing} after all."
    else:
        request = f"I'd like the {thing} again." if again else f"I'd like to order the {thing}."
    return f"Shopper: {request} Assistant: Noted {past.line(order)}."
