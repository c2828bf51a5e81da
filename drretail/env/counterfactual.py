"""A world in which one user has other data: another user's, or none to speak of.

The shop, its products and everybody else stay as they are, and so does the world's fingerprint.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from drretail.env.store.base import STRATA, OrderPage, Store, Stratum
from drretail.env.store.statistics import user_statistics
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.grounding.profile.purchases import Purchases
from drretail.grounding.profile.traits import traits_of, unlikeness
from drretail.records.counterfactual import Counterfactual, CounterfactualKind, ProfileTraits
from drretail.records.shop import Address, Order, OrderStatus, Product, UserProfile, UserRow, UserStatistics

_ONLY_READ = "A shop that is seen through other data is only read: save the user in the world itself."


def world_seen(world: World, kind: CounterfactualKind, frozen: Counterfactual) -> World:
    """The same world with other data for the user of ``frozen``; closing it is left to the world itself.

    Raises UserError for a swap where the shop has nobody to swap with.
    """
    return replace(world, store=store_seen(world.store, kind, frozen))


def store_seen(store: Store, kind: CounterfactualKind, frozen: Counterfactual) -> Store:
    """The store of ``world_seen``."""
    if kind == "neutral":
        return NeutralStore(store, frozen.user_id)
    if frozen.partner is None:
        raise UserError("The shop has no second user with orders: nobody's data can stand in (--counterfactual swap).")
    return SwappedStore(store, frozen.user_id, frozen.partner.user_id)


@dataclass(frozen=True, slots=True)
class SwappedStore:
    """Two users who have changed places: profile, address, orders and statistics of each stand under the other's id.

    Both ways, so that an order belongs to one user only, whichever way one comes to it.
    """

    store: Store
    user_id: str
    partner_id: str

    def product(self, product_id: str) -> Product:
        return self.store.product(product_id)

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return self.store.products(product_ids)

    def user(self, user_id: str) -> UserProfile:
        return self.store.user(self._behind(user_id)).model_copy(update={"user_id": user_id})

    def save_user(self, profile: UserProfile) -> None:
        raise UserError(_ONLY_READ)

    def order(self, order_id: str) -> Order:
        order = self.store.order(order_id)
        return order.model_copy(update={"user_id": self._behind(order.user_id)})

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        page = self.store.orders(self._behind(user_id), status, limit, offset)
        return OrderPage(page.total, tuple(order.model_copy(update={"user_id": user_id}) for order in page.orders))

    def statistics(self, user_id: str) -> UserStatistics:
        return self.store.statistics(self._behind(user_id)).model_copy(update={"user_id": user_id})

    def sample_users(self, seed: int | str, n: int, strata: Sequence[Stratum] = STRATA) -> list[UserRow]:
        """As the shop itself: no tool asks for it."""
        return self.store.sample_users(seed, n, strata)

    def close(self) -> None:
        """Closes nothing: the store behind is its world's to close."""

    def _behind(self, user_id: str) -> str:
        """Whose data stand under an id; the exchange is its own inverse."""
        return {self.user_id: self.partner_id, self.partner_id: self.user_id}.get(user_id, user_id)


@dataclass(frozen=True, slots=True)
class NeutralStore:
    """A user who never ordered anything, with a name and an address that say nothing."""

    store: Store
    user_id: str

    def product(self, product_id: str) -> Product:
        return self.store.product(product_id)

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return self.store.products(product_ids)

    def user(self, user_id: str) -> UserProfile:
        return nobody(user_id) if user_id == self.user_id else self.store.user(user_id)

    def save_user(self, profile: UserProfile) -> None:
        raise UserError(_ONLY_READ)

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

    def sample_users(self, seed: int | str, n: int, strata: Sequence[Stratum] = STRATA) -> list[UserRow]:
        """As the shop itself: no tool asks for it."""
        return self.store.sample_users(seed, n, strata)

    def close(self) -> None:
        """Closes nothing: the store behind is its world's to close."""


def nobody(user_id: str) -> UserProfile:
    """The bland profile: a common name, an address in a common town, a number that is nobody's."""
    return UserProfile(
        user_id=user_id,
        email="alex.smith00@example.com",
        first_name="Alex",
        last_name="Smith",
        phone_number="217-555-0100",
        address=Address(address1="1 Main Street", city="Springfield", state="IL", zip="62701"),
    )


RULE = "unlike-2"
"""Counted up when the rule changes, so that folders tell by which one their partners were chosen."""
CANDIDATES = 48
"""Users that are looked at, spread over the shop's kinds: all would take hours where there are millions."""
LEAST_ORDERS = 3
"""Of a partner, where any candidate has so many: who bought once has no profile to speak of."""


class Partners:
    """Chooses partners in one world; the same for the same world and seed, on every backend.

    Of ``CANDIDATES`` users, sampled with the seed, the partner is the one with the highest ``unlikeness``, rounded to
    a tenth, so that not one odd shopper stands in for everybody; ties by a hash of seed, user and candidate.
    """

    def __init__(self, world: World, seed: str) -> None:
        self._world = world
        self._seed = seed
        self._summaries = Summaries(world)

    def counterfactual(self, user_id: str) -> Counterfactual:
        """A user's own traits beside the partner's. Raises NotFound for an unknown user."""
        own = self._traits(user_id)
        found = choose(own, self._candidates, self._seed)
        apart = None if found is None else round(unlikeness(own, found), 4)
        return Counterfactual(user_id=user_id, rule=RULE, own=own, partner=found, unlikeness=apart)

    @cached_property
    def _candidates(self) -> list[ProfileTraits]:
        rows = self._world.store.sample_users(f"counterfactual|{self._seed}", CANDIDATES)
        return [self._traits(row.user_id) for row in rows]

    def _traits(self, user_id: str) -> ProfileTraits:
        store = self._world.store
        orders = store.orders(user_id).orders
        products = store.products(sorted({order.product_id for order in orders}))
        bought = Purchases.of(orders, products, self._world.manifest.now)
        spans = self._summaries.prices([product for _, product in bought.known])
        return traits_of(user_id, bought, spans)


def choose(own: ProfileTraits, candidates: Iterable[ProfileTraits], seed: str) -> ProfileTraits | None:
    """The partner among candidates in any order, never the user; None where no other has an order."""
    others = [it for it in candidates if it.user_id != own.user_id and it.orders > 0]
    others = [it for it in others if it.orders >= LEAST_ORDERS] or others

    def rank(it: ProfileTraits) -> tuple[float, str]:
        digest = hashlib.sha256(f"{seed}|{own.user_id}|{it.user_id}".encode()).hexdigest()
        return -round(unlikeness(own, it), 1), digest

    return min(others, key=rank, default=None)
