"""What tokens cost: pure code over a dated table. An unknown price stays unknown, and is never 0."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from drretail.errors import UserError, suggestion
from drretail.records.models import Price
from drretail.records.run import REPORTED, RoleModel, Usage

MILLION = 1_000_000
BATCH = 0.5
"""The price of a token in a batch, as a share of its ordinary price."""
FREE = Price(input=0, output=0)
"""The price of rules that run in this process."""
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by "provider:model". The user's own come before the packaged ones."""

    as_of: date
    listed: Mapping[str, Price]
    own: Mapping[str, Price] = field(default_factory=dict[str, Price])

    def of(self, spec: str) -> Price | None:
        """The price of a model; None if it is unknown. A dated model name costs what the undated one does.

        A model at another address (``--base-url``) has the same price, since most such servers are gateways to that
        very model. Models that ask no provider are free, unless the user states a price to try a budget with.
        """
        for table in (self.own, self.listed):
            price = table.get(spec) or table.get(undated(spec))
            if price is not None:
                return price
        return FREE if spec.startswith(("offline:", "scripted:")) else None


def undated(spec: str) -> str:
    """The model's name without the date of its version."""
    return _DATED.sub("", spec)


def read_prices(own: Mapping[str, Price] | None = None) -> PriceTable:
    """The packaged price table, with the user's own prices before it."""
    table = tomllib.loads(Path(__file__).with_name("prices.toml").read_text(encoding="utf-8"))
    listed = {spec: Price.model_validate(price) for spec, price in table["prices"].items()}
    return PriceTable(table["as_of"], listed, own or {})


def dollars(usage: Usage, price: Price) -> float:
    """The cost of ``usage`` in dollars."""
    read = price.input if price.cache_read is None else price.cache_read
    written = price.input if price.cache_write is None else price.cache_write
    parts = (
        usage.input_uncached * price.input,
        usage.cache_read * read,
        usage.cache_creation * written,
        usage.output * price.output,
    )
    return sum(parts) / MILLION


def cache_read_share(usage: Usage) -> float | None:
    """The share of all input tokens that the provider read from its cache, 0 to 1; None without input."""
    read = usage.input_uncached + usage.cache_read + usage.cache_creation
    return usage.cache_read / read if read else None


def unpriced(specs: Iterable[str]) -> str:
    """A sentence that names the models without a known price and says how to state one.

    A second sentence suggests the right name for a likely misspelling.
    """
    names = sorted(set(specs))
    text = f'No price is known for {", ".join(names)}: state it in drretail.toml, [prices."{names[0]}"] input, output.'
    listed = read_prices().listed
    meant = sorted({near for name in names for near in get_close_matches(name, listed, 1, cutoff=0.93)})
    return f"{text} {suggestion(meant, listed)}" if meant else text


def price_notes(prices: "PriceTable", specs: Collection[str], *, used: bool) -> list[str]:
    """Names the models without a price and, if prices were ``used``, gives their date."""
    return [*([unpriced(specs)] if specs else []), *([dated(prices.as_of)] if used else [])]


def dated(as_of: date) -> str:
    """A sentence that gives the date of the listed prices, and how to state others."""
    return f"Prices as of {as_of.isoformat()}, unless drretail.toml sets your own under [prices]."


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and what they cost; ``dollars`` is None when the price of a model in ``unpriced`` is unknown."""

    usage: Usage
    dollars: float | None
    unpriced: tuple[str, ...] = ()

    def __add__(self, other: "Cost") -> "Cost":
        known = None if self.dollars is None or other.dollars is None else self.dollars + other.dollars
        unpriced = tuple(sorted({*self.unpriced, *other.unpriced}))
        return Cost(self.usage + other.usage, known, unpriced)

    @property
    def document(self) -> dict[str, Any]:
        """Tokens and dollars for ``--json``."""
        return {**self.usage.model_dump(), "dollars": self.dollars}


NOTHING = Cost(Usage(), 0)


def cost_by_role(usage: Mapping[str, Usage], models: Mapping[str, RoleModel], prices: PriceTable) -> dict[str, Cost]:
    """The cost of every role that used tokens. Raises UserError for a role without a model, as in a run that was
    edited.
    """
    if strange := sorted(usage.keys() - models.keys() - {REPORTED}):
        raise UserError(
            f"A run counts tokens for the role {strange[0]!r}, and its system has no such role: drretail verify says "
            "what was edited."
        )
    costs: dict[str, Cost] = {}
    for role, used in sorted(usage.items()):
        if role not in models:  # reported by the agent, which does not say of which model
            costs[role] = Cost(used, None if used.total else 0)
            continue
        spec = models[role].spec
        price = prices.of(spec)
        costs[role] = Cost(used, None, (spec,)) if price is None else Cost(used, dollars(used, price))
    return costs


def cost_of(usage: Mapping[str, Usage], models: Mapping[str, RoleModel], prices: PriceTable) -> Cost:
    """The cost of all roles together."""
    return sum(cost_by_role(usage, models, prices).values(), NOTHING)
