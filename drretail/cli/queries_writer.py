"""The model that writes queries, from flags, profiles and settings, and what it took."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drretail.cli.output import say
from drretail.cli.spending import money, say_prices
from drretail.errors import UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.cli.models import Opener
    from drretail.llm.prices import PriceTable
    from drretail.llm.registry import Model
    from drretail.records.models import ModelChoice
    from drretail.records.run import Usage
    from drretail.settings import Settings

# So many failures are told one by one; --json holds all.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class QueryWriter:
    """A language model that writes queries, with the prices of the day."""

    model: "Model"
    prices: "PriceTable"

    def line(self, usage: "Usage", served: int, *, quiet: bool) -> str:
        """Calls, tokens and dollars in a line; unless ``quiet``, of which day the prices are on stderr."""
        cost = self._dollars(usage)
        if not quiet:
            say_prices(self.prices, unknown=[self.model.spec] if cost is None else [], used=bool(cost))
        read = usage.input_uncached + usage.cache_read + usage.cache_creation
        from_journal = f", {served:,} of them from the journal" if served else ""
        told = "price unknown" if cost is None else f"${money(cost)}"
        return f"{usage.calls:,} calls{from_journal}; {read:,} tokens read, {usage.output:,} written; {told}"

    def document(self, usage: "Usage", served: int) -> dict[str, Any]:
        """The same for --json; ``null`` = unknown."""
        return {"usage": usage.model_dump(), "served_from_journal": served, "dollars": self._dollars(usage)}

    def _dollars(self, usage: "Usage") -> float | None:
        from drretail.llm.prices import dollars

        return None if self.model.price is None else dollars(usage, self.model.price)


def journal_beside(queries: "Path") -> "Path":
    """The file of all calls of models that a file of queries took."""
    return queries.with_name(f"{queries.name}.journal.jsonl")


def say_failures(reasons: "Mapping[str, str]") -> None:
    """Why queries failed, by id, on stderr."""
    for query_id, reason in list(reasons.items())[:_MOST_TOLD]:
        say(f"{query_id}: {reason}")
    if len(reasons) > _MOST_TOLD:
        say(f"… and {len(reasons) - _MOST_TOLD} more; --json lists all.")
    if reasons:
        say("These failures are kept: ask anew with --retry-failed.")


def chosen_writer(flag: str | None, profile: str | None, settings: "Settings") -> "ModelChoice":
    """The model of the flag, else of a profile, else of the settings, else the rules, offline:shopper.

    A profile that is named comes before the model of the settings. Raises UserError for an unknown profile, and for
    another offline model.
    """
    from drretail.cli.models import profile_of
    from drretail.records.models import ModelChoice
    from drretail.settings import OFFLINE_MODEL

    found = None if flag or (profile is None and settings.model) else profile_of(profile, settings)
    choice = found.choice("") if found else ModelChoice(model=flag or settings.model or OFFLINE_MODEL)
    provider, _, name = choice.model.partition(":")
    if provider == "offline" and name and choice.model != OFFLINE_MODEL:
        raise UnknownName("offline query generator", name, [OFFLINE_MODEL.partition(":")[2]])
    return choice


def opened_writer(choice: "ModelChoice", opener: "Opener") -> QueryWriter | None:
    """The model, opened; None for offline:shopper, in whose place rules write."""
    from drretail.settings import OFFLINE_MODEL

    if choice.model == OFFLINE_MODEL:
        return None
    (model,) = opener.open_all([choice])
    return QueryWriter(model, opener.prices)
