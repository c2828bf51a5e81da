"""A report's cart with prices and total, and the picks of several reports side by side."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from drretail.experiments.experiment import ended_run
from drretail.records.evidence import Evidence
from drretail.records.query import lack_in_words
from drretail.records.reading import FORM, Outcome, Pick
from drretail.records.run import Run
from drretail.records.shop import Money, Product, variant_title
from drretail.reports.text.wording import format_amount, format_money, short_title
from drretail.shopping.verify.records import Ledger, read_ledger

if TYPE_CHECKING:
    from drretail.eval.judging.subject import Subject

DECLARED = "the agent listed its picks"
LONGEST_TITLE = 80
TITLE = "In the cart"
NOTHING = "Nothing is to be bought."
_MARKUP = re.compile(r"[\\`*_\[\]<]")


@dataclass(frozen=True, slots=True)
class CartLine:
    """One product of a cart. A product that the run never saw has its id as title, and no price."""

    product: str
    title: str
    """With the options of the variant: "Merino Shirt (M / navy)"."""
    quantity: int
    price: Money | None
    """The price of one piece."""
    alternatives: tuple[str, ...] = ()
    """Titles of products that would do instead."""
    rating: float | None = None
    """Its stars, if the run saw them."""
    ratings: int | None = None
    """The number of people who rated it."""
    is_from: bool = False
    """True if the price is the lowest of several variants, and the cart does not say which is chosen."""
    variant: str = ""
    """The id of the variant."""
    is_looked_up: bool = True
    """False if the run never saw the product."""

    @property
    def cost(self) -> Money | None:
        """The price of all pieces; None if unknown."""
        return None if self.price is None else Money.of(self.price.value * self.quantity, self.price.currency)

    @property
    def price_words(self) -> str:
        """The price, such as "from $24.99", or why the run knows none."""
        if self.price is None:
            return "price not known" if self.is_looked_up else "not looked up"
        return "from " * self.is_from + format_amount(self.price)

    @property
    def stars(self) -> str:
        """Rating and number of ratings, such as "4.7 ★ (66)"; empty if unknown."""
        ratings = f" ({self.ratings:,})" if self.ratings is not None else ""
        return "" if self.rating is None else f"{self.rating:.1f} ★{ratings}"

    @property
    def words(self) -> str:
        """The line as text: "2 × Tube Feeder, $24.99 each: $49.98 (runner-up: Hopper Feeder)"."""
        words = f"{self.quantity} × {self.title}"
        if self.price is not None and self.cost is not None:
            least = "from " if self.is_from else ""
            price_each = f", {least}{format_amount(self.price)} each" if self.quantity > 1 else ""
            words += f"{price_each}: {least}{format_amount(self.cost)}"
        else:
            words += f": {self.price_words}"
        return f"{words}{''.join(f' (runner-up: {alternative})' for alternative in self.alternatives)}"


@dataclass(frozen=True)
class CartLines:
    """The picks of a report as the lines of a cart; without lines if nothing is to be bought."""

    picks: Sequence[Pick]
    evidence: Mapping[str, Evidence]
    """What the run has seen. It is large, and read for titles and prices alone."""
    outcome: Outcome | None = None

    @cached_property
    def lines(self) -> tuple[CartLine, ...]:
        """The picks with their titles and prices, in the report's order."""
        lines: list[CartLine] = []
        for pick in self.picks:
            item, price, offer = self._item(pick), self._ledger.price_of(pick), self._ledger.offer(pick)
            is_from = item is not None and price is not None and item.price_from and (offer is None or not offer.price)
            line = CartLine(
                product=pick.product,
                title=self._title(pick),
                quantity=pick.quantity,
                price=None if item is None or price is None else Money.of(price, item.currency),
                alternatives=tuple(self._title(Pick(product=alternative)) for alternative in pick.alternatives),
                rating=None if item is None else item.average_rating,
                ratings=None if item is None else item.rating_number,
                is_from=is_from,
                variant=pick.variant,
                is_looked_up=item is not None,
            )
            lines.append(line)
        return tuple(lines)

    @property
    def refusal(self) -> str:
        """The refusal in words, with its reasons and the nearest alternatives; empty without any.

        "The agent says that everything suitable is too expensive. Nearest alternative: Tube Feeder ($24.99).".
        """
        outcome = self.outcome
        if outcome is None or outcome.decision == "buy" or not (outcome.because or outcome.nearest):
            return ""
        reasons = " and ".join(lack_in_words(reason) for reason in outcome.because)
        refusal = f"The agent says that {reasons}." if reasons else "The agent gives no reason."
        nearest: list[str] = []
        for pick in (Pick(product=offer_id) for offer_id in outcome.nearest):
            item, price, title = self._item(pick), self._ledger.price_of(pick), self._title(pick)
            nearest.append(
                title if item is None or price is None else f"{title} ({format_money(price, item.currency)})"
            )
        return refusal + (f" Nearest alternative: {', '.join(nearest)}." if nearest else "")

    @cached_property
    def _ledger(self) -> Ledger:
        return read_ledger(self.evidence)

    def _item(self, pick: Pick) -> Product | None:
        return self._ledger.products.get(pick.product)

    def _title(self, pick: Pick) -> str:
        item, offer = self._item(pick), self._ledger.offer(pick)
        title = pick.offer_id if item is None else short_title(item.title, LONGEST_TITLE)
        return variant_title(title, "" if offer is None else offer.name)

    @property
    def total(self) -> Money | None:
        """The cost of all lines with a known price; None if there are none, or if they are in several currencies."""
        costs = [line.cost for line in self.lines if line.cost is not None]
        if len({cost.currency for cost in costs}) != 1:
            return None
        return Money.of(sum((cost.value for cost in costs), Decimal(0)), costs[0].currency)

    @property
    def is_from(self) -> bool:
        """True if the cart may cost more than the total."""
        return any(line.is_from for line in self.lines)

    @property
    def total_words(self) -> str:
        """The total, such as "Total: $49.98.", with the number of prices missing from it; empty without a total."""
        unknown = sum(line.price is None for line in self.lines)
        missing = f", without {unknown} whose price is not known" if unknown else ""
        least = "from " if self.is_from else ""
        return f"Total: {least}{format_amount(self.total)}{missing}." if self.total is not None else ""

    @property
    def closing(self) -> str:
        """The total, or that nothing is to be bought, followed by the refusal."""
        return " ".join(filter(None, (self.total_words if self.lines else NOTHING, self.refusal)))


