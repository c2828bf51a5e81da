"""Passwords of the servers: in nothing that a load or a run prints, writes or stores, whether it succeeds or fails."""

import base64
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from pymongo import MongoClient

from drretail.experiment import run_files
from drretail.run_file import read_telemetry
from tests.build import files
from tests.cli.commands import MAINS
from tests.servers.failures.conftest import MONGO_PASSWORD
from tests.servers.failures.own import OwnServer
from tests.servers.proxy import Front, only_with
from tests.shop import USER, build_shop

pytestmark = pytest.mark.servers
ROOT = Path(__file__).parents[3]
ES_PASSWORD = "el4stic-s3cr3t"
BASIC = base64.b64encode(f"eva:{ES_PASSWORD}".encode()).decode()
SECRETS = (MONGO_PASSWORD, ES_PASSWORD, BASIC)
Drretail = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def elastic(es_url: str) -> Iterator[Front]:
    """Asks for eva's other password."""
    with Front(es_url) as front:
        front.rule = only_with(f"Basic {BASIC}")
        yield front


@pytest.fixture(params=["in the address", "in the settings"])
def environment(request: pytest.FixtureRequest, secured_mongo: OwnServer, elastic: Front) -> dict[str, str]:
    """Both ways to say a password."""
    if request.param == "in the address":
        return {
            "MONGO_URL": secured_mongo.url.replace("//", f"//eva:{MONGO_PASSWORD}@"),
            "ES_URL": elastic.url.replace("//", f"//eva:{ES_PASSWORD}@"),
        }
    return {
        "MONGO_URL": secured_mongo.url,
        "DRRETAIL_MONGO_USER": "eva",
        "DRRETAIL_MONGO_PASSWORD": MONGO_PASSWORD,
        "ES_URL": elastic.url,
        "DRRETAIL_ES_USER": "eva",
        "DRRETAIL_ES_PASSWORD": ES_PASSWORD,
    }


@pytest.fixture
def drretail(tmp_path: Path, environment: dict[str, str]) -> Drretail:
    """Commands one after the other in the test's folder, with everything that Python would log or warn of."""
    build_shop(tmp_path / "w")
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}

    def run(*commands: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-Wd", "-c", f"import logging; logging.basicConfig(level=0){MAINS}", json.dumps(commands)],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    return run


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def leaks(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def kept_in(folder: Path) -> str:
    """Every byte below a folder, unpacked where it is packed."""
    contents = files(folder).items()
    parts = [gzip.decompress(content) if name.endswith(".gz") else content for name, content in contents]
    return b"\n".join(parts).decode("utf-8", errors="replace")


def stored(mongo: OwnServer, es_url: str, name: str) -> str:
    """What the world's own documents on both servers say, but for its rows."""
    with MongoClient[dict[str, Any]](mongo.url, username="eva", password=MONGO_PASSWORD) as client:
        found = list(client[name].worlds.find())
    with Elasticsearch(es_url) as search:
        indices = search.indices.get(index=f"{name}*").body
    assert found
    assert indices
    return json.dumps([found, indices], default=str)


def test_a_load_and_a_run_leave_no_password_anywhere(
    drretail: Drretail, tmp_path: Path, secured_mongo: OwnServer, es_url: str, fresh_name: str
) -> None:
    spec = f"servers:{fresh_name}"
    commands = (
        ("world", "copy", "w", spec),
        ("world", "info", spec),
        ("world", "info", spec, "--json"),
        ("world", "check", spec),
        ("tools", "product_catalog_search", "--args", '{"query": "bird"}', "--world", spec),
        ("ask", "Which bird feeder suits me?", "--user", USER, "--world", spec, "--to", "exp"),
        ("score", "exp"),
        ("report", "exp"),
    )
    output = output_of(drretail(*commands))
    assert leaks(output) == []
    assert leaks(kept_in(tmp_path)) == []
    assert leaks(stored(secured_mongo, es_url, fresh_name)) == []
    (asked,) = run_files(tmp_path / "exp")
    assert read_telemetry(asked)["world"] == spec
