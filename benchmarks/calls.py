"""The calls that benchmarks/backends.py times: searches, tool calls and point reads, by several clients at once."""

import random
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

from rivals import RankBm25

from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.records.shop import Product
from drretail.tools.toolkit import Toolkit

Call = Callable[[int], object]
"""Does the work with this number; the same number is the same work on every backend."""
Client = Callable[[], AbstractContextManager[Call]]
"""What one client needs to make calls, for as long as it makes them."""
TOOL = "tool product_catalog_search"
QUERIES = 1000
FEW = 0.05
"""Share of the products that may hold a telling word."""
PLENTY = 1_000_003
"""Turns of one case start so far apart that they do other work."""


@dataclass(frozen=True)
class Case:
    """One kind of call, and how a client of each backend makes it."""

    name: str
    by_backend: Mapping[str, Client]
    share: Mapping[str, float] = field(default_factory=dict[str, float])
    """Backends that are too slow for as many calls as the others."""


@dataclass(frozen=True)
class Times:
    """Microseconds of each call, sorted, and how long all of them took."""

    us: list[float]
    seconds: float

    @classmethod
    def of_all(cls, turns: Sequence[Self]) -> Self:
        return cls(sorted(us for turn in turns for us in turn.us), sum(turn.seconds for turn in turns))

    @property
    def p50_us(self) -> float:
        return self.us[len(self.us) // 2]

    def as_row(self) -> dict[str, float]:
        p99, count = self.us[len(self.us) * 99 // 100], len(self.us)
        return {"p50_us": self.p50_us, "p99_us": p99, "calls_per_second": count / self.seconds, "calls": count}


def measured(make: Client, clients: int, calls: int, turn: int) -> Times:
    """The times of ``calls`` calls, shared by as many threads as there are clients, each warm before it counts."""
    each = max(1, calls // clients)
    us: list[float] = []
    together = threading.Barrier(clients + 1)

    def work(client: int) -> None:
        mine: list[float] = []
        first = turn * PLENTY + client * each
        with make() as call:
            call(first + each)
            together.wait()
            for number in range(first, first + each):
                start = time.perf_counter()
                call(number)
                mine.append(1e6 * (time.perf_counter() - start))
        us.extend(mine)

    threads = [threading.Thread(target=work, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    together.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return Times(sorted(us), time.perf_counter() - start)


class Queries:
    """Texts to search for, cut out of the texts of products.

    The made-up texts repeat a few words so often that most products hold them; no text of a person does. So a query's
    words are telling ones, that few products hold, but for the ``plain`` queries, which take words as they come.
    """

    def __init__(self, catalog: Catalog, shown: Sequence[Product], products: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._most = FEW * products
        self._holding: dict[str, int] = {}
        self._catalog = catalog
        self._shown = list(shown)

        def four_words(text: list[str]) -> list[str] | None:
            telling = [word for word in dict.fromkeys(text) if self._tells(word)]
            return self._rng.sample(telling, 4) if len(telling) >= 4 else None

        def neighbours(text: list[str]) -> list[str] | None:
            pairs = [[a, b] for a, b in pairwise(text) if a != b and self._tells(a) and self._tells(b)]
            return self._rng.choice(pairs) if pairs else None

        self.four = self._drawn(four_words)
        self.two_neighbours = self._drawn(neighbours)
        self.plain_four = self._drawn(lambda text: self._rng.sample(text, 4))
        self.plain_neighbours = self._drawn(lambda text: text[:2])

    def _drawn(self, cut: Callable[[list[str]], list[str] | None]) -> list[str]:
        found: list[str] = []
        while len(found) < QUERIES:
            product = self._rng.choice(self._shown)
            text = self._rng.choice((product.title, *product.features, *product.description)).split()
            words = cut(text)
            if words:
                found.append(" ".join(words))
        return found

    def _tells(self, word: str) -> bool:
        if word not in self._holding:
            self._holding[word] = self._catalog.search(CatalogQuery(word, limit=1)).total
        return self._holding[word] <= self._most


def search_cases(worlds: Mapping[str, World], rival: RankBm25 | None, queries: Queries, category: str) -> list[Case]:
    """Searches by match, filter and sort."""
    four = queries.four
    kinds: dict[str, tuple[list[str], dict[str, Any]]] = {
        "any": (four, {}),
        "all": (four, {"match": "all"}),
        "phrase": (queries.two_neighbours, {"match": "phrase"}),
        "any, price and rating": (four, {"price_min": 20.0, "price_max": 60.0, "rating_min": 3.0}),
        "any, category": (four, {"category": category}),
        "any, cheapest first": (four, {"sort_by": "price"}),
        "any, dearest first": (four, {"sort_by": "price", "order": "desc"}),
        "any, best rated first": (four, {"sort_by": "rating"}),
        "any, most popular first": (four, {"sort_by": "popularity"}),
        "any, hits 91 to 100": (four, {"offset": 90}),
        "any, plain": (queries.plain_four, {}),
        "any, plain, price and rating": (queries.plain_four, {"price_min": 20.0, "price_max": 60.0, "rating_min": 3.0}),
        "any, plain, price": (queries.plain_four, {"price_max": 60.0}),
        "all, plain": (queries.plain_four, {"match": "all"}),
        "phrase, plain": (queries.plain_neighbours, {"match": "phrase"}),
    }
    return [search_case(f"search {name}", worlds, rival, *kind) for name, kind in kinds.items()]


def search_case(
    name: str, worlds: Mapping[str, World], rival: RankBm25 | None, texts: list[str], options: dict[str, Any]
) -> Case:
    queries = [CatalogQuery(text, **options) for text in texts]

    def searching(search: Callable[[CatalogQuery], object]) -> Client:
        return lambda: nullcontext(lambda number: search(queries[number % len(queries)]))

    by_backend = {backend: searching(world.catalog.search) for backend, world in worlds.items()}
    if rival is not None and rival.can(queries[0]):
        by_backend["rank_bm25"] = searching(rival.search)
    return Case(name, by_backend, {"rank_bm25": 0.02})


def tool_cases(worlds: Mapping[str, World], queries: Queries) -> list[Case]:
    """Whole searches of an agent: arguments checked, products read, evidence and step recorded."""

    def calling(world: World, texts: list[str]) -> Client:
        @contextmanager
        def client() -> Generator[Call]:
            toolkit = Toolkit(Session(SessionSettings(world, scope="any")))
            yield lambda number: toolkit.call("product_catalog_search", {"query": texts[number % len(texts)]})

        return client

    return [
        Case(name, {backend: calling(world, texts) for backend, world in worlds.items()})
        for name, texts in ((TOOL, queries.four), (f"{TOOL}, plain", queries.plain_four))
    ]


def read_cases(worlds: Mapping[str, World], product_ids: list[str], orders: int, seed: int) -> list[Case]:
    """Point reads by id."""
    rng = random.Random(seed)
    order_ids = [f"{rng.randrange(orders):010d}" for _ in range(2000)]
    users = [worlds["embedded"].store.order(order_id).user_id for order_id in order_ids]
    tens = [rng.sample(product_ids, 10) for _ in range(2000)]

    def case(name: str, method: str, keys: Sequence[object], **options: object) -> Case:
        def reading(world: World) -> Client:
            read = getattr(world.store, method)
            return lambda: nullcontext(lambda number: read(keys[number % len(keys)], **options))

        return Case(name, {backend: reading(world) for backend, world in worlds.items()})

    return [
        case("product", "product", product_ids),
        case("ten products", "products", tens),
        case("user", "user", users),
        case("order", "order", order_ids),
        case("page of 20 orders", "orders", users, limit=20),
        case("statistics", "statistics", users),
    ]
