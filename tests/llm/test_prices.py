"""Prices and costs: what is not known is never 0."""

import pytest

from drretail.errors import UserError
from drretail.llm.prices import cache_read_share, cost_by_role, cost_of, dollars, read_prices
from drretail.records.models import Price
from drretail.records.run import RoleModel, Usage

SONNET = Price(input=2, output=10, cache_read=0.2, cache_write=2.5)


def test_each_part_of_the_input_has_its_price() -> None:
    used = Usage(calls=3, input_uncached=1_000_000, cache_read=2_000_000, cache_creation=400_000, output=100_000)
    assert dollars(used, SONNET) == pytest.approx(2 + 0.4 + 1 + 1)


def test_the_table_that_ships_is_dated_and_knows_the_models_of_the_profiles_that_ship() -> None:
    prices = read_prices()
    assert prices.as_of.year >= 2026
    for name in ("claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-4-5"):
        assert prices.of(f"anthropic:{name}") is not None


def test_a_price_goes_by_the_whole_name_and_its_date_aside() -> None:
    prices = read_prices()
    assert prices.of("anthropic:claude-haiku-4-5-20251001") == prices.of("anthropic:claude-haiku-4-5")
    assert prices.of("openai:gpt-4.1-2025-04-14") == prices.of("openai:gpt-4.1")
    assert prices.of("openai:gpt-4.1-nano") is None
    assert prices.of("offline:shopper") == Price(input=0, output=0), "it runs in this process"
    own = {"openai:gpt-4.1": Price(input=1, output=1)}
    assert read_prices(own).of("openai:gpt-4.1") == own["openai:gpt-4.1"]


def test_one_unknown_price_makes_the_sum_unknown_and_is_named() -> None:
    models = {
        "researcher": RoleModel(spec="anthropic:claude-sonnet-5", kind="llm"),
        "report": RoleModel(spec="openai:gpt-99", kind="llm"),
    }
    usage = dict.fromkeys(models, Usage(calls=1, input_uncached=1_000_000))
    by_role = cost_by_role(usage, models, read_prices())
    assert by_role["researcher"].dollars == pytest.approx(2)
    total = cost_of(usage, models, read_prices())
    assert (total.dollars, total.unpriced, total.usage.calls) == (None, ("openai:gpt-99",), 2)


def test_tokens_of_a_role_that_the_system_lacks_are_refused() -> None:
    with pytest.raises(UserError, match="counts tokens for the role 'writer'"):
        cost_by_role({"writer": Usage(calls=1, output=5)}, {}, read_prices())


def test_the_cache_read_share_is_of_all_input() -> None:
    assert cache_read_share(Usage(input_uncached=10, cache_read=80, cache_creation=10, output=99)) == 0.8
    assert cache_read_share(Usage(output=5)) is None
