"""Users → drafts → queries, the same for the same world, users and seed; none repeats another."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random

from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import Author
from drretail.querygen.rules.needs import needs_of
from drretail.querygen.users import check_users, drawn_users
from drretail.records.query import NEED_KINDS, Query

LEAST_ORDERS = 2
"""A single order is no profile: whoever has only that is asked about nothing."""
_ENOUGH_FOR_ALL_KINDS, _ENOUGH_OF_ONE_KIND = 20, 5


@dataclass(frozen=True, slots=True)
class Generated:
    """The queries in the order of the users; and the users that gave none, or fewer than were asked for."""

    queries: tuple[Query, ...]
    users: int
    without: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()

    @property
    def missing_kinds(self) -> tuple[str, ...]:
        """The kinds of need of which no query came about; none where there are so few that one may lack by chance."""
        made = {query.kind for query in self.queries}
        enough = _ENOUGH_FOR_ALL_KINDS if len(made) > 1 else _ENOUGH_OF_ONE_KIND
        return tuple(kind for kind in NEED_KINDS if kind not in made and len(self.queries) >= enough)


class Drafts:
    """Queries of one world's users in which the checks find nothing, none like another."""

    def __init__(self, world: World, seed: str, linter: Linter | None = None) -> None:
        """Raises UserError for a shop in another language than the rules write."""
        if world.manifest.language != "english":
            raise UserError(
                f"The rules write English questions, and this shop's texts are {world.manifest.language.title()}: "
                "have a model write them (--model)."
            )
        self.world, self.seed, self.linter = world, seed, linter or Linter(world)
        self.assortment, self._written = Assortment(self.linter.stock), Texts()

    def of(self, user_id: str) -> Iterator[Query]:
        """One user's: first about products that none of them has yet; the kinds of need take turns."""
        shopper = self.linter.shopper(user_id)
        if shopper is None or sum(order.order_status == "Delivered" for order in shopper.orders) < LEAST_ORDERS:
            return
        rng = Random(f"{self.seed}|{user_id}")
        author, taken, made = Author(self.world, self.assortment, shopper, rng), set[str](), list[str]()
        needs = list(needs_of(shopper, self.assortment, self.world.manifest.now.date()))
        rng.shuffle(needs)
        offered = Counter(need.kind for need in needs)
        # What few orders support comes first; and a kind of product leaves more to research than one product.
        needs.sort(key=lambda need: (offered[need.kind], "unnamed" in need.facts))
        while needs:
            need = min(needs, key=lambda need: (taken.issuperset(need.product_ids), made.count(need.kind)))
            needs.remove(need)
            query = author.query(need, len(made) + 1)
            if not self.linter.findings(query) and self._written.near_duplicate(query) is None:
                taken.update(need.product_ids)
                made.append(need.kind)
                self._written.add(query)
                yield query


def generate_for(world: World, users: Sequence[str], *, per_user: int, seed: str) -> Generated:
    """Up to ``per_user`` queries for each of these users, in none of which the checks find anything.

    Raises UserError for a user that the world does not hold, and when no query can be made for any.
    """
    check_users(world, users)
    return _generate(Drafts(world, seed), dict.fromkeys(users), per_user=per_user)


def generate_sampled(world: World, n: int, *, per_user: int, seed: str, linter: Linter | None = None) -> Generated:
    """The same for ``n`` drawn users; users whose orders give none are replaced.

    Raises UserError for a world without users, and when no query can be made for any.
    """
    return _generate(Drafts(world, seed, linter), drawn_users(world, seed, n), per_user=per_user, wanted=n)


def _generate(drafts: Drafts, users: Iterable[str], *, per_user: int, wanted: int | None = None) -> Generated:
    made = taken_in_turn(users, drafts.of, per_user=per_user, wanted=wanted)
    if not made.queries:
        raise UserError(
            f"No query could be made from the orders of {len(made.without)} users: less than two have arrived, or the "
            "shop tells too little of what arrived. Try other users or a larger world."
        )
    return made


def taken_in_turn(
    users: Iterable[str], queries_of: Callable[[str], Iterator[Query]], *, per_user: int = 1, wanted: int | None = None
) -> Generated:
    """A query of each user, until so many ``wanted`` users have one, then a second one of each of these, and so on.

    All users' second ones come before anybody's third: asking for more leaves those that there are.
    """
    made: dict[str, list[Query]] = {}
    left: dict[str, Iterator[Query]] = {}
    without: list[str] = []
    for user_id in users:
        left[user_id] = queries_of(user_id)
        if first := list(islice(left[user_id], 1)):
            made[user_id] = first
        else:
            without.append(user_id)
        if len(made) == wanted:
            break
    for _ in range(1, per_user):
        for user_id, queries in made.items():
            queries += islice(left[user_id], 1)
    fewer = tuple(user_id for user_id, queries in made.items() if len(queries) < per_user)
    return Generated(tuple(chain.from_iterable(made.values())), len(made), tuple(without), fewer)
