"""The targets of queries, users or categories: how many queries each gets, and the queries' ids."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.generate import Quota, users_of
from drretail.records.criteria import NeedOf
from drretail.records.run import slug
from drretail.records.shop import VOID_STATUSES
from drretail.reports.text.evidence_ids import short_hash


@dataclass(frozen=True, slots=True)
class Target:
    """A user or a category. Its queries are written one after the other, each with the earlier ones in the prompt."""

    name: str
    """The prefix of its queries' ids, which differs from that of the rules' queries of the same user."""
    count: int
    user_id: str | None = None
    category: str = ""
    """The subject of generic queries."""
    needs: frozenset[NeedOf] = frozenset()
    """What each of its queries is to need."""

    def query_id(self, number: int) -> str:
        """The id of the ``number``-th query, from 1."""
        return f"{self.name}-{number}"


def targets_of(
    world: World, users: Sequence[str] | int, per_user: int, seed: str = ""
) -> tuple[list[Target], list[str]]:
    """A target for each of these users, or of so many drawn ones, who are replaced if they have kept no order; and the
    users without such an order, whose record no query can need.

    Raises UserError for a user unknown to the world, and if nobody has kept an order.
    """
    targets: list[Target] = []
    without: list[str] = []
    for user_id in users_of(world, users, seed):
        statuses = set(world.store.statistics(user_id).orders_by_status)
        if statuses - VOID_STATUSES:
            targets.append(Target(f"{short_hash(user_id)}-m", per_user, user_id))
        else:
            without.append(user_id)
        if len(targets) == users:
            break
    if not targets:
        raise UserError(
            f"None of {len(without)} users has an order that was neither cancelled nor returned, and queries are made "
            "from orders: try other users."
        )
    return targets, without


def generic_targets(world: World, count: int, seed: str) -> list[Target]:
    """Targets for ``count`` generic queries, spread over the shop's categories in seeded order."""
    names = world_categories(world)
    Random(f"{seed}|generic").shuffle(names)
    shares = [len(range(start, count, len(names))) for start in range(len(names))]
    return [
        Target(f"generic-{slug(name)[:40]}", share, category=name)
        for name, share in zip(names, shares, strict=True)
        if share
    ]


def shared_out(targets: Sequence[Target], quota: Quota) -> list[Target]:
    """The targets with what their queries are to need: each gets the share that lacks most."""
    left, shared = {**quota.left}, list[Target]()
    for target in targets:
        share = max(left, key=lambda each: left[each])
        left[share] -= target.count
        shared.append(replace(target, needs=share.needs))
    return shared


def world_categories(world: World) -> list[str]:
    """The categories that the world was made from; if the world doesn't record them, all that a search accepts."""
    return [category.name for category in world.manifest.categories if category.products] or world.catalog.categories()
