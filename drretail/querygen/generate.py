"""Users → drafts → queries. The same world, users and seed give the same queries; no query repeats another.

Users are named, or drawn.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.grounding.text.words import is_english
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import Author
from drretail.querygen.rules.needs import needs_of
from drretail.records.criteria import NeedOf
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.shop import Product

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
LEAST_ORDERS = 2
"""Users with fewer delivered orders get no query: a single order is no profile."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The queries in the order of the users, and the users with none."""

    queries: tuple[Query, ...]
    users: int
    without: tuple[str, ...] = ()
    short: int = 0
    """Queries that were left out since they do not need what was asked for."""


class Drafts:
    """Queries of one world's users, without findings and without near-duplicates."""

    def __init__(
        self,
        world: World,
        seed: str,
        linter: Linter | None = None,
        *,
        needs: Collection[NeedOf] = (),
        on_query: Callable[[], object] = bool,
    ) -> None:
        """``on_query`` is called after each query. Raises UserError as ``check_english`` does."""
        check_english(world)
        self.world, self.seed, self.linter, self._on_query = world, seed, linter or Linter(world), on_query
        self.assortment, self._written = Assortment(self.linter.stock), Texts()
        self._needs, self.short = frozenset(needs), 0

    def of(self, user_id: str) -> Iterator[Query]:
        """One user's queries: first about products that have none yet; the kinds of need take turns."""
        shopper = self.linter.shopper(user_id)
        if shopper is None or sum(order.order_status == "Delivered" for order in shopper.orders) < LEAST_ORDERS:
            return
        rng = Random(f"{self.seed}|{user_id}")
        now = self.world.manifest.now.date()
        needs = [*islice(needs_of(shopper, self.assortment, now), _NEEDS)]
        taken, kinds = set[str](), list[str]()
        author = Author(self.world, self.assortment, user_id, rng, tuple(needs))
        rng.shuffle(needs)
        offered = Counter(need.kind for need in needs)
        # First what bears a demand, then rare kinds of need.
        needs.sort(key=lambda need: (not author.bears_demand(need), offered[need.kind]))
        while needs:
            need = min(needs, key=lambda need: (need.order.product_id in taken, kinds.count(need.kind)))
            needs.remove(need)
            query = author.query(need, len(kinds) + 1)
            if query is None or self.linter.findings(query):
                continue
            # The rules' sentences would ask two users for the same in nearly the same words.
            anybodys = query.model_copy(update={"user_id": None})
            if self._written.near_duplicate(anybodys) is not None:
                continue
            query = self.linter.with_needs(query)
            if not self._needs.issubset(query.needs.proved if query.needs else ()):
                self.short += 1
                continue
            self._written.add(anybodys)
            taken.add(need.order.product_id)
            kinds.append(need.kind)
            self._on_query()
            yield query


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
    needs: Collection[NeedOf] = (),
    on_query: Callable[[], object] = bool,
) -> Generated:
    """Up to ``per_user`` queries for each of these users, or of so many drawn ones, who are replaced if they give none.
    Those that do not need all of ``needs`` are left out.

    Raises UserError for an unknown user, for a world without users, and if no query can be made.
    """
    drafts, queries, without = Drafts(world, seed, linter, needs=needs, on_query=on_query), list[Query](), list[str]()
    asked = 0
    for user_id in users_of(world, users, seed):
        of_user = [*islice(drafts.of(user_id), per_user)]
        queries += of_user
        asked += bool(of_user)
        without += [] if of_user else [user_id]
        if asked == users:
            break
    if not queries and drafts.short:
        raise UserError(
            f"Of {counted(drafts.short, 'query', 'queries')} none needs {' and '.join(needs)}: rules make no such "
            "questions of this shop's records. Have a model write them (--model), or write them yourself."
        )
    if not queries:
        raise UserError(
            f"No query could be made from the orders of {counted(len(without), 'user')}: fewer than two have "
            "arrived (their status is Delivered), or the shop tells too little of what arrived. Try other users or a "
            "larger world; of your own shop, say in the mapping's [status] which orders have arrived."
        )
    return Generated(tuple(queries), asked, tuple(without), drafts.short)
