"""docker-compose.yml as it is written; Docker is not started. Tests env/servers/.

compose-spec.json is the schema of the Compose Specification (Apache License 2.0), as of 2026-06-23.
"""

import json
import re
import stat
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from drretail.api.settings import server_settings
from drretail.env.clients import hosts_of

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SCHEMA = Path(__file__).with_name("compose-spec.json")
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
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(COMPOSE)
    assert "/.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines(), "it holds them"


@pytest.mark.parametrize("name", SERVICES)
def test_each_server_has_a_health_check_limits_volumes_and_no_rights_to_spare(name: str) -> None:
    service = COMPOSE["services"][name]
    assert {"test", "interval", "timeout", "retries", "start_period"} <= service["healthcheck"].keys()
    assert service["mem_limit"] == service["memswap_limit"] != ""
    assert {volume.partition(":")[0] for volume in service["volumes"]} <= COMPOSE["volumes"].keys()
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


def test_the_documented_way_of_keeping_passwords_leaves_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    lines = (ROOT / "docs/shop.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith(("install -m", "printf 'DRRETAIL_"))]
    kept = tmp_path / ".env"
    kept.write_text("OLD=1\n", encoding="utf-8")
    kept.chmod(0o644)
    subprocess.run(["bash", "-euc", "\n".join(["umask 022", *commands])], cwd=tmp_path, check=True)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    written = dict(line.split("=") for line in kept.read_text(encoding="utf-8").splitlines())
    needed = re.findall(r"\$\{([A-Z_]+):\?", (ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    assert all(written[name] for name in needed)
    assert "OLD" not in written


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
