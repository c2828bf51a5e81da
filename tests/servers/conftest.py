"""Connections to both servers, for a world that is not there yet."""

from collections.abc import Iterator

import pytest

from drretail.env.servers.clients import Servers, connect
from drretail.env.servers.naming import ServerSettings


@pytest.fixture
def servers(server_settings: ServerSettings, fresh_name: str) -> Iterator[Servers]:
    with connect(server_settings, fresh_name) as opened:
        yield opened
