"""The command line with worlds on servers, as a person meets it."""

import json
import subprocess
from pathlib import Path

import pytest
from pymongo import MongoClient

from drretail.env.servers.naming import ServerSettings
from tests.cli.commands import Command, environment
from tests.cli.forked import ForkServer
from tests.shop import USER, build_shop

MOMENT = 1_600_000_000_000
QUESTION = "Which bird feeder suits me, under $30?"


@pytest.fixture
def drretail(fork_server: ForkServer, tmp_path: Path, server_settings: ServerSettings) -> Command:
    """Runs ``drretail …`` in the test's folder, where the servers are set."""

    def run(*args: str, **given: str) -> subprocess.CompletedProcess[str]:
        servers = {"MONGO_URL": server_settings.mongo_url, "ES_URL": server_settings.es_url}
        return fork_server.run(args, tmp_path, environment(tmp_path, **{**servers, **given}))

    return run


@pytest.fixture
def spec(fresh_name: str) -> str:
    return f"servers:{fresh_name}"


@pytest.fixture
def raw(tmp_path: Path) -> str:
    """One product with its five reviews."""
    (tmp_path / "raw").mkdir()
    product = {"parent_asin": "B1", "title": "Garden planner"}
    reviews = [{"user_id": f"A{number}", "parent_asin": "B1", "timestamp": MOMENT + number} for number in range(5)]
    (tmp_path / "raw" / "meta_Office_Products.jsonl").write_text(json.dumps(product))
    (tmp_path / "raw" / "Office_Products.jsonl").write_text("\n".join(map(json.dumps, reviews)))
    return "raw"


def test_an_ingest_makes_the_same_world_on_servers(drretail: Command, spec: str, raw: str, tmp_path: Path) -> None:
    done = drretail("ingest", raw, "--world", spec, "--materialize-users", "--json", "-q")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    folder = json.loads(drretail("ingest", raw, "--world", "w", "--json", "-q").stdout)
    assert report["world"] == spec
    assert report["fingerprint"] == folder["fingerprint"]
    assert not any((tmp_path / ".cache" / "drretail" / "ingest").iterdir()), "finished stages are removed"
    checked = drretail("world", "check", spec)
    assert (checked.returncode, checked.stdout) == (0, f"ok {report['fingerprint']}\n")
    answers = json.loads(drretail("world", "info", spec, "--json").stdout)
    assert answers["counts"] == {"products": 1, "users": 5, "orders": 5}


def test_a_shop_of_ones_own_is_the_same_on_servers(drretail: Command, spec: str, tmp_path: Path) -> None:
    (tmp_path / "products.csv").write_text("sku,name,path,net,left\n7.5,Desk lamp,Home > Lamps,39.90,4\n8,Bowl,,,\n")
    (tmp_path / "orders.csv").write_text("nr,who,sku,day\nR1,a@x.example,7.5,2024-03-01\nR1,a@x.example,8,2024-03-01\n")
    (tmp_path / "shop.toml").write_text(
        'currency = "EUR"\n'
        'orders = {file = "orders.csv", id = "nr", user = "who", product = "sku", date = "day"}\n[products]\n'
        'file = "products.csv"\nid = "sku"\ntitle = "name"\ncategory = "path"\nprice = "net"\nstock = "left"\n'
    )
    done = drretail("ingest", "shop.toml", "--world", spec, "--json", "-q")
    assert done.returncode == 0, done.stderr
    folder = drretail("ingest", "shop.toml", "--world", "w", "--json", "-q")
    assert json.loads(done.stdout)["fingerprint"] == json.loads(folder.stdout)["fingerprint"]
    assert drretail("world", "check", spec).returncode == 0
    calls = [
        ("product_catalog_search", {"query": "desk lamp", "category": "lamps"}),
        ("get_product_details", {"product_id": "7-5"}),
        ("get_user_orders", {"user_id": "a@x.example"}),
        ("get_order_details", {"order_id": "R1-2"}),
        ("get_user_statistics", {"user_id": "a@x.example"}),
    ]
    for tool, given in calls:
        answers = [
            json.loads(
                drretail("tools", tool, "-w", place, "--user", "a@x.example", "--args", json.dumps(given)).stdout
            )
            for place in (spec, "w")
        ]
        assert answers[0] == answers[1]
        assert "error" not in answers[0]
        assert '"EUR"' in json.dumps(answers[0])
        assert tool != "get_product_details" or answers[0]["details"] == {"Stock": 4}


