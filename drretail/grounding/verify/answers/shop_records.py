"""The shop's records that an assistant's answers are compared with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from drretail.grounding.verify.answers.product_statements import POLICY
from drretail.grounding.verify.records import Ledger, read_ledger, record_of
from drretail.records.evidence import Evidence
from drretail.records.shop import USD, Policy, Product, has_been

UNKNOWN, GONE = "no such product", "the shop has it no more"
UNNAMED = "no product has this name"
"""Of what may be no product at all, such as a service: nobody is accused of it unless a model reads it as a product."""


@dataclass(frozen=True)
class Records:
    """The shop's records that answers are compared with."""

    products: Mapping[str, Product]
    orders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By order id."""
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids that are named and lead to no product, with why: ``GONE``, ``UNKNOWN`` or ``UNNAMED``."""
    former: Mapping[str, str] = field(default_factory=dict[str, str])
    """The titles of those that are gone."""
    policy: Policy = field(default_factory=Policy)
    currency: str = USD

    def ordered(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The products of the orders among these names, each with its lines ("O:1001-2")."""
        products: dict[str, list[str]] = {}
        for line in (key for name in names if name[:2] == "O:" for key in self.lines_of(name[2:])):
            products.setdefault(f"{self.orders[line].get('product_id')}", []).append(f"O:{line}")
        return products

    def status_of(self, lines: Iterable[str], status: str) -> tuple[bool | None, str]:
        """Whether all these lines of orders ("O:…") have or had a status, None where one has and another has not; and
        what the record says.
        """
        recorded = {f"{self.orders[line[2:]].get('order_status') or ''}" for line in lines} - {""}
        held = {has_been(status, own.casefold()) for own in recorded}
        return held.pop() if len(held) == 1 else None, f"order status: {', '.join(sorted(recorded))}"

    def why_missing(self, name: str) -> str | None:
        """Why a name or id leads to no product, a name also with more or fewer words; None if it may lead to one."""
        words = f" {name.casefold()} "
        name = next((key for key, title in self.former.items() if title.casefold() == name.casefold()), name)
        akin = (key for key in self.missing if f" {key.casefold()} " in words or words in f" {key.casefold()} ")
        return self.missing.get(name) or next((self.missing[key] for key in akin if " " in key), None)

    def lines_of(self, order: str) -> list[str]:
        """The ids of an order's lines, or its own: an order of several lines has a number behind its id."""
        return [key for key in self.orders if key == order or key.rpartition("-")[0] == order]

    @cached_property
    def ledger(self) -> Ledger:
        """The same records, by evidence ids."""
        dates = {key: f"{record.get('order_date') or ''}"[:10] for key, record in self.orders.items()}
        return Ledger(
            products=self.products,
            order_dates={f"O:{key}": date.fromisoformat(day) for key, day in dates.items() if day},
            ordered={f"O:{key}": f"{record.get('product_id')}" for key, record in self.orders.items()},
            calculations={},
            records={f"O:{key}": record for key, record in self.orders.items()},
        )

    @cached_property
    def titles(self) -> dict[str, str]:
        return {key: item.title for key, item in self.products.items()} | {**self.former}


def records_in(evidence: Iterable[Evidence]) -> Records:
    """The records among a run's evidence that were looked up in the shop, not those of the assistant's own tools."""
    looked_up = [entry for entry in evidence if entry.looked_up]
    # The assistant's own tools may show what the shop does not have.
    lacking = [
        entry
        for entry in looked_up
        if entry.kind == "product" and (not entry.texts or entry.problem in (GONE, UNKNOWN, UNNAMED))
    ]
    ledger = read_ledger({entry.id: entry for entry in looked_up if entry.texts and entry not in lacking})
    orders = {name[2:]: record for name, record in ledger.records.items()}
    missing = {entry.key: entry.problem or UNKNOWN for entry in lacking}
    former = {entry.key: entry.title for entry in lacking if entry.problem == GONE}
    policy = next((record_of(text.text) or {} for entry in looked_up for text in entry.texts if entry.id == POLICY), {})
    currency = policy.pop("currency", USD)
    return Records(ledger.products, orders, missing, former, Policy.model_validate(policy), currency)
