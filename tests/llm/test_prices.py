"""What calls cost: tiers by length, cached tokens, other addresses, and models whose price nobody knows."""

import pytest

from drretail.llm.prices import is_same_model, priced
from drretail.records.run import Usage

READ = Usage(calls=1, input_uncached=1_000_000)


def test_each_part_of_the_input_has_its_price() -> None:
    used = Usage(calls=1, input_uncached=1_000, cache_read=2_000, cache_creation=400, output=100)
    dollars = (1_000 * 2 + 2_000 * 0.2 + 400 * 2.5 + 100 * 10) / 1e6
    assert priced(used, "anthropic:claude-sonnet-5").dollars == pytest.approx(dollars)


def test_a_long_call_costs_more_than_as_many_tokens_in_short_ones() -> None:
    read = Usage(calls=1, input_uncached=400_000)
    once, often = (priced(read.model_copy(update={"calls": calls}), "google:gemini-2.5-pro") for calls in (1, 4))
    assert (once.dollars, often.dollars) == (pytest.approx(1), pytest.approx(0.5))


@pytest.mark.parametrize(
    ("spec", "address", "dollars"),
    [
        ("anthropic:claude-haiku-4-5-20251001", None, 1),
        ("openai:gpt-4.1-2025-04-14", None, 2),
        ("openai:openai/gpt-oss-120b", None, None),
        ("openai:openai/gpt-oss-120b", "https://api.groq.com/openai/v1", 0.15),
        ("anthropic:claude-haiku-4-5", "http://127.0.0.1:1/v1", 1),
        ("ollama:qwen3:8b", None, None),
        ("mine:claude-haiku-4-5", None, None),
        ("offline:shopper", None, 0),
        ("scripted:FILE", None, 0),
    ],
)
def test_a_model_costs_what_it_costs_where_it_is_asked(spec: str, address: str | None, dollars: float | None) -> None:
    assert priced(READ, spec, address).dollars == (None if dollars is None else pytest.approx(dollars))


@pytest.mark.parametrize(
    ("spec", "same", "others"),
    [
        ("openai:gpt-x", ["gpt-x", "gpt-x-2026-01-01", "openai/gpt-x"], ["gpt-x-mini", "gpt-y", "m"]),
        ("openai:gpt-4o-2024-08-06", ["gpt-4o-2024-08-06", "gpt-4o"], ["gpt-4o-2024-05-13"]),
        ("anthropic:claude-opus-4-0", ["claude-opus-4-20250514"], ["claude-opus-4-1-20250805"]),
        ("google:gemini-flash-latest", ["models/gemini-flash-latest", "gemini-3.8-flash"], ["gemini-2.5-flash-lite"]),
        ("ollama:qwen3", ["qwen3:latest"], ["qwen3:8b"]),
        ("mine:chat", ["gpt-x"], []),
    ],
)
def test_an_alias_and_a_version_are_the_model_and_another_is_not(spec: str, same: list[str], others: list[str]) -> None:
    assert [name for name in [*same, *others] if is_same_model(spec, name)] == same
