"""What calls cost, by genai-prices: each call at the price of its own length, with its cached tokens.

A call is priced when it is made, and its usage keeps the price. genai-prices is imported here alone, and late: it takes
0.2 seconds.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial
from importlib.metadata import version

from drretail.records.run import NANO, Usage

BATCH = 0.5
"""The price of a call in a batch, as a share of its ordinary price."""
_FREE = ("offline:", "scripted:")
"""Providers whose models answer in this process."""
SOURCE = "genai-prices"


def priced(usage: Usage, spec: str, address: str | None = None, *, share: float = 1) -> Usage:
    """The usage with its price, or with its calls counted as ``unpriced`` if the price of "provider:model" is unknown.

    Several calls are taken to be of one length. A model costs what it costs at its ``address``. If nothing is known of
    that, it costs what its provider takes, since most such servers are gateways to that very model.
    """
    if spec.startswith(_FREE):
        return usage
    from genai_prices import Usage as Taken
    from genai_prices import calc_price

    provider, _, model = spec.partition(":")
    calls = max(1, usage.calls)
    read, written = usage.cache_read // calls, usage.cache_creation // calls
    taken = Taken(
        input_tokens=usage.input_uncached // calls + read + written,
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=usage.output // calls,
    )
    by_address = [] if address is None else [partial(calc_price, taken, model, provider_api_url=address)]
    for price in (*by_address, partial(calc_price, taken, model, provider_id=provider)):
        with suppress(LookupError):
            return usage.model_copy(update={"nanodollars": round(float(price().total_price) * calls * share * NANO)})
    return usage.model_copy(update={"unpriced": calls})


def of_unknown_models(usage: Usage) -> Usage:
    """The usage that an agent reports of models of its own."""
    return usage.model_copy(update={"unpriced": max(1, usage.calls)}) if usage.total else usage


def unpriced(specs: Iterable[str]) -> str:
    """A sentence that names the models without a known price, and says how to limit them."""
    return f"{SOURCE} knows no price of {', '.join(sorted(set(specs)))}: limit tokens instead (--max-tokens N)."


def price_version() -> str:
    """The version of the prices, such as "genai-prices 0.2.3"."""
    return f"{SOURCE} {version(SOURCE)}"


def price_notes(specs: Collection[str], versions: Collection[str]) -> list[str]:
    """Names the models without a price, and the versions of the prices that were used."""
    used = [f"Prices: {', '.join(sorted(versions))}, call by call."] if versions else []
    return [*([unpriced(specs)] if specs else []), *used]
