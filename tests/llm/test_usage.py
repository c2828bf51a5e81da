"""Tokens that a provider does not count, or counts absurdly, are estimated from the text: a cap on them holds."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from drretail.errors import ModelError
from drretail.journal import Journal
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.models import Models
from drretail.llm.retries_and_rates import Retrying
from drretail.llm.usage import usage_of, with_possible_usage
from drretail.records.run import Limits, Usage
from drretail.trajectory import Trajectory

from .clients import CLIENTS, opened
from .provider import Provider, Step

pytestmark = pytest.mark.anyio
QUESTION = [HumanMessage("Which dog bed? " * 100)]
ESTIMATED = Usage(calls=1, input_uncached=375, output=1, estimated=1)
HOLDERS = {"anthropic": "usage", "openai": "usage", "google": "usageMetadata"}


def counting(name: str, count: object) -> Step:
    """A greeting whose tokens are so many, all counts alike; None = there are no counts."""
    lines = CLIENTS[name].says("hello").body.splitlines()
    return Step(body=b"\n".join(json.dumps(_counted(name, json.loads(line), count)).encode() for line in lines) + b"\n")


def _counted(name: str, body: dict[str, Any], count: object) -> dict[str, Any]:
    counts = body if name == "ollama" else body[HOLDERS[name]]
    for field in [field for field, value in counts.items() if isinstance(value, int) and not isinstance(value, bool)]:
        counts[field] = count
    if count is None:
        return {field: value for field, value in body.items() if field != HOLDERS.get(name) and value is not None}
    return body


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("count", [None, -50, 0, 10**12])
async def test_what_a_provider_does_not_count_or_counts_absurdly_is_estimated(name: str, count: object) -> None:
    with Provider(counting(name, count)) as provider:
        answer = await answer_of(opened(name, provider), QUESTION)
    assert (answer.text, usage_of(answer)) == ("hello", ESTIMATED)


@pytest.mark.parametrize("name", CLIENTS)
async def test_counts_that_a_client_cannot_read_are_the_providers_fault_and_paid_for(name: str) -> None:
    attempts = Attempts()
    retrying = Retrying(1, first=0)
    with Provider(counting(name, "12 tokens"), CLIENTS[name].says("hello")) as provider:
        answer = await answer_of(opened(name, provider, retrying=retrying), QUESTION, attempts=attempts)
    used = attempts.usage_with(answer)
    assert (answer.text, used.estimated > 0, used.input_uncached >= 375) == ("hello", True, True)


@pytest.mark.parametrize("details", [{"cache_read": -5}, {"cache_read": 10**12}, {"cache_creation": 10**12}])
def test_parts_of_the_input_are_never_more_than_it(details: Any) -> None:
    usage: Any = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11, "input_token_details": details}
    assert usage_of(with_possible_usage(AIMessage("hello", usage_metadata=usage), None, QUESTION)).total == 11


def test_an_answer_without_counts_is_one_call_of_unknown_size() -> None:
    assert usage_of(AIMessage("hello")) == Usage(calls=1)


async def test_a_limit_in_tokens_holds_where_the_server_counts_none() -> None:
    with Provider(*[counting("openai", None)] * 9) as provider:
        limits = Limits(tokens=1000)
        models = Models({"researcher": opened("openai", provider)}, Journal(), Trajectory(), limits)
        for _ in range(2):
            await models.call("researcher", QUESTION)
        assert models.usage["researcher"] == ESTIMATED.plus(ESTIMATED)
        with pytest.raises(ModelError, match="the 1,000 tokens allowed do not suffice") as caught:
            await models.call("researcher", QUESTION)
        assert len(provider.seen) == 2
    assert caught.value.kind == "budget"
