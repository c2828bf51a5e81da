"""Worlds as one system sees them: prices and stock that change while an agent researches, a user's data replaced by
another user's. The shop itself and its fingerprint stay the same.

A hash of query and product decides whether, how and after how many tool calls a product changes. Time is counted in
tool calls, so that resumed, replayed and parallel runs see the same shop. Searches and lists of orders show the shop as
it was at the start; only a product's own page shows its present state.

The shop, its products, all other users and the world's fingerprint stay the same.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from statistics import fmean

from drretail.env.store.base import OrderPage, Store, StoreView
from drretail.env.store.users import user_statistics
from drretail.env.world import World
from drretail.errors import NotFound, UserError, quoted
from drretail.grounding.profile import Purchases
from drretail.records.query import Counterfactual, CounterfactualKind, ProfileTraits, Query
from drretail.records.run import MOVES, Step, System
from drretail.records.shop import Address, Order, OrderStatus, Product, UserProfile, UserStatistics

PRICES, STOCK, SALT = "prices", "stock", "salt"
FACTORS = (0.75, 0.85, 0.92, 1.08, 1.15, 1.25)
"""The factors of a price change, as many down as up."""
WITHIN = 8
"""A change comes after 1 to this many tool calls: agents make 6 to 16 in a run (paper, Table 5)."""
_SHARE = re.compile(r"1(?:\.0*)?|0?\.\d*[1-9]\d*")


def read_moves(text: str) -> str:
    """The moves in the form that a system's options hold. Raises UserError for a text that is not a list of moves."""
    parts = (part.partition(":") for part in re.split("[+,]", text))
    named = [(name.strip(), value.strip()) for name, _, value in parts]
    if len(dict(named)) < len(named):
        raise UserError(f"moves={text}: name prices and stock once each.")
    for name, value in named:
        if name not in (PRICES, STOCK, SALT):
            raise UserError(f"moves={text}: {quoted(name)} can't move: write prices:0.2, stock:0.1 or both.")
        if not (value if name == SALT else _SHARE.fullmatch(value)):
            raise UserError(f"moves={text}: write the share of products that change, such as prices:0.2+stock:0.1.")
    if dict(named).keys() == {SALT}:
        raise UserError(f"moves={text} needs what moves: prices:0.2, stock:0.1 or both.")
    return ",".join(f"{name}:{value if name == SALT else f'{float(value):g}'}" for name, value in sorted(named))


@dataclass(frozen=True, slots=True)
class Moves:
    """The changes of prices and stock during the runs on one query."""

    salt: str
    shares: Mapping[str, float]
    """The share of products that change, by what changes."""
    now: datetime | None
    """The shop's time when a run begins; each tool call takes a minute."""

    def at(self, product: Product, calls: int) -> Product:
        """The product after so many tool calls, with ``availability`` and ``as_of``."""
        changed: dict[str, object] = {"availability": "in stock"}
        if self.now is not None:
            changed["as_of"] = f"{self.now + timedelta(minutes=calls):%Y-%m-%dT%H:%M}"
        for kind, (after, how) in self._changes(product).items():
            if after <= calls and kind == STOCK:
                changed["availability"] = "out of stock"
            elif after <= calls and product.price is not None:
                changed["price"] = round(product.price * FACTORS[int(how * len(FACTORS))], 2)
        return product.model_copy(update=changed)

    def last_change(self, product: Product, calls: int) -> int | None:
        """The number of calls after which the product last changed, up to ``calls``; None if it has not changed."""
        return max((after for after, _ in self._changes(product).values() if after <= calls), default=None)

    def _changes(self, product: Product) -> dict[str, tuple[int, float]]:
        """By kind of change: the number of calls after which it comes, and a number from 0 to 1 that decides how."""
        changes: dict[str, tuple[int, float]] = {}
        for kind, share in self.shares.items():
            digest = hashlib.sha256(f"{self.salt}|{product.product_id}|{kind}".encode()).digest()
            whether, when, how = (int.from_bytes(digest[at : at + 6]) / 2**48 for at in (0, 6, 12))
            if whether < share and (kind == STOCK or product.price is not None):
                changes[kind] = 1 + int(when * WITHIN), how
        return changes


