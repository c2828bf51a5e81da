"""Who stands in for a user when a run is to see another's data: somebody as unlike as a sample of the shop offers."""

import hashlib
from collections.abc import Iterable
from functools import cached_property

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.grounding.profile_traits import traits_of, unlikeness
from drretail.grounding.purchases import Purchases
from drretail.records.counterfactual import Counterfactual, ProfileTraits

RULE = "unlike-1"
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
