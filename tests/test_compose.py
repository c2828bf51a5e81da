"""docker-compose.yml as it is written; Docker is not started. Tests env/servers/."""

import re
from pathlib import Path

import pytest
import yaml

from drretail.api.settings import server_settings
from drretail.env.servers.clients import hosts_of

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = ("mongo", "elasticsearch")


def test_each_server_is_pinned_local_and_locked() -> None:
    assert sorted(COMPOSE["services"]) == sorted(SERVICES)
    for service in COMPOSE["services"].values():
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+", service["image"])
        (port,) = service["ports"]
        assert re.fullmatch(r"127\.0\.0\.1:\$\{[A-Z_]+:-(\d+)\}:\1", port)
        assert "network_mode" not in service
        passwords = [value for key, value in service["environment"].items() if key.endswith("PASSWORD")]
        assert passwords
        assert all(re.fullmatch(r"\$\{[A-Z_]+:\?[^}]*\}", value) for value in passwords)
    assert "/.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines(), "it holds them"


@pytest.mark.parametrize("given", [{}, {"DRRETAIL_MONGO_PORT": "27018", "DRRETAIL_ES_PORT": "9201"}])
def test_drretail_looks_for_the_servers_where_compose_publishes_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MONGO_URL", "ES_URL", "DRRETAIL_MONGO_PORT", "DRRETAIL_ES_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, port in given.items():
        monkeypatch.setenv(name, port)
    ports = [COMPOSE["services"][name]["ports"][0].rpartition(":")[0] for name in SERVICES]
    published = [re.sub(r"\$\{([A-Z_]+):-(\d+)\}", lambda found: given.get(found[1], found[2]), port) for port in ports]
    settings = server_settings()
    assert [hosts_of(settings.mongo_url), hosts_of(settings.es_url)] == published
    # The replica set names the port that MongoDB has inside its container.
    assert settings.mongo_url.endswith("/?directConnection=true")