def moves_of(system: System, query: Query, now: datetime | None) -> Moves | None:
    """The moves in a system's runs on a query; None if nothing moves."""
    text = system.options.get(MOVES)
    if text is None:
        return None
    parts = dict(part.split(":", 1) for part in str(text).split(","))
    salt = parts.pop(SALT, "")
    return Moves(f"{salt}|{query.query_id}", {name: float(share) for name, share in parts.items()}, now)


@dataclass(frozen=True, slots=True)
class MovedStore(StoreView):
    """A store with products as they are after ``opened[id]`` tool calls, or ``calls`` for all others."""

    moves: Moves
    calls: int = 0
    opened: Mapping[str, int] | None = None

    def product(self, product_id: str) -> Product:
        return self._moved(self.store.product(product_id))

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return {key: self._moved(product) for key, product in self.store.products(product_ids).items()}

    def _moved(self, product: Product) -> Product:
        return self.moves.at(product, (self.opened or {}).get(product.product_id, self.calls))


def store_as_seen(store: Store, moves: Moves, steps: Iterable[Step]) -> MovedStore:
    """The store as a run last saw it: products as when their page was last opened, all others as at the start."""
    return MovedStore(store, moves, opened=last_opened(steps))


def store_at_end(store: Store, moves: Moves, steps: Iterable[Step]) -> MovedStore:
    """The store as it is when a run hands in its report."""
    return MovedStore(store, moves, calls=sum(step.calls_before is not None for step in steps))


def last_opened(steps: Iterable[Step]) -> dict[str, int]:
    """The number of tool calls before each product's page was last opened, by product id."""
    opened: dict[str, int] = {}
    for step in steps:
        if step.name == "get_product_details" and step.error is None and step.calls_before is not None:
            for evidence in step.evidence:
                key = evidence.removeprefix("P:")
                opened[key] = max(step.calls_before, opened.get(key, 0))
    return opened


def world_seen(world: World, kind: CounterfactualKind, frozen: Counterfactual) -> World:
    """The same world with other data for the user of ``frozen``. Close the original world, not this one.

    Raises UserError for a swap if the shop has no other user with orders.
    """
    return replace(world, store=store_seen(world.store, kind, frozen))


def store_seen(store: Store, kind: CounterfactualKind, frozen: Counterfactual) -> Store:
    """The store of ``world_seen``."""
    if kind == "neutral":
        return NeutralStore(store, frozen.user_id)
    if frozen.partner is None:
        raise UserError("The shop has no second user with orders: nobody's data can stand in (counterfactual=swap).")
    return SwappedStore(store, frozen.user_id, frozen.partner.user_id)


@dataclass(frozen=True, slots=True)
class SwappedStore(StoreView):
    """Two users with exchanged data: each one's profile, address, orders and statistics appear under the other's id.

    The exchange goes both ways, so that every order belongs to one user only, whichever way it is looked up.
    """

    user_id: str
    partner_id: str

    def user(self, user_id: str) -> UserProfile:
        return self.store.user(self._exchanged(user_id)).model_copy(update={"user_id": user_id})

    def order(self, order_id: str) -> Order:
        order = self.store.order(order_id)
        return order.model_copy(update={"user_id": self._exchanged(order.user_id)})

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        page = self.store.orders(self._exchanged(user_id), status, limit, offset)
        return OrderPage(page.total, tuple(order.model_copy(update={"user_id": user_id}) for order in page.orders))

    def statistics(self, user_id: str) -> UserStatistics:
        return self.store.statistics(self._exchanged(user_id)).model_copy(update={"user_id": user_id})

    def _exchanged(self, user_id: str) -> str:
        """The user whose data appear under an id; the exchange is its own inverse."""
        return {self.user_id: self.partner_id, self.partner_id: self.user_id}.get(user_id, user_id)


@dataclass(frozen=True, slots=True)
class NeutralStore(StoreView):
    """The same store, in which one user has no orders and a name and address that say nothing."""

    user_id: str

    def user(self, user_id: str) -> UserProfile:
        return bland_profile(user_id) if user_id == self.user_id else self.store.user(user_id)

    def order(self, order_id: str) -> Order:
        order = self.store.order(order_id)
        if order.user_id == self.user_id:
            raise NotFound("order", order_id, field="order_id")
        return order

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        return OrderPage(0, ()) if user_id == self.user_id else self.store.orders(user_id, status, limit, offset)

    def statistics(self, user_id: str) -> UserStatistics:
        return user_statistics(user_id, (), {}) if user_id == self.user_id else self.store.statistics(user_id)


