"""The command line with worlds on servers, as a person meets it. Tests api/worlds.py."""

import json
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from drretail.env.clients import connect
from drretail.env.naming import ServerSettings
from drretail.env.servers.generations import read_generation
from drretail.env.store.mongo import collections_of
from drretail.experiments.experiment import read_runs, run_files
from drretail.experiments.run_file import read_telemetry
from drretail.records.query import Query
from tests.build import files
from tests.cli.commands import Command, ErrorOf, environment
from tests.cli.in_process import run_here
from tests.data_ingest.raw_rows import product_row, small_shop
from tests.servers.proxy import Front, only_with
from tests.shop import OTHER, USER, build_shop

QUESTION = "Which bird feeder suits me, under $30?"
SECRET = "el4stic-s3cr3t"


@pytest.fixture
def drretail(tmp_path: Path, server_settings: ServerSettings) -> Command:
    """Runs ``drretail …`` in the test's folder, where the servers are set."""

    def run(*args: str, **given: str) -> subprocess.CompletedProcess[str]:
        servers = {"MONGO_URL": server_settings.mongo_url, "ES_URL": server_settings.es_url}
        return run_here(args, tmp_path, environment(tmp_path, **{**servers, **given}))

    return run


@pytest.fixture
def spec(fresh_name: str) -> str:
    return f"servers:{fresh_name}"


@pytest.fixture
def raw(tmp_path: Path) -> str:
    """One product with its five reviews."""
    return small_shop(tmp_path / "raw").name


def test_other_rows_replace_a_world_only_when_told(
    drretail: Command, succeeds: Command, error_of: ErrorOf, spec: str, raw: str, tmp_path: Path
) -> None:
    first = json.loads(drretail("ingest", raw, "--world", spec, "--json", "-q").stdout)["fingerprint"]
    assert "nothing was read" in succeeds("ingest", raw, "--world", spec, "-q").stdout
    small_shop(tmp_path / "other", product_row("B000000001", title="Hose"))
    assert "--force" in error_of("ingest", "other", "--world", spec, "-q")
    assert drretail("world", "check", spec).stdout == f"ok {first}\n"
    replaced = json.loads(drretail("ingest", "other", "--world", spec, "--force", "--json", "-q").stdout)
    assert replaced["replaced"]["fingerprint"] == first
    assert drretail("world", "check", spec).stdout == f"ok {replaced['fingerprint']}\n"


def test_a_world_is_copied_asked_and_scored_on_servers_and_their_password_is_nowhere(
    succeeds: Command, spec: str, server_settings: ServerSettings, tmp_path: Path
) -> None:
    build_shop(tmp_path / "w")
    ask = ("ask", QUESTION, "--user", USER, "--quiet")
    with Front(server_settings.es_url) as front:
        front.rule = only_with(f"Basic {b64encode(f'eva:{SECRET}'.encode()).decode()}")
        secured = {"ES_URL": front.url.replace("//", f"//eva:{SECRET}@")}
        assert succeeds("world", "copy", "w", spec, "-q", **secured).stderr == ""
        done = [succeeds(*ask, "--world", spec, "--to", "a", **secured)]
        assert done[0].stdout == succeeds(*ask, "--world", "w", "--to", "b").stdout
        done.append(succeeds("score", "a", "--metrics", "checks", **secured))
    assert "Without the shop's records" not in done[1].stderr
    assert not any(SECRET in one.stdout + one.stderr for one in done)
    assert not any(SECRET.encode() in content for content in files(tmp_path).values())
    (asked,) = run_files(tmp_path / "a")
    assert read_telemetry(asked)["world"] == spec
    elsewhere = succeeds("score", "a", "--metrics", "checks", ES_URL="http://127.0.0.1:9")
    assert "Without the shop's records (The shop's search (Elasticsearch at 127.0.0.1:9) cannot be" in elsewhere.stderr


def test_a_damaged_order_fails_what_needs_it_and_the_run_goes_on_and_says_so(
    drretail: Command, succeeds: Command, spec: str, fresh_name: str, server_settings: ServerSettings, tmp_path: Path
) -> None:
    build_shop(tmp_path / "w")
    succeeds("world", "copy", "w", spec, "-q")
    with connect(server_settings, fresh_name) as servers:
        orders = collections_of(servers, read_generation(servers).key)["orders"]
        orders.update_one({"user_id": USER}, {"$set": {"order_status": "Lost"}})
    people = {"a": USER, "b": OTHER}
    asked = [Query(query_id=name, user_id=who, text=QUESTION, source="test") for name, who in people.items()]
    (tmp_path / "q.jsonl").write_text("".join(f"{each.model_dump_json()}\n" for each in asked), encoding="utf-8")
    run = ("run", "--world", spec, "--queries", "q.jsonl", "--agent", "hybrid_react", "--to", "e", "--no-floors")
    done = drretail(*run)
    assert done.returncode in (0, 3), done.stderr
    assert f"Judges get no summary of user {USER}" in done.stderr
    assert "no answer for" in done.stderr
    assert "itself failed" not in done.stderr
    runs = {run.query_id: run for run in read_runs(tmp_path / "e")}
    errors = [step.error for step in runs["a"].steps if step.error]
    assert errors
    assert all("unavailable: The shop's record of the order" in error for error in errors)
    assert not any(step.error for step in runs["b"].steps)
