"""Users → drafts → queries, the same for the same world, user and seed, however many users there are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path

from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import write_lines
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import queries_by_rules
from drretail.querygen.users import check_users, drawn_users
from drretail.records.query import NEED_KINDS, Query

LEAST_ORDERS = 2
"""A single order is no profile: whoever has only that is asked about nothing."""
_ENOUGH_FOR_ALL_KINDS = 20


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
        return tuple(kind for kind in NEED_KINDS if kind not in made and len(self.queries) >= _ENOUGH_FOR_ALL_KINDS)


def generate_for(
    world: World, users: Sequence[str], *, per_user: int, seed: str, linter: Linter | None = None
) -> Generated:
    """Up to ``per_user`` queries for each of these users, in none of which the checks find anything.

    A ``linter`` of the caller's has them checked already when it is asked again.

    Raises UserError for a user that the world does not hold, and when no query can be made for any.
    """
    check_users(world, users)
    return _generate(world, list(dict.fromkeys(users)), per_user=per_user, seed=seed, linter=linter, wanted=None)


def generate_sampled(world: World, n: int, *, per_user: int, seed: str, linter: Linter | None = None) -> Generated:
    """The same for ``n`` drawn users; users whose orders give none are replaced.

    Raises UserError for a world without users, and when no query can be made for any.
    """
    return _generate(world, drawn_users(world, seed, n), per_user=per_user, seed=seed, linter=linter, wanted=n)


def _generate(
    world: World, users: Iterable[str], *, per_user: int, seed: str, linter: Linter | None, wanted: int | None
) -> Generated:
    if world.manifest.language != "english":
        raise UserError(
            f"The rules write English questions, and this shop's texts are {world.manifest.language.title()}: "
            "have a model write them (--model)."
        )
    queries: list[Query] = []
    served: list[str] = []
    without: list[str] = []
    fewer: list[str] = []
    linter = linter or Linter(world)
    assortment = Assortment(linter.stock)
    for user_id in users:
        made = queries_of(world, assortment, user_id, per_user=per_user, seed=seed, linter=linter)
        queries += made
        (served if made else without).append(user_id)
        if 0 < len(made) < per_user:
            fewer.append(user_id)
        if len(served) == wanted:
            break
    if not queries:
        raise UserError(
            f"No query could be made from the orders of {len(without)} users: less than two have arrived, or the shop "
            "tells too little of what arrived. Try other users or a larger world."
        )
    return Generated(tuple(queries), len(served), tuple(without), tuple(fewer))


def queries_of(
    world: World, assortment: Assortment, user_id: str, *, per_user: int, seed: str, linter: Linter
) -> list[Query]:
    """The user's queries in which the checks find nothing; asking for more gives the same ones and others behind them.

    There are fewer where the orders and the shop tell too little for different ones.
    """
    shopper = linter.shopper(user_id)
    if shopper is None or sum(order.order_status == "Delivered" for order in shopper.orders) < LEAST_ORDERS:
        return []
    return list(islice(queries_by_rules(world, assortment, linter, shopper, seed), per_user))


USERS, PER_USER, QUESTIONS = 8, 2, 3


def demo_queries(world: World, path: Path, seed: str) -> tuple[Query, ...]:
    """Three queries of three users, those with the largest total budgets first; kept in ``path``."""
    if not path.exists():
        made = generate_sampled(world, USERS, per_user=PER_USER, seed=seed)
        ranked = sorted(made.queries, key=lambda query: (-_total_budget(query), query.query_id))
        by_user: dict[str | None, Query] = {}
        for query in ranked:
            by_user.setdefault(query.user_id, query)
        write_lines(path, (query.as_line() for query in list(by_user.values())[:QUESTIONS]))
    return read_queries(path)


def _total_budget(query: Query) -> Decimal:
    budget = None if query.wish is None else query.wish.budget
    return Decimal(0) if budget is None else budget.value
