"""Users → drafts → queries. The same world, users and seed give the same queries; no query repeats another.

Users are named, or drawn.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random

from drretail.env.catalog.base import CatalogQuery
from drretail.env.web.sandbox import facts_of
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Linter
from drretail.querygen.proofs import KINDS, rests_on
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import Author
from drretail.querygen.rules.needs import Need, needs_of
from drretail.records.criteria import NEEDS, NeedOf, Share
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.reports.text.words import is_english

_MOST_DRAWN = 20
"""Users drawn per user wanted, since some give no query."""


def users_of(world: World, users: Sequence[str] | int, seed: str) -> Iterable[str]:
    """These users, each once; or so many drawn ones, and then others that may replace them.

    Raises UserError for a user unknown to the world, and for a world without users.
    """
    if isinstance(users, int):
        rows = world.store.sample_users(seed, users * _MOST_DRAWN)
        if not rows:
            raise UserError("This world has no users, and queries need their orders: ingest reviews or orders, too.")
        return [row.user_id for row in rows]
    for user_id in users:
        try:
            world.store.user(user_id)
        except NotFound:
            some = [row.user_id for row in world.store.sample_users("0", 3)]
            hint = f"Some that it holds: {', '.join(some)}." if some else "It has no users at all."
            raise UserError(f"This world has no user {user_id!r}. {hint}") from None
    return dict.fromkeys(users)


_READ = 25
"""The most popular products, by whose texts the language of a shop is known if its mapping names none."""
_NEEDS = 24
"""The newest needs of a user that are looked at."""
_TRIES = 8
"""Drafts of a need, of which the first is taken whose sources are all needed."""
LEAST_ORDERS = 2
"""Users with fewer delivered orders get no query: a single order is no profile."""


class Quota:
    """How many queries are yet to be made of each share, and of the rest, which needs nothing."""

    def __init__(self, shares: Sequence[Share], total: int) -> None:
        self.asked = {each: int(each.share * total + 0.5) for each in shares}
        self.left = {**self.asked, Share(frozenset()): total - sum(self.asked.values())}

    def lacking(self, needed: Collection[NeedOf]) -> Share | None:
        """The share with most needs for which a query that needs so much would count."""
        lacking = [each for each, left in self.left.items() if left > 0 and each.needs.issubset(needed)]
        return max(lacking, key=lambda each: len(each.needs), default=None)

    def count(self, needed: Collection[NeedOf]) -> None:
        """Counts a query that needs so much."""
        if (share := self.lacking(needed)) is not None:
            self.left[share] -= 1

    @property
    def shortfalls(self) -> list[str]:
        """What is missing of each share, each in a sentence."""
        missing = ((each, asked, self.left[each]) for each, asked in self.asked.items())
        return [f"{left} of {asked} that are to need {each} are missing." for each, asked, left in missing if left]


@dataclass(frozen=True, slots=True)
class Generated:
    """The queries in the order of the users, and the users with none."""

    queries: tuple[Query, ...]
    users: int
    without: tuple[str, ...]
    quota: Quota
    kinds: Counter[str]


class Drafts:
    """Queries of one world's users, without findings, without near-duplicates, and with no source that isn't needed."""

    def __init__(
        self, world: World, seed: str, linter: Linter | None = None, *, on_query: Callable[[], object] = bool
    ) -> None:
        """``on_query`` is called after each query. Raises UserError as ``check_english`` does."""
        check_english(world)
        self.world, self.seed, self.linter, self._on_query = world, seed, linter or Linter(world), on_query
        self.assortment, self._written = Assortment(self.linter.stock), Texts()
        self.kinds = Counter[str]()
        """How many kinds of purchases were looked at, and of how many the records bear a demand."""
        self._facts = facts_of(world.web)

    def of(self, user_id: str, quota: Quota | None = None) -> Iterator[Query]:
        """One user's queries, as far as a share lacks them, about kinds whose records bear a demand."""
        shopper = self.linter.shopper(user_id)
        if shopper is None or sum(order.order_status == "Delivered" for order in shopper.orders) < LEAST_ORDERS:
            return
        rng = Random(f"{self.seed}|{user_id}")
        author = Author(self.world, self.assortment, user_id, rng, self._facts)
        of_user = [*islice(needs_of(shopper, self.assortment, self.world.manifest.now.date()), _NEEDS)]
        needs = [need for need in of_user if author.bears_demand(need)]
        self.kinds.update(looked_at=len(of_user), asked_about=len(needs))
        rng.shuffle(needs)
        number = 1
        for need in needs:
            if (query := self._drafted(author, need, number, quota)) is not None:
                number += 1
                self._on_query()
                yield query

    def _drafted(self, author: Author, need: Need, number: int, quota: Quota | None) -> Query | None:
        """The first of some drafts that has no fault, and that a share lacks."""
        for _ in range(_TRIES):
            query = author.query(need, number)
            needed: list[NeedOf] = [source for source in NEEDS if query is not None and rests_on(query, KINDS[source])]
            is_wanted = query is not None and (quota is None or quota.lacking(needed) is not None)
            if query is None or not is_wanted or self.linter.findings(query):
                continue
            # The rules' sentences would ask two users for the same in nearly the same words.
            anybodys = query.model_copy(update={"user_id": None})
            if self._written.near_duplicate(anybodys) is not None:
                continue
            query = self.linter.with_needs(query)
            if [*(query.needs.proved if query.needs else ())] != needed:
                continue
            if quota is not None:
                quota.count(needed)
            self._written.add(anybodys)
            return query
        return None


def check_english(world: World) -> None:
    """Raises UserError for a shop whose language is not English, which the rules write."""
    language = world.manifest.language.title()
    if language == "English" and world.manifest.is_own_shop:  # also if its mapping leaves the language out
        texts = ((product.title, *product.features, *product.description) for product in _popular(world))
        language = language if is_english(" ".join(chain.from_iterable(texts))) else "in another language"
    if language != "English":
        raise UserError(
            f"The rules write English, and this shop's texts are {language}: have a model write questions "
            "(queries generate --model)."
        )


def _popular(world: World) -> list[Product]:
    shown = world.catalog.search(CatalogQuery("", sort_by="popularity", limit=_READ)).hits
    return [*world.store.products([hit.product_id for hit in shown]).values()]


def generate_queries(
    world: World,
    users: Sequence[str] | int,
    *,
    per_user: int,
    seed: str,
    linter: Linter | None = None,
    needs: Sequence[Share] = (),
    on_query: Callable[[], object] = bool,
) -> Generated:
    """Up to ``per_user`` queries for each of these users, or of so many drawn ones, who are replaced if they give none.
    Shares of them need what ``needs`` says; the quota holds what is missing.

    Raises UserError for an unknown user, for a world without users, and if no query can be made.
    """
    drafts, queries, without = Drafts(world, seed, linter, on_query=on_query), list[Query](), list[str]()
    asked, quota = 0, Quota(needs, (users if isinstance(users, int) else len({*users})) * per_user)
    for user_id in users_of(world, users, seed):
        of_user = [*islice(drafts.of(user_id, quota), per_user)]
        queries += of_user
        asked += bool(of_user)
        without += [] if of_user else [user_id]
        if asked == users:
            break
    if not queries:
        raise UserError(
            f"No query could be made from the orders of {counted(len(without), 'user')}: fewer than two have arrived "
            "(their status is Delivered), the shop tells too little of what arrived, or none would need what was asked "
            "for. Have a model write them (--model), or try other users or a larger world; of your own shop, say in "
            "the mapping's [status] which orders have arrived."
        )
    return Generated(tuple(queries), asked, tuple(without), quota, drafts.kinds)
