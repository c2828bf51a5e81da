"""Real servers as fixtures: those of MONGO_URL and ES_URL, else servers started for this run."""

import os
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from drretail.env.naming import ServerSettings
from tests.places import Place, PlaceKind
from tests.servers.running import CannotStart, Kind, address, remove_world

NUMBERS = count(1)


def address_or_skip(kind: Kind) -> str:
    try:
        return address(kind)
    except CannotStart as problem:
        pytest.skip(f"no real server: {problem}")


@pytest.fixture(scope="session")
def mongo_url() -> str:
    return address_or_skip("mongo")


@pytest.fixture(scope="session")
def es_url() -> str:
    return address_or_skip("elasticsearch")


@pytest.fixture(scope="session")
def server_settings(mongo_url: str, es_url: str) -> ServerSettings:
    return ServerSettings(mongo_url=mongo_url, es_url=es_url)


@pytest.fixture(scope="session")
def name_world(server_settings: ServerSettings) -> Iterator[Callable[[], str]]:
    """Gives names for worlds on the servers; what has one of them is removed at the end."""
    given: list[str] = []

    def name() -> str:
        given.append(f"t{os.getpid()}_{next(NUMBERS)}")
        return given[-1]

    yield name
    for each in given:
        remove_world(server_settings, each)


@pytest.fixture
def fresh_name(name_world: Callable[[], str]) -> str:
    """A name that no world on the servers has."""
    return name_world()


@pytest.fixture(scope="session")
def new_place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[PlaceKind], Place]:
    """Gives places without a world; those on servers start the servers, or skip the test."""

    def place(kind: PlaceKind) -> Place:
        if kind == "embedded":
            return Place(tmp_path_factory.mktemp("shop") / "world")
        settings: ServerSettings = request.getfixturevalue("server_settings")
        name: Callable[[], str] = request.getfixturevalue("name_world")
        return Place(f"servers:{name()}", settings)

    return place
