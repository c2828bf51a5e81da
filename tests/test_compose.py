"""docker-compose.yml as it is written. Whether Docker starts it is not tested here: that needs its images."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from drretail.api.settings import Settings, read_settings
from drretail.api.worlds import server_settings
from drretail.env.servers.clients import hosts_of
from tests.build import known

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


def test_mongodb_is_a_replica_set_that_the_health_check_makes(compose: dict[str, Any]) -> None:
    mongo = compose["services"]["mongo"]
    name = mongo["command"][mongo["command"].index("--replSet") + 1]
    script = mongo["healthcheck"]["test"][-1]
    assert f'_id: "{name}"' in script
    assert "isWritablePrimary" in script


def test_elasticsearch_is_one_node_with_passwords_and_half_of_its_memory_for_java(compose: dict[str, Any]) -> None:
    service = compose["services"]["elasticsearch"]
    assert service["environment"]["discovery.type"] == "single-node"
    assert service["environment"]["xpack.security.enabled"] == "true"
    (heap,) = re.findall(r"-Xmx\$\{\w+:-(\d+)g\}", service["environment"]["ES_JAVA_OPTS"])
    (limit,) = re.findall(r":-(\d+)g", service["mem_limit"])
    assert 2 * int(heap) <= int(limit)


def test_every_variable_is_said_in_the_docs_and_its_password_is_never_an_argument() -> None:
    found = {match[1] for match in VARIABLE.finditer(TEXT)}
    docs = (ROOT / "docs" / "shop.md").read_text(encoding="utf-8")
    assert found
    assert [name for name in sorted(found) if name not in docs] == []
    assert "-u " not in TEXT
    assert "--user" not in TEXT


@pytest.mark.parametrize("password", ['a"b', "a'b $c `d` %s", '\\"'])
def test_any_password_passes_elasticsearchs_check(compose: dict[str, Any], tmp_path: Path, password: str) -> None:
    script = compose["services"]["elasticsearch"]["healthcheck"]["test"][-1].replace("$$", "$")
    curl = tmp_path / "curl"
    curl.write_text(f"#!/bin/sh\ncat > {tmp_path / 'read'}\n", encoding="utf-8")
    curl.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run(["sh", "-c", script], env={"PATH": path, "ELASTIC_PASSWORD": password}, check=True, timeout=10)
    line = re.fullmatch(r'user = "((?:[^"\\]|\\["\\])*)"', (tmp_path / "read").read_text(encoding="utf-8"))
    assert line
    assert re.sub(r"\\(.)", r"\1", line[1]) == f"elastic:{password}"


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


def test_user_and_passwords_go_by_the_names_of_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("mongo_user", "mongo_password", "es_password"):
        assert name in Settings.model_fields
        assert f"${{DRRETAIL_{name.upper()}:" in TEXT
    monkeypatch.chdir(tmp_path)
    for match in VARIABLE.finditer(TEXT):
        monkeypatch.setenv(match[1], "1")
    assert known(read_settings().mongo_password).get_secret_value() == "1"


def test_passwords_stay_out_of_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/.env" in ignored
    # The package has a folder of that name, which must never fall under such a rule.
    assert not {"env", "env/", "/env", "/env/"} & set(ignored)