def test_other_rows_replace_a_world_only_when_told(drretail: Command, spec: str, raw: str, tmp_path: Path) -> None:
    first = json.loads(drretail("ingest", raw, "--world", spec, "--json", "-q").stdout)["fingerprint"]
    again = drretail("ingest", raw, "--world", spec, "-q")
    assert (again.returncode, "nothing was read" in again.stdout) == (0, True), again.stderr
    (tmp_path / "other").mkdir()
    for path in (tmp_path / raw).iterdir():
        (tmp_path / "other" / path.name).write_text(path.read_text().replace("planner", "hose"))
    refused = drretail("ingest", "other", "--world", spec, "-q")
    assert refused.returncode == 2
    assert "--replace" in refused.stderr
    assert drretail("world", "check", spec).stdout == f"ok {first}\n"
    replaced = json.loads(drretail("ingest", "other", "--world", spec, "--replace", "--json", "-q").stdout)
    assert replaced["replaced"]["fingerprint"] == first
    assert drretail("world", "check", spec).stdout == f"ok {replaced['fingerprint']}\n"
    back = drretail("world", "use", spec)
    assert back.returncode == 0, back.stderr
    assert drretail("world", "check", spec).stdout == f"ok {first}\n"


def test_a_world_is_copied_asked_and_scored_on_servers(drretail: Command, spec: str, tmp_path: Path) -> None:
    build_shop(tmp_path / "w")
    copied = drretail("world", "copy", "w", spec, "-q")
    assert (copied.returncode, copied.stderr) == (0, "")
    ask = ("ask", QUESTION, "--user", USER, "--quiet")
    answer = drretail(*ask, "--world", spec, "--to", "a")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == drretail(*ask, "--world", "w", "--to", "b").stdout
    (telemetry,) = (tmp_path / "a").glob("runs/*/*/telemetry.json")
    assert json.loads(telemetry.read_text())["world"] == spec
    scored = drretail("score", "a", "--metrics", "checks")
    assert scored.returncode == 0, scored.stderr
    assert "Without the shop's records" not in scored.stderr
    elsewhere = drretail("score", "a", "--metrics", "checks", ES_URL="http://127.0.0.1:9")
    assert "Without the shop's records (Elasticsearch at 127.0.0.1:9 does not answer" in elsewhere.stderr


def test_a_damaged_world_ends_with_three(drretail: Command, spec: str, tmp_path: Path, mongo_url: str) -> None:
    build_shop(tmp_path / "w")
    drretail("world", "copy", "w", spec, "-q")
    with MongoClient[dict[str, object]](mongo_url) as client:
        client[spec.removeprefix("servers:")]["g1_orders"].update_one({}, {"$set": {"quantity": 9}})
    checked = drretail("world", "check", spec)
    assert checked.returncode == 3
    assert "fingerprint" in checked.stdout
    again = drretail("world", "copy", "w", spec)
    assert "is damaged (user_sums, fingerprint): it is loaded anew" in again.stderr
    assert drretail("world", "check", spec).returncode == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("tools", "calculator", "--args", '{"expression": "1"}', "-w", "servers:t_none"), "There is no world"),
        (("world", "info", "servers:T"), "cannot name a world on servers"),
        (("world", "copy", "demo", "server:t"), "goes by 'servers:t'"),
        (("ingest", "raw", "--world", "w", "--materialize-users"), "a folder always derives"),
    ],
)
def test_what_the_user_must_mend_is_one_sentence(drretail: Command, command: tuple[str, ...], message: str) -> None:
    done = drretail(*command)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
