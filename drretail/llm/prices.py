"""What calls cost, by genai-prices: each call at the price of its own length, with its cached tokens.

A call is priced when it is made, and its usage keeps the price. genai-prices is imported here alone, and late: it takes
0.2 seconds.
"""

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from itertools import product

from drretail.llm.providers import PROVIDERS
from drretail.records.run import NANO, Usage

_FREE = ("offline:", "scripted:")
"""Providers whose models answer in this process."""
SOURCE = "genai-prices"
_NAME = re.compile(r"(?:.*/)?(?P<name>.+?)(?:[-@:](?P<version>latest|\d{8}|\d{4}-\d\d-\d\d|\d{4}|00\d))?", re.DOTALL)
"""A folder such as "models/", the name, and a version such as -2024-08-06, @20250929, -0613, -001 or :latest."""


def priced(usage: Usage, spec: str, address: str | None = None) -> Usage:
    """The usage with its price, or with its calls counted as ``unpriced`` if the price of "provider:model" is unknown.

    The price is that of the model that answered, if the usage names it. Several calls are taken to be of one length. A
    model costs what it costs at its ``address``. If nothing is known of that, it costs what its provider takes, since
    most such servers are gateways to that very model.
    """
    if spec.startswith(_FREE):
        return usage.model_copy(update={"served": {}})
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
    # A version may have a price of its own. If it has none, it costs what the name that was asked for costs.
    names = [*usage.served, *([model] if all(is_same_model(spec, name) for name in usage.served) else [])]
    by_address = [] if address is None else [partial(calc_price, taken, provider_api_url=address)]
    for name, price in product(names, (*by_address, partial(calc_price, taken, provider_id=provider))):
        with suppress(LookupError):
            dollars = float(price(name).total_price)
            return usage.model_copy(update={"nanodollars": round(dollars * calls * NANO)})
    return usage.model_copy(update={"unpriced": calls})


def is_same_model(spec: str, name: str) -> bool:
    """True if the model that answered under this name is the one that "provider:model" names.

    The names may differ in the folder before them and in the version behind them, unless both have one. Aliases are
    those that genai-prices knows. A place of the user's own names no model, so any name is right.
    """
    provider, _, model = spec.partition(":")
    if provider not in PROVIDERS:
        return True
    parts = [_NAME.fullmatch(text.casefold()) for text in (model, name)]
    names, versions = ({part and part[group] for part in parts} for group in ("name", "version"))
    if len(versions - {None, "latest"}) > 1:
        return False
    if len(names) == 1:
        return None not in parts
    from genai_prices import Usage as Taken
    from genai_prices import calc_price

    with suppress(LookupError):
        return len({calc_price(Taken(), text, provider_id=provider).model.id for text in (model, name)}) == 1
    return False


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