def cart_of(run: Run, evidence: Mapping[str, Evidence]) -> CartLines | None:
    """The cart of a run; None if its picks are unknown."""
    return None if run.picks is None else CartLines(run.picks, evidence, run.outcome)


def cart_as_read(subject: "Subject") -> tuple[CartLines | None, str]:
    """The cart that scores use, None if unknown, and who read it if the run did not declare it: "picks by form"."""
    if subject.run is None or subject.run.picks is not None:
        return (None if subject.run is None else cart_of(subject.run, subject.evidence)), ""
    from drretail.eval.metrics.readings import picks_by, picks_of  # no cart of declared picks needs them

    picks, reader = picks_of(subject)
    # By form alone, that no pick was read does not mean that nothing is to be bought.
    if picks is None or (reader == FORM and not picks):
        return None, ""
    return CartLines(picks, subject.evidence), picks_by(picks, reader)


def turn_carts(subject: "Subject") -> list[tuple[str, list[tuple[str, str]]]]:
    """The words of each turn up to this one, and the cart after it: its lines, and "new" or "left out" if one is."""
    if subject.folder is None or not subject.is_turn:
        return []
    turns, before = list[tuple[str, list[tuple[str, str]]]](), dict[tuple[str, str, int], str]()
    for query in (*subject.earlier, subject.query):
        run = ended_run(subject.folder, subject.label, query.query_id, subject.repeat)
        cart = None if run is None else cart_of(run, subject.evidence)
        note = "No cart was declared." if cart is None else ""
        wants_nothing = query.wish is not None and not query.wish.wants
        if run is not None and run.outcome is not None and run.outcome.decision == "none" and not wants_nothing:
            note = "Refused: the cart stays as it was."
        lines = () if cart is None else cart.lines
        now = before if note else {(line.product, line.variant, line.quantity): line.words for line in lines}
        shown = [(words, "new" if turns and key not in before else "") for key, words in now.items()]
        shown += [(words, "left out") for key, words in before.items() if key not in now]
        turns.append((query.text, [*([(note, "")] if note else []), *shown]))
        before = now
    return turns


def cart_markdown(cart: CartLines) -> str:
    """The cart as a Markdown section in which titles are escaped."""
    lines = [_MARKUP.sub(r"\\\g<0>", line.words) for line in cart.lines]
    parts = [f"## {TITLE}", "\n".join(f"- {line}" for line in lines), cart.closing]
    return "\n\n".join(part for part in parts if part) + "\n"


def cart_document(cart: CartLines) -> dict[str, Any]:
    """The cart for ``--json``."""
    items = [
        {
            "product": line.product,
            **({"variant": line.variant} if line.variant else {}),
            "title": line.title,
            "quantity": line.quantity,
            "price": None if line.price is None else line.price.model_dump(),
            "alternatives": list(line.alternatives),
            **({"price_from": True} if line.is_from else {}),
        }
        for line in cart.lines
    ]
    total = None if cart.total is None else cart.total.model_dump()
    return {"items": items, "total": total} | ({"refusal": cart.refusal} if cart.refusal else {})


def readers_in_words(reading: str) -> str:
    """The words of ``how_read`` on one or many reports as a sentence without its full stop."""
    reading = reading.replace("picks declared (none)", "the agent listed no picks")
    return reading.replace("picks declared", DECLARED).replace(", the agent", ", and the agent")
