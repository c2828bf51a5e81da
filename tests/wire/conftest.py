"""Clients for agents that are asked over the wire."""

from collections.abc import Iterator

import pytest
from langchain_anthropic._client_utils import _AsyncHttpxClientWrapper as AnthropicsClient  # pyright: ignore[reportPrivateUsage]
from langchain_anthropic._client_utils import _get_default_async_httpx_client as anthropics_clients  # pyright: ignore[reportPrivateUsage]
from langchain_openai.chat_models._client_utils import _AsyncHttpxClientWrapper as OpenAIsClient  # pyright: ignore[reportPrivateUsage]
from langchain_openai.chat_models._client_utils import _cached_async_httpx_client as openais_clients  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(autouse=True)
def fresh_clients() -> None:
    """Clients keep connections by address, and a later test's server may get the port of an earlier one's."""
    anthropics_clients.cache_clear()
    openais_clients.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def clients_that_end_in_silence() -> Iterator[None]:
    """A dropped client closes its connections in whichever loop runs then, where those of an ended loop are errors."""
    with pytest.MonkeyPatch.context() as patch:
        for client in (AnthropicsClient, OpenAIsClient):
            patch.setattr(client, "__del__", lambda self: None)  # pyright: ignore[reportUnknownLambdaType]
        yield