def bland_profile(user_id: str) -> UserProfile:
    """A profile that says nothing: a common name, an address in a common town, a phone number that nobody has."""
    return UserProfile(
        user_id=user_id,
        email="alex.smith00@example.com",
        first_name="Alex",
        last_name="Smith",
        phone_number="217-555-0100",
        address=Address(address1="1 Main Street", city="Springfield", state="IL", zip="62701"),
    )


RULE = "unlike-3"
"""The version of the rule, raised when it changes, so that folders show which rule chose their partners."""
CANDIDATES = 48
"""The number of users that are compared, spread over the shop's kinds of users: comparing millions would take hours."""
LEAST_ORDERS = 3
"""The fewest orders of a partner, if any candidate has so many: a single order makes no profile."""


@dataclass(frozen=True)
class Partners:
    """Chooses partners in one world; the choice depends only on world and seed, not on the backend.

    Of ``CANDIDATES`` users, sampled with the seed, the partner is the one with the highest ``unlikeness``. It is
    rounded to a tenth, so that one odd shopper does not become everybody's partner; ties are broken by a hash of seed,
    user and candidate.
    """

    world: World
    seed: str

    def counterfactual(self, user_id: str) -> Counterfactual:
        """The user's own traits and the partner's. Raises NotFound for an unknown user."""
        own = self._traits(user_id)
        partner = choose_partner(own, self._candidates, self.seed)
        return Counterfactual(user_id=user_id, rule=RULE, own=own, partner=partner)

    @cached_property
    def _candidates(self) -> list[ProfileTraits]:
        rows = self.world.store.sample_users(f"counterfactual|{self.seed}", CANDIDATES)
        return [self._traits(row.user_id) for row in rows]

    def _traits(self, user_id: str) -> ProfileTraits:
        store = self.world.store
        orders = store.orders(user_id).orders
        products = store.products(sorted({order.product_id for order in orders}))
        return traits_of(user_id, Purchases.of(orders, products, self.world.manifest.now))


def choose_partner(own: ProfileTraits, candidates: Iterable[ProfileTraits], seed: str) -> ProfileTraits | None:
    """The partner among candidates in any order, never the user; None if no other candidate has an order."""
    others = [other for other in candidates if other.user_id != own.user_id and other.orders > 0]
    others = [other for other in others if other.orders >= LEAST_ORDERS] or others

    def rank(other: ProfileTraits) -> tuple[float, str]:
        digest = hashlib.sha256(f"{seed}|{own.user_id}|{other.user_id}".encode()).hexdigest()
        return -round(unlikeness(own, other), 1), digest

    return min(others, key=rank, default=None)


def traits_of(user_id: str, bought: Purchases) -> ProfileTraits:
    """A user's domains, leaf categories and brands, by the number of kept orders."""
    return ProfileTraits(
        user_id=user_id,
        orders=len(bought.kept),
        domains=_counted(bought, lambda product: product.category),
        categories=_counted(bought, lambda product: product.leaf_category),
        brands=_counted(bought, lambda product: product.brand),
        products=tuple(sorted({order.product_id for order in bought.kept})),
    )


def unlikeness(one: ProfileTraits, other: ProfileTraits) -> float:
    """From 0 (alike) to 1: 1 minus the share of orders in common, a mean over domains, leaf categories and brands."""
    both = ((one.domains, other.domains), (one.categories, other.categories), (one.brands, other.brands))
    return fmean(1 - _common(ours, theirs) for ours, theirs in both)


def _common(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The smaller of both shares of orders, summed over all names."""
    ours, theirs = sum(one.values()), sum(other.values())
    if not ours or not theirs:
        return 0.0
    return sum(min(one[name] / ours, other[name] / theirs) for name in sorted(one.keys() & other.keys()))


def _counted(bought: Purchases, name_of: Callable[[Product], str | None]) -> dict[str, int]:
    """The number of orders by name, sorted by name, so that equal records are equal bytes."""
    names: Iterable[str | None] = (name_of(product) for _, product in bought.known)
    return dict(sorted(Counter(name for name in names if name).items()))
