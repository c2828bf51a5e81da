"""A shop whose prices and stock change while an agent researches (``run --vary moves=prices:0.2+stock:0.1``).

A hash of query and product decides whether, how and after how many tool calls a product changes. Time is counted in
tool calls, so that resumed, replayed and parallel runs see the same shop. Searches and lists of orders show the shop as
it was at the start; only a product's own page shows its present state.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from drretail.env.store.base import Store, StoreView
from drretail.errors import UserError, quoted
from drretail.records.query import Query
from drretail.records.run import MOVES, Step, System
from drretail.records.shop import Product

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
        """For each kind of change: the number of calls after which it comes, and a number from 0 to 1
        that decides how.
        """
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
    """A store whose products are as they are after some tool calls: after ``opened[id]`` calls, or ``calls`` for all
    others.
    """

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
    """The store as a run last saw it: products as they were when their page was last opened, all others as at the
    start.
    """
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
