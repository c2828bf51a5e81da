"""docker-compose.yml as it is written. Whether Docker starts it is not tested here: that needs its images."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from drretail.api.worlds import server_settings
from drretail.env.servers.clients import hosts_of

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"[\w./-]+:\d+\.\d+\.\d+")
LOCAL = re.compile(r"127\.0\.0\.1:\$\{[A-Z_]+:-(\d+)\}:\1")
VARIABLE = re.compile(r"(?<!\$)\$\{([A-Z_]+)(:[-?][^}]*)?\}")
SERVICES = ("mongo", "elasticsearch")


TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load(TEXT)


@pytest.mark.parametrize("name", SERVICES)
def test_each_server_is_pinned_local_watched_limited_lasting_and_locked(compose: dict[str, Any], name: str) -> None:
    assert (compose["name"], sorted(compose["services"])) == ("drretail", sorted(SERVICES))
    service = compose["services"][name]
    assert PINNED.fullmatch(service["image"])
    (port,) = service["ports"]
    assert LOCAL.fullmatch(port)
    assert "network_mode" not in service
    check = service["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert len(check["test"]) > 1
    assert {"interval", "timeout", "retries", "start_period"} <= set(check)
    assert re.fullmatch(r"\$\{[A-Z_]+:-\d+g\}", service["mem_limit"])
    volumes = {volume.split(":")[0] for volume in service["volumes"]}
    assert volumes
    assert volumes <= set(compose["volumes"])
    passwords = [value for key, value in service["environment"].items() if key.endswith("PASSWORD")]
    assert passwords
    assert all(VARIABLE.fullmatch(value) and ":?" in value for value in passwords)


def published(compose: dict[str, Any], environment: dict[str, str]) -> list[str]:
    """Where Compose publishes the two servers with these variables."""

    def value(match: re.Match[str]) -> str:
        return environment.get(match[1], (match[2] or "").removeprefix(":-"))

    ports = [compose["services"][name]["ports"][0] for name in SERVICES]
    return [VARIABLE.sub(value, port).rpartition(":")[0] for port in ports]


@pytest.mark.parametrize("given", [{}, {"DRRETAIL_MONGO_PORT": "27018", "DRRETAIL_ES_PORT": "9201"}])
def test_drretail_looks_for_the_servers_where_compose_publishes_them(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MONGO_URL", "ES_URL", "DRRETAIL_MONGO_PORT", "DRRETAIL_ES_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, port in given.items():
        monkeypatch.setenv(name, port)
    settings = server_settings()
    assert [hosts_of(settings.mongo_url), hosts_of(settings.es_url)] == published(compose, given)
    # The replica set names the port that MongoDB has inside its container.
    assert settings.mongo_url.endswith("/?directConnection=true")
    monkeypatch.setenv("MONGO_URL", "mongodb://elsewhere:1")
    assert server_settings().mongo_url == "mongodb://elsewhere:1"


def test_passwords_stay_out_of_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/.env" in ignored
    # The package has a folder of that name, which must never fall under such a rule.
    assert not {"env", "env/", "/env", "/env/"} & set(ignored)
