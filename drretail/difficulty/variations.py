"""Other versions of a query: another budget, one more want or demand, or the product of an order once more."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.resources import files

from drretail.env.offers import Offers
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import article, format_amount, short_title
from drretail.records.base import sha256_of
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.shop import Order
from drretail.records.wish import Want, Wish

UNTYPED = "it has no wish"
UNMET = "nothing has to be bought, or the shop lacks it"
PHRASES: Mapping[str, Sequence[str]] = tomllib.loads((files("drretail.difficulty") / "phrases.toml").read_text("utf-8"))


@dataclass(slots=True)
class Derived:
    """Queries made from others."""

    queries: list[Query] = field(default_factory=list[Query])
    counts: Counter[str] = field(default_factory=Counter[str])
    """Pairs by kind, or hidden limits by topic."""
    without: Counter[str] = field(default_factory=Counter[str])
    """Queries from which nothing could be made, by reason."""


@dataclass(frozen=True, slots=True)
class Variations:
    """Versions of one query; the seed decides the wording of each sentence."""

    query: Query
    wish: Wish
    offers: Offers
    seed: str

    def bounded(self, amount: Decimal, currency: str) -> Query | None:
        """The query with another budget, in place of its own or in a new sentence; None if the place is unclear."""
        text, budget = self.query.text, Money.of(amount, currency)
        written = format_amount(budget).removesuffix(".00")
        if self.wish.budget is None:
            text = self._behind("budget", amount=written)
        else:
            places = [money for money in find_money(text) if self.wish.budget.value in (money.low, money.high)]
            if len(places) != 1 or places[0].low != places[0].high:
                return None
            text = text[: places[0].start] + written + text[places[0].end :]
        return self._with(text, self.wish.model_copy(update={"budget": budget}))

    def with_thing(self, noun: str) -> Query:
        """The query with one more thing."""
        wants = (*self.wish.wants, Want(name=noun, kinds=(noun,)))
        text = self._behind("also", thing=f"{article(noun)} {noun}")
        return self._with(text, self.wish.model_copy(update={"wants": wants}))

    def again(self, order: Order) -> Query | None:
        """The query with a want for an order's product; None if the shop lacks it, or the wish already has it."""
        listings = self.offers.listings([order.product_id])
        if not listings or order.product_id in self.wish.owned:
            return None
        product = listings[0].product
        name = short_title(product.title, 60)
        if any(want.name.casefold() == name.casefold() for want in self.wish.wants):
            return None
        brands = () if product.brand is None else (product.brand,)
        want = Want(name=name, kinds=(product.leaf_category,), brands_wanted=brands, again=True)
        return self.with_order(self.wish.model_copy(update={"wants": (*self.wish.wants, want)}), order.order_id)

    def with_order(self, wish: Wish, order_id: str) -> Query:
        """The query with this wish, and with a sentence that names an order on which it rests."""
        text = self._behind("again", order=order_id)
        return self._with(text, wish.model_copy(update={"orders": (*self.wish.orders, order_id)}))

    def _with(self, text: str, wish: Wish) -> Query:
        return self.query.model_copy(update={"text": text, "wish": wish})

    def _behind(self, what: str, **slots: str) -> str:
        sentence = PHRASES[what][int(sha256_of(self.seed), 16) % len(PHRASES[what])]
        return f"{self.query.text.rstrip()} {sentence.format(**slots)}"
